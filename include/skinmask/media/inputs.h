// Files to work on: which ones folders of images and videos hold.
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

// Files are taken as named; folders are searched recursively for files whose extension is that of
// an image, or of a video where those are wanted (links to files count, links to folders do not,
// nor do pipes and devices), sorted by path. A folder inside them that is `excluded` (the output
// folder) is left out, and so is a path that comes up twice. A file that is named, and has the
// extension of neither, is a video if FFmpeg opens it as one. What cannot be read, or holds
// nothing, goes to `problem`.
std::vector<InputFile> ListInputs(const std::vector<std::filesystem::path>& inputs,
                                  const std::filesystem::path& excluded, Inputs wanted,
                                  const LineSink& problem);

// Judged by the file's extension alone.
bool HasImageExtension(const std::filesystem::path& path);
bool HasVideoExtension(const std::filesystem::path& path);

// The files below a folder as ListInputs finds them.
std::vector<InputFile> ListFolder(const std::filesystem::path& folder,
                                  const std::filesystem::path& excluded, Inputs wanted,
                                  const LineSink& problem);

}  // namespace skinmask
