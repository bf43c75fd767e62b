// Seeds: where one image shows skin for certain, by which a model adapts to it.
#pragma once

#include <filesystem>
#include <memory>
#include <opencv2/core.hpp>
#include <vector>

#include "skinmask/detect/adapt_options.h"

namespace skinmask {

// Where one person's skin is.
struct Seed {
  cv::Rect box;          // within the image: a face as detectors frame it, or any region
  bool face = true;      // skin is then expected in an ellipse of the box, and below it
  cv::Mat skin;          // CV_8UC1 of the box's size, nonzero where skin; empty: all of the box
                         // (of a face: its inner ellipse)
  bool certain = false;  // a face needs no agreement of the global model, whatever the light
};

// Anything that finds seeds: cascades, another detector, the user. Find is safe from many threads
// and depends on the image alone; `bgr` is CV_8UC3.
class SeedFinder {
 public:
  virtual ~SeedFinder() = default;
  virtual std::vector<Seed> Find(const cv::Mat& bgr) const = 0;
};

// Faces by an OpenCV cascade: a cascade file or a folder of haarcascade_frontalface_alt2.xml;
// empty: where the package opencv-data has it. About 60 ms. Throws Error when there is none, and
// for options out of range.
std::unique_ptr<SeedFinder> FaceFinder(const std::filesystem::path& cascade = {},
                                       const FaceSearchOptions& options = {});
// The same seeds for every image. A box that is not within an image, or a mask of another size, is
// an Error of that image.
std::unique_ptr<SeedFinder> FixedSeed(const cv::Rect& box);
std::unique_ptr<SeedFinder> FixedSeed(const std::filesystem::path& mask_file);  // above 127 is skin

}  // namespace skinmask
