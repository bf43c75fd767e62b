#include "media/isolated_decoder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/elapsed.h"
#include "media/decoder_messages.h"
#include "media/image_codec.h"
#include "media/late_module.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

using Kind = DecoderMessage::Kind;
Isolation usual;

constexpr const char* kServer = "skinmask-decoders";

std::string ServerPath() {
  const std::vector<std::string> folders = ModuleFolders();
  for (const std::string& folder : folders)
    if (const std::string path = folder + "/" + kServer; access(path.c_str(), X_OK) == 0)
      return path;
  throw Error(kServer, fmt::format("is not there, and is part of skinmask (looked for in {}; "
                                   "`isolate` none does without it)",
                                   fmt::join(folders, ", ")));
}

// The child's part of a fork, whose other threads may hold any lock: system calls alone. It holds
// nothing of what the process has open, and becomes the server when it is first spoken to.
[[noreturn]] void BecomeServer(const char* path, char* const* words, int socket) {
  setsid();  // what a terminal sends to its processes is not for this one
  if (socket == kDecoderServerSocket)
    fcntl(socket, F_SETFD, 0);
  else
    dup2(socket, kDecoderServerSocket);
  close_range(kDecoderServerSocket + 1, ~0u, 0);
  const int nothing = open("/dev/null", O_RDWR);
  for (int stream = 0; stream < 3; ++stream) dup2(nothing, stream);
  if (nothing > kDecoderServerSocket) close(nothing);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  pollfd wait{kDecoderServerSocket, POLLIN, 0};
  while (poll(&wait, 1, -1) < 0 && errno == EINTR) {
  }
  // Where it is spoken to, and not hung up on, which is to be read, too.
  if ((wait.revents & (POLLIN | POLLHUP)) == POLLIN) execv(path, words);
  _exit(127);
}

