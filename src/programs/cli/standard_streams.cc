#include "programs/cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "base/may_not_return.h"
#include "programs/cli/print.h"
#include "skinmask/base/error.h"

namespace skinmask::cli {
namespace {

std::FILE* messages = nullptr;  // null until it is another than standard error

}  // namespace

void GuardStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)  // open(2) gives the lowest free number
      if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) break;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

std::FILE* MessageStream() { return messages ? messages : stderr; }

void SilenceLibraries() {
#ifndef SKINMASK_SANITIZED
  const int own = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  std::FILE* const stream = own < 0 || nowhere < 0 ? nullptr : fdopen(own, "w");
  if (stream) {
    std::setvbuf(stream, nullptr, _IONBF, 0);  // as standard error
    std::fflush(stderr);
    dup2(nowhere, STDERR_FILENO);
    messages = stream;
  } else if (own >= 0) {
    close(own);
  }
  if (nowhere >= 0) close(nowhere);
#endif
}

void RequireOutputWritten() {
  const MayNotReturn writing;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw Error("standard output", "cannot be written");
}

}  // namespace skinmask::cli
