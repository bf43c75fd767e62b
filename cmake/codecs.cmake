# What images and videos need.
find_package(PNG REQUIRED)
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)
pkg_check_modules(TURBOJPEG REQUIRED IMPORTED_TARGET libturbojpeg)
pkg_check_modules(TIFF REQUIRED IMPORTED_TARGET libtiff-4)
pkg_check_modules(ARCHIVE REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(WEBP REQUIRED IMPORTED_TARGET libwebp libwebpdemux)
pkg_check_modules(LCMS REQUIRED IMPORTED_TARGET lcms2>=2.12)
# Optional: without them HEIC and AVIF, JPEG XL, or raw files of cameras are not read.
pkg_check_modules(HEIF IMPORTED_TARGET libheif>=1.13)
pkg_check_modules(DE265 IMPORTED_TARGET libde265>=1.0)
pkg_check_modules(JXL IMPORTED_TARGET libjxl>=0.7)
pkg_check_modules(RAW IMPORTED_TARGET libraw_r>=0.20)
if(RAW_FOUND)
  # LibRaw's own need, which its library names itself: clang would look for another library of OpenMP.
  set_target_properties(PkgConfig::RAW PROPERTIES INTERFACE_COMPILE_OPTIONS "" INTERFACE_LINK_OPTIONS "")
endif()
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)
# Their headers: the libraries are loaded when the first video is opened.
pkg_check_modules(FFMPEG REQUIRED libavcodec>=59 libavformat>=59 libavutil>=57 libswscale>=6)
# The pictures of models.
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo-svg>=1.16)
