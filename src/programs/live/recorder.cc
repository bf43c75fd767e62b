#include "programs/live/recorder.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>

#include "base/parse.h"
#include "base/stream.h"
#include "skinmask/base/error.h"

namespace skinmask::live {

constexpr int kTicks = 1000;  // per second; the time base of recordings

namespace {

// How large a file in this folder may become.
std::uintmax_t MaxBytes(const std::filesystem::path& folder) {
  constexpr std::uintmax_t kOfFat = UINT32_MAX;
  rlimit limit{};
  struct statfs system {};
  const bool is_limited = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  const bool is_fat = statfs(folder.c_str(), &system) == 0 && system.f_type == MSDOS_SUPER_MAGIC;
  return std::min<std::uintmax_t>(is_limited ? limit.rlim_cur : UINTMAX_MAX,
                                  is_fat ? kOfFat : UINTMAX_MAX);
}

// Why there is too little room for what an encoder still holds of such pictures and for the index
// of the video, which is written at its end; empty if there is enough.
std::string WhyNoRoom(const std::filesystem::path& path, const VideoWriter& writer,
                      std::uintmax_t picture_bytes) {
  constexpr std::uintmax_t kHeld = 16 << 20, kHeldPictures = 4, kOfFrame = 64;
  if (IsSpecial(path)) return {};
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  const std::uintmax_t most = MaxBytes(folder);
  const std::uintmax_t wanted = std::min(kHeld, most / 4) + kHeldPictures * picture_bytes +
                                kOfFrame * static_cast<std::uintmax_t>(writer.frames());
  const std::string end = fmt::format("the recording ends after {} frames", writer.frames());
  if (most < writer.bytes() + wanted)
    return fmt::format("{}, because no file there can be larger than {} MB", end, most >> 20);
  std::error_code unknown;
  const std::filesystem::space_info space = std::filesystem::space(folder, unknown);
  // Some file systems do not tell their size.
  if (unknown || space.capacity == 0 || space.available >= wanted) return {};
  return fmt::format("{}, because the disk is nearly full ({} MB are free, and {} are wanted)", end,
                     space.available >> 20, wanted >> 20);
}

}  // namespace

Recorder::Recorder(const std::filesystem::path& path, View view, IfExists if_exists)
    : path_(path), view_(view), if_exists_(if_exists) {
  constexpr int kMaxPictures = 8;
  waiting_.set_capacity(kMaxPictures);
  encoder_ = std::thread([this] { EncodeAll(); });
}

void Recorder::Write(const cv::Mat& picture, double seconds, Rational rate, Rational pixel_aspect) {
  if (!start_) start_ = seconds;
  last_pts_ = std::max<std::int64_t>(last_pts_ + 1, std::llround((seconds - *start_) * kTicks));
  waiting_.push(Item{picture, last_pts_, rate, pixel_aspect});
  if (failed_) std::rethrow_exception(failure_);
}

// Takes pictures also after a failure, so that Write never blocks.
void Recorder::EncodeAll() {
  std::optional<Item> item;
  for (waiting_.pop(item); item; waiting_.pop(item)) {
    try {
      if (!failed_) Encode(*item);
    } catch (...) {
      failure_ = std::current_exception();
      failed_ = true;
    }
  }
}

void Recorder::Encode(const Item& item) {
  cv::Mat frame = item.picture;
  const std::string extension = LowerCase(path_.extension().string());
  const bool lossless = extension == ".mkv";
  if (!writer_) {
    // Masks stay grey if the container is for lossless video; players of other formats need
    // colours.
    size_ = frame.size();
    VideoWriteOptions options;
    // FFmpeg takes the time base of a millisecond clock for the frame rate; such rates are ignored.
    // AVI counts frames at whatever rate is set.
    constexpr double kMaxRate = 240;
    if (item.rate.num > 0 && item.rate.Value() <= kMaxRate)
      options.rate = item.rate;
    else if (extension == ".avi")
      options.rate = {kTicks, 1};
    options.time_base = {1, kTicks};
    options.pixel_aspect = item.pixel_aspect;
    options.live = true;
    options.if_exists = if_exists_;
    writer_.emplace(path_, size_, lossless && frame.type() == CV_8UC1 ? CV_8UC1 : CV_8UC3, options);
  }
  if (frame.type() == CV_8UC1 && !lossless) cv::cvtColor(frame, frame, cv::COLOR_GRAY2BGR);
  if (frame.size() != size_) cv::resize(frame, frame, size_, 0, 0, cv::INTER_AREA);
  if (const std::string why = WhyNoRoom(path_, *writer_, frame.total() * frame.elemSize());
      !why.empty()) {
    // A picture of a camera cannot be made again, so those until now are kept.
    if (writer_->frames() > 0) writer_->Finish();
    writer_.reset();
    throw Error(path_.string(), why);
  }
  writer_->Write(frame, item.pts);
}

void Recorder::Close() {
  if (!encoder_.joinable()) return;
  waiting_.push(std::nullopt);
  encoder_.join();
}

std::string Recorder::Finish() {
  Close();
  if (failure_) std::rethrow_exception(failure_);
  if (!writer_) return {};
  const std::int64_t frames = writer_->frames();
  writer_->Finish();
  const bool loses_times = writer_->loses_times();
  writer_.reset();
  return fmt::format("recorded {} frames to {}{}", frames, path_.string(),
                     loses_times ? ", without the times of its frames (Matroska stores them)" : "");
}

}  // namespace skinmask::live
