// Files to work on: which ones folders of images and videos hold.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "skinmask/base/problem.h"
#include "skinmask/media/input_list.h"

namespace [[gnu::visibility("default")]] skinmask {

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

// Judged by the file's extension alone.
bool HasImageExtension(const std::filesystem::path& path);
bool HasVideoExtension(const std::filesystem::path& path);

// The files below a folder as ListInputs finds them.
InputList ListFolder(const std::filesystem::path& folder, const ListOptions& options);

}  // namespace skinmask
