// Detection over images, videos and folders of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "skinmask/base/file.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/measure.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/detect/region.h"
#include "skinmask/media/image.h"
#include "skinmask/media/video.h"
#include "skinmask/pipeline/run.h"

namespace [[gnu::visibility("default")]] skinmask {

// What was found in one frame of a video.
struct DetectedFrame {
  std::filesystem::path input;
  std::int64_t index = 0;  // in the whole video, from 0
  double seconds = 0;      // since the first frame of the whole video
  std::uint64_t pixels = 0;
  std::uint64_t skin_pixels = 0;
  std::optional<Region> region;  // of the probability map; absent where that is 0 all over
  Measurement measured;
};

struct VideoOutputOptions {
  // A folder of images for each video instead: 000000.png, 000000.overlay.png, ...
  bool png_frames = false;
  // FFmpeg's name of the encoder of what OutputKind::takes_codec is true of; cut-outs have
  // transparency then, in a container that goes with it (TransparentExtension). Empty: ffv1, and
  // cut-outs are H.264 on black.
  std::string codec;
  // Whether what is watched (OutputKind::is_watched) gets the sound of the input, as it is stored
  // there. Where that cannot be done, a warning says why.
  bool sound = true;
  std::optional<RawVideo> raw;  // what the inputs hold, which then are all videos
  std::string container;        // as VideoWriteOptions has it, for an output file
  FramePosterior::Pixels pixels = FramePosterior::Pixels::kYuv;  // that frames are judged by
  // The frames that are done. Outputs of a part begin at the time 0, images of single frames have
  // the frames' numbers in the whole video.
  VideoRange range;
  // Called for each frame in order; empty: nobody wants to know, and nothing is measured for it.
  std::function<void(const DetectedFrame&)> frame;
};

struct DetectedImage {
  std::filesystem::path input;
  std::vector<std::filesystem::path> outputs;
  cv::Size size;
  std::uint64_t skin_pixels = 0;
  std::int64_t frames = 0;  // of a video; 0: an image
  Rational rate{};          // of a video
  // Of an image, if it is wanted: of the probability map; absent where that is 0 all over.
  std::optional<Region> region;
  std::optional<Measurement> measured;  // likewise
  // What was done to an image; kNothing where there is no adapter.
  AdaptationSummary adaptation;
  // Of a video: frames that were fitted to faces or seeds, and to the frame itself.
  std::int64_t frames_by_seeds = 0, frames_by_image = 0;
  double SkinFraction() const;
};

struct DetectOptions {
  std::vector<std::filesystem::path> inputs;  // images, videos, folders of both
  std::vector<std::string> listed;            // as ListInputs has them
  std::vector<std::string> include, exclude;  // as ListOptions has them
  std::filesystem::path output_folder;
  // Instead: where the one output of the one input goes; kStandardOutput is one such place.
  std::filesystem::path output_file;
  std::vector<Output> outputs{Output::kMask};
  // kKeep leaves out inputs whose outputs are all there.
  IfExists if_exists = IfExists::kFail;
  // What decides the bytes of the outputs beside the model: options by name and value, those of the
  // detector as MadeWithOf has them. A run leaves it in its output folder (kMadeWithFile), and one
  // that resumes throws Error where outputs of its kinds were made with anything else. One that
  // replaces all that a list of inputs has, to the end, takes back what was left of the same list.
  // Absent: none of it.
  std::optional<std::map<std::string, std::string>> made_with;
  std::size_t shard = 1, shard_count = 1;  // every shard_count-th input, from the shard-th
  int scale = 1;                           // 1, 2, 4 or 8: as DecodeOptions::scale
  // Of probabilities: 8, or 16 (round(65535 P), from log-odds in double; PNG, and FFV1 in videos).
  int probability_bits = 8;
  OutputStyle style;  // of files
  // Of an image, as DecodeOptions has it. Of a video's frame, too, but there never more than a
  // quarter of the default, or of what is given where that is more: decoders keep many frames.
  std::int64_t max_pixels = kMaxPixels;
  // Of images, as DecodeOptions has it.
  std::optional<Isolation> isolation{};
  // What images are judged by: BGR, as evaluation judges them, or, with kYuv, JPEGs by the Y'CbCr
  // that they store, which is not converted and whose chroma is not made larger; a few pixels in a
  // thousand differ, and decoding is faster. As in videos, BGR it is all the same where `scale` is
  // not 1, where the adapter has adapted to an image, and for models that are not one quadratic.
  FramePosterior::Pixels pixels = FramePosterior::Pixels::kBgr;
  VideoOutputOptions video;
  // Called for each image, in order, and each video, before its outputs are in their places: what
  // is noted then is known of all that is there, should the process be killed. Empty: nobody notes.
  std::function<void(const DetectedImage&)> before_outputs;
  bool region = false;    // DetectedImage::region of images is wanted, which takes their P(skin)
  bool measured = false;  // DetectedImage::measured of images is wanted, which takes their B G R
};

// The options of a detector that decide the bytes of outputs, by the names that users have, where
// they are not as they are by default.
std::map<std::string, std::string> MadeWithOf(const DetectorOptions& options, const Model& model);

// Checks where outputs go, and makes the output folder if need be, which Detect does, too: for a
// caller that must know it to be there before. Throws Error as Detect does.
void PrepareOutput(const DetectOptions& options);

// Throws Error when nothing can be done at all (an output folder that cannot be made, outputs over
// inputs, an output file for several, another file of the caller's that is an input). Folders for
// outputs are made before the first image is read, and never again: where one vanishes, what
// belongs there is a problem. `done` is called for each image in order, and then for each video. A
// video whose data are damaged is a problem, and its outputs hold the frames before; one that a
// stop interrupts leaves no output (single frames stay, which a run with IfExists::kKeep
// completes). Images are not waited for until the disk has them (Survives::kProcess), since they
// can be made again; videos are. What the detector expects and by what pixels it judges, the run
// knows better.
void Detect(const DetectOptions& options, const Detector& detector, const Run& run,
            const std::function<void(const DetectedImage&)>& done);

}  // namespace skinmask
