#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "detect/adapt/dlib_detector.h"
#include "detect/adapt/pool.h"
#include "media/picture_type.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {

std::string_view FrontalFaceDetectorBytes();  // made by src/detect/embed_detector.cc

namespace {

using Detector = dlib::frontal_face_detector;

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

constexpr std::size_t kFirstTilted = 3;

Seed SeedOf(const dlib::rect_detection& found, double scale_x, double scale_y,
            const cv::Size& image) {
  const Framing& framing = kFramings[std::min<std::size_t>(found.weight_index, 4)];
  const double height = static_cast<double>(found.rect.height()) * scale_y;
  const cv::Point2d middle(static_cast<double>(found.rect.left() + found.rect.right() + 1) / 2,
                           static_cast<double>(found.rect.top() + found.rect.bottom() + 1) / 2);
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
    dlib::array2d<unsigned char> image(grey.rows, grey.cols);
    for (int y = 0; y < grey.rows; ++y) std::copy_n(grey.ptr(y), grey.cols, &image[y][0]);
    const auto found = detectors_.With(ReadDetector, [&](Detector& detector) {
      std::vector<dlib::rect_detection> faces;
      detector(image, faces, options_.min_score);
      std::erase_if(faces, [&](const dlib::rect_detection& face) {
        return face.weight_index >= kFirstTilted &&
               face.detection_confidence < options_.min_tilted_score;
      });
      return faces;
    });
    std::vector<Seed> seeds;
    for (const dlib::rect_detection& face : found) {
      Seed seed = SeedOf(face, static_cast<double>(bgr.cols) / grey.cols,
                         static_cast<double>(bgr.rows) / grey.rows, bgr.size());
      if (!seed.box.empty()) seeds.push_back(std::move(seed));
    }
    return seeds;
  }

 private:
  static Detector ReadDetector() {
    std::istringstream bytes{std::string(FrontalFaceDetectorBytes())};
    Detector detector;
    dlib::deserialize(detector, bytes);
    return detector;
  }

  // The grey image at the size that is searched.
  cv::Mat Searched(const cv::Mat& bgr) const {
    const auto pixels = static_cast<double>(bgr.total());
    const double searched = std::clamp(
        options_.searched_share * pixels, static_cast<double>(options_.min_searched_pixels),
        static_cast<double>(std::max(options_.min_searched_pixels, options_.max_searched_pixels)));
    const double scale = std::min(options_.max_enlargement, std::sqrt(searched / pixels));
    cv::Mat grey;
    cv::cvtColor(bgr, grey, cv::COLOR_BGR2GRAY);
    cv::resize(grey, grey, {}, scale, scale, scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
    return grey;
  }

  HogOptions options_;
  mutable Pool<Detector> detectors_;
};

}  // namespace

std::unique_ptr<SeedFinder> HogFaceFinder(const HogOptions& options) {
  return std::make_unique<HogFaces>(options);
}

}  // namespace skinmask
