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

// The shares of red and of blue in the light of the middle of a face, which differ less between
// people of one picture than between a face and what only looks like one.
struct FaceColor {
  double red, blue;
};

FaceColor ColorOf(const cv::Mat& bgr, const HogFace& face, double scale_x, double scale_y) {
  const double width = (face.right - face.left) * scale_x;
  const double height = (face.bottom - face.top) * scale_y;
  const cv::Rect middle(static_cast<int>(face.left * scale_x + .25 * width),
                        static_cast<int>(face.top * scale_y + .3 * height),
                        std::max(static_cast<int>(.5 * width), 1),
                        std::max(static_cast<int>(.5 * height), 1));
  const cv::Scalar sum = cv::sum(bgr(middle & cv::Rect({}, bgr.size())));
  const double all = std::max(sum[0] + sum[1] + sum[2], 1.);
  return {sum[2] / all, sum[0] / all};
}

bool IsLikeOne(const FaceColor& color, const std::vector<FaceColor>& others) {
  constexpr double kNear = .04;
  return std::any_of(others.begin(), others.end(), [&](const FaceColor& other) {
    const double red = color.red - other.red, blue = color.blue - other.blue;
    return red * red + blue * blue < kNear * kNear;
  });
}

class HogFaces : public SeedFinder {
 public:
  explicit HogFaces(const HogOptions& options) : options_(options) { options_.Validate(); }

  std::string_view name() const override { return "hog"; }

  std::vector<Seed> Find(const cv::Mat& bgr) const override {
    RequireType(bgr, CV_8UC3, "image");
    const cv::Mat grey = Searched(bgr);
    if (grey.empty()) return {};
    const double scale_x = static_cast<double>(bgr.cols) / grey.cols;
    const double scale_y = static_cast<double>(bgr.rows) / grey.rows;
    const auto color = [&](const HogFace& face) { return ColorOf(bgr, face, scale_x, scale_y); };
    const double least = options_.min_score - options_.further_slack;
    const std::vector<HogFace> found = searches_.With(
        [] { return HogSearch(); }, [&](HogSearch& search) { return search.Find(grey, least); });
    std::vector<FaceColor> certain;
    for (const HogFace& face : found)
      if (face.score >= MinScore(face)) certain.push_back(color(face));
    std::vector<Seed> seeds;
    for (const HogFace& face : found) {
      if (face.score < MinScore(face) - options_.further_slack) continue;
      if (face.score < MinScore(face) && !IsLikeOne(color(face), certain)) continue;
      Seed seed = SeedOf(face, scale_x, scale_y, bgr.size());
      if (!seed.box.empty()) seeds.push_back(std::move(seed));
    }
    return seeds;
  }

 private:
  double MinScore(const HogFace& face) const {
    return face.pattern < kFirstTilted ? options_.min_score
                                       : std::max(options_.min_score, options_.min_tilted_score);
  }

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
