// What the sanitizers pass over, in programs and tests: what libraries do. (A file that says so
// could not be read from within the sandbox.)
#if defined(__SANITIZE_ADDRESS__)
extern "C" const char* __lsan_default_suppressions();
// OpenCV never frees its tables for Lab and Luv, nor Cairo and Fontconfig the fonts they found. The
// stack ends there, without ASAN_OPTIONS=fast_unwind_on_malloc=0, which is slow.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:cv::fastMalloc\nleak:libfontconfig.so\nleak:libcairo.so\n";
}
#endif

#if defined(__SANITIZE_THREAD__)
extern "C" const char* __tsan_default_suppressions();
// Only what is compiled with the thread sanitizer shows it what it waits for. GDAL, which OpenCV's
// decoders load, takes two locks in both orders; FFmpeg's codecs and slices, OpenCV's loops and
// GStreamer's elements have threads that look as if nobody waited for them, and so do the first
// uses of what OpenCV keeps, and the threads that Qt scales pictures on. (What runs within its
// loop of events is passed over with these; tests of the window do most without it.) Where one of
// OpenCV's loops ends it is not seen either, so that TBB seems to look at the context of the loop
// after its stack has gone to others.
extern "C" const char* __tsan_default_suppressions() {
  return "deadlock:libgdal.so\nrace:libavcodec.so\nrace:libavutil.so\nrace:libopencv_\n"
         "race:libgstreamer-1.0.so\nrace:libglib-2.0.so\n"
         "race:cv::Mat::operator=(cv::MatExpr const&)\nrace:libfontconfig.so\n"
         "race:context_guard_helper\nrace:task_group_context::\nrace:task_group_context_impl::\n"
         "race:libQt5Gui.so\nrace:libQt5Core.so\n";
}
#endif
