// skinmask-decoders, which only skinmask starts: the decoders and their server
// (skinmask/media/isolation.h). The server has one thread and reads no byte of a file. It forks
// decoders, ends them on request, and ends with all of them when the process that uses them is
// gone.
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <opencv2/core/utility.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "media/decoder_messages.h"
#include "media/image_codec.h"
#include "media/late_module.h"
#include "media/video_source.h"
#include "programs/cli/sandbox.h"
#include "skinmask/base/problem.h"
#include "skinmask/media/image.h"
#include "skinmask/media/video.h"

namespace skinmask {
namespace {

using Kind = DecoderMessage::Kind;

// Limits the memory of a decoder beyond its initial memory: to a constant, plus an amount for each
// pixel of the header, plus `bytes`, the size of the mapped files (the previous one and the current
// one). The system refuses more, as if memory were full.
void LimitMemory([[maybe_unused]] std::int64_t pixels, [[maybe_unused]] std::uint64_t bytes) {
#ifndef SKINMASK_SANITIZED  // their tables have the size of the whole address space
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
  constexpr std::uint64_t kBytesOfPixel = 128;
  static const std::uint64_t begun = [] {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }();
  // Stacks of threads; AV1 decoders have one thread for each core.
  static const std::uint64_t of_threads =
      std::uint64_t{16 << 20} * static_cast<std::uint64_t>(sysconf(_SC_NPROCESSORS_ONLN));
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur =
      std::min<rlim_t>(limit.rlim_max, begun + kBytes + of_threads + bytes +
                                           kBytesOfPixel * static_cast<std::uint64_t>(pixels));
  setrlimit(RLIMIT_AS, &limit);
#endif
}

// Returns make(), or the problem of the file as a message.
template <class Make>
DecoderMessage AnswerOf(const std::string& file, const Make& make) {
  try {
    return make();
  } catch (const std::exception& error) {
    DecoderMessage answer{.kind = Kind::kProblem};
    answer.SetText(Problem(file, error).Reason());
    return answer;
  }
}

// Decodes the images of requests.
class Decoder {
 public:
  // Serves requests until the other end is closed.
  void Serve() {
    DecoderMessage request;
    Descriptor file(-1);
    while (ReceiveMessage(kDecoderServerSocket, request, file) && request.kind == Kind::kDecode) {
      const auto size = static_cast<std::size_t>(request.number);
      LimitMemory(0, file_.size() + 2 * size);  // new shared memory has room to grow
      if (file.get() >= 0 && !file_.Map(std::exchange(file, Descriptor(-1)))) return;
      if (size > file_.size()) return;
      LimitMemory(0, file_.size());
      const std::string_view bytes(reinterpret_cast<const char*>(file_.data()), size);
      const DecoderMessage answer = AnswerOf("", [&] { return Answer(request, bytes); });
      if (!SendMessage(kDecoderServerSocket, answer, pixels_.TakeDescriptor())) return;
    }
  }

 private:
  DecoderMessage Answer(const DecoderMessage& request, std::string_view bytes) {
    DecodeOptions options;
    options.scale = request.scale;
    options.keep_grey = request.keep_grey;
    options.keep_depth = request.keep_depth;
    options.lenient = request.lenient;
    PictureTags tags;
    options.keep_colors = true;
    if (request.with_tags) options.tags = &tags;
    options.max_pixels = request.max_pixels;
    options.isolation = Isolation{};
    std::int64_t taken = 0;
    options.take = [&](std::int64_t pixels) { Take(taken += pixels, pixels); };
    const cv::Mat picture = DecodeImage(bytes, "", options);
    // If the profile crashes its reader, the crash happens here and not in the program.
    if (!tags.icc.empty()) IsTakenAsSrgb(tags.icc);
    DecoderMessage answer{.kind = Kind::kPicture};
    answer.rows = picture.rows;
    answer.cols = picture.cols;
    answer.type = picture.type();
    answer.dpi_x = tags.dpi_x;
    answer.dpi_y = tags.dpi_y;
    answer.icc_size = static_cast<std::int64_t>(tags.icc.size());
    const std::size_t size = picture.total() * picture.elemSize();
    std::uint8_t* const memory = pixels_.Get(size + tags.icc.size());
    cv::Mat shared(picture.size(), picture.type(), memory);
    picture.copyTo(shared);
    std::memcpy(memory + size, tags.icc.data(), tags.icc.size());
    return answer;
  }

