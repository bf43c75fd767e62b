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

FaceFrame FrameOf(const HogFace& found, double scale_x, double scale_y) {
  const Framing& framing = kFramings[found.pattern];
  const double height = (found.bottom - found.top + 1) * scale_y;
  const cv::Point2d middle((found.left + found.right + 1) / 2.,
                           (found.top + found.bottom + 1) / 2.);
  return {{middle.x * scale_x + height * framing.right, middle.y * scale_y + height * framing.down},
          height * framing.size,
          framing.tilt_degrees * std::numbers::pi / 180};
}

// Windows lie a tenth of a face apart and differ in size by a fifth. The mean of all that show a
// face, weighing by how near their scores are to the best, is twice as near to YuNet's frame as the
// best one alone (ECU: 0.015 instead of 0.025 sizes of the face, medians). Sizes are averaged as
// the scales at which they were found, by products, sums and quotients alone: the bits of every
// CPU.
FaceFrame MeanFrame(const std::vector<HogFace>& group, double scale_x, double scale_y) {
  constexpr double kReach = 1;  // the best score less this weighs nothing
  FaceFrame mean{{0, 0}, 0, 0};
  double sum = 0;
  for (const HogFace& face : group) {
    const double weight = std::max(kReach + face.score - group.front().score, 0.);
    const FaceFrame frame = FrameOf(face, scale_x, scale_y);
    mean.centre += weight * frame.centre;
    mean.size += weight / frame.size;
    mean.tilt += weight * frame.tilt;
    sum += weight;
  }
  return {mean.centre / sum, sum / mean.size, mean.tilt / sum};
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
    const std::vector<std::vector<HogFace>> found =
        searches_.With([] { return HogSearch(); },
                       [&](HogSearch& search) { return GroupsOf(Windows(grey, search)); });
    std::vector<FaceColor> certain;
    for (const auto& group : found)
      if (IsFace(group.front())) certain.push_back(color(group.front()));
    std::vector<Seed> seeds;
    for (const auto& group : found) {
      const HogFace& best = group.front();
      if (!IsFace(best, options_.further_slack)) continue;
      if (!IsFace(best) && !IsLikeOne(color(best), certain)) continue;
      const FaceFrame face = MeanFrame(group, scale_x, scale_y);
      if (const cv::Rect box = face.Box(bgr.size()); !box.empty()) seeds.push_back({box, face, {}});
    }
    return seeds;
  }

 private:
  bool IsFace(const HogFace& face, double slack = 0) const {
    const double least = face.pattern < kFirstTilted
                             ? options_.min_score
                             : std::max(options_.min_score, options_.min_tilted_score);
    return face.score >= least - slack;
  }

  // What may be faces, in pixels of `grey`.
  std::vector<HogFace> Windows(const cv::Mat& grey, HogSearch& search) const {
    const double least = options_.min_score - options_.further_slack;
    std::vector<HogFace> windows = search.Find(grey, least);
    if (options_.padding > 0) {
      const int side = std::min(grey.cols, grey.rows);
      const double scale = std::min(1., options_.close_up_side / static_cast<double>(side));
      AddFound(grey, scale, options_.padding, options_.min_score, search, windows);
    }
    // The steps of its pyramid lie between those of the first search.
    const double again = std::sqrt(options_.again_pixels / static_cast<double>(grey.total()));
    if (again < 1 &&
        std::ranges::none_of(windows, [&](const HogFace& face) { return IsFace(face); }))
      AddFound(grey, again, 0, least, search, windows);
    return windows;
  }

  // Searches `grey` made smaller by `scale`, with the pixels of its border repeated around it for
  // `padding` of its shorter side, and adds what is found if its middle is within `grey`.
  static void AddFound(const cv::Mat& grey, double scale, double padding, double least,
                       HogSearch& search, std::vector<HogFace>& windows) {
    const cv::Size size(std::max(1, cvRound(grey.cols * scale)),
                        std::max(1, cvRound(grey.rows * scale)));
    const int border = cvRound(padding * std::min(size.width, size.height));
    cv::Mat small;
    cv::resize(grey, small, size, 0, 0, scale < .5 ? cv::INTER_AREA : cv::INTER_LINEAR);
    cv::copyMakeBorder(small, small, border, border, border, border, cv::BORDER_REPLICATE);
    const auto x = [&](int at) { return cvRound((at - border) * (1. * grey.cols / size.width)); };
    const auto y = [&](int at) { return cvRound((at - border) * (1. * grey.rows / size.height)); };
    for (HogFace face : search.Find(small, least)) {
      face = {face.score, face.pattern, x(face.left), y(face.top), x(face.right), y(face.bottom)};
      const cv::Point middle((face.left + face.right) / 2, (face.top + face.bottom) / 2);
      if (cv::Rect({}, grey.size()).contains(middle)) windows.push_back(face);
    }
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
