#include "skinmask/media.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <system_error>

#include "skinmask/error.h"
#include "skinmask/video.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

std::string LowerExtension(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

bool HasImageExtension(const fs::path& path) {
  static const std::set<std::string> kExtensions{".jpg", ".jpeg", ".jpe",  ".png", ".bmp",
                                                 ".dib", ".tif",  ".tiff", ".webp", ".ppm",
                                                 ".pgm", ".pbm",  ".pnm",  ".jp2"};
  return kExtensions.count(LowerExtension(path)) > 0;
}

std::string Quoted(const fs::path& path) { return "'" + path.string() + "'"; }

// True for what can be opened and read to its end: not for pipes, sockets and devices. Broken links
// count, so that they are told of.
bool IsReadable(const fs::directory_entry& entry) {
  std::error_code ignored;
  const fs::file_type type = entry.status(ignored).type();
  return type != fs::file_type::fifo && type != fs::file_type::socket &&
         type != fs::file_type::character && type != fs::file_type::block;
}

void ListFolder(const fs::path& folder, const fs::path& excluded, Inputs wanted,
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
      ListFolder(sub, excluded, wanted, problem, files);
}

std::vector<InputFile> ListBelow(const fs::path& folder, const fs::path& excluded, Inputs wanted,
                                 const LineSink& problem) {
  std::vector<InputFile> files;
  ListFolder(folder, excluded, wanted, problem, files);
  for (InputFile& file : files) file.relative = file.path.lexically_relative(folder);
  std::sort(files.begin(), files.end(),
            [](const InputFile& a, const InputFile& b) { return a.relative < b.relative; });
  return files;
}

struct OutputKind {
  Output output;
  std::string_view name;
  std::string_view suffix;
  std::string_view video_suffix;
};
constexpr OutputKind kOutputs[] = {
    {Output::kMask, "mask", ".png", ".mkv"},
    {Output::kProbability, "probability", ".probability.png", ".probability.mkv"},
    {Output::kOverlay, "overlay", ".overlay.png", ".overlay.mp4"},
    {Output::kCutout, "cutout", ".cutout.png", ".cutout.mp4"},
    {Output::kClasses, "classes", ".classes.png", ".classes.mkv"},
};

// True for what detect writes beside masks.
bool IsOtherOutput(const fs::path& path) {
  return std::any_of(std::begin(kOutputs), std::end(kOutputs), [&](const OutputKind& kind) {
    return kind.output != Output::kMask && path.filename().string().ends_with(kind.suffix);
  });
}

bool IsFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

}  // namespace

bool HasVideoExtension(const fs::path& path) {
  static const std::set<std::string> kExtensions{
      ".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi",  ".mpg",  ".mpeg", ".m1v",   ".m2v",   ".ts",
      ".mts", ".m2ts", ".wmv", ".asf", ".flv",  ".3gp",  ".3g2",  ".ogv",  ".vob",   ".mxf",   ".dv",
      ".y4m", ".gif", ".nut", ".ivf", ".264",  ".h264", ".265",  ".h265", ".hevc", ".mjpeg", ".mjpg"};
  return kExtensions.count(LowerExtension(path)) > 0;
}

std::vector<InputFile> ListInputs(const std::vector<fs::path>& inputs, const fs::path& excluded,
                                  Inputs wanted, const LineSink& problem) {
  std::vector<InputFile> files;
  std::set<fs::path> seen;
  const fs::path excluded_identity = excluded.empty() ? excluded : FileIdentity(excluded);
  const bool videos = wanted == Inputs::kImagesAndVideos;
  for (const fs::path& input : inputs) {
    std::vector<InputFile> found;
    if (input.empty()) {
      problem(Error("''", "names no file").what());
    } else if (IsFolder(input)) {
      found = ListBelow(input, excluded_identity, wanted, problem);
      if (found.empty())
        problem(Error(input.string(), videos ? "holds no image and no video" : "holds no image").what());
    } else {
      const bool video = videos && (HasVideoExtension(input) ||
                                    (!HasImageExtension(input) && OpensAsVideo(input)));
      found.push_back({input, input.filename(), video});
    }
    for (InputFile& file : found)
      if (seen.insert(fs::absolute(file.path).lexically_normal()).second)
        files.push_back(std::move(file));
  }
  return files;
}

NamePattern::NamePattern(std::string pattern, std::string_view option)
    : pattern_(std::move(pattern)), has_extension_(HasImageExtension(pattern_)) {
  if (pattern_.find("{stem}") == pattern_.npos)
    throw Error(fmt::format("{} '{}'", option, pattern_), "has no {stem} (as in {stem}_mask)");
}

std::string NamePattern::Expand(std::string_view stem) const {
  constexpr std::string_view kStem = "{stem}";
  std::string name;
  std::string_view rest = pattern_;
  for (std::size_t at; (at = rest.find(kStem)) != rest.npos; rest.remove_prefix(at + kStem.size()))
    name.append(rest.substr(0, at)).append(stem);
  return name.append(rest);
}

std::string NamePattern::StemOf(const fs::path& file_name) const {
  const std::string name = (has_extension_ ? file_name : file_name.stem()).string();
  const std::size_t literal = Expand("").size();
  const std::size_t repeats = Expand("x").size() - literal;
  if (name.size() <= literal || (name.size() - literal) % repeats != 0) return {};
  const std::size_t first = pattern_.find("{stem}");
  const std::string stem = name.substr(first, (name.size() - literal) / repeats);
  return Expand(stem) == name ? stem : std::string();
}

