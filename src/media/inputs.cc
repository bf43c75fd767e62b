#include "skinmask/media/inputs.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <system_error>

#include "media/gif.h"
#include "media/image_format.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
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

// By its extension; a GIF by its pictures.
bool IsNamedAsVideo(const fs::path& path) {
  return HasVideoExtension(path) && !(LowerExtension(path) == ".gif" && IsStillGif(path));
}

bool Matches(std::string pattern, const fs::path& relative) {
  if (pattern.ends_with('/')) pattern.pop_back();  // as shells complete folders
  if (pattern.starts_with("./")) pattern.erase(0, 2);
  const fs::path subject = pattern.find('/') == pattern.npos ? relative.filename() : relative;
  return fnmatch(pattern.c_str(), subject.c_str(), 0) == 0;
}

bool MatchesAny(const std::vector<std::string>& patterns, const fs::path& relative) {
  return std::ranges::any_of(patterns, [&](const std::string& p) { return Matches(p, relative); });
}

// The files of one folder and of those in it.
class Search {
 public:
  Search(const fs::path& root, const ListOptions& options, std::vector<InputFile>& files)
      : root_(root),
        options_(options),
        excluded_(options.excluded.empty() ? fs::path() : FileIdentity(options.excluded)),
        files_(files) {}

  void In(const fs::path& folder) {
    std::error_code error;
    std::vector<fs::path> folders;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      std::error_code ignored;
      if (MatchesAny(options_.exclude, it->path().lexically_relative(root_))) continue;
      if (!it->is_directory(ignored))
        Take(*it);
      else if (!it->is_symlink(ignored))  // no cycles
        folders.push_back(it->path());
    }
    if (error) options_.problem({folder.string(), "cannot be read: " + error.message()});
    for (const fs::path& sub : folders)
      if (excluded_.empty() || FileIdentity(sub) != excluded_) In(sub);
  }

 private:
  void Take(const fs::directory_entry& entry) {
    const fs::path relative = entry.path().lexically_relative(root_);
    if (!options_.include.empty() && !MatchesAny(options_.include, relative)) return;
    const bool video = options_.wanted == Inputs::kImagesAndVideos && IsNamedAsVideo(entry.path());
    if (IsReadable(entry) && (video || HasImageExtension(entry.path())))
      files_.push_back({entry.path(), relative, video});
    else
      options_.passed_over(entry.path(), "is no image or video by its name");
  }

  const fs::path& root_;
  const ListOptions& options_;
  const fs::path excluded_;
  std::vector<InputFile>& files_;
};

bool IsFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// By its name where that tells, else by its first bytes.
bool IsVideo(const fs::path& input, const ListOptions& options) {
  if (options.all_videos || IsNamedAsVideo(input)) return true;
  if (HasImageExtension(input)) return false;
  std::error_code ignored;
  const bool descriptor = IsDescriptor(input);
  if (!descriptor && !fs::is_regular_file(input, ignored)) return false;
  const std::string head = PeekDescriptor(input, options.stop);
  const auto format = FormatOf(head);
  if (descriptor) return !head.empty() && !format;
  return format == ImageFormat::kGif ? !IsStillGif(input) : !format && OpensAsVideo(input);
}

// Whatever is named is a file to work on, unless it is a folder.
InputFile NamedFile(const fs::path& input, const ListOptions& options) {
  return {input, input.filename(),
          options.wanted == Inputs::kImagesAndVideos && IsVideo(input, options)};
}

// The files that one name stands for, with the paths that they have below it.
std::vector<InputFile> FilesOf(const fs::path& input, const ListOptions& options) {
  std::error_code ignored;
  if (input.empty()) {
    options.problem({"''", "names no file"});
  } else if (input.string().find("://") != std::string::npos && !fs::exists(input, ignored)) {
    options.problem({input.string(),
                     "is an address, and files are read here (fetch it first, with "
                     "curl -O or ffmpeg -i)"});
  } else if (IsFolder(input)) {
    std::vector<InputFile> found = ListFolder(input, options);
    if (found.empty())
      options.problem({input.string(), options.wanted == Inputs::kImagesAndVideos
                                           ? "holds no image and no video"
                                           : "holds no image"});
    return found;
  } else {
    try {
      return {NamedFile(input, options)};
    } catch (const Error& e) {
      options.problem(Problem(input.string(), e));
    }
  }
  return {};
}

// What of a listed path is kept below the output folder: all, but for what leads out of it.
fs::path InnerPath(const fs::path& listed) {
  fs::path inner;
  for (const fs::path& part : listed.lexically_normal().relative_path())
    if (part != ".." && part != ".") inner /= part;
  return inner;
}

}  // namespace

bool HasImageExtension(const fs::path& path) {
  static const std::set<std::string> kExtensions{".jpg", ".jpeg", ".jpe",  ".png",  ".bmp", ".dib",
                                                 ".tif", ".tiff", ".webp", ".ppm",  ".pgm", ".pbm",
                                                 ".pnm", ".heic", ".heif", ".avif", ".jxl", ".gif"};
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

std::vector<InputFile> ListFolder(const fs::path& folder, const ListOptions& options) {
  std::vector<InputFile> files;
  Search(folder, options, files).In(folder);
  std::sort(files.begin(), files.end(),
            [](const InputFile& a, const InputFile& b) { return a.relative < b.relative; });
  return files;
}

std::vector<InputFile> ListInputs(const std::vector<fs::path>& inputs, const ListOptions& options,
                                  const std::vector<fs::path>& listed) {
  std::vector<InputFile> files;
  std::set<fs::path> seen;
  const auto take = [&](std::vector<InputFile> found, const fs::path& below) {
    for (InputFile& file : found) {
      if (!seen.insert(fs::absolute(file.path).lexically_normal()).second) continue;
      file.relative = below / file.relative;
      files.push_back(std::move(file));
    }
  };
  const bool several = std::ranges::count_if(inputs, IsFolder) > 1;
  for (const fs::path& input : inputs)
    take(FilesOf(input, options),
         several && IsFolder(input) ? FileIdentity(input).filename() : fs::path());
  for (const fs::path& path : listed) {
    const fs::path inner = InnerPath(path);
    take(FilesOf(path, options), IsFolder(path) ? inner : inner.parent_path());
  }
  return files;
}

}  // namespace skinmask
