#include "skinmask/media/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "base/blocking_call.h"
#include "base/parallel_rows.h"
#include "media/decoder_processes.h"
#include "media/image_codec.h"
#include "media/late_module.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

constexpr std::size_t kMaxBytes = INT32_MAX;  // OpenCV's matrices have sizes of type int

// Fills `tags` if it is not null.
cv::Mat DecodeHere(const ImageCodec& codec, std::string_view bytes, std::string_view subject,
                   const DecodeOptions& options, PictureTags* tags) {
  if (!codec.missing.empty())
    throw Error(subject, fmt::format("is of the format {}, which this build does not read (it was "
                                     "made without {})",
                                     codec.name, codec.missing));
  const BlockingCall decoding;
  const ImageHeader header = codec.header(bytes, subject);
  CheckHeader(header, subject, options);
  const StoredImage stored = codec.decode(bytes, subject, header, options);
  const Orientation orientation = ExifOrientation(header.exif);
  cv::Mat picture = Upright(stored.pixels, orientation);
  if (!stored.scaled) picture = ScaledDown(picture, options.scale);
  if (!tags) return picture;
  *tags = ReadTags(bytes);
  if (!header.icc.empty()) tags->icc = header.icc;
  if (codec.name == "raw")
    tags->icc.clear();  // this is the profile of the preview; the pixels are developed as sRGB
  if (orientation.rotation % 180 != 0) std::swap(tags->dpi_x, tags->dpi_y);
  tags->dpi_x /= options.scale;
  tags->dpi_y /= options.scale;
  return picture;
}

struct OpenedProfile {
  std::string icc, problem;
  ColorConversion conversion;
};

// Opens a profile, and caches the last ones, because the photographs of a run have few different
// profiles.
OpenedProfile Opened(const std::string& icc) {
  static auto* const open =
      FindInModule<decltype(skinmask_open_profile)>("skinmask-icc.so", "skinmask_open_profile");
  constexpr std::size_t kMaxKept = 8;
  static std::mutex mutex;
  static std::deque<OpenedProfile> kept;
  const std::lock_guard lock(mutex);
  for (const OpenedProfile& each : kept)
    if (each.icc == icc) return each;
  OpenedProfile opened{icc, {}, {}};
  open(icc, opened.problem, opened.conversion);
  if (kept.size() == kMaxKept) kept.pop_front();
  return kept.emplace_back(std::move(opened));
}

}  // namespace

cv::Mat DecodeImage(std::string_view bytes, std::string_view subject,
                    const DecodeOptions& options) {
  RequireScale(options.scale);
  if (bytes.empty()) throw Error(subject, "is empty (an image is expected)");
  if (bytes.size() > kMaxBytes) throw Error(subject, "is larger than 2 GiB");
  const ImageCodec* const codec = CodecOf(bytes);
  if (!codec) FailUnknownImage(subject, bytes);
  PictureTags tags;
  PictureTags* const wanted = options.tags || !options.keep_colors ? &tags : nullptr;
  const Isolate isolate = IsolationOf(options.isolation).isolate;
  const bool is_isolated =
      isolate == Isolate::kAll || (isolate == Isolate::kAuto && !codec->is_well_reviewed);
  const cv::Mat picture = is_isolated
                              ? DecodeIsolated(bytes, subject, options, codec->module, wanted)
                              : DecodeHere(*codec, bytes, subject, options, wanted);
  if (wanted && !options.tags) return InSrgb(picture, tags.icc, nullptr, picture);
  if (options.tags) *options.tags = std::move(tags);
  return picture;
}

std::string ReadImageBytes(const std::filesystem::path& path, const DecodeOptions& options) {
  const auto check = [&](std::string_view head, std::uint64_t size) {
    if (!head.empty() && !CodecOf(head)) FailUnknownImage(path.string(), head);
    if (options.take) options.take(static_cast<std::int64_t>(size / 4));
  };
  return ReadFile(path, {kMaxBytes, check});
}

cv::Mat ReadImage(const std::filesystem::path& path, const DecodeOptions& options) {
  return DecodeImage(ReadImageBytes(path, options), path.string(), options);
}

bool IsTakenAsSrgb(const std::string& icc) { return icc.empty() || !Opened(icc).conversion; }

cv::Mat InSrgb(const cv::Mat& bgr, const std::string& icc, std::string* problem, cv::Mat memory) {
  if (icc.empty() || bgr.type() == CV_8UC1) return bgr;
  RequireType(bgr, CV_8UC3, "image");
  const OpenedProfile opened = Opened(icc);
  if (problem && !opened.problem.empty())
    *problem = "its profile of colours " + opened.problem + ", so they are taken as sRGB";
  if (!opened.conversion) return bgr;
  memory.create(bgr.size(), CV_8UC3);
  ForRowsOf(bgr.cols, bgr.rows, [&](int y) {
    opened.conversion(bgr.ptr(y), memory.ptr(y), static_cast<unsigned>(bgr.cols));
  });
  return memory;
}

std::string EncodeWebP(const cv::Mat& image, int quality) {
  RequireType(image, {CV_8UC1, CV_8UC3, CV_8UC4}, "image");
  RequireQuality(quality);
  constexpr int kMaxSide = 16383;
  if (std::max(image.cols, image.rows) > kMaxSide)
    throw Error("WebP", fmt::format("has sides of at most {}", kMaxSide));
  static auto* const encode =
      FindInModule<decltype(skinmask_encode_webp)>("skinmask-imgcodecs.so", "skinmask_encode_webp");
  std::string bytes;
  encode(image, quality, bytes);
  return bytes;
}

}  // namespace skinmask
