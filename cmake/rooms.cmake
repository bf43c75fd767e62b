# Rooms: each folder of src/ is one library whose link line names every room that it includes
# (docs/architecture.md has the diagram; tests/rooms_test.py holds the includes to it).

# Those of skinmask::core, which know no image files.
set(SKINMASK_CORE_ROOMS base data model learn)

# skinmask_room(name SOURCES file... [ROOMS room...] [PUBLIC target...] [PRIVATE target...])
function(skinmask_room name)
  cmake_parse_arguments(room "" "" "SOURCES;ROOMS;PUBLIC;PRIVATE" ${ARGN})
  add_library(skinmask_${name} STATIC ${room_SOURCES})
  target_compile_features(skinmask_${name} PUBLIC cxx_std_20)
  target_include_directories(
    skinmask_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                            $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                     PRIVATE ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM room_ROOMS PREPEND skinmask_ OUTPUT_VARIABLE rooms)
  target_link_libraries(skinmask_${name} PUBLIC ${rooms} ${room_PUBLIC}
                        PRIVATE $<BUILD_INTERFACE:skinmask_options> fmt::fmt ${room_PRIVATE})
  # Only what a header opens with [[gnu::visibility("default")]] leaves a shared library: the public
  # headers, and those that the other library or the programs use.
  set_target_properties(
    skinmask_${name}
    PROPERTIES EXPORT_NAME ${name} SKINMASK_PUBLIC "${room_PUBLIC}" SKINMASK_PRIVATE "${room_PRIVATE}"
               POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON)
  set_property(GLOBAL APPEND PROPERTY SKINMASK_ROOMS ${name})
endfunction()

# Text, tables, JSON and calls of the library: a release compiles them for size, which leaves 60 % of
# it. The preset dev compiles them with less optimisation, which takes three quarters of the time.
function(skinmask_compile_small target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Os> $<$<CONFIG:RelWithDebInfo>:-O1>)
endfunction()

# The same for single files of a room that computes. Options of its own, even empty ones, keep a file
# out of a unity build.
function(skinmask_compile_small_files)
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -Os)
  endif()
endfunction()

# skinmask_shared(target file EXPORT name [LINKS target...] ROOMS room...): the shared library `file` of
# whole rooms, for other projects and for the programs, which use a little more of them than the public
# headers declare. The tests, which use what is hidden in it, link the rooms.
function(skinmask_shared target file)
  cmake_parse_arguments(shared "" "EXPORT" "LINKS;ROOMS" ${ARGN})
  add_library(${target} SHARED)
  foreach(room ${shared_ROOMS})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:skinmask_${room}>)
    get_target_property(public skinmask_${room} SKINMASK_PUBLIC)
    get_target_property(private skinmask_${room} SKINMASK_PRIVATE)
    target_link_libraries(${target} PUBLIC ${public} PRIVATE ${private} fmt::fmt)
    get_target_property(modules skinmask_${room} MANUALLY_ADDED_DEPENDENCIES)
    if(modules)
      add_dependencies(${target} ${modules})
    endif()
  endforeach()
  target_link_libraries(${target} PUBLIC ${shared_LINKS} PRIVATE $<BUILD_INTERFACE:skinmask_options>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(
    ${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                     $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                     $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_options(${target} PRIVATE LINKER:--exclude-libs,ALL LINKER:--no-undefined)
  file(RELATIVE_PATH modules ${CMAKE_INSTALL_FULL_LIBDIR}
       ${CMAKE_INSTALL_FULL_LIBEXECDIR}/skinmask)
  set_target_properties(
    ${target}
    PROPERTIES OUTPUT_NAME ${file} EXPORT_NAME ${shared_EXPORT} LINKER_LANGUAGE CXX
               VERSION ${PROJECT_VERSION}
               SOVERSION ${SKINMASK_ABI}
               LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  skinmask_run_path(${target} "$ORIGIN" "$ORIGIN" "$ORIGIN/${modules}")
endfunction()

# The shared module `name` of these sources, which `room` opens when it needs it.
function(skinmask_late_module room name)
  add_library(${name} MODULE ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${name} SYSTEM PRIVATE ${OpenCV_INCLUDE_DIRS})
  target_link_libraries(${name} PRIVATE skinmask_options)
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  skinmask_run_path(${name} "$ORIGIN" ${CMAKE_INSTALL_RPATH})
  add_dependencies(skinmask_${room} ${name})
  set_property(GLOBAL APPEND PROPERTY SKINMASK_MODULES ${name})
endfunction()

# Row functions: a file that Highway's foreach_target.h compiles once per CPU target by including it
# again, as HWY_TARGET_INCLUDE. GCC orders their long straight-line blocks better with
# -fschedule-insns: 7 % on Zen 4. Vectors without a size (SVE, RVV) cannot be members, as they are
# here: those CPUs run NEON or plain code. The address sanitizer watches their accesses to the heap
# only: with its checks of the stack, or with those of undefined behaviour, each file takes minutes
# to compile. Highway's includes allow no other file beside them in a unity build.
set(SKINMASK_DISABLED_TARGETS
    "HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_RVV)")
function(skinmask_row_functions)
  set_source_files_properties(
    ${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                       COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU>:-fschedule-insns>")
  foreach(file ${ARGN})
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    set_property(SOURCE ${file} APPEND PROPERTY COMPILE_DEFINITIONS HWY_TARGET_INCLUDE="${name}")
  endforeach()
  if(SKINMASK_SANITIZE MATCHES address)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=undefined
                 "$<IF:$<CXX_COMPILER_ID:GNU>,--param;asan-stack=0,-mllvm;-asan-stack=0>")
  endif()
endfunction()

# Writes the link lines as they are in the end, one room a line, for the test of the includes:
# 'model: base data'.
function(skinmask_write_rooms file)
  get_property(names GLOBAL PROPERTY SKINMASK_ROOMS)
  set(text "")
  foreach(name ${names})
    get_target_property(links skinmask_${name} LINK_LIBRARIES)
    list(FILTER links INCLUDE REGEX "^skinmask_[a-z]+$")
    list(TRANSFORM links REPLACE "^skinmask_" "")
    list(FILTER links EXCLUDE REGEX "^options$")
    list(JOIN links " " line)
    string(APPEND text "${name}: ${line}\n")
  endforeach()
  file(WRITE ${file} "${text}")
endfunction()
