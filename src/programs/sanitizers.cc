// Suppressions for the sanitizers, in programs and tests: reports about libraries. (A file of
// suppressions could not be read within the sandbox.)
#if defined(__SANITIZE_ADDRESS__)
// OpenCV never frees its tables for Lab and Luv; Cairo and Fontconfig never free the fonts that
// they found; x265 keeps a kilobyte of an encoder that is not ended, and x264 some bytes of one
// that refuses a picture's size. The stacks end in these libraries unless
// ASAN_OPTIONS=fast_unwind_on_malloc=0 is set, which is slow.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:cv::fastMalloc\nleak:libfontconfig.so\nleak:libcairo.so\nleak:libx264.so\n"
         "leak:libx265.so\n";
}
// Tests compare what a program prints.
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
#endif

#if defined(__SANITIZE_THREAD__)
// The thread sanitizer sees the synchronisation only of code that is compiled with it. GDAL, which
// OpenCV's decoders load, takes two locks in both orders. FFmpeg's codecs and slices, OpenCV's
// loops, GStreamer's elements, the first uses of OpenCV's static data, and the threads on which Qt
// scales pictures look unsynchronised. (These suppressions also cover code that runs within Qt's
// event loop; tests of the window run most of that code without the loop.) The end of OpenCV's
// loops is not seen either, so TBB seems to access the context of a loop after its stack was
// reused.
extern "C" const char* __tsan_default_suppressions() {
  return "deadlock:libgdal.so\nrace:libavcodec.so\nrace:libavutil.so\nrace:libopencv_\n"
         "race:libgstreamer-1.0.so\nrace:libglib-2.0.so\n"
         "race:cv::Mat::operator=(cv::MatExpr const&)\nrace:libfontconfig.so\n"
         "race:context_guard_helper\nrace:task_group_context::\nrace:task_group_context_impl::\n"
         "race:libQt5Gui.so\nrace:libQt5Core.so\n";
}
#endif
