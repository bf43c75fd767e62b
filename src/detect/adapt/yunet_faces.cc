#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "detect/adapt/opencv_net.h"
#include "detect/adapt/pool.h"
#include "media/late_module.h"
#include "media/picture_type.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/detect/seed_finder.h"

namespace skinmask {
namespace {

constexpr int kStrides[] = {8, 16, 32};
constexpr int kPadding = 32;                        // the input's sides are multiples of it
constexpr double kMaxOverlap = 0.3;                 // intersection over union of two faces
constexpr std::uintmax_t kMaxFileSize = 100 << 20;  // bytes; YuNet has 230,000
constexpr int kLandmarks = 5;  // the eyes, the nose and the corners of the mouth

struct Found {
  cv::Rect2d box;
  double score;
  std::array<cv::Point2d, kLandmarks> landmarks;
};

// The outputs for each stride: for each cell the class and place confidences, the box and the
// landmarks.
const std::vector<std::string>& NetOutputs() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const int stride : kStrides)
      for (const char* const kind : {"cls", "obj", "bbox", "kps"})
        all.push_back(fmt::format("{}_{}", kind, stride));
    return all;
  }();
  return names;
}

// The numbers per cell of the four outputs of a stride.
constexpr std::array<std::size_t, 4> kNumbers = {1, 1, 4, 2 * kLandmarks};

bool HasShapes(const std::vector<cv::Mat>& outputs, const cv::Size& size) {
  if (outputs.size() != std::size(kStrides) * kNumbers.size()) return false;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const int stride = kStrides[i / kNumbers.size()];
    const auto cells = static_cast<std::size_t>((size / stride).area());
    if (outputs[i].type() != CV_32FC1 || !outputs[i].isContinuous() ||
        outputs[i].total() != cells * kNumbers[i % kNumbers.size()])
      return false;
  }
  return true;
}

// The faces of one stride (outputs as in kNumbers), in pixels of the network's input.
void Decode(const cv::Mat* outputs, int stride, int columns, double min_score,
            std::vector<Found>& faces) {
  const float *cls = outputs[0].ptr<float>(), *obj = outputs[1].ptr<float>(),
              *box = outputs[2].ptr<float>(), *at = outputs[3].ptr<float>();
  for (std::size_t i = 0; i < outputs[0].total(); ++i, box += 4, at += 2 * kLandmarks) {
    const double score = std::sqrt(std::clamp(cls[i], 0.F, 1.F) * std::clamp(obj[i], 0.F, 1.F));
    if (!(score >= min_score)) continue;
    const cv::Point2d cell(static_cast<double>(i % static_cast<std::size_t>(columns)),
                           static_cast<double>(i / static_cast<std::size_t>(columns)));
    const cv::Point2d centre = (cell + cv::Point2d(box[0], box[1])) * stride;
    const cv::Size2d size(std::exp(box[2]) * stride, std::exp(box[3]) * stride);
    Found face{{centre - cv::Point2d(size.width / 2, size.height / 2), size}, score, {}};
    for (std::size_t k = 0; k < kLandmarks; ++k)
      face.landmarks[k] = (cell + cv::Point2d(at[2 * k], at[2 * k + 1])) * stride;
    const bool is_finite = std::isfinite(face.box.x + face.box.y + size.width + size.height) &&
                           std::ranges::all_of(face.landmarks, [](const cv::Point2d& p) {
                             return std::isfinite(p.x + p.y);
                           });
    if (is_finite && size.area() > 0) faces.push_back(face);
  }
}

// Of overlapping faces, keeps the one with the greatest score.
std::vector<Found> WithoutOverlaps(std::vector<Found> faces) {
  std::ranges::stable_sort(faces, std::greater{}, &Found::score);
  std::vector<Found> kept;
  for (const Found& face : faces) {
    const bool overlaps = std::ranges::any_of(kept, [&](const Found& other) {
      const double both = (other.box & face.box).area();
      return both > kMaxOverlap * (other.box.area() + face.box.area() - both);
    });
    if (!overlaps) kept.push_back(face);
  }
  return kept;
}

