# Builds for 64-bit ARM on Debian, with its cross compiler and the libraries of its architecture
# arm64, which lie beside the machine's own: cmake --toolchain cmake/toolchain-arm64.cmake
# (scripts/test-platforms arm64 makes a root that has them). What runs in the build, and the tests,
# run by qemu. Python has its modules for one architecture only, so there is none for ARM here.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(PKG_CONFIG_EXECUTABLE aarch64-linux-gnu-pkg-config CACHE FILEPATH "")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static CACHE STRING "")
set(SKINMASK_PYTHON OFF CACHE BOOL "")
