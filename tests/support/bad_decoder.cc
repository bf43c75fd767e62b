// For LD_PRELOAD: a decoder of WebP to which the width of a picture says what it is to do, in place
// of decoding it. Of other widths it is libwebp's. And one of videos, which lies about frames of
// 46 x 34.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
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

// Where pixels go along: such a frame is said to be one whose planes, in rows of 64 bytes, are 256
// bytes longer than 32 bits can say, and its memory is as long.
extern "C" ssize_t sendmsg(int socket, const msghdr* envelope, int flags) {
  using Send = ssize_t (*)(int, const msghdr*, int);
  static const auto send = reinterpret_cast<Send>(dlsym(RTLD_NEXT, "sendmsg"));
  constexpr int32_t kSize[] = {46, 34}, kLie[] = {1, (1 << 25) + 2};
  const iovec& part = *envelope->msg_iov;
  void* const size = memmem(part.iov_base, part.iov_len, kSize, sizeof kSize);
  if (size && envelope->msg_controllen > 0) {
    const int memory = memfd_create("lie", MFD_ALLOW_SEALING);
    if (ftruncate(memory, off_t{1} << 33) != 0 || fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK) != 0)
      abort();
    memcpy(size, kLie, sizeof kLie);
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(envelope)), &memory, sizeof memory);
  }
  return send(socket, envelope, flags);
}
