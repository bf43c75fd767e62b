// Lists the input files, in folders and as they are named; a list can have millions of files.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/base/problem.h"
#include "skinmask/media/isolation.h"

namespace [[gnu::visibility("default")]] skinmask {

enum class Media : std::uint8_t { kImage, kVideo, kArchive };  // a tar archive of images

// The media types that the extension of a path stands for. A GIF is an image and a video.
struct NamedMedia {
  explicit NamedMedia(std::string_view path);
  bool image = false, video = false, archive = false;
  bool any() const { return image || video || archive; }
  bool lossless = false;  // a video that is written there is lossless, unless a codec is named
};

// Throws Error if `output`, a text to be written, would replace a file that is an image, a video or
// an archive by its name.
void RequireNoMedia(const std::filesystem::path& output);

// An input file, and its path below the folder in which it was found (its name if it was named
// itself).
struct InputFile {
  std::filesystem::path path;
  std::filesystem::path relative;
  Media media = Media::kImage;
};

// A compact list of files. Common folders are stored once; each file takes 24 bytes and its path
// below the root. At most 2³² - 1 files.
class InputList {
 public:
  // Adds a folder whose files, also in subfolders, are going to be added. Their relative paths
  // begin with `below`. Returns the index for Add.
  std::uint32_t AddRoot(const std::filesystem::path& folder, const std::filesystem::path& below);
  // Adds a file by its path below the root. `link`: the name is that of a link, or is not a file
  // name ("..", or empty), so that only the system can resolve it.
  void Add(std::uint32_t root, std::string_view below, Media media, bool link = false);
  // Removes files whose absolute path occurred earlier in the list.
  void LeaveOutDoubles();

  std::size_t size() const { return files_.size(); }
  bool empty() const { return files_.empty(); }
  InputFile operator[](std::size_t i) const { return {Path(i), Relative(i), MediaOf(i)}; }
  std::string Path(std::size_t i) const;
  std::string Relative(std::size_t i) const;
  Media MediaOf(std::size_t i) const { return files_[i].media; }
  // The `link` of Add.
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
    std::string place;  // the absolute path, made lexically
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
  std::string names_;  // each terminated by a zero
};

// The record of a detection run in its output folder: with which options the outputs were made. It
// is never listed as an input, nor as a file that was passed over.
inline constexpr char kMadeWithFile[] = ".skinmask-options.jsonl";

enum class Inputs { kImages, kAll };  // kAll: also videos and tar archives

struct ListOptions {
  Inputs wanted = Inputs::kImages;
  // A folder that is skipped wherever it lies (that of the outputs); as an input it is an Error.
  std::filesystem::path excluded{};
  // Shell patterns (fnmatch(3)) for the files in folders. A pattern applies to names or, if it has
  // a slash, to paths below the folder, where '*' matches slashes, too. If there is any `include`,
  // a file must match one of them. Neither the file nor a folder above it may match one of
  // `exclude`.
  std::vector<std::string> include{}, exclude{};
  // Named files are videos whatever their content is (raw videos have no signature).
  bool all_videos = false;
  // Where FFmpeg tests whether a file is a video (see VideoOpenOptions).
  std::optional<Isolation> isolation{};
  const std::atomic<bool>* stop = nullptr;      // ends the wait for the first bytes of a pipe
  ProblemSink problem = [](const Problem&) {};  // receives unreadable and empty inputs
  // Receives files of folders that no other option skips and whose extension is that of no input.
  PassedOver passed_over = [](const std::filesystem::path&, const std::string&) {};
};

// The name by which the user calls a folder, also if the path ends with a slash, "." or ".."; of
// another path the last part.
std::filesystem::path NameOfFolder(const std::filesystem::path& folder);

// Lists the input files. Named files are taken as they are. Folders are searched recursively for
// files with the extension of an image or, if wanted, of a video or a tar archive, sorted by path.
// Links to files count; links to folders, pipes and devices do not. A path that occurs twice is
// listed once.
//
// The first bytes of a named file without a known extension decide its type: an image, an archive,
// or a video if FFmpeg opens it as one. Standard input and the paths that a shell makes of
// <(command) are videos if they begin neither as an image nor as an archive. Named pipes are
// images, unless they have the extension of a video.
//
// With two folders or more the relative paths begin with the folder's name: a/b.jpg and b/b.jpg for
// the folders x/a and y/b. `listed` are files or folders whose relative paths keep their folders:
// x/y/b.jpg, also for /x/y/b.jpg and ../x/y/b.jpg.
//
// Cost: each folder is listed once, and only links, GIFs and named files are examined one by one. A
// million files take about a second.
InputList ListInputs(const std::vector<std::filesystem::path>& inputs, const ListOptions& options,
                     const std::vector<std::string>& listed = {});

}  // namespace skinmask
