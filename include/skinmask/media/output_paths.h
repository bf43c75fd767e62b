// What the files are called that detection writes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/media/inputs.h"

namespace [[gnu::visibility("default")]] skinmask {

// What the file of an output ends in: made of an image, of a video.
struct OutputSuffix {
  std::string_view image, video;
};

// What the outputs of a list of inputs, which outlives it, are called below the output folder:
// relative path with the extension replaced. Inputs whose outputs would share a name keep their
// full name (b.jpg.png beside b.png.png). Where that does not help (the same relative path in two
// input folders) the later input goes to `problem` and gets no paths. With `frame_folders` a video
// has one path, that of a folder: its name without the extension. Paths are made when they are
// asked for.
class OutputPaths {
 public:
  OutputPaths(const InputList& inputs, std::vector<OutputSuffix> outputs,
              const ProblemSink& problem, bool frame_folders = false);
  // Of inputs[i], for each of the outputs.
  std::vector<std::filesystem::path> operator[](std::size_t i) const;

 private:
  enum class Name : char { kStem, kFull, kNone };
  std::size_t CountOf(std::size_t i) const;
  std::string Text(std::size_t i, std::size_t j) const;
  std::vector<std::size_t> Part();
  void Refuse(const std::vector<std::size_t>& doubled, const ProblemSink& problem);

  const InputList& inputs_;
  std::vector<OutputSuffix> outputs_;
  bool frame_folders_;
  std::vector<Name> names_;
};

}  // namespace skinmask
