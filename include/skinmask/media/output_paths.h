// Names the output files of detection.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/media/inputs.h"

namespace [[gnu::visibility("default")]] skinmask {

// The suffix of an output's file: for an image, and for a video.
struct OutputSuffix {
  std::string_view image, video;
};

// Names the outputs of a list of inputs below the output folder: the relative path of the input
// with the extension replaced. The list must outlive this object. Inputs whose outputs would have
// the same name keep their full name (b.jpg.png beside b.png.png). If that does not help (the same
// relative path in two input folders), the later input goes to `problem` and gets no paths. With
// `frame_folders` a video has one path, that of a folder: its name without the extension. Paths are
// computed on demand.
class OutputPaths {
 public:
  OutputPaths(const InputList& inputs, std::vector<OutputSuffix> outputs,
              const ProblemSink& problem, bool frame_folders = false);
  // The paths of inputs[i], one for each output.
  std::vector<std::filesystem::path> operator[](std::size_t i) const;

 private:
  enum class Name : char { kStem, kFull, kNone };
  std::size_t CountOf(std::size_t i) const;
  std::string Text(std::size_t i, std::size_t j) const;
  std::vector<std::size_t> ResolveConflicts();
  void Refuse(const std::vector<std::size_t>& doubled, const ProblemSink& problem);

  const InputList& inputs_;
  std::vector<OutputSuffix> outputs_;
  bool frame_folders_;
  std::vector<Name> names_;
};

}  // namespace skinmask
