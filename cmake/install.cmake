# find_package(skinmask) gives skinmask::core and skinmask::skinmask.
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY SKINMASK_ROOMS)
list(TRANSFORM rooms PREPEND skinmask_)
install(TARGETS ${rooms} skinmask_core skinmask EXPORT skinmask)
install(TARGETS skinmask_program)
get_property(modules GLOBAL PROPERTY SKINMASK_MODULES)
install(TARGETS skinmask_live_program ${modules} DESTINATION ${SKINMASK_MODULE_FOLDER})
install(DIRECTORY include/skinmask TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/skinmask/base/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/skinmask/base)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/skinmask)
install(EXPORT skinmask NAMESPACE skinmask:: DESTINATION ${package_folder})
configure_package_config_file(cmake/skinmaskConfig.cmake.in skinmaskConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(skinmaskConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/skinmaskConfig.cmake
              ${PROJECT_BINARY_DIR}/skinmaskConfigVersion.cmake
        DESTINATION ${package_folder})
