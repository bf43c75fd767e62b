// What leaks of libraries the address sanitizer passes over in tests; programs/cli/app.cc has the
// same for programs.
#if defined(__SANITIZE_ADDRESS__)
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:cv::fastMalloc\n"; }
#endif