  // Waits until the requesting process has room for these pixels, too.
  void Take(std::int64_t all, std::int64_t pixels) {
    DecoderMessage message{.kind = Kind::kTake, .number = pixels};
    Descriptor none(-1);
    if (!SendMessage(kDecoderServerSocket, message) ||
        !ReceiveMessage(kDecoderServerSocket, message, none) || message.kind != Kind::kGo)
      _exit(0);
    LimitMemory(all, file_.size());
  }

  SharedBytes file_, pixels_;
};

// Decodes one video, one frame for each request.
class VideoService {
 public:
  // If `file` is empty, a pipe comes with the first message.
  explicit VideoService(const std::string& file) : file_(file) {}
  // Serves requests until the other end is closed.
  void Serve() {
    DecoderMessage request;
    Descriptor pipe(-1);
    while (ReceiveMessage(kDecoderServerSocket, request, pipe)) {
      if (pipe.get() >= 0) {
        pipe_ = std::move(pipe);
        file_ = "/dev/fd/" + std::to_string(pipe_.get());
      }
      const DecoderMessage answer = AnswerOf(file_, [&] { return Answer(request); });
      if (!SendMessage(kDecoderServerSocket, answer, pixels_.TakeDescriptor())) return;
    }
  }

 private:
  DecoderMessage Answer(const DecoderMessage& request) {
    if (request.kind == Kind::kOpenVideo) return Open(request);
    if (request.kind == Kind::kReadFrame) return Read();
    const auto unit = request.type ? VideoTime::Unit::kFrames : VideoTime::Unit::kMicroseconds;
    reader_.value().SkipTowards({unit, request.number});
    return {.kind = Kind::kGo};
  }

  DecoderMessage Open(const DecoderMessage& request) {
    VideoOpenOptions options{.threads = static_cast<int>(request.number),
                             .addresses = false,
                             .max_pixels = request.max_pixels,
                             .isolation = Isolation{}};
    if (const std::string pixel_format(request.Text()); !pixel_format.empty())
      options.raw = RawVideo{{request.cols, request.rows}, pixel_format, request.rate};
    // The size of the frames is not known yet.
    constexpr std::int64_t kUsualPixels = std::int64_t{1} << 25;  // 8K
    LimitMemory(std::min(request.max_pixels, kUsualPixels), 0);
    const VideoInfo& info = reader_.emplace(file_, options).info();
    LimitMemory(info.size.area(), 0);

    DecoderMessage answer{.kind = Kind::kVideo};
    VideoWords& told = answer.video;
    told.size = info.size;
    told.rate = info.rate;
    told.time_base = info.time_base;
    told.pixel_aspect = info.pixel_aspect;
    told.rotation = info.rotation;
    told.mirrored = info.mirrored;
    told.sound = info.sound;
    told.frames = info.frames.value_or(-1);
    told.seconds = info.seconds.value_or(-1);
    info.codec.copy(told.codec, sizeof told.codec - 1);
    return answer;
  }

  DecoderMessage Read() {
    std::optional<VideoFrame> frame = reader_.value().Read();
    if (!frame) return {.kind = Kind::kEndOfVideo};
    cv::Mat bgr;
    if (frame->layout == VideoFrame::Layout::kOther) {
      bgr = frame->StoredBgr();
      frame->layout = VideoFrame::Layout::kBgr;
      frame->planes = {bgr.data};
      frame->strides = {static_cast<std::ptrdiff_t>(bgr.step)};
    }
    const std::array<cv::Mat, 3> planes = FramePlanes(
        frame->layout, frame->size, pixels_.Get(FrameBytes(frame->layout, frame->size)));
    for (std::size_t i = 0; i < planes.size() && !planes[i].empty(); ++i)
      for (int y = 0; y < planes[i].rows; ++y)
        std::memcpy(planes[i].data + static_cast<std::size_t>(y) * planes[i].step,
                    frame->planes[i] + y * frame->strides[i],
                    static_cast<std::size_t>(planes[i].cols));
    DecoderMessage answer{.kind = Kind::kFrame};
    FrameWords& words = answer.frame;
    words.layout = static_cast<std::int32_t>(frame->layout);
    words.matrix = frame->encoding.matrix == YuvEncoding::Matrix::kBt709;
    words.range = frame->encoding.range == YuvEncoding::Range::kFull;
    words.size = frame->size;
    words.rotation = frame->rotation;
    words.mirrored = frame->mirrored;
    words.pts = frame->pts;
    words.duration = frame->duration;
    words.index = frame->index;
    words.seconds = frame->seconds;
    return answer;
  }

