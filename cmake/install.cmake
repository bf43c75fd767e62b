# find_package(skinmask) gives skinmask::core and skinmask::skinmask; find_package(skinmask COMPONENTS
# core) the first alone, and asks for no codec. pkg-config knows both, as skinmask-core and skinmask.
include(CMakePackageConfigHelpers)

if(BUILD_SHARED_LIBS)
  set(core_targets skinmask_core_shared)
  set(targets skinmask_shared)
else()
  get_property(rooms GLOBAL PROPERTY SKINMASK_ROOMS)
  list(REMOVE_ITEM rooms ${SKINMASK_CORE_ROOMS})
  list(TRANSFORM SKINMASK_CORE_ROOMS PREPEND skinmask_ OUTPUT_VARIABLE core_targets)
  list(TRANSFORM rooms PREPEND skinmask_ OUTPUT_VARIABLE targets)
  list(APPEND core_targets skinmask_core)
  list(APPEND targets skinmask)
endif()
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/skinmask)

install(TARGETS ${core_targets} EXPORT skinmask-core)
install(EXPORT skinmask-core NAMESPACE skinmask:: DESTINATION ${package_folder})
set(libraries skinmask-core)
if(NOT SKINMASK_CORE_ONLY)
  install(TARGETS ${targets} EXPORT skinmask)
  install(EXPORT skinmask NAMESPACE skinmask:: DESTINATION ${package_folder})
  list(APPEND libraries skinmask)
  get_property(modules GLOBAL PROPERTY SKINMASK_MODULES)
  install(TARGETS ${modules} DESTINATION ${SKINMASK_MODULE_FOLDER})
endif()
if(SKINMASK_PROGRAMS)
  install(TARGETS skinmask_program)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  set(completions ${PROJECT_BINARY_DIR}/completions)
  install(FILES ${completions}/skinmask
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${completions}/_skinmask
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${completions}/skinmask.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
if(SKINMASK_LIVE)
  install(TARGETS skinmask_live_program DESTINATION ${SKINMASK_MODULE_FOLDER})
endif()

install(DIRECTORY include/skinmask TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/skinmask/base/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/skinmask/base)
install(FILES LICENSE TYPE DOC)
configure_package_config_file(cmake/skinmaskConfig.cmake.in skinmaskConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(skinmaskConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/skinmaskConfig.cmake
              ${PROJECT_BINARY_DIR}/skinmaskConfigVersion.cmake
        DESTINATION ${package_folder})
# What a program of others links beside the library: nothing, if that is shared.
if(BUILD_SHARED_LIBS)
  set(core_requires "eigen3 tbb")
  set(core_libs "-lskinmask-core")
  set(whole_requires "skinmask-core")
  set(whole_libs "-lskinmask -lopencv_core")
else()
  set(core_requires "eigen3 tbb libhwy fmt")
  set(core_libs "-lskinmask_learn -lskinmask_model -lskinmask_data -lskinmask_base")
  string(APPEND core_libs " -lopencv_imgproc -lopencv_core")
  set(whole_requires "skinmask-core libcrypto libpng libturbojpeg libexif libisal")
  set(whole_libs "-Wl,-rpath,\${modules} -lskinmask_report -lskinmask_pipeline -lskinmask_detect")
  string(APPEND whole_libs " -lskinmask_media ${SKINMASK_DLIB} -ldl")
endif()
# They may be moved with the folder that they are in.
file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
list(GET OpenCV_INCLUDE_DIRS 0 opencv_include)
foreach(library ${libraries})
  configure_file(cmake/${library}.pc.in ${library}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
