#include "skinmask/media/inputs.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/folder.h"
#include "base/parse.h"
#include "base/stream.h"
#include "media/archive.h"
#include "media/file_bytes.h"
#include "media/gif.h"
#include "media/image_codec.h"
#include "media/names.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/media/video.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

// The media type by the extension; a GIF is a video if it has several pictures.
std::optional<Media> MediaByName(const std::string& path, Inputs wanted) {
  const NamedMedia named(path);
  if (wanted == Inputs::kAll && named.video && !(named.image && IsStillGif(path)))
    return Media::kVideo;
  if (wanted == Inputs::kAll && named.archive) return Media::kArchive;
  return named.image ? std::optional(Media::kImage) : std::nullopt;
}

// True for what runs write beside outputs and records.
bool IsOfRun(std::string_view name) {
  return name == kMadeWithFile || (name.starts_with(".skinmask-") && name.ends_with(".part"));
}

// Reports a failed folder or archive. It is not tolerable, because the number of lost inputs is
// unknown.
void TellLoss(const ListOptions& options, Problem problem) {
  problem.tolerable = false;
  options.problem(problem);
}

// Lists the files of a folder recursively. The names of each folder are sorted, and the content of
// a subfolder comes at the place of its name: paths are ordered component by component.
class Search {
 public:
  // With `archives`, archives count as folders.
  Search(const ListOptions& options, InputList& files, Archives* archives = nullptr)
      : options_(options),
        archives_(archives),
        include_(options.include),
        exclude_(options.exclude),
        excluded_(options.excluded.empty() ? "" : FolderIdentity(options.excluded)),
        files_(files) {}

  // Returns false if a folder could not be read. Throws Error if `folder` is the excluded folder.
  bool Of(const std::string& folder, const fs::path& below) {
    path_ = folder;
    root_ = files_.AddRoot(folder, below);
    if (archives_ && !IsFolder(folder)) {
      TakeArchive("");
      return true;
    }
    if (IsExcluded(folder))
      throw Error(options_.excluded.string(),
                  "is the input folder too; its masks would be the next run's photographs "
                  "(another output folder, or one inside it)");
    In("");
    return is_whole_;
  }

 private:
  void In(const std::string& folder) {
    const std::string path = JoinFolder(path_, folder);
    std::vector<std::pair<std::string, EntryType>> entries;
    const std::error_code error = ForEachEntry(
        path, [&](const char* name, EntryType type) { entries.emplace_back(name, type); });
    if (error) TellLoss(options_, {path, "cannot be read: " + error.message()});
    is_whole_ = is_whole_ && !error;
    std::ranges::sort(entries);
    // An entry may be listed twice if it is removed and created again meanwhile.
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    for (const auto& [name, type] : entries) {
      const std::string below = JoinPath(folder, name);
      if (exclude_.Match(below) || IsOfRun(name)) continue;
      if (type != EntryType::kFolder)
        Take(below, type);
      else if (!IsExcluded(JoinPath(path_, below)))
        In(below);
    }
  }

  bool IsExcluded(const std::string& folder) const {
    return !excluded_.empty() && FolderIdentity(folder) == excluded_;
  }

  void Take(const std::string& below, EntryType type) {
    const std::string path = JoinPath(path_, below);
    const bool link = type == EntryType::kLink;
    if (link && IsFolder(path)) return;  // no cycles
    if (!include_.empty() && !include_.Match(below)) return;
    // Pipes, sockets and devices may have no end. Broken links are reported later.
    std::error_code ignored;
    const bool readable = link ? !fs::is_other(path, ignored) : type == EntryType::kFile;
    if (readable && archives_ && NamedMedia(path).archive) return TryArchive(below);
    const std::optional<Media> media = readable ? MediaByName(path, options_.wanted) : std::nullopt;
    if (media)
      files_.Add(root_, below, *media, link);
    else
      options_.passed_over(
          path, readable ? "is no image or video by its name"
                         : "is a pipe, a socket or a device (in a folder, files are read)");
  }

  void TakeArchive(const std::string& below) {
    const std::string path = JoinFolder(path_, below);
    for (const fs::path& file : archives_->Open(path, options_.problem))
      if (NamedMedia(file.native()).image)
        files_.Add(root_, JoinPath(below, file.native()), Media::kImage);
      else
        options_.passed_over(JoinPath(path, file.native()), "is no image by its name");
  }

  // If an archive is damaged, the other ones are still listed.
  void TryArchive(const std::string& below) {
    try {
      TakeArchive(below);
    } catch (const Error& e) {
      TellLoss(options_, Problem(JoinPath(path_, below), e));
    }
  }

  const ListOptions& options_;
  Archives* const archives_;
  const Patterns include_, exclude_;
  const std::string excluded_;
  InputList& files_;
  std::string path_;      // of the root
  bool is_whole_ = true;  // every folder could be read
  std::uint32_t root_ = 0;
};

// The media type by the extension if that is known, otherwise by the first bytes.
Media MediaOf(const std::string& input, const ListOptions& options) {
  if (options.wanted == Inputs::kImages) return Media::kImage;
  if (options.all_videos) return Media::kVideo;
  if (const std::optional<Media> named = MediaByName(input, options.wanted)) return *named;
  const bool descriptor = IsDescriptor(input);
  if (!descriptor && !IsRegularFile(input)) return Media::kImage;
  const std::string head = PeekDescriptor(input, options.stop);
  if (options.stop && *options.stop) throw WaitStopped(input, "was given up (interrupted)");
  if (IsTar(head)) return Media::kArchive;
  if (IsCompressed(head)) FailUnknownImage(input, head);
  const bool image = CodecOf(head);
  const bool video = descriptor    ? !head.empty() && !image
                     : IsGif(head) ? !IsStillGif(input)
                                   : !image && OpensAsVideo(input, options.isolation);
  return video ? Media::kVideo : Media::kImage;
}

