#include "skinmask/media/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <system_error>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/media/mask_pairs.h"
#include "skinmask/media/outputs.h"
#include "skinmask/media/video.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

std::string LowerExtension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

// True for what can be opened and read to its end: not for pipes, sockets and devices. Broken links
// count, so that they are told of.
bool IsReadable(const fs::directory_entry& entry) {
  std::error_code ignored;
  const fs::file_type type = entry.status(ignored).type();
  return type != fs::file_type::fifo && type != fs::file_type::socket &&
         type != fs::file_type::character && type != fs::file_type::block;
}

void ListInto(const fs::path& folder, const fs::path& excluded, Inputs wanted,
              const LineSink& problem, std::vector<InputFile>& files) {
  std::error_code error;
  std::vector<InputFile> found;
  std::vector<fs::path> folders;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored)) {
      if (!it->is_symlink(ignored)) folders.push_back(it->path());  // no cycles
    } else if (IsReadable(*it)) {
      const bool video = wanted == Inputs::kImagesAndVideos && HasVideoExtension(it->path());
      if (video || HasImageExtension(it->path())) found.push_back({it->path(), {}, video});
    }
  }
  if (error) problem(Error(folder.string(), "cannot be read: " + error.message()).what());
  files.insert(files.end(), found.begin(), found.end());
  for (const fs::path& sub : folders)
    if (excluded.empty() || FileIdentity(sub) != excluded)
      ListInto(sub, excluded, wanted, problem, files);
}

bool IsFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

}  // namespace

bool HasImageExtension(const fs::path& path) {
  static const std::set<std::string> kExtensions{".jpg", ".jpeg", ".jpe",  ".png",  ".bmp",
                                                 ".dib", ".tif",  ".tiff", ".webp", ".ppm",
                                                 ".pgm", ".pbm",  ".pnm"};
  return kExtensions.count(LowerExtension(path)) > 0;
}

bool HasVideoExtension(const fs::path& path) {
  static const std::set<std::string> kExtensions{
      ".mp4",  ".m4v", ".mov",  ".mkv",  ".webm",  ".avi", ".mpg", ".mpeg", ".m1v",
      ".m2v",  ".ts",  ".mts",  ".m2ts", ".wmv",   ".asf", ".flv", ".3gp",  ".3g2",
      ".ogv",  ".vob", ".mxf",  ".dv",   ".y4m",   ".gif", ".nut", ".ivf",  ".264",
      ".h264", ".265", ".h265", ".hevc", ".mjpeg", ".mjpg"};
  return kExtensions.count(LowerExtension(path)) > 0;
}

std::vector<InputFile> ListFolder(const fs::path& folder, const fs::path& excluded, Inputs wanted,
                                  const LineSink& problem) {
  std::vector<InputFile> files;
  ListInto(folder, excluded, wanted, problem, files);
  for (InputFile& file : files) file.relative = file.path.lexically_relative(folder);
  std::sort(files.begin(), files.end(),
            [](const InputFile& a, const InputFile& b) { return a.relative < b.relative; });
  return files;
}

std::vector<InputFile> ListInputs(const std::vector<fs::path>& inputs, const fs::path& excluded,
                                  Inputs wanted, const LineSink& problem) {
  std::vector<InputFile> files;
  std::set<fs::path> seen;
  const fs::path excluded_identity = excluded.empty() ? excluded : FileIdentity(excluded);
  const bool videos = wanted == Inputs::kImagesAndVideos;
  for (const fs::path& input : inputs) {
    std::vector<InputFile> found;
    std::error_code ignored;
    if (input.empty()) {
      problem(Error("''", "names no file").what());
    } else if (input.string().find("://") != std::string::npos && !fs::exists(input, ignored)) {
      problem(Error(input.string(),
                    "is an address, and files are read here (fetch it first, with "
                    "curl -O or ffmpeg -i)")
                  .what());
    } else if (IsFolder(input)) {
      found = ListFolder(input, excluded_identity, wanted, problem);
      if (found.empty())
        problem(Error(input.string(), videos ? "holds no image and no video" : "holds no image")
                    .what());
    } else {
      const bool video = videos && (HasVideoExtension(input) ||
                                    (!HasImageExtension(input) &&
                                     fs::is_regular_file(input, ignored) && OpensAsVideo(input)));
      found.push_back({input, input.filename(), video});
    }
    for (InputFile& file : found)
      if (seen.insert(fs::absolute(file.path).lexically_normal()).second)
        files.push_back(std::move(file));
  }
  return files;
}

}  // namespace skinmask
