#include <cstring>
#include <optional>
#include <string>

#include "base/elapsed.h"
#include "media/decoder_messages.h"
#include "media/decoder_processes.h"
#include "media/image_codec.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

using Kind = DecoderMessage::Kind;

// The problem of a file that a decoder reports.
struct BadFile {
  std::string reason;
};

// Decodes one picture with one process.
class Decoding {
 public:
  Decoding(DecoderProcess& process, std::string_view subject, const DecodeOptions& options,
           PictureTags* tags)
      : process_(process),
        subject_(subject),
        options_(options),
        tags_(tags),
        work_(process, IsolationOf(options.isolation).max_seconds) {}

  // Throws DecoderTooLong, DecoderGone, BadFile.
  cv::Mat Picture(std::string_view bytes) {
    DecoderMessage message{.kind = Kind::kDecode,
                           .scale = options_.scale,
                           .keep_grey = options_.keep_grey,
                           .keep_depth = options_.keep_depth,
                           .lenient = options_.lenient,
                           .with_tags = tags_ != nullptr,
                           .max_pixels = options_.max_pixels,
                           .number = static_cast<std::int64_t>(bytes.size())};
    std::uint8_t* const file = ForInput(subject_, [&] { return process_.file.Get(bytes.size()); });
    std::memcpy(file, bytes.data(), bytes.size());
    work_.Send(message, process_.file.TakeDescriptor());
    while (true) {
      work_.Receive(message, [&] { CheckStop(); });
      if (message.kind == Kind::kProblem) throw BadFile{std::string(message.Text())};
      if (message.kind == Kind::kPicture) return CopyOf(message);
      if (message.kind != Kind::kTake) throw DecoderGone();
      work_.CheckTime();  // the decoder may send any number of kTake messages
      CheckStop();
      Take(message.number);
      message.kind = Kind::kGo;
      work_.Send(message);
    }
  }

 private:
  // The number is untrusted; a correct decoder never asks for more than this limit.
  void Take(std::int64_t pixels) {
    const Clock::time_point before = Clock::now();
    constexpr std::int64_t kMostTimes = 16;  // times the pixel limit of a picture
    if (pixels < 0 || pixels / kMostTimes > options_.max_pixels) throw DecoderGone();
    taken_ += pixels;
    if (taken_ / kMostTimes > options_.max_pixels) throw DecoderGone();
    if (options_.take) options_.take(pixels);
    work_.Leave(SecondsSince(before));
  }

  // Waits for a short time after a stop, because a stopped run finishes the inputs that it has
  // started.
  void CheckStop() {
    constexpr double kPatience = 0.4;
    try {
      RequireNoStop(std::string(subject_));
    } catch (const WaitStopped&) {
      if (!stopped_) stopped_ = Clock::now();
      if (SecondsSince(*stopped_) > kPatience) throw;
    }
  }

  // The message is untrusted.
  cv::Mat CopyOf(const DecoderMessage& message) {
    const int depth = options_.keep_depth && CV_MAT_DEPTH(message.type) == CV_16U ? CV_16U : CV_8U;
    const bool grey = message.type == CV_MAKETYPE(depth, 1) && options_.keep_grey;
    if (message.rows <= 0 || message.cols <= 0 ||
        !(grey || message.type == CV_MAKETYPE(depth, 3)) ||
        std::int64_t{message.rows} * message.cols > options_.max_pixels || message.icc_size < 0 ||
        message.icc_size > static_cast<std::int64_t>(kMaxProfile))
      throw DecoderGone();
    cv::Mat picture = Allocate(message.rows, message.cols, message.type, options_.buffer);
    const std::size_t size = picture.total() * picture.elemSize();
    const auto icc_size = static_cast<std::size_t>(message.icc_size);
    if (size + icc_size > process_.pixels.size()) throw DecoderGone();
    std::memcpy(picture.data, process_.pixels.data(), size);
    if (tags_) {
      tags_->icc.assign(reinterpret_cast<const char*>(process_.pixels.data() + size), icc_size);
      tags_->dpi_x = message.dpi_x;
      tags_->dpi_y = message.dpi_y;
    }
    return picture;
  }

  DecoderProcess& process_;
  const std::string_view subject_;
  const DecodeOptions& options_;
  PictureTags* const tags_;
  DecoderWork work_;
  std::int64_t taken_ = 0;
  std::optional<Clock::time_point> stopped_;
};

// Returns nothing if a decoder that had decoded other files before has ended, because an earlier
// file (by what it left in memory), or a lack of memory while it was idle, may be the cause.
std::optional<cv::Mat> DecodeBy(DecoderProcesses& processes, DecoderProcess process,
                                std::string_view bytes, std::string_view subject,
                                const DecodeOptions& options, PictureTags* tags) {
  // Keeps the decoder for the next file, or ends it if its memory is large.
  const auto keep = [&] {
    const bool small = process.file.size() + process.pixels.size() <= Scratch::kMaxKeptBytes;
    if (small) return processes.Keep(std::move(process));
    processes.End(process);
  };
  try {
    cv::Mat picture = Decoding(process, subject, options, tags).Picture(bytes);
    keep();
    return picture;
  } catch (const BadFile& bad) {
    keep();
    throw Error(subject, bad.reason);
  } catch (const DecoderTooLong& e) {
    processes.End(process);
    throw Error(subject, e.text);
  } catch (const DecoderGone&) {
    const std::optional<int> status = processes.End(process);
    if (process.used) return std::nullopt;
    throw Error(subject, WhyDecoderIsGone(status));
  } catch (...) {
    processes.End(process);
    throw;
  }
}

}  // namespace

cv::Mat DecodeIsolated(std::string_view bytes, std::string_view subject,
                       const DecodeOptions& options, std::string_view module, PictureTags* tags) {
  DecoderProcesses& processes = DecoderProcesses::Get();
  for (bool fresh = false;; fresh = true) {
    DecoderProcess process = ForInput(subject, [&] { return processes.Take(module, fresh); });
    if (std::optional<cv::Mat> picture =
            DecodeBy(processes, std::move(process), bytes, subject, options, tags))
      return *std::move(picture);
  }
}

}  // namespace skinmask
