# Rooms: each folder of src/ is one library whose link line names every room that it includes
# (docs/architecture.md has the diagram; tests/rooms_test.py holds the includes to it).

# skinmask_room(name SOURCES file... [ROOMS room...] [PUBLIC target...] [PRIVATE target...])
function(skinmask_room name)
  cmake_parse_arguments(room "" "" "SOURCES;ROOMS;PUBLIC;PRIVATE" ${ARGN})
  add_library(skinmask_${name} ${room_SOURCES})
  target_compile_features(skinmask_${name} PUBLIC cxx_std_20)
  target_include_directories(
    skinmask_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                            $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                     PRIVATE ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM room_ROOMS PREPEND skinmask_ OUTPUT_VARIABLE rooms)
  target_link_libraries(skinmask_${name} PUBLIC ${rooms} ${room_PUBLIC}
                        PRIVATE $<BUILD_INTERFACE:skinmask_options> fmt::fmt ${room_PRIVATE})
  set_target_properties(skinmask_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY SKINMASK_ROOMS ${name})
endfunction()

# The shared module `name` of one source, which `room` opens when it needs it.
function(skinmask_late_module room name source)
  add_library(${name} MODULE ${source})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${name} SYSTEM PRIVATE ${OpenCV_INCLUDE_DIRS})
  target_link_libraries(${name} PRIVATE skinmask_options)
  set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  add_dependencies(skinmask_${room} ${name})
  set_property(GLOBAL APPEND PROPERTY SKINMASK_MODULES ${name})
endfunction()

# Row functions: a file that Highway compiles once per CPU target by including it again, by its name
# from src/. GCC orders their long straight-line blocks better with -fschedule-insns: 7 % on Zen 4.
# Vectors without a size (SVE, RVV) cannot be members, as they are here: those CPUs run NEON or
# plain code. The address sanitizer watches their accesses to the heap only: with its checks of the
# stack, or with those of undefined behaviour, each file takes minutes to compile.
set(SKINMASK_DISABLED_TARGETS
    "HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_RVV)")
function(skinmask_row_functions)
  set_source_files_properties(
    ${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU>:-fschedule-insns>")
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
