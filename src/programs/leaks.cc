// What the address sanitizer passes over, in programs and tests. (A file that says so could not be
// read from within the sandbox.)
#if defined(__SANITIZE_ADDRESS__)
extern "C" const char* __lsan_default_suppressions();
// OpenCV never frees its tables for Lab and Luv. The stack ends there, without
// ASAN_OPTIONS=fast_unwind_on_malloc=0, which is slow.
extern "C" const char* __lsan_default_suppressions() { return "leak:cv::fastMalloc\n"; }
#endif
