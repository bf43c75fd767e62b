// For LD_PRELOAD: a decoder of JPEG that does not come back. It makes the file 'stuck' in the
// current folder when it is called, and ends the process after 100 seconds, should nothing else do
// so.
#include <fcntl.h>
#include <unistd.h>

extern "C" int tjDecompressHeader3(void*, const unsigned char*, unsigned long, int*, int*, int*,
                                   int*) {
  close(open("stuck", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  for (int tenths = 0; tenths < 1000; ++tenths) usleep(100'000);
  _exit(3);
}