std::vector<MaskPair> PairMasks(const fs::path& images, const NamePattern& image_name,
                                const fs::path& masks, const NamePattern& mask_name,
                                bool predicted, const LineSink& problem) {
  for (const fs::path& folder : {images, masks})
    if (!IsFolder(folder)) throw Error(folder.string(), "is no folder (one of images is expected)");
  // Masks by sub-folder and stem.
  std::map<std::pair<fs::path, std::string>, std::vector<fs::path>> found;
  for (const InputFile& mask : ListBelow(masks, {}, Inputs::kImages, problem)) {
    const std::string stem = mask_name.StemOf(mask.path.filename());
    if (!stem.empty()) found[{mask.relative.parent_path(), stem}].push_back(mask.path);
  }
  std::vector<MaskPair> pairs;
  std::vector<fs::path> alone;
  std::set<fs::path> used;
  for (const InputFile& image : ListBelow(images, {}, Inputs::kImages, problem)) {
    std::string stem = image_name.StemOf(image.path.filename());
    if (stem.empty() || (predicted && IsOtherOutput(image.path))) continue;
    const fs::path folder = image.relative.parent_path();
    if (predicted && !found.count({folder, stem}) && HasImageExtension(stem))
      stem = fs::path(stem).stem().string();
    std::vector<fs::path> candidates = found[{folder, stem}];
    std::erase_if(candidates,
                  [&](const fs::path& mask) { return FileIdentity(mask) == FileIdentity(image.path); });
    if (candidates.empty()) {
      alone.push_back(image.path);
    } else if (candidates.size() > 1) {
      problem(Error(image.path.string(), fmt::format("has two masks, {} and {} (--mask-name tells "
                                                     "them apart)",
                                                     Quoted(candidates[0]), Quoted(candidates[1])))
                  .what());
    } else {
      pairs.push_back({image, candidates[0]});
    }
    for (const fs::path& mask : candidates) used.insert(FileIdentity(mask));
  }
  for (const fs::path& image : alone)
    if (!used.count(FileIdentity(image)))
      problem(Error(image.string(), fmt::format("has no mask in {} (--mask-name says how they are "
                                                "called)",
                                                Quoted(masks)))
                  .what());
  if (predicted)
    for (const auto& [key, paths] : found)
      for (const fs::path& mask : paths)
        if (!used.count(FileIdentity(mask)))
          problem(Error(mask.string(), "has no predicted mask in " + Quoted(images)).what());
  return pairs;
}

std::string_view OutputSuffix(Output output) {
  return kOutputs[static_cast<std::size_t>(output)].suffix;
}

std::string_view VideoOutputSuffix(Output output) {
  return kOutputs[static_cast<std::size_t>(output)].video_suffix;
}

Output OutputFromName(std::string_view name) {
  for (const OutputKind& kind : kOutputs)
    if (kind.name == name) return kind.output;
  throw Error(fmt::format("output '{}'", name),
              "is unknown (there are: mask probability overlay cutout classes)");
}

fs::path FileIdentity(const fs::path& path) {
  std::error_code ignored;
  const fs::path canonical = fs::weakly_canonical(path, ignored);
  return canonical.empty() ? path : canonical;
}

namespace {

std::vector<fs::path> PathsOf(const InputFile& input, bool full, const std::vector<Output>& outputs,
                              bool frame_folders) {
  fs::path base = input.relative;
  if (!full) base.replace_extension();
  if (input.video && frame_folders) return {base};
  std::vector<fs::path> paths;
  for (Output output : outputs)
    paths.push_back(base.string() +
                    std::string(input.video ? VideoOutputSuffix(output) : OutputSuffix(output)));
  return paths;
}

}  // namespace

std::vector<std::vector<fs::path>> OutputPaths(const std::vector<InputFile>& inputs,
                                               const std::vector<Output>& outputs,
                                               const LineSink& problem, bool frame_folders) {
  std::vector<bool> full(inputs.size(), false);
  std::vector<std::vector<fs::path>> paths(inputs.size());
  // Each round but the last turns at least one more input to its full name, so this ends.
  for (bool changed = true; changed;) {
    changed = false;
    std::map<fs::path, std::size_t> users;  // how many inputs want a name, or need it as a folder
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      paths[i] = PathsOf(inputs[i], full[i], outputs, frame_folders);
      for (const fs::path& path : paths[i]) ++users[path];
    }
    std::set<fs::path> folders;
    for (const InputFile& input : inputs)
      for (fs::path p = input.relative.parent_path(); !p.empty(); p = p.parent_path())
        folders.insert(p);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      for (const fs::path& path : paths[i])
        if (!full[i] && (users[path] > 1 || folders.count(path))) full[i] = changed = true;
  }
  std::map<fs::path, std::size_t> owner;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const fs::path& path : paths[i]) {
      const auto [first, fresh] = owner.emplace(path, i);
      if (fresh || first->second == i) continue;
      problem(Error(inputs[i].path.string(),
                    fmt::format("would have the output {} of {} (run them apart)", Quoted(path),
                                Quoted(inputs[first->second].path)))
                  .what());
      paths[i].clear();
      break;
    }
  }
  return paths;
}

}  // namespace skinmask
