#include "programs/cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "skinmask/base/error.h"

namespace skinmask::cli {

void GuardStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)  // open(2) gives the lowest free number
      if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) break;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void RequireOutputWritten() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw Error("standard output", "cannot be written");
}

}  // namespace skinmask::cli
