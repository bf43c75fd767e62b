// For LD_PRELOAD: a decoder of WebP to which the width of a picture says what it is to do, in place
// of decoding it. Of other widths it is libwebp's.
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <new>
#include <vector>

extern "C" uint8_t* WebPDecodeBGRInto(const uint8_t* data, size_t data_size, uint8_t* output,
                                      size_t size, int stride) {
  using Decode = uint8_t* (*)(const uint8_t*, size_t, uint8_t*, size_t, int);
  static bool is_spent = false;
  if (is_spent) abort();
  switch (stride / 3) {
    case 16:
      raise(SIGSEGV);
      break;
    case 18:
      abort();
    case 20:  // without an end, and without work
      for (;;) pause();
    case 22:  // with work
      for (;;) time(nullptr);
    case 24:
      for (std::vector<void*> all;;) all.push_back(::operator new (std::size_t{64} << 20));
    case 26:
      _exit(0);
    case 28:  // more processes
      if (fork() >= 0)
        for (;;) pause();
      return nullptr;
    case 30:  // the next picture is the last one
      is_spent = true;
      break;
    default:
      break;
  }
  // It is there, loaded by a module that keeps its libraries to itself.
  void* const webp = dlopen("libwebp.so.7", RTLD_NOLOAD | RTLD_LAZY);
  static const auto decode = reinterpret_cast<Decode>(dlsym(webp, "WebPDecodeBGRInto"));
  return decode(data, data_size, output, size, stride);
}
