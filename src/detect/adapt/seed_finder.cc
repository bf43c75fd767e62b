#include "skinmask/detect/seed_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "detect/adapt/color_gaussian.h"
#include "detect/adapt/seed_priors.h"
#include "detect/adapt/small_image.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/media/ground_truth.h"

namespace skinmask {
namespace {

std::string SizeText(const cv::Size& size) { return fmt::format("{}x{}", size.width, size.height); }

// A seed with fewer pixels of the small image has no usable colours.
void RequireEnough(const Seed& seed, const cv::Size& image, const std::string& option) {
  const cv::Size small = SmallImageSize(image, AdaptOptions().fit.pixels);
  const Seed scaled = Scaled(seed, image, small);
  const int count = scaled.skin.empty() ? scaled.box.area() : cv::countNonZero(scaled.skin);
  if (count < static_cast<int>(kMinPixels))
    throw Error(
        option,
        fmt::format("covers {} pixels of the image at {}, where models are fitted ({} or more)",
                    count, SizeText(small), kMinPixels));
}

class GivenSeed : public SeedFinder {
 public:
  GivenSeed(std::string option, Seed seed, const cv::Size& mask = {})
      : option_(std::move(option)), seed_(std::move(seed)), mask_(mask) {}
  std::string_view name() const override { return "seed"; }
  std::vector<Seed> Find(const cv::Mat& bgr) const override {
    RequireType(bgr, CV_8UC3, "image");
    if (!mask_.empty() && bgr.size() != mask_)
      throw Error(option_, fmt::format("is {}, and the image {} (seeds are of the image's size)",
                                       SizeText(mask_), SizeText(bgr.size())));
    if (seed_.box.empty() || (seed_.box & cv::Rect({}, bgr.size())) != seed_.box)
      throw Error(option_,
                  fmt::format("is not within the image (of {} pixels)", SizeText(bgr.size())));
    RequireEnough(seed_, bgr.size(), option_);
    return {seed_};
  }

 private:
  std::string option_;
  Seed seed_;
  cv::Size mask_;  // empty for a rectangle
};

}  // namespace

cv::Point2d FaceFrame::FromImage(const cv::Point2d& point) const {
  const cv::Point2d d = (point - centre) / size;
  const double c = std::cos(tilt), s = std::sin(tilt);
  return {c * d.x + s * d.y, c * d.y - s * d.x};
}

cv::Point2d FaceFrame::ToImage(const cv::Point2d& point) const {
  const double c = std::cos(tilt), s = std::sin(tilt);
  return centre + size * cv::Point2d(c * point.x - s * point.y, s * point.x + c * point.y);
}

cv::Rect FaceFrame::Box(const cv::Size& image) const {
  const cv::Point2d half(size / 2, size / 2);
  return cv::Rect(cv::Point(centre - half), cv::Point(centre + half)) & cv::Rect({}, image);
}

std::unique_ptr<SeedFinder> FixedSeed(const cv::Rect& box) {
  return std::make_unique<GivenSeed>(
      fmt::format("`seed_rect` {},{},{},{}", box.x, box.y, box.width, box.height),
      Seed{box, std::nullopt, {}});
}

std::unique_ptr<SeedFinder> FixedSeed(const std::filesystem::path& mask_file) {
  const MaskRule rule;
  const cv::Mat classes = ReadMask(mask_file, rule).classes;
  const auto skin = std::ranges::find(rule.classes(), "skin") - rule.classes().begin();
  const cv::Mat mask = classes == static_cast<int>(skin);
  const cv::Rect box = cv::boundingRect(mask);
  if (box.empty()) throw Error(mask_file.string(), "marks no skin (above 127 is skin)");
  return std::make_unique<GivenSeed>("`seed_mask` " + mask_file.string(),
                                     Seed{box, std::nullopt, mask(box)}, mask.size());
}

}  // namespace skinmask
