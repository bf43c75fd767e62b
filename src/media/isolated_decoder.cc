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

bool IsResolution(double dpi) { return dpi >= 0 && dpi <= kMaxDpi; }

// Copies the picture of a decoder's answer, which is untrusted.
cv::Mat CopyOf(const DecoderMessage& message, const SharedBytes& pixels,
               const DecodeOptions& options, PictureTags* tags) {
  const int depth = options.keep_depth && CV_MAT_DEPTH(message.type) == CV_16U ? CV_16U : CV_8U;
  const bool grey = message.type == CV_MAKETYPE(depth, 1) && options.keep_grey;
  if (message.rows <= 0 || message.cols <= 0 || !(grey || message.type == CV_MAKETYPE(depth, 3)) ||
      std::int64_t{message.rows} * message.cols > options.max_pixels || message.icc_size < 0 ||
      message.icc_size > static_cast<std::int64_t>(kMaxProfile) || !IsResolution(message.dpi_x) ||
      !IsResolution(message.dpi_y))
    throw DecoderFailed();
  cv::Mat picture = Allocate(message.rows, message.cols, message.type, options.buffer);
  const std::size_t size = picture.total() * picture.elemSize();
  const auto icc_size = static_cast<std::size_t>(message.icc_size);
  if (size + icc_size > pixels.size()) throw DecoderFailed();
  std::memcpy(picture.data, pixels.data(), size);
  if (tags) {
    tags->icc.assign(reinterpret_cast<const char*>(pixels.data() + size), icc_size);
    tags->dpi_x = message.dpi_x;
    tags->dpi_y = message.dpi_y;
  }
  return picture;
}

// The decoder's answer to a file, kPicture or kProblem. Throws DecoderFailed.
DecoderMessage AnswerOf(DecoderProcess& process, std::string_view bytes, std::string_view subject,
                        const DecodeOptions& options, bool with_tags) {
  DecoderWork work(process, IsolationOf(options.isolation).max_seconds);
  std::optional<Clock::time_point> stopped;
  // Waits for a short time after a stop, because a stopped run finishes the inputs that it has
  // started.
  const auto check_stop = [&] {
    constexpr double kPatience = 0.4;
    try {
      RequireNoStop(std::string(subject));
    } catch (const WaitStopped&) {
      if (!stopped) stopped = Clock::now();
      if (SecondsSince(*stopped) > kPatience) throw;
    }
  };
  DecoderMessage message{.kind = Kind::kDecode,
                         .scale = options.scale,
                         .keep_grey = options.keep_grey,
                         .keep_depth = options.keep_depth,
                         .lenient = options.lenient,
                         .with_tags = with_tags,
                         .max_pixels = options.max_pixels,
                         .number = static_cast<std::int64_t>(bytes.size())};
  std::uint8_t* const file = ForInput(subject, [&] { return process.file.Get(bytes.size()); });
  std::memcpy(file, bytes.data(), bytes.size());
  work.Send(message, process.file.TakeDescriptor());
  for (std::int64_t taken = 0;;) {
    work.Receive(message, check_stop);
    if (message.kind == Kind::kProblem || message.kind == Kind::kPicture) return message;
    if (message.kind != Kind::kTake) throw DecoderFailed();
    work.CheckTime();  // the decoder may send any number of kTake messages
    check_stop();
    // The number is untrusted; a correct decoder never asks for more than this limit.
    constexpr std::int64_t kMaxTimes = 16;  // times the pixel limit of a picture
    const std::int64_t pixels = message.number;
    if (pixels < 0 || pixels / kMaxTimes > options.max_pixels) throw DecoderFailed();
    taken += pixels;
    if (taken / kMaxTimes > options.max_pixels) throw DecoderFailed();
    const Clock::time_point before = Clock::now();
    if (options.take) options.take(pixels);
    work.Leave(SecondsSince(before));
    message.kind = Kind::kGo;
    work.Send(message);
  }
}

}  // namespace

cv::Mat DecodeIsolated(std::string_view bytes, std::string_view subject,
                       const DecodeOptions& options, std::string_view module, PictureTags* tags) {
  DecoderProcesses& processes = DecoderProcesses::Get();
  for (bool fresh = false;; fresh = true) {
    DecoderProcess process =
        ForInput(subject, [&] { return processes.Take(Kind::kStart, module, fresh); });
    DecoderMessage answer;
    cv::Mat picture;
    try {
      answer = AnswerOf(process, bytes, subject, options, tags != nullptr);
      if (answer.kind == Kind::kPicture) picture = CopyOf(answer, process.pixels, options, tags);
    } catch (const DecoderFailed& failure) {
      const std::string why = EndFailed(process, failure);
      // If a decoder has ended that had decoded other files before, one of these (by what it left
      // in memory), or a lack of memory while it was idle, may be the cause.
      if (process.used && failure.reason.empty()) continue;
      throw Error(subject, why);
    } catch (...) {
      processes.End(process);
      throw;
    }
    // The decoder is kept for the next file, unless its memory is large.
    if (process.file.size() + process.pixels.size() <= Scratch::kMaxKeptBytes)
      processes.Keep(std::move(process));
    else
      processes.End(process);
    if (answer.kind == Kind::kProblem) throw Error(subject, answer.Text());
    return picture;
  }
}

}  // namespace skinmask
