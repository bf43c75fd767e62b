# Installs the build into a folder of its own, builds tests/consumer against it, runs both programs,
# and looks at what the core alone links: of OpenCV, core and imgproc only.
#   cmake -DBUILD=... -DSOURCE=... -DCXX=... -DSANITIZE=... -P run.cmake
set(work ${BUILD}/consumer)
file(REMOVE_RECURSE ${work})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nfailed with ${status}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/consumer -B ${work}/build
    -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${flags}
    -DCMAKE_BUILD_TYPE=None)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer ${SOURCE}/samples/photos/grace_hopper.jpg)
if(NOT output MATCHES "^0\\.1[0-9]+ of the picture is skin")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
# A PBM of two pixels, which needs the module with OpenCV's codecs: once as installed, once moved
# away.
file(WRITE ${work}/two.pbm "P1 2 1 0 1\n")
run(${work}/build/consumer ${work}/two.pbm)
set(module ${work}/prefix/libexec/skinmask/skinmask-imgcodecs.so)
file(RENAME ${module} ${module}.away)
execute_process(COMMAND ${work}/build/consumer ${work}/two.pbm
                RESULT_VARIABLE ignored ERROR_VARIABLE output)
if(NOT output MATCHES "skinmask-imgcodecs.so: is not there, .*${work}/prefix/libexec/skinmask")
  message(FATAL_ERROR "without its module the consumer printed: ${output}")
endif()
file(RENAME ${module}.away ${module})
run(${work}/build/core_consumer)
run(readelf -d ${work}/build/core_consumer)
string(REGEX MATCHALL "libopencv_[a-z0-9]+" modules "${output}")
list(REMOVE_DUPLICATES modules)
list(REMOVE_ITEM modules libopencv_core libopencv_imgproc)
if(modules)
  message(FATAL_ERROR "the core links ${modules}")
endif()
run(${work}/prefix/bin/skinmask version)
run(${work}/prefix/bin/skinmask detect -q ${work}/two.pbm -o ${work}/masks)
run(readelf -d ${work}/prefix/bin/skinmask)
if(output MATCHES "imgcodecs|objdetect|dnn|${BUILD}:" OR NOT output MATCHES "libexec/skinmask")
  message(FATAL_ERROR "the installed program links, or looks, wrongly: ${output}")
endif()
