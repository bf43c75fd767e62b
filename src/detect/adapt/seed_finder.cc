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
#include "skinmask/detect/adapt_options.h"
#include "skinmask/media/ground_truth.h"
#include "skinmask/media/image.h"

namespace skinmask {
namespace {

std::string SizeText(const cv::Size& size) { return fmt::format("{}x{}", size.width, size.height); }

// A seed with fewer pixels of the small image has no usable colours.
void RequireEnough(const Seed& seed, const cv::Size& image, const std::string& option) {
  const int pixels = AdaptOptions().fit.pixels, side = SmallImageSquare(image, pixels);
  const Seed scaled = Scaled(seed, image, SmallImageSize(image, pixels));
  const int count = scaled.skin.empty() ? scaled.box.area() : cv::countNonZero(scaled.skin);
  if (count < static_cast<int>(kMinPixels))
    throw Error(
        option,
        fmt::format("is too small for an image of {} (about {} pixels are needed)", SizeText(image),
                    kMinPixels * static_cast<std::size_t>(side) * static_cast<std::size_t>(side)));
}

class Box : public SeedFinder {
 public:
  explicit Box(const cv::Rect& box) : box_(box) {}
  std::string_view name() const override { return "seed"; }
  std::vector<Seed> Find(const cv::Mat& bgr) const override {
    RequireType(bgr, CV_8UC3, "image");
    const std::string option =
        fmt::format("`seed_rect` {},{},{},{}", box_.x, box_.y, box_.width, box_.height);
    if (box_.empty() || (box_ & cv::Rect({}, bgr.size())) != box_)
      throw Error(option,
                  fmt::format("is not within the image (of {} pixels)", SizeText(bgr.size())));
    const Seed seed{box_, std::nullopt, {}};
    RequireEnough(seed, bgr.size(), option);
    return {seed};
  }

 private:
  cv::Rect box_;
};

class SeedMask : public SeedFinder {
 public:
  explicit SeedMask(const std::filesystem::path& file) : file_(file) {
    const MaskRule rule;
    const cv::Mat classes = ReadMask(file, rule).classes;
    const auto skin = std::ranges::find(rule.classes(), "skin") - rule.classes().begin();
    mask_ = classes == static_cast<int>(skin);
    box_ = cv::boundingRect(mask_);
    if (box_.empty()) throw Error(file.string(), "marks no skin (above 127 is skin)");
  }
  std::string_view name() const override { return "seed"; }
  std::vector<Seed> Find(const cv::Mat& bgr) const override {
    RequireType(bgr, CV_8UC3, "image");
    const std::string option = "`seed_mask` " + file_.string();
    if (bgr.size() != mask_.size())
      throw Error(option, fmt::format("is {}, and the image {} (seeds are of the image's size)",
                                      SizeText(mask_.size()), SizeText(bgr.size())));
    const Seed seed{box_, std::nullopt, mask_(box_)};
    RequireEnough(seed, bgr.size(), option);
    return {seed};
  }

 private:
  std::filesystem::path file_;
  cv::Mat mask_;
  cv::Rect box_;
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

std::unique_ptr<SeedFinder> FixedSeed(const cv::Rect& box) { return std::make_unique<Box>(box); }

std::unique_ptr<SeedFinder> FixedSeed(const std::filesystem::path& mask_file) {
  return std::make_unique<SeedMask>(mask_file);
}

}  // namespace skinmask
