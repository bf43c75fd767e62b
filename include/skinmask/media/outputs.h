// What detection writes, and what its files are called.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/media/inputs.h"

namespace [[gnu::visibility("default")]] skinmask {

// What detection can write, and the suffix that tells it apart.
enum class Output { kMask, kProbability, kOverlay, kCutout, kClasses, kUncertainty };
std::string_view OutputSuffix(Output output);       // ".png", ".probability.png", ...
std::string_view VideoOutputSuffix(Output output);  // ".mkv", ".overlay.mp4", ...
// Of a video with transparency by one of FFmpeg's encoders: ".webm" for VP8 and VP9, ".mov" for
// ProRes, ".mkv" for all others.
std::string_view TransparentExtension(std::string_view codec);
Output OutputFromName(std::string_view name);  // "mask", "probability", ...; throws Error
std::vector<std::string_view> OutputNames();

// True for what detection writes beside masks, by its name.
bool IsOtherOutput(const std::filesystem::path& path);

// What the outputs of a list of inputs, which outlives it, are called below the output folder:
// relative path with the extension replaced. Inputs whose outputs would share a name keep their
// full name (b.jpg.png beside b.png.png). Where that does not help (the same relative path in two
// input folders) the later input goes to `problem` and gets no paths. With `frame_folders` a video
// has one path, that of a folder: its name without the extension. Paths are made when they are
// asked for.
class OutputPaths {
 public:
  OutputPaths(const InputList& inputs, std::vector<Output> outputs, const ProblemSink& problem,
              bool frame_folders = false);
  // Of inputs[i], for each of the outputs.
  std::vector<std::filesystem::path> operator[](std::size_t i) const;

 private:
  enum class Name : char { kStem, kFull, kNone };
  std::size_t CountOf(std::size_t i) const;
  std::string Text(std::size_t i, std::size_t j) const;
  std::vector<std::size_t> Part();
  void Refuse(const std::vector<std::size_t>& doubled, const ProblemSink& problem);

  const InputList& inputs_;
  std::vector<Output> outputs_;
  bool frame_folders_;
  std::vector<Name> names_;
};

}  // namespace skinmask
