#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>

#include "detect/adapt/hog_search.h"
#include "detect/adapt/pool.h"
#include "media/picture_type.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {

namespace {

// How a box of each of the five detectors lies to the frame of the face, in heights of the box:
// medians over 271 faces of ECU and 'groups' that YuNet finds too (tilts rounded).
struct Framing {
  double size, right, down, tilt_degrees;
};
constexpr Framing kFramings[] = {{1.16, 0, -.10, 0},       // front
                                 {1.10, .08, -.04, 0},     // looking left
                                 {1.10, -.08, -.04, 0},    // looking right
                                 {1.16, -.03, -.09, -12},  // tilted
                                 {1.16, .05, -.09, 8}};

constexpr int kFirstTilted = 3;

Seed SeedOf(const HogFace& found, double scale_x, double scale_y, const cv::Size& image) {
  const Framing& framing = kFramings[found.pattern];
  const double height = (found.bottom - found.top + 1) * scale_y;
  const cv::Point2d middle((found.left + found.right + 1) / 2.,
                           (found.top + found.bottom + 1) / 2.);
  const FaceFrame face{
      {middle.x * scale_x + height * framing.right, middle.y * scale_y + height * framing.down},
      height * framing.size,
      framing.tilt_degrees * std::numbers::pi / 180};
  return {face.Box(image), face, {}};
}

class HogFaces : public SeedFinder {
 public:
  explicit HogFaces(const HogOptions& options) : options_(options) { options_.Validate(); }

  std::string_view name() const override { return "hog"; }

  std::vector<Seed> Find(const cv::Mat& bgr) const override {
    RequireType(bgr, CV_8UC3, "image");
    const cv::Mat grey = Searched(bgr);
    const std::vector<HogFace> found =
        searches_.With([] { return HogSearch(); },
                       [&](HogSearch& search) { return search.Find(grey, options_.min_score); });
    std::vector<Seed> seeds;
    for (const HogFace& face : found) {
      if (face.pattern >= kFirstTilted && face.score < options_.min_tilted_score) continue;
      Seed seed = SeedOf(face, static_cast<double>(bgr.cols) / grey.cols,
                         static_cast<double>(bgr.rows) / grey.rows, bgr.size());
      if (!seed.box.empty()) seeds.push_back(std::move(seed));
    }
    return seeds;
  }

 private:
  // The grey image at the size that is searched.
  cv::Mat Searched(const cv::Mat& bgr) const {
    const auto pixels = static_cast<double>(bgr.total());
    const double searched = std::clamp(
        options_.searched_share * pixels, static_cast<double>(options_.min_searched_pixels),
        static_cast<double>(std::max(options_.min_searched_pixels, options_.max_searched_pixels)));
    const double scale = std::min(options_.max_enlargement, std::sqrt(searched / pixels));
    cv::Mat grey;
    if (std::min(bgr.cols, bgr.rows) * scale < 1) return {};  // so thin that it has no face
    cv::cvtColor(bgr, grey, cv::COLOR_BGR2GRAY);
    cv::resize(grey, grey, {}, scale, scale, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
    return grey;
  }

  HogOptions options_;
  mutable Pool<HogSearch> searches_;
};

}  // namespace

std::unique_ptr<SeedFinder> HogFaceFinder(const HogOptions& options) {
  return std::make_unique<HogFaces>(options);
}

}  // namespace skinmask
