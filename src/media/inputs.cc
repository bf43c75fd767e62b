#include "skinmask/media/inputs.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <system_error>
#include <unordered_map>

#include "base/folder.h"
#include "media/entries.h"
#include "media/gif.h"
#include "media/image_format.h"
#include "media/join_path.h"
#include "media/pair_shards.h"
#include "media/patterns.h"
#include "media/tar.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/media/video.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

// Of a name without its folder.
std::string LowerExtension(std::string_view name) {
  std::string extension(name.substr(ExtensionAt(name)));
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

bool IsNamedAsImage(std::string_view name) {
  static const std::set<std::string> kExtensions{".jpg", ".jpeg", ".jpe",  ".png",  ".bmp", ".dib",
                                                 ".tif", ".tiff", ".webp", ".ppm",  ".pgm", ".pbm",
                                                 ".pnm", ".heic", ".heif", ".avif", ".jxl", ".gif"};
  return kExtensions.count(LowerExtension(name)) > 0;
}

bool HasExtensionOfVideo(std::string_view name) {
  static const std::set<std::string> kExtensions{
      ".mp4",  ".m4v", ".mov",  ".mkv",  ".webm",  ".avi", ".mpg", ".mpeg", ".m1v",
      ".m2v",  ".ts",  ".mts",  ".m2ts", ".wmv",   ".asf", ".flv", ".3gp",  ".3g2",
      ".ogv",  ".vob", ".mxf",  ".dv",   ".y4m",   ".gif", ".nut", ".ivf",  ".264",
      ".h264", ".265", ".h265", ".hevc", ".mjpeg", ".mjpg"};
  return kExtensions.count(LowerExtension(name)) > 0;
}

// By its extension; a GIF by its pictures.
bool IsNamedAsVideo(const std::string& path) {
  const std::string_view name = NameOf(path);
  return HasExtensionOfVideo(name) && !(LowerExtension(name) == ".gif" && IsStillGif(path));
}

std::optional<Media> MediaByName(const std::string& path, Inputs wanted) {
  if (wanted == Inputs::kAll && IsNamedAsVideo(path)) return Media::kVideo;
  if (wanted == Inputs::kAll && HasTarExtension(path)) return Media::kArchive;
  if (IsNamedAsImage(NameOf(path))) return Media::kImage;
  return std::nullopt;
}

bool IsFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// The files of a folder and of those in it. Each folder's names are sorted, and what a folder holds
// comes in the place of its name: that is the order of the paths, component by component.
class Search {
 public:
  // With `shards` archives are folders; their files are found there.
  Search(const ListOptions& options, InputList& files, ShardFiles* shards = nullptr)
      : options_(options),
        shards_(shards),
        include_(options.include),
        exclude_(options.exclude),
        excluded_(options.excluded.empty() ? "" : FileIdentity(options.excluded).string()),
        files_(files) {}

  // Throws Error where that is the folder to be left out.
  void Of(std::uint32_t folder) {
    if (files_.FolderIdentity(folder) == excluded_)
      throw Error(options_.excluded.string(),
                  "is the input folder too; its masks would be the next run's photographs "
                  "(another output folder, or one inside it)");
    In(folder);
  }
  void OfArchive(std::uint32_t folder) {
    const std::string path = files_.FolderPath(folder);
    for (const fs::path& file : shards_->Open(path, options_.problem))
      if (IsNamedAsImage(NameOf(file.native())))
        files_.Add(folder, file.native(), Media::kImage);
      else
        options_.passed_over(JoinPath(path, file.native()), "is no image by its name");
  }

 private:
  void In(std::uint32_t folder) {
    const std::string path = files_.FolderPath(folder);
    const std::string subfolder(files_.Subfolder(folder));
    Entries entries;
    const std::error_code error =
        ForEachEntry(path, [&](const char* name, EntryType type) { entries.Add(name, type); });
    if (error) options_.problem({path, "cannot be read: " + error.message()});
    entries.Sort();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string_view name = entries.name(i);
      const std::string relative = JoinPath(subfolder, name);
      if (exclude_.Match(relative)) continue;
      if (entries.type(i) != EntryType::kFolder)
        Take(folder, JoinPath(path, name), relative, entries.type(i));
      else if (excluded_.empty() || JoinPath(files_.FolderIdentity(folder), name) != excluded_)
        In(files_.AddSubfolder(folder, name));
    }
  }

  void Take(std::uint32_t folder, const std::string& path, const std::string& relative,
            EntryType type) {
    const bool link = type == EntryType::kLink;
    if (link && IsFolder(path)) return;  // no cycles
    if (!include_.empty() && !include_.Match(relative)) return;
    const bool readable = link ? IsReadable(path) : type == EntryType::kFile;
    if (readable && shards_ && HasTarExtension(path)) return TakeArchive(folder, path);
    const std::optional<Media> media = readable ? MediaByName(path, options_.wanted) : std::nullopt;
    if (media)
      files_.Add(folder, NameOf(path), *media, link);
    else
      options_.passed_over(
          path, readable ? "is no image or video by its name"
                         : "is a pipe, a socket or a device (in a folder, files are read)");
  }

  // The others are done where one is damaged, but that is no failure like those of single images.
  void TakeArchive(std::uint32_t folder, const std::string& path) {
    try {
      OfArchive(files_.AddSubfolder(folder, NameOf(path)));
    } catch (const Error& e) {
      Problem problem(path, e);
      problem.tolerable = false;
      options_.problem(problem);
    }
  }

  // True for what can be opened and read to its end: not for pipes, sockets and devices. Broken
  // links count, so that they are told of.
  static bool IsReadable(const fs::path& path) {
    std::error_code ignored;
    const fs::file_type type = fs::status(path, ignored).type();
    return type != fs::file_type::fifo && type != fs::file_type::socket &&
           type != fs::file_type::character && type != fs::file_type::block;
  }

  const ListOptions& options_;
  ShardFiles* const shards_;
  const Patterns include_, exclude_;
  const std::string excluded_;
  InputList& files_;
};