double CpuSecondsOf(pid_t process) {
  clockid_t clock;
  timespec time{};
  if (clock_getcpuclockid(process, &clock) == 0) clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// One process that decodes one picture after the other.
struct Helper {
  pid_t process = 0;
  Descriptor socket{-1};
  SharedBytes file, pixels;  // ours, and the helper's
  bool used = false;         // it has decoded a file before
};

// The server, and the helpers that have nothing to do.
class Decoders {
 public:
  static Decoders& Get() {
    static const int handled = pthread_atfork(nullptr, nullptr, [] { instance_ = nullptr; });
    static_cast<void>(handled);
    Decoders* decoders = instance_;
    if (decoders) return *decoders;
    auto* const made = new Decoders;  // to the end of the process, and of its threads
    if (instance_.compare_exchange_strong(decoders, made)) return *made;
    delete made;
    return *decoders;
  }

  void Prepare() {
    const std::lock_guard lock(mutex_);
    Start();
  }

  // One that waits, or where none does, or `fresh` is asked for, a new one.
  Helper Take(std::string_view module, bool fresh) {
    const std::lock_guard lock(mutex_);
    if (!fresh && !idle_.empty()) {
      Helper helper = std::move(idle_.back());
      idle_.pop_back();
      return helper;
    }
    Start();
    DecoderMessage message;
    message.kind = Kind::kStart;
    message.SetText(module);
    Helper helper;
    if (!Ask(message, Kind::kStarted, helper.socket) || helper.socket.get() < 0)
      throw Error(kServer,
                  "has ended, or cannot start a decoder (there may be too many processes; "
                  "`isolate` none does without it)");
    helper.process = static_cast<pid_t>(message.number);
    return helper;
  }

  void Keep(Helper helper) {
    const std::lock_guard lock(mutex_);
    helper.used = true;
    idle_.push_back(std::move(helper));
  }

  // Its wait status; absent where nobody knows.
  std::optional<int> End(const Helper& helper) {
    const std::lock_guard lock(mutex_);
    DecoderMessage message;
    message.kind = Kind::kEnd;
    message.number = helper.process;
    Descriptor none(-1);
    if (!Ask(message, Kind::kEnded, none)) return std::nullopt;
    return static_cast<int>(message.number);
  }

  void EndAll() {
    const std::lock_guard lock(mutex_);
    Forget();
  }

 private:
  void Start() {
    if (control_.get() >= 0) return;
    const std::string path = ServerPath();
    std::string name = kServer, parent = std::to_string(getpid());
    char* const words[] = {name.data(), parent.data(), nullptr};
    SocketPair sockets;
    const pid_t child = fork();
    if (child == 0) BecomeServer(path.c_str(), words, sockets.other.get());
    if (child < 0) FailBy(kServer, "cannot be started", errno);
    control_ = std::move(sockets.one);
    server_ = child;
  }

  bool Ask(DecoderMessage& message, Kind answer, Descriptor& descriptor) {
    if (SendMessage(control_.get(), message) &&
        ReceiveMessage(control_.get(), message, descriptor) && message.kind == answer)
      return true;
    Forget();
    return false;
  }

  void Forget() {
    if (control_.get() < 0) return;
    idle_.clear();  // they end with their server
    // Hangs up even where a process that was forked from this one has the socket, too.
    shutdown(control_.get(), SHUT_RDWR);
    control_.Close();
    while (waitpid(server_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  static inline std::atomic<Decoders*> instance_ = nullptr;
  std::mutex mutex_;
  Descriptor control_{-1};
  pid_t server_ = 0;
  std::vector<Helper> idle_;
};

class TooLong {};
class Gone {};
// What a decoder says is wrong with the file.
struct BadFile {
  std::string reason;
};

// One picture by one helper.
class Decoding {
 public:
  Decoding(Helper& helper, std::string_view subject, const DecodeOptions& options,
           PictureTags* tags)
      : helper_(helper),
        subject_(subject),
        options_(options),
        tags_(tags),
        cpu_before_(CpuSecondsOf(helper.process)) {}

  // Throws TooLong, Gone, BadFile.
  cv::Mat Picture(std::string_view bytes) {
    DecoderMessage message;
    message.kind = Kind::kDecode;
    message.scale = options_.scale;
    message.keep_grey = options_.keep_grey;
    message.lenient = options_.lenient;
    message.with_tags = tags_ != nullptr;
    message.max_pixels = options_.max_pixels;
    message.number = static_cast<std::int64_t>(bytes.size());
    std::memcpy(helper_.file.Get(bytes.size()), bytes.data(), bytes.size());
    if (!SendMessage(helper_.socket.get(), message, helper_.file.descriptor())) throw Gone();
    helper_.file.Sent();
    while (true) {
      Descriptor pixels(-1);
      WaitForMessage();
      if (!ReceiveMessage(helper_.socket.get(), message, pixels)) throw Gone();
      if (message.kind == Kind::kProblem) throw BadFile{std::string(message.Text())};
      if (message.kind == Kind::kPicture) return CopyOf(message, std::move(pixels));
      if (message.kind != Kind::kTake) throw Gone();
      CheckTime();  // it may ask as often as it likes
      CheckStop();
      Take(message.number);
      message.kind = Kind::kGo;
      if (!SendMessage(helper_.socket.get(), message)) throw Gone();
    }
  }

 private:
  // It may say anything; no decoder of ours asks for as much.
  void Take(std::int64_t pixels) {
    const Clock::time_point before = Clock::now();
    constexpr std::int64_t kMostTimes = 16;  // of the pixels that a picture may have
    if (pixels < 0 || pixels / kMostTimes > options_.max_pixels) throw Gone();
    taken_ += pixels;
    if (taken_ / kMostTimes > options_.max_pixels) throw Gone();
    if (options_.take) options_.take(pixels);
    waited_ += SecondsSince(before);
  }

  void WaitForMessage() {
    constexpr int kPauseMilliseconds = 20;
    pollfd wait{helper_.socket.get(), POLLIN, 0};
    while (poll(&wait, 1, kPauseMilliseconds) <= 0) {
      CheckTime();
      CheckStop();
    }
  }

  void CheckTime() const {
    constexpr double kByTheClock = 10;
    const double seconds = IsolationOf(options_).max_seconds;
    if (CpuSecondsOf(helper_.process) - cpu_before_ > seconds ||
        SecondsSince(begun_) - waited_ > kByTheClock * seconds)
      throw TooLong();
  }

  // Most pictures are done by then, and a run ends with those that it has begun.
  void CheckStop() {
    constexpr double kPatience = 0.4;
    try {
      RequireNoStop(std::string(subject_));
    } catch (const WaitStopped&) {
      if (!stopped_) stopped_ = Clock::now();
      if (SecondsSince(*stopped_) > kPatience) throw;
    }
  }

  // What it says of its picture may be anything.
  cv::Mat CopyOf(const DecoderMessage& message, Descriptor pixels) {
    if (pixels.get() >= 0 && !helper_.pixels.Map(std::move(pixels))) throw Gone();
    const bool grey = message.type == CV_8UC1 && options_.keep_grey;
    if (message.rows <= 0 || message.cols <= 0 || !(grey || message.type == CV_8UC3) ||
        std::int64_t{message.rows} * message.cols > options_.max_pixels || message.icc_size < 0 ||
        message.icc_size > static_cast<std::int64_t>(kMaxProfile))
      throw Gone();
    cv::Mat picture = Allocate(message.rows, message.cols, grey ? 1 : 3, options_.buffer);
    const std::size_t size = picture.total() * picture.elemSize();
    const auto icc_size = static_cast<std::size_t>(message.icc_size);
    if (size + icc_size > helper_.pixels.size()) throw Gone();
    std::memcpy(picture.data, helper_.pixels.data(), size);
    if (tags_) {
      tags_->icc.assign(reinterpret_cast<const char*>(helper_.pixels.data() + size), icc_size);
      tags_->dpi_x = message.dpi_x;
      tags_->dpi_y = message.dpi_y;
    }
    return picture;
  }

  Helper& helper_;
  const std::string_view subject_;
  const DecodeOptions& options_;
  PictureTags* const tags_;
  const double cpu_before_;
  const Clock::time_point begun_ = Clock::now();
  double waited_ = 0;  // for room for its pixels
  std::int64_t taken_ = 0;
  std::optional<Clock::time_point> stopped_;
};

std::string WhyGone(const std::optional<int>& status) {
  if (status && WIFSIGNALED(*status)) {
    const int signal = WTERMSIG(*status);
    const char* const name = sigabbrev_np(signal);
    if (signal == SIGKILL) return "ended its decoder: it was killed, as where memory runs out";
    return fmt::format("crashed its decoder (SIG{}): it is damaged, or made to do so",
                       name ? name : std::to_string(signal));
  }
  return "ended its decoder, which said nothing more: it is damaged, or made to do so";
}

// Absent where a decoder is gone that had decoded before: the end may be that of another file (what
// it left in memory), or of a process that waited while memory ran out.
std::optional<cv::Mat> DecodeBy(Decoders& decoders, Helper helper, std::string_view bytes,
                                std::string_view subject, const DecodeOptions& options,
                                PictureTags* tags) {
  // It is whole, and waits for the next file. What large pictures needed is given back.
  const auto keep = [&] {
    const bool small = helper.file.size() + helper.pixels.size() <= Scratch::kMaxKeptBytes;
    if (small) return decoders.Keep(std::move(helper));
    decoders.End(helper);
  };
  try {
    cv::Mat picture = Decoding(helper, subject, options, tags).Picture(bytes);
    keep();
    return picture;
  } catch (const BadFile& bad) {
    keep();
    throw Error(subject, bad.reason);
  } catch (const TooLong&) {
    decoders.End(helper);
    throw Error(subject, fmt::format("takes longer than {:g} s to decode (`max_seconds` takes a "
                                     "higher limit)",
                                     IsolationOf(options).max_seconds));
  } catch (const Gone&) {
    const std::optional<int> status = decoders.End(helper);
    if (helper.used) return std::nullopt;
    throw Error(subject, WhyGone(status));
  } catch (...) {
    decoders.End(helper);
    throw;
  }
}

}  // namespace

cv::Mat DecodeIsolated(std::string_view bytes, std::string_view subject,
                       const DecodeOptions& options, std::string_view module, PictureTags* tags) {
  Decoders& decoders = Decoders::Get();
  for (bool fresh = false;; fresh = true)
    if (std::optional<cv::Mat> picture =
            DecodeBy(decoders, decoders.Take(module, fresh), bytes, subject, options, tags))
      return *std::move(picture);
}

Isolate IsolateFromName(std::string_view name) {
  if (name == "none") return Isolate::kNone;
  if (name == "auto") return Isolate::kAuto;
  if (name == "all") return Isolate::kAll;
  throw Error(fmt::format("`isolate` '{}'", name), "is unknown (none, auto, all)");
}

void IsolateBy(const Isolation& isolation) { usual = isolation; }

const Isolation& IsolationOf(const DecodeOptions& options) {
  return options.isolation ? *options.isolation : usual;
}

void PrepareDecoders() { Decoders::Get().Prepare(); }
void EndDecoders() { Decoders::Get().EndAll(); }

}  // namespace skinmask
