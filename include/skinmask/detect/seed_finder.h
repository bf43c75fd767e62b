// Seeds: regions of an image that are certain to show skin, to which a model is adapted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <numbers>
#include <opencv2/core.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "skinmask/detect/adapt_options.h"

namespace [[gnu::visibility("default")]] skinmask {

// A face as a square of about its height, from the forehead to the chin. The square turns with the
// head and may reach beyond the image.
struct FaceFrame {
  cv::Point2d centre;  // in pixels; (0, 0) is the image's corner
  double size = 0;     // of a side, in pixels
  double tilt = 0;     // radians, clockwise as the image is seen

  // The coordinates of a point of the image in the face's frame: x to the right of the centre, y
  // down, in sizes of the face.
  cv::Point2d FromImage(const cv::Point2d& point) const;
  cv::Point2d ToImage(const cv::Point2d& point) const;  // the inverse
  double TiltDegrees() const { return tilt * 180 / std::numbers::pi; }
  // The upright square, clipped to the image.
  cv::Rect Box(const cv::Size& image) const;
  bool operator==(const FaceFrame&) const = default;
};

// A face that a model was fitted to.
struct Face {
  // In a stream the number stays the same from frame to frame and is never used for another face;
  // in a single picture faces are 1, 2, ... in the order in which they were found.
  std::int64_t id = 0;
  cv::Rect box;  // upright, within the image
  FaceFrame frame;

  bool operator==(const Face&) const = default;
};

// Where one person's skin is.
struct Seed {
  cv::Rect box;                   // the box of a face or of any region, within the image
  std::optional<FaceFrame> face;  // skin is expected in an ellipse of it, and below it
  cv::Mat skin;                   // of a region: CV_8UC1 of the box's size, nonzero where skin;
                                  // empty: all of the box
};

// Finds seeds: a face detector, or the user's choice. Find is safe from many threads and depends on
// the image alone; `bgr` is CV_8UC3.
class SeedFinder {
 public:
  virtual ~SeedFinder() = default;
  virtual std::vector<Seed> Find(const cv::Mat& bgr) const = 0;
  virtual std::string_view name() const = 0;  // for people: that of FaceFinders, or "seed"
};

// Finds faces by histograms of oriented gradients (Dalal, Triggs 2005; Felzenszwalb et al. 2010),
// with the compiled-in weights of dlib's detector of frontal faces: the same faces on every
// machine. About 5 ms a searched megapixel. Throws Error for options out of range.
std::unique_ptr<SeedFinder> HogFaceFinder(const HogOptions& options = {});

// Finds faces and the tilt of their heads by YuNet (Wu, Peng, Yu: YuNet, a tiny millisecond-level
// face detector, 2023): a network in an ONNX file, face_detection_yunet of the OpenCV Zoo. About 10
// ms for an image of up to a megapixel. OpenCV's dnn chooses its code by the CPU: machines of one
// kind find the same boxes to the bit, others may differ in the last digits of a float. Throws
// Error for a file that is no such network, and for options out of range.
std::unique_ptr<SeedFinder> YuNetFaceFinder(const std::filesystem::path& onnx,
                                            const YuNetOptions& options = {});

// The same seed for every image. A box that is not within an image, or a mask of another size, is
// an Error of that image.
std::unique_ptr<SeedFinder> FixedSeed(const cv::Rect& box);
std::unique_ptr<SeedFinder> FixedSeed(const std::filesystem::path& mask_file);  // above 127 is skin

}  // namespace skinmask