// By its name where that tells, else by its first bytes.
Media MediaOf(const std::string& input, const ListOptions& options) {
  if (options.wanted == Inputs::kImages) return Media::kImage;
  if (options.all_videos) return Media::kVideo;
  if (const std::optional<Media> named = MediaByName(input, options.wanted)) return *named;
  std::error_code ignored;
  const bool descriptor = IsDescriptor(input);
  if (!descriptor && !fs::is_regular_file(input, ignored)) return Media::kImage;
  const std::string head = PeekDescriptor(input, options.stop);
  if (IsTar(head)) return Media::kArchive;
  const auto format = FormatOf(head);
  const bool video = descriptor                    ? !head.empty() && !format
                     : format == ImageFormat::kGif ? !IsStillGif(input)
                                                   : !format && OpensAsVideo(input);
  return video ? Media::kVideo : Media::kImage;
}

// What of a listed path is kept below the output folder: all, but for what leads out of it.
fs::path InnerPath(const fs::path& listed) {
  fs::path inner;
  for (const fs::path& part : listed.lexically_normal().relative_path())
    if (part != ".." && part != ".") inner /= part;
  return inner;
}

// What is named, one after the other.
class Named {
 public:
  Named(const ListOptions& options, InputList& files) : options_(options), files_(files) {}

  // `below(whole)` is what relative paths begin with: those of a folder's files with all of the
  // path, those of a file without its name. It depends on no more than the path's folder for files.
  template <class Below>
  void Take(const std::string& input, const Below& below) {
    const EntryType type = types_.Of(input);
    const bool link = type == EntryType::kLink;
    std::error_code ignored;
    if (input.empty())
      options_.problem({"''", "names no file"});
    else if (type == EntryType::kFolder || (link && IsFolder(input)))
      TakeFolder(input, below(true));
    else if (input.find("://") != input.npos && !fs::exists(input, ignored))
      options_.problem({input,
                        "is an address, and files are read here (fetch it first, with "
                        "curl -O or ffmpeg -i)"});
    else
      TakeFile(input, below, link);
  }

 private:
  void TakeFolder(const std::string& input, const fs::path& below) {
    const std::size_t before = files_.size();
    Search(options_, files_).Of(files_.AddFolder(input, below));
    if (files_.size() == before)
      options_.problem({input, options_.wanted == Inputs::kAll ? "holds no image and no video"
                                                               : "holds no image"});
  }

  // Whatever is named is a file to work on, unless it is a folder.
  template <class Below>
  void TakeFile(const std::string& input, const Below& below, bool link) {
    try {
      const Media media = MediaOf(input, options_);
      const std::string_view name = NameOf(input);
      const bool plain = !name.empty() && name != "." && name != "..";
      const std::string folder = input.substr(0, input.size() - name.size());
      const auto add = [&] { return files_.AddFolder(folder, below(false)); };
      if (plain && !folders_.contains(folder)) folders_[folder] = add();
      files_.Add(plain ? folders_[folder] : add(), name, media, link || !plain);
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

bool HasImageExtension(const fs::path& path) { return IsNamedAsImage(NameOf(path.native())); }

bool HasVideoExtension(const fs::path& path) { return HasExtensionOfVideo(NameOf(path.native())); }

InputList ListFolder(const fs::path& folder, const ListOptions& options) {
  InputList files;
  Search(options, files).Of(files.AddFolder(folder, {}));
  return files;
}

bool HoldsArchives(const fs::path& path) {
  bool holds = HasTarExtension(path) && !IsFolder(path);
  if (IsFolder(path))
    ForEachEntry(path.c_str(),
                 [&](const char* name, EntryType) { holds |= HasTarExtension(name); });
  return holds;
}

InputList ListFolderWithShards(const fs::path& folder, const ListOptions& options,
                               ShardFiles& shards) {
  InputList files;
  Search search(options, files, &shards);
  const std::uint32_t root = files.AddFolder(folder, {});
  if (IsFolder(folder))
    search.Of(root);
  else
    search.OfArchive(root);
  return files;
}

InputList ListInputs(const std::vector<fs::path>& inputs, const ListOptions& options,
                     const std::vector<std::string>& listed) {
  InputList files;
  const bool several = std::ranges::count_if(inputs, IsFolder) > 1;
  Named named(options, files);
  for (const fs::path& input : inputs)
    named.Take(input.string(), [&](bool folder) {
      return several && folder ? FileIdentity(input).filename() : fs::path();
    });
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