// A square of the box's height. Its axis is the mean of the line from the eyes to the mouth and of
// the perpendicular to the line between the eyes: for a head that is turned aside, each alone is
// wrong.
FaceFrame FrameOf(const Found& face) {
  const auto& p = face.landmarks;
  const cv::Point2d eyes = (p[0] + p[1]) / 2, mouth = (p[3] + p[4]) / 2, across = p[1] - p[0];
  const cv::Point2d axis = mouth - eyes + cv::Point2d(-across.y, across.x);
  return {(face.box.tl() + face.box.br()) / 2, face.box.height, std::atan2(-axis.x, axis.y)};
}

class YuNetFaces : public SeedFinder {
 public:
  YuNetFaces(const std::filesystem::path& file, const YuNetOptions& options)
      : options_(options), file_(file.string()) {
    options_.Validate();
    bytes_ = ReadFile(file, {.most = kMaxFileSize});
    if (!IsSoundOnnx(bytes_, NetOutputs())) throw NotYuNet();
    // A trial run, so that a file that is no such network is reported before any work.
    if (!HasShapes(Run(cv::Mat::zeros(2 * kPadding, kPadding, CV_8UC3)), {kPadding, 2 * kPadding}))
      throw NotYuNet();
  }

  std::string_view name() const override { return "yunet"; }

  std::vector<Seed> Find(const cv::Mat& bgr) const override {
    RequireType(bgr, CV_8UC3, "image");
    const cv::Mat searched = Searched(bgr);
    const cv::Size size((searched.cols + kPadding - 1) / kPadding * kPadding,
                        (searched.rows + kPadding - 1) / kPadding * kPadding);
    cv::Mat padded(size, CV_8UC3, cv::Scalar());
    searched.copyTo(padded(cv::Rect({}, searched.size())));
    const std::vector<cv::Mat> outputs = Run(padded);
    if (!HasShapes(outputs, size)) throw NotYuNet();
    std::vector<Found> faces;
    for (std::size_t i = 0; i < std::size(kStrides); ++i)
      Decode(&outputs[i * kNumbers.size()], kStrides[i], size.width / kStrides[i],
             options_.min_score, faces);
    std::vector<Seed> seeds;
    // (Sizes are whole numbers, so the two differ, by much in a long and narrow image.)
    const double across = static_cast<double>(bgr.cols) / searched.cols;
    const double down = static_cast<double>(bgr.rows) / searched.rows;
    for (const Found& face : WithoutOverlaps(std::move(faces))) {
      FaceFrame frame = FrameOf(face);
      frame.centre = {frame.centre.x * across, frame.centre.y * down};
      frame.size *= down;
      Seed seed{frame.Box(bgr.size()), frame, {}};
      if (!seed.box.empty()) seeds.push_back(std::move(seed));
    }
    return seeds;
  }

 private:
  Error NotYuNet() const {
    return {file_,
            "is not a YuNet face detector (an ONNX file with the outputs cls, obj, bbox and kps "
            "of strides 8, 16 and 32, as OpenCV Zoo's face_detection_yunet has them)"};
  }

  std::vector<cv::Mat> Run(const cv::Mat& bgr) const {
    try {
      return nets_.With([&] { return ReadOnnx(bytes_); },
                        [&](const Net& net) { return net(bgr, NetOutputs()); });
    } catch (const cv::Exception&) {
      throw NotYuNet();
    }
  }

  cv::Mat Searched(const cv::Mat& bgr) const {
    const double side =
        std::clamp(options_.side_per_root_pixel * std::sqrt(static_cast<double>(bgr.total())),
                   static_cast<double>(options_.min_side), static_cast<double>(options_.max_side));
    const double scale = std::min(options_.max_enlargement, side / std::max(bgr.cols, bgr.rows));
    cv::Mat searched;
    cv::resize(bgr, searched, SizeTimes(bgr.size(), scale), 0, 0,
               scale < 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
    return searched;
  }

  YuNetOptions options_;
  std::string file_, bytes_;
  mutable Pool<Net> nets_;
};

}  // namespace

std::unique_ptr<SeedFinder> YuNetFaceFinder(const std::filesystem::path& onnx,
                                            const YuNetOptions& options) {
  return std::make_unique<YuNetFaces>(onnx, options);
}

Net ReadOnnx(std::string_view bytes) {
  static auto* const read = reinterpret_cast<decltype(&skinmask_read_onnx)>(
      FindInModule("skinmask-dnn.so", "skinmask_read_onnx"));
  Net net;
  read(bytes, net);
  return net;
}

}  // namespace skinmask
