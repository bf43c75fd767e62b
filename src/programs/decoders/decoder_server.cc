// skinmask-decoders, which no user starts: the server of decoders (skinmask/media/isolation.h). It
// has one thread and sees no byte of a file; it forks the processes that do, ends them when it is
// told so, and ends with all of them when the process is gone that uses them.
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <opencv2/core/utility.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <set>
#include <string>

#include "media/decoder_messages.h"
#include "media/late_module.h"
#include "media/video_source.h"
#include "programs/cli/sandbox.h"
#include "programs/decoders/services.h"

namespace skinmask {
namespace {

using Kind = DecoderMessage::Kind;

// Of pictures, or of the video `file`, where that is not null.
[[noreturn]] void BecomeDecoder(int socket, pid_t server, const std::string* file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != server) _exit(0);
  std::ofstream("/proc/self/oom_score_adj") << 1000;  // the first that goes where memory is short
  cli::Access access;
  if (file) access.reads.emplace_back(*file);
  cli::EnterSandbox(access);
  cli::LeaveProcesses();
  if (file)
    ServeVideo(socket, *file);
  else
    ServeImages(socket);
  _exit(0);
}

class Server {
 public:
  // `parent` is the process that the work is for.
  void Serve(pid_t parent) {
    const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, parent, 0)));
    if (getppid() != parent) return;
    pollfd waits[] = {{kDecoderServerSocket, POLLIN, 0}, {process.get(), POLLIN, 0}};
    DecoderMessage message;
    Descriptor none(-1);
    while (poll(waits, process.get() >= 0 ? 2 : 1, -1) > 0 || errno == EINTR) {
      if (waits[1].revents || (waits[0].revents & (POLLHUP | POLLERR))) break;
      if (!(waits[0].revents & POLLIN)) continue;
      if (!ReceiveMessage(kDecoderServerSocket, message, none)) break;
      if (message.kind == Kind::kStart || message.kind == Kind::kStartVideo) Start(message);
      if (message.kind == Kind::kEnd) End(message);
    }
    for (const pid_t decoder : decoders_) kill(decoder, SIGKILL);
    for (const pid_t decoder : decoders_) waitpid(decoder, nullptr, 0);
  }

 private:
  void Start(DecoderMessage& message) {
    const bool of_video = message.kind == Kind::kStartVideo;
    const std::string text(message.Text());
    Load(of_video, text);
    SocketPair sockets;
    const pid_t self = getpid(), decoder = fork();
    if (decoder == 0) {
      dup2(sockets.other.get(), kDecoderServerSocket);
      close_range(kDecoderServerSocket + 1, ~0u, 0);
      BecomeDecoder(kDecoderServerSocket, self, of_video ? &text : nullptr);
    }
    message.kind = Kind::kStarted;
    message.number = decoder;
    if (decoder > 0) decoders_.insert(decoder);
    SendMessage(kDecoderServerSocket, message, decoder > 0 ? sockets.one.get() : -1);
  }

  void End(DecoderMessage& message) {
    const auto decoder = static_cast<pid_t>(message.number);
    int status = 0;
    if (decoders_.erase(decoder)) {
      // It is no one else's number, as nobody has waited for it yet. One that has crashed keeps
      // what it died of.
      kill(decoder, SIGKILL);
      waitpid(decoder, &status, 0);
    }
    message.kind = Kind::kEnded;
    message.number = status;
    SendMessage(kDecoderServerSocket, message);
  }

  // Once for all decoders that are forked from now on; they say what is wrong where it fails.
  static void Load(bool of_video, const std::string& module) {
    try {
      if (of_video)
        LoadFfmpeg();
      else if (!module.empty())
        FindInModule(module, "skinmask_decode");
    } catch (const std::exception&) {
    }
  }

  std::set<pid_t> decoders_;
};

}  // namespace
}  // namespace skinmask

int main(int argc, char** argv) {
  if (argc != 2 || fcntl(skinmask::kDecoderServerSocket, F_GETFD) < 0) {
    std::cerr << "skinmask-decoders: is started by skinmask alone\n";
    return 2;
  }
  fcntl(skinmask::kDecoderServerSocket, F_SETFD, FD_CLOEXEC);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);  // of a stranger's file nobody wants a dump
  signal(SIGPIPE, SIG_IGN);
  mallopt(M_ARENA_MAX, 2);  // each takes 64 MiB of addresses, which the limit of memory counts
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // pages that pictures free serve the next ones
  cv::setNumThreads(1);
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  skinmask::Server().Serve(static_cast<pid_t>(std::atoi(argv[1])));
  return 0;
}