// The part of a listed path that is kept below the output folder: everything without "." and "..".
fs::path InnerPath(const fs::path& listed) {
  fs::path inner;
  for (const fs::path& part : listed.lexically_normal().relative_path())
    if (part != ".." && part != ".") inner /= part;
  return inner;
}

// Adds named files and folders, one after the other.
class Named {
 public:
  Named(const ListOptions& options, InputList& files) : options_(options), files_(files) {}

  // `below(whole)` returns the beginning of relative paths: for a folder (true) the whole path, for
  // a file (false) its folder. For files it must depend on the folder only.
  template <class Below>
  void Take(const std::string& input, const Below& below) {
    const EntryType type = types_.Of(input);
    const bool link = type == EntryType::kLink;
    if (input.empty())
      options_.problem({"''", "names no file"});
    else if (type == EntryType::kFolder || (link && IsFolder(input)))
      TakeFolder(input, below(true));
    else if (input.find("://") != input.npos && !Exists(input))
      options_.problem({input,
                        "is an address, and files are read here (fetch it first, with "
                        "curl -O or ffmpeg -i)"});
    else
      TakeFile(input, below, link);
  }

 private:
  void TakeFolder(const std::string& input, const fs::path& below) {
    const std::size_t before = files_.size();
    if (Search(options_, files_).Of(input, below) && files_.size() == before)
      TellLoss(options_,
               {input, std::string(options_.wanted == Inputs::kAll ? "holds no image and no video"
                                                                   : "holds no image") +
                           (options_.include.empty() && options_.exclude.empty()
                                ? ""
                                : " that the patterns take")});
  }

  // Every named path that is not a folder is an input.
  template <class Below>
  void TakeFile(const std::string& input, const Below& below, bool link) {
    try {
      const Media media = MediaOf(input, options_);
      const std::string_view name = NameOf(input);
      const bool plain = !name.empty() && name != "." && name != "..";
      const std::string folder = input.substr(0, input.size() - name.size());
      const auto add = [&] { return files_.AddRoot(folder, below(false)); };
      if (plain && !folders_.contains(folder)) folders_[folder] = add();
      files_.Add(plain ? folders_[folder] : add(), name, media, link || !plain);
    } catch (const WaitStopped&) {  // an interrupt is no failure of the input
    } catch (const Error& e) {
      options_.problem(Problem(input, e));
    }
  }

  const ListOptions& options_;
  InputList& files_;
  EntryTypes types_;
  std::unordered_map<std::string, std::uint32_t> folders_;  // of files
};

}  // namespace

fs::path NameOfFolder(const fs::path& folder) {
  const fs::path last = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
  return last.empty() || last == "." || last == ".." ? RealPath(folder).filename() : last;
}

NamedMedia::NamedMedia(std::string_view path) {
  static const std::set<std::string> kImages{
      ".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".bmp", ".dib", ".tif", ".tiff", ".webp", ".ppm",
      ".pgm", ".pbm", ".pnm", ".heic", ".heif", ".hif", ".avif", ".jxl", ".gif",
      // raw files of cameras
      ".dng", ".cr2", ".cr3", ".nef", ".arw", ".raf", ".orf", ".rw2", ".pef", ".srw"};
  static const std::set<std::string> kVideos{
      ".mp4",  ".m4v",   ".mov",  ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".m1v", ".m2v",
      ".ts",   ".mts",   ".m2ts", ".wmv", ".asf",  ".flv", ".3gp", ".3g2",  ".ogv", ".vob",
      ".mxf",  ".dv",    ".y4m",  ".gif", ".nut",  ".ivf", ".264", ".h264", ".265", ".h265",
      ".hevc", ".mjpeg", ".mjpg", ".f4v", ".m2t",  ".qt",  ".obu"};
  const std::string_view name = NameOf(path);
  const std::string stored(name.substr(ExtensionAt(name)));
  const std::string extension = LowerCase(stored);
  image = kImages.contains(extension);
  video = kVideos.contains(extension);
  lossless = extension == ".mkv" || extension == ".y4m";
  archive = stored == ".tar" || stored == ".TAR";
}

void RequireNoMedia(const std::filesystem::path& output) {
  if (NamedMedia(output.native()).any() && Exists(output))
    throw Error(output.string(),
                "is an image, a video or an archive by its name, and is not replaced by text");
}

InputList ListFolder(const fs::path& folder, const ListOptions& options, Archives& archives) {
  InputList files;
  Search(options, files, &archives).Of(folder.string(), {});
  return files;
}

InputList ListInputs(const std::vector<fs::path>& inputs, const ListOptions& options,
                     const std::vector<std::string>& listed) {
  InputList files;
  const bool several = std::ranges::count_if(inputs, IsFolder) > 1;
  Named named(options, files);
  for (const fs::path& input : inputs)
    named.Take(input.string(),
               [&](bool folder) { return several && folder ? NameOfFolder(input) : fs::path(); });
  Named listed_ones(options, files);
  for (const std::string& path : listed)
    listed_ones.Take(path, [&](bool folder) {
      const fs::path inner = InnerPath(path);
      return folder ? inner : inner.parent_path();
    });
  if (inputs.size() + listed.size() > 1) files.LeaveOutDoubles();
  return files;
}

}  // namespace skinmask
