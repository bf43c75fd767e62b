// One image is decoded, judged and encoded here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/ordered.h"
#include "pipeline/plan.h"
#include "skinmask/detect/detector.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask {

struct Detected {
  std::uint64_t pixels = 0;  // of the picture; 0: nothing was to be done
  DetectedImage image;
  std::string note;                // what is odd about it, or empty
  std::vector<std::string> files;  // encoded, as image.outputs
};

// About how many pixels an image file has for each of its bytes: photographs as JPEG take two bits
// a pixel, other files take more. By the sum over all files a run decides whether it is worth while
// to build the table of a model that needs one.
inline constexpr std::uint64_t kPixelsPerByte = 4;

// The detector of a run that expects so much; by `pixels` where pictures are not made smaller,
// since smaller ones are averages of B G R. `regions`: where skin is, is wanted of each.
Detector DetectorOfRun(const Detector& detector, const DetectOptions& options,
                       FramePosterior::Pixels pixels, std::uint64_t expected_pixels, bool regions);

// Decodes the bytes of task.input, which is not read, and makes the task's outputs, which are not
// written.
Detected DetectOne(const Task& task, std::string_view bytes, const Detector& detector,
                   const DetectOptions& options, const TakePixels& take);

}  // namespace skinmask
