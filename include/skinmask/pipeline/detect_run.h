// Runs detection over images, videos and folders of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
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

// The result of one frame of a video.
struct DetectedFrame {
  std::filesystem::path input;
  std::int64_t index = 0;  // in the whole video, from 0
  double seconds = 0;      // since the first frame of the whole video
  std::uint64_t pixels = 0;
  std::uint64_t skin_pixels = 0;
  std::optional<Region> region;  // of the probability map; absent if that is 0 everywhere
  Measurement measured;
  std::optional<double> any_skin;  // AdaptationSummary::any_skin
};

struct VideoOutputOptions {
  // Writes a folder of images for each video instead of a video: 000000.png, 000000.overlay.png,
  // ...
  bool png_frames = false;
  // FFmpeg's name of the encoder for outputs with OutputKind::takes_codec. Cut-outs then have
  // transparency, in a container that supports it (TransparentExtension). Empty: ffv1, and H.264 on
  // black for cut-outs.
  std::string codec;
  // True: outputs to be watched (OutputKind::is_watched) get the sound of the input, copied as it
  // is stored. If that is impossible, a warning gives the reason.
  bool sound = true;
  std::optional<RawVideo> raw;  // the format of the inputs, which then are all raw videos
  std::string container;        // of an output file; see VideoWriteOptions
  // Which values of the frames are classified.
  FramePosterior::Pixels pixels = FramePosterior::Pixels::kYuv;
  // The frames to process. The outputs of a range begin at time 0, but images of single frames are
  // numbered as in the whole video.
  VideoRange range;
  // False: the frames before the range are decoded and followed too, so that tracking, smoothing
  // and adaptation have in each frame the state that they have in the whole video, and the outputs
  // are equal. True: the video is as if it began at range.from, and such frames are skipped where
  // the container allows it.
  bool seek = false;
  // Called for each frame in order. If empty, regions and measurements of frames are not computed.
  std::function<void(const DetectedFrame&)> frame;
};

struct DetectedImage {
  std::filesystem::path input;
  std::vector<std::filesystem::path> outputs;
  cv::Size size;
  std::uint64_t skin_pixels = 0;
  std::int64_t frames = 0;  // of a video; 0 for an image
  Rational rate{};          // of a video
  // For images, if requested: the region of the probability map; absent if that is 0 everywhere.
  std::optional<Region> region;
  std::optional<Measurement> measured;  // for images, if requested
  // How the model was adapted to an image; kNothing without an adapter.
  AdaptationSummary adaptation;
  // For videos: the numbers of frames whose model was fitted to faces or seeds, and to the frame
  // itself.
  std::int64_t frames_by_seeds = 0, frames_by_image = 0;
  double SkinFraction() const;
};

struct DetectOptions {
  std::vector<std::filesystem::path> inputs;  // images, videos, folders of both
  std::vector<std::string> listed;            // see ListInputs
  std::vector<std::string> include, exclude;  // see ListOptions
  std::filesystem::path output_folder;
  // Alternative to output_folder: the file of the only output of the only input, or
  // kStandardOutput.
  std::filesystem::path output_file;
  std::vector<Output> outputs{Output::kMask};
  // kKeep skips inputs whose outputs all exist.
  IfExists if_exists = IfExists::kFail;
  // The options, by name and value, that determine the bytes of the outputs together with the
  // model; MadeWithOf gives them, except those of videos. A run records them in its output folder
  // (kMadeWithFile). A run with kKeep throws Error if outputs of its kinds were made with other
  // options. A run with kReplace that makes all outputs of its list of inputs cancels earlier
  // records of the same list. Absent: no record and no check.
  std::optional<std::map<std::string, std::string>> made_with;
  // Every shard_count-th input, beginning with the shard-th.
  std::size_t shard = 1, shard_count = 1;
  int scale = 1;  // 1, 2, 4 or 8; see DecodeOptions::scale
  // Bits of probability maps: 8, or 16 (round(65535 P), of images that are not adapted from
  // log-odds in double; PNG, and FFV1 in videos).
  int probability_bits = 8;
  OutputStyle style;  // the format of output files
  // The limit for images (see DecodeOptions) and for frames of videos. If it is kMaxPixels, that of
  // frames is a quarter of it, because decoders keep many frames.
  std::int64_t max_pixels = kMaxPixels;
  // For images and videos; see DecodeOptions and VideoOpenOptions.
  std::optional<Isolation> isolation{};
  // Which values of images are classified: BGR, as in evaluations, or, with kYuv, the Y'CbCr values
  // that JPEGs store, without conversion and without upsampling of the chroma. With kYuv decoding
  // is faster, and a few pixels in a thousand differ. BGR is used in any case (in videos, too) if
  // `scale` is not 1, if the adapter has adapted to the image, and for models that are not a single
  // quadratic.
  FramePosterior::Pixels pixels = FramePosterior::Pixels::kBgr;
  VideoOutputOptions video;
  // Called for each image, in order, and each video, before its outputs are renamed to their final
  // names. A caller that writes a journal here knows of every existing output, even if the process
  // is killed. May be empty.
  std::function<void(const DetectedImage&)> before_outputs;
  bool region = false;    // compute DetectedImage::region for images; needs their P(skin)
  bool measured = false;  // compute DetectedImage::measured for images; needs their BGR
};

// The options of a detector that determine the bytes of outputs and differ from their defaults, by
// the names that users see.
std::map<std::string, std::string> MadeWithOf(const DetectorOptions& options, const Model& model);
// And those of the run: its style, its scale, its pixels and the depth of probabilities. `detector`
// are the options that OptionsTogether returned. Those of videos are not included.
std::map<std::string, std::string> MadeWithOf(const DetectOptions& options,
                                              const DetectorOptions& detector, const Model& model);

// Throws Error for patterns if all inputs are files of images or videos, by their names. (Other
// files, and pipes, may be archives.)
void RequireFolders(const DetectOptions& options);

// Checks the output folder or file, and creates the folder if necessary. Detect does this, too;
// call it if the folder must exist before. Throws Error as Detect does.
void PrepareOutput(const DetectOptions& options);

// Throws Error if the run as a whole is impossible: the output folder cannot be created, outputs
// would overwrite inputs, an output file is given for several inputs, or another file of the caller
// (Run::written) is an input. Folders for outputs are created before the first image is read, and
// never again: if one vanishes, each output in it is a problem, and so is the output folder itself,
// which is not tolerable. `done` is called for each image in order, and then for each video. A
// video with damaged data is a problem, and its outputs hold the frames before the damage. A video
// that a stop interrupts leaves no output, except single frames, which a run with IfExists::kKeep
// completes. Images are not flushed to the disk (Survives::kProcess), because they can be made
// again; videos are. The run overrides `expected` and `pixels` in the options of the detector.
void Detect(const DetectOptions& options, const Detector& detector, const Run& run,
            const std::function<void(const DetectedImage&)>& done);

}  // namespace skinmask