  std::string file_;
  Descriptor pipe_{-1};
  std::optional<VideoReader> reader_;
  SharedBytes pixels_;
};

// Turns this process into a decoder of images or, if `file` is not null, of this video.
[[noreturn]] void BecomeDecoder(pid_t server, const std::string* file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != server) _exit(0);
  // The first process to be killed when memory is short.
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  cli::Access access;
  if (file) access.reads.emplace_back(*file);
  cli::EnterSandbox(access);
  cli::ForbidProcesses();
  if (file)
    VideoService(*file).Serve();
  else
    Decoder().Serve();
  _exit(0);
}

// Loads the module once for all decoders that are forked from now on. If that fails, they report
// the problem.
void Load(bool of_video, const std::string& module) {
  try {
    if (of_video)
      LoadFfmpeg();
    else if (!module.empty())
      FindInModule(module, "skinmask_decode");
  } catch (const std::exception&) {
  }
}

void Start(DecoderMessage& message, std::set<pid_t>& decoders) {
  const bool of_video = message.kind == Kind::kStartVideo;
  const std::string text(message.Text());
  Load(of_video, text);
  SocketPair sockets;
  const pid_t self = getpid(), decoder = fork();
  if (decoder == 0) {
    dup2(sockets.other.get(), kDecoderServerSocket);
    close_range(kDecoderServerSocket + 1, ~0u, 0);
    BecomeDecoder(self, of_video ? &text : nullptr);
  }
  message.kind = Kind::kStarted;
  message.number = decoder;
  if (decoder > 0) decoders.insert(decoder);
  SendMessage(kDecoderServerSocket, message, decoder > 0 ? sockets.one.get() : -1);
}

void End(DecoderMessage& message, std::set<pid_t>& decoders) {
  const auto decoder = static_cast<pid_t>(message.number);
  int status = 0;
  if (decoders.erase(decoder)) {
    // The number still belongs to the decoder, because nobody has waited for it yet. A decoder
    // that has crashed keeps its wait status.
    kill(decoder, SIGKILL);
    waitpid(decoder, &status, 0);
  }
  message.kind = Kind::kEnded;
  message.number = status;
  SendMessage(kDecoderServerSocket, message);
}

// The server; `parent` is the process that uses the decoders.
void Serve(pid_t parent) {
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, parent, 0)));
  if (getppid() != parent) return;
  pollfd waits[] = {{kDecoderServerSocket, POLLIN, 0}, {process.get(), POLLIN, 0}};
  std::set<pid_t> decoders;
  DecoderMessage message;
  Descriptor none(-1);
  while (poll(waits, 2, -1) > 0 || errno == EINTR) {
    if (waits[1].revents || (waits[0].revents & (POLLHUP | POLLERR))) break;
    if (!(waits[0].revents & POLLIN)) continue;
    if (!ReceiveMessage(kDecoderServerSocket, message, none)) break;
    if (message.kind == Kind::kStart || message.kind == Kind::kStartVideo) Start(message, decoders);
    if (message.kind == Kind::kEnd) End(message, decoders);
  }
  for (const pid_t decoder : decoders) kill(decoder, SIGKILL);
  for (const pid_t decoder : decoders) waitpid(decoder, nullptr, 0);
}

}  // namespace
}  // namespace skinmask

int main(int argc, char** argv) {
  if (argc != 2 || fcntl(skinmask::kDecoderServerSocket, F_GETFD) < 0) {
    std::cerr << "skinmask-decoders: is started by skinmask alone\n";
    return 2;
  }
  fcntl(skinmask::kDecoderServerSocket, F_SETFD, FD_CLOEXEC);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);  // no core dumps with the contents of untrusted files
  signal(SIGPIPE, SIG_IGN);
  // Inherited as ignored, the signal would keep the server from waiting for its decoders.
  signal(SIGCHLD, SIG_DFL);
  // Each arena takes 64 MiB of address space, which counts for the memory limit.
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);      // freed pages of pictures are reused
  setenv("OMP_WAIT_POLICY", "passive", 0);  // LibRaw's threads would spin while they wait
  // First, because setNumThreads writes to the log.
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::setNumThreads(1);
  skinmask::Serve(static_cast<pid_t>(std::atoi(argv[1])));
  return 0;
}
