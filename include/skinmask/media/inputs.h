// Files to work on: which ones folders hold, and a list of them, for millions.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/base/problem.h"
#include "skinmask/media/isolation.h"

namespace [[gnu::visibility("default")]] skinmask {

enum class Media : std::uint8_t { kImage, kVideo, kArchive };  // a tar archive of images

// What a path is by its extension alone. A GIF is an image and a video.
struct NamedMedia {
  explicit NamedMedia(std::string_view path);
  bool image = false, video = false, archive = false;
  bool lossless = false;  // what is written there as a video, unless a codec is named
};

// A file to work on, and its path below the folder it was found in (its name, when named itself).
struct InputFile {
  std::filesystem::path path;
  std::filesystem::path relative;
  Media media = Media::kImage;
};

// What files have in common is kept once: each takes 24 bytes and its path below that. Less than
// 2³² files.
class InputList {
 public:
  // A folder whose files are added, in it and in folders in it, and what the relative paths of
  // these begin with.
  std::uint32_t AddRoot(const std::filesystem::path& folder, const std::filesystem::path& below);
  // A file by its path below the root. `link`: the name is that of a link, or none of a file alone
  // ("..", or nothing), so that only the system can tell what it stands for.
  void Add(std::uint32_t root, std::string_view below, Media media, bool link = false);
  // Leaves out files whose path, made absolute, came before.
  void LeaveOutDoubles();

  std::size_t size() const { return files_.size(); }
  bool empty() const { return files_.empty(); }
  InputFile operator[](std::size_t i) const { return {Path(i), Relative(i), MediaOf(i)}; }
  std::string Path(std::size_t i) const;
  std::string Relative(std::size_t i) const;
  Media MediaOf(std::size_t i) const { return files_[i].media; }
  // As it was added.
  bool IsLink(std::size_t i) const { return files_[i].link; }

  class Iterator {
   public:
    Iterator(const InputList& list, std::size_t i) : list_(&list), i_(i) {}
    InputFile operator*() const { return (*list_)[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const InputList* list_;
    std::size_t i_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  struct Root {
    std::string path, below;
    std::string place;  // the path, made absolute by its letters alone
  };
  struct File {
    std::size_t name;  // in names_
    std::uint32_t root;
    Media media;
    bool link;
  };
  std::string_view BelowRoot(std::size_t i) const { return names_.data() + files_[i].name; }
  std::string Place(std::size_t i) const;

  std::vector<Root> roots_;
  std::vector<File> files_;
  std::string names_;  // each ended by a zero
};

// What a run of detection leaves in its output folder: with what the outputs were made. No list of
// files has it, not even among those that are passed over.
inline constexpr char kMadeWithFile[] = ".skinmask-options.jsonl";

enum class Inputs { kImages, kAll };  // all: images, videos and tar archives

struct ListOptions {
  Inputs wanted = Inputs::kImages;
  // A folder that is left out wherever it lies (the outputs'); as an input it is an Error.
  std::filesystem::path excluded{};
  // Shell patterns (fnmatch(3)) for what folders hold: of names, or, with a slash, of paths below
  // the folder, where '*' stands for slashes, too. Files must match one of `include`, if there are
  // any, and neither a file nor a folder above it one of `exclude`.
  std::vector<std::string> include{}, exclude{};
  // Files that are named are videos, whatever they look like (raw ones look like nothing).
  bool all_videos = false;
  // Where FFmpeg is asked whether a file is a video (VideoOpenOptions).
  std::optional<Isolation> isolation{};
  const std::atomic<bool>* stop = nullptr;      // ends the wait for the first bytes of a pipe
  ProblemSink problem = [](const Problem&) {};  // what cannot be read, or holds nothing
  // Files of folders that no other option leaves out, and that are no input by their extension.
  PassedOver passed_over = [](const std::filesystem::path&, const std::string&) {};
};

// Files are taken as named; folders are searched recursively for files whose extension is that of
// an image, or of a video or a tar archive where those are wanted (links to files count, links to
// folders do not, nor do pipes and devices), sorted by path. A path that comes up twice is left out
// the second time. A file that is named, and has the extension of none, is what its first bytes
// say: an image, an archive, or a video if FFmpeg opens it as one; standard input and what a shell
// makes of <(command) if they do not begin as the others do (named pipes are images, unless they
// have a video's extension). With two folders or more each one's files are below its name: a/b.jpg
// and b/b.jpg of the folders x/a and y/b. `listed` are paths that keep their folders (x/y/b.jpg,
// also of /x/y/b.jpg and of ../x/y/b.jpg); they may be folders, too.
//
// A folder is asked for its list once, and no file for itself, but for links, GIFs and what is
// named: of a million files that takes about a second.
InputList ListInputs(const std::vector<std::filesystem::path>& inputs, const ListOptions& options,
                     const std::vector<std::string>& listed = {});

}  // namespace skinmask
