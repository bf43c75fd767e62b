# find_package(skinmask) gives skinmask::core and skinmask::skinmask; find_package(skinmask COMPONENTS
# core) the first alone, and asks for no codec. pkg-config knows both, as skinmask-core and skinmask.
include(CMakePackageConfigHelpers)

set(core_rooms base data model learn)
get_property(rooms GLOBAL PROPERTY SKINMASK_ROOMS)
list(REMOVE_ITEM rooms ${core_rooms})
list(TRANSFORM core_rooms PREPEND skinmask_)
list(TRANSFORM rooms PREPEND skinmask_)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/skinmask)

install(TARGETS ${core_rooms} skinmask_core EXPORT skinmask-core)
install(EXPORT skinmask-core NAMESPACE skinmask:: DESTINATION ${package_folder})
set(libraries skinmask-core)
if(NOT SKINMASK_CORE_ONLY)
  install(TARGETS ${rooms} skinmask EXPORT skinmask)
  install(EXPORT skinmask NAMESPACE skinmask:: DESTINATION ${package_folder})
  list(APPEND libraries skinmask)
  get_property(modules GLOBAL PROPERTY SKINMASK_MODULES)
  install(TARGETS ${modules} DESTINATION ${SKINMASK_MODULE_FOLDER})
endif()
if(SKINMASK_PROGRAMS)
  install(TARGETS skinmask_program)
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
# They may be moved with the folder that they are in.
file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
list(GET OpenCV_INCLUDE_DIRS 0 opencv_include)
foreach(library ${libraries})
  configure_file(cmake/${library}.pc.in ${library}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
