// Folders of images and videos: what to read, what belongs together, and what outputs are called.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skinmask {

// Takes one line about something that could not be done, or that a user should know.
using LineSink = std::function<void(const std::string&)>;

// A file to work on, and its path below the folder it was found in (its name, when named itself).
struct InputFile {
  std::filesystem::path path;
  std::filesystem::path relative;
  bool video = false;
};

enum class Inputs { kImages, kImagesAndVideos };

// Files are taken as named; folders are searched recursively for files whose extension is that of an
// image, or of a video where those are wanted (links to files count,
// links to folders do not, nor do pipes and devices), sorted by path. A folder inside them that is
// `excluded` (the output folder) is left out, and so is a path that comes up twice. A file that is
// named, and has the extension of neither, is a video if FFmpeg opens it as one. What cannot be read,
// or holds nothing, goes to `problem`.
std::vector<InputFile> ListInputs(const std::vector<std::filesystem::path>& inputs,
                                  const std::filesystem::path& excluded, Inputs wanted,
                                  const LineSink& problem);

// A file name without extension in which {stem} stands for what image and mask have in common. A
// pattern that ends in an image extension names that extension only.
class NamePattern {
 public:
  // Throws Error(option, ...) for a pattern without {stem}.
  NamePattern(std::string pattern, std::string_view option);

  std::string Expand(std::string_view stem) const;
  // The stem of a file name (with its extension) that fits the pattern; empty where it does not fit.
  std::string StemOf(const std::filesystem::path& file_name) const;

 private:
  std::string pattern_;
  bool has_extension_;
};

struct MaskPair {
  InputFile image;
  std::filesystem::path mask;
};

// For each image below `images` whose name fits `image_name`: its mask below `masks`, sub-folders
// mirrored. Images without a mask, or with more than one, go to `problem`; files that are masks of
// others are no images. With `predicted`, `images` are masks that `detect` wrote: its other outputs
// are passed over, full names (b.jpg.png) find the mask of b, and masks without one go to `problem`.
std::vector<MaskPair> PairMasks(const std::filesystem::path& images, const NamePattern& image_name,
                                const std::filesystem::path& masks, const NamePattern& mask_name,
                                bool predicted, const LineSink& problem);

// What detection can write, and the suffix that tells it apart.
enum class Output { kMask, kProbability, kOverlay, kCutout, kClasses };
std::string_view OutputSuffix(Output output);       // ".png", ".probability.png", ...
std::string_view VideoOutputSuffix(Output output);  // ".mkv", ".overlay.mp4", ...
Output OutputFromName(std::string_view name);  // "mask", "probability", ...; throws Error

// Paths of the outputs below the output folder: result[i][j] for inputs[i] and outputs[j]; relative
// path with the extension replaced. Inputs whose outputs would share a name keep their full name
// (b.jpg.png beside b.png.png). Where that does not help (the same relative path in two input folders)
// the later input goes to `problem` and gets no paths. With `frame_folders` a video has one path, that of
// a folder: its name without the extension.
std::vector<std::vector<std::filesystem::path>> OutputPaths(const std::vector<InputFile>& inputs,
                                                            const std::vector<Output>& outputs,
                                                            const LineSink& problem,
                                                            bool frame_folders = false);

// The file behind a path, whatever links lead to it; the path itself where that cannot be told.
std::filesystem::path FileIdentity(const std::filesystem::path& path);

}  // namespace skinmask
