#include "media/decoder_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <utility>

#include "media/late_module.h"

namespace skinmask {
namespace {

using Kind = DecoderMessage::Kind;

Isolation usual;  // the default, set by IsolateBy

constexpr const char* kServer = "skinmask-decoders";

// Runs in the child after fork. Other threads of the parent may have held any lock, so only system
// calls are allowed. The child closes all descriptors of the parent, and executes the server when
// the first message arrives.
[[noreturn]] void BecomeServer(const char* path, char* const* words, int socket) {
  setsid();  // signals of the terminal do not reach this process
  if (socket == kDecoderServerSocket)
    fcntl(socket, F_SETFD, 0);
  else
    dup2(socket, kDecoderServerSocket);
  close_range(kDecoderServerSocket + 1, ~0u, 0);  // first, so that there is room for /dev/null
  const int nothing = open("/dev/null", O_RDWR);
  for (int stream = 0; stream < 3; ++stream) dup2(nothing, stream);
  if (nothing > kDecoderServerSocket) close(nothing);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  pollfd wait{kDecoderServerSocket, POLLIN, 0};
  while (poll(&wait, 1, -1) < 0 && errno == EINTR) {
  }
  // Executes the server if there is a message and the other end is open. (POLLHUP comes with
  // POLLIN.)
  if ((wait.revents & (POLLIN | POLLHUP)) == POLLIN) execv(path, words);
  _exit(127);
}

double CpuSecondsOf(pid_t process) {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) == 0) clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

DecoderProcesses& DecoderProcesses::Get() {
  // Never deleted, because threads may use it until the process ends. A forked process has none of
  // these children, and begins anew: the old object is not destroyed, because its mutex may be
  // locked by a thread that the new process does not have.
  static auto* const processes = new DecoderProcesses;
  [[maybe_unused]] static const int handled =
      pthread_atfork(nullptr, nullptr, [] { new (processes) DecoderProcesses; });
  return *processes;
}

void DecoderProcesses::Prepare() {
  const std::lock_guard lock(mutex_);
  Start();
}

DecoderProcess DecoderProcesses::Take(Kind start, std::string_view text, bool fresh) {
  const std::lock_guard lock(mutex_);
  DecoderProcess process;
  if (!fresh && !idle_.empty()) {
    process = std::move(idle_.back());
    idle_.pop_back();
    return process;
  }
  Start();
  DecoderMessage message{.kind = start};
  message.SetText(text);
  if (!Ask(message, Kind::kStarted, process.socket) || process.socket.get() < 0)
    throw Error(kServer,
                "has ended, or cannot start a decoder (there may be too many processes; "
                "`isolate` none does without it)");
  process.id = static_cast<pid_t>(message.number);
  return process;
}

void DecoderProcesses::Keep(DecoderProcess process) {
  const std::lock_guard lock(mutex_);
  process.used = true;
  idle_.push_back(std::move(process));
}

int DecoderProcesses::End(const DecoderProcess& process) {
  const std::lock_guard lock(mutex_);
  DecoderMessage message{.kind = Kind::kEnd, .number = process.id};
  Descriptor none(-1);
  return Ask(message, Kind::kEnded, none) ? static_cast<int>(message.number) : 0;
}

void DecoderProcesses::EndAll() {
  const std::lock_guard lock(mutex_);
  Forget();
}

void DecoderProcesses::Start() {
  if (control_.get() >= 0) return;
  const std::string path = PathOfPart(kServer, X_OK, "; `isolate` none does without it");
  std::string name = kServer, parent = std::to_string(getpid());
  char* const words[] = {name.data(), parent.data(), nullptr};
  SocketPair sockets;
  const pid_t child = fork();
  if (child == 0) BecomeServer(path.c_str(), words, sockets.other.get());
  if (child < 0) FailBy(kServer, "cannot be started", errno);
  control_ = std::move(sockets.one);
  server_ = child;
}

bool DecoderProcesses::Ask(DecoderMessage& message, Kind answer, Descriptor& descriptor) {
  if (SendMessage(control_.get(), message) && ReceiveMessage(control_.get(), message, descriptor) &&
      message.kind == answer)
    return true;
  Forget();
  return false;
}

void DecoderProcesses::Forget() {
  if (control_.get() < 0) return;
  idle_.clear();  // idle decoders end with the server
  // shutdown also works if a forked process holds a copy of the socket.
  shutdown(control_.get(), SHUT_RDWR);
  control_.Close();
  while (waitpid(server_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

DecoderWork::DecoderWork(DecoderProcess& process, double max_seconds)
    : process_(process), max_seconds_(max_seconds), cpu_before_(CpuSecondsOf(process.id)) {}

void DecoderWork::CheckTime() const {
  constexpr double kByTheClock = 10;
  if (CpuSecondsOf(process_.id) - cpu_before_ > max_seconds_ ||
      SecondsSince(begun_) - left_ > kByTheClock * max_seconds_)
    throw DecoderFailed{fmt::format(
        "takes longer than {:g} s to decode (`max_seconds` takes a higher limit)", max_seconds_)};
}

void DecoderWork::Send(const DecoderMessage& message, int descriptor) {
  if (!SendMessage(process_.socket.get(), message, descriptor)) throw DecoderFailed();
}

void DecoderWork::Receive(DecoderMessage& message, const std::function<void()>& check_stop) {
  constexpr int kPauseMilliseconds = 20;
  pollfd wait{process_.socket.get(), POLLIN, 0};
  while (poll(&wait, 1, kPauseMilliseconds) <= 0) {
    CheckTime();
    check_stop();
  }
  Descriptor pixels(-1);
  if (!ReceiveMessage(process_.socket.get(), message, pixels) ||
      (pixels.get() >= 0 && !process_.pixels.Map(std::move(pixels))))
    throw DecoderFailed();
}

std::string EndFailed(DecoderProcess& process, const DecoderFailed& failure) {
  const int status = DecoderProcesses::Get().End(process);
  process.id = 0;  // the system may give the number to another decoder
  if (!failure.reason.empty()) return failure.reason;
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char* const name = sigabbrev_np(signal);
    if (signal == SIGKILL) return "ended its decoder: it was killed, as where memory runs out";
    return fmt::format("crashed its decoder (SIG{}): it is damaged, or made to do so",
                       name ? name : std::to_string(signal));
  }
  return "ended its decoder, which said nothing more: it is damaged, or made to do so";
}

Isolate IsolateFromName(std::string_view name) {
  if (name == "none") return Isolate::kNone;
  if (name == "auto") return Isolate::kAuto;
  if (name == "all") return Isolate::kAll;
  throw Error(fmt::format("`isolate` '{}'", name), "is unknown (none, auto, all)");
}

void IsolateBy(const Isolation& isolation) { usual = isolation; }

const Isolation& IsolationOf(const std::optional<Isolation>& chosen) {
  return chosen ? *chosen : usual;
}

void PrepareDecoders() { DecoderProcesses::Get().Prepare(); }
void EndDecoders() { DecoderProcesses::Get().EndAll(); }

}  // namespace skinmask
