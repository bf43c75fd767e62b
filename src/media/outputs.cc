#include "skinmask/media/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "base/nearest.h"
#include "media/hash_index.h"
#include "media/join_path.h"
#include "media/tar.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

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
    {Output::kUncertainty, "uncertainty", ".uncertainty.png", ".uncertainty.mkv"},
};

// The folders that inputs lie in, and those above, as relative paths.
class Folders {
 public:
  explicit Folders(const InputList& inputs) : inputs_(inputs), index_(inputs.folder_count()) {
    std::vector<bool> used(inputs.folder_count());
    for (std::size_t i = 0; i < inputs.size(); ++i) used[inputs.FolderOf(i)] = true;
    for (std::uint32_t folder = 0; folder < used.size(); ++folder)
      if (used[folder]) AddWithThoseAbove(folder);
    index_.Sort();
  }

  bool Has(const std::string& path) const {
    return std::ranges::any_of(index_.Find(path), [&](const HashIndex::Key& key) {
      const std::string folder = inputs_.RelativeFolder(static_cast<std::uint32_t>(key.index));
      return folder == path || folder.starts_with(path + '/');
    });
  }

 private:
  void AddWithThoseAbove(std::uint32_t folder) {
    const std::string path = inputs_.RelativeFolder(folder);
    for (std::string_view rest = path; !rest.empty();) {
      index_.Add(rest, folder);
      const std::size_t slash = rest.rfind('/');
      rest = rest.substr(0, slash == rest.npos ? 0 : slash);
    }
  }

  const InputList& inputs_;
  HashIndex index_;
};

}  // namespace

bool IsOtherOutput(const fs::path& path) {
  return std::any_of(std::begin(kOutputs), std::end(kOutputs), [&](const OutputKind& kind) {
    return kind.output != Output::kMask && path.filename().string().ends_with(kind.suffix);
  });
}

std::string_view OutputSuffix(Output output) {
  return kOutputs[static_cast<std::size_t>(output)].suffix;
}

std::string_view VideoOutputSuffix(Output output) {
  return kOutputs[static_cast<std::size_t>(output)].video_suffix;
}

std::string_view TransparentExtension(std::string_view codec) {
  if (codec.find("vpx") != codec.npos || codec.starts_with("vp8") || codec.starts_with("vp9"))
    return ".webm";
  return codec.starts_with("prores") || codec == "qtrle" ? ".mov" : ".mkv";
}

Output OutputFromName(std::string_view name) {
  for (const OutputKind& kind : kOutputs)
    if (kind.name == name) return kind.output;
  const std::vector<std::string_view> names = OutputNames();
  throw Error(fmt::format("output '{}'", name), UnknownAmong(name, {names.begin(), names.end()}));
}

std::vector<std::string_view> OutputNames() {
  std::vector<std::string_view> names;
  for (const OutputKind& kind : kOutputs) names.push_back(kind.name);
  return names;
}

OutputPaths::OutputPaths(const InputList& inputs, std::vector<Output> outputs,
                         const ProblemSink& problem, bool frame_folders)
    : inputs_(inputs),
      outputs_(std::move(outputs)),
      frame_folders_(frame_folders),
      names_(inputs.size(), Name::kStem) {
  Refuse(Part(), problem);
}

std::size_t OutputPaths::CountOf(std::size_t i) const {
  if (names_[i] == Name::kNone) return 0;
  const Media media = inputs_.MediaOf(i);
  const bool one = media == Media::kArchive || (media == Media::kVideo && frame_folders_);
  return one ? 1 : outputs_.size();
}

std::string OutputPaths::Text(std::size_t i, std::size_t j) const {
  const std::string_view name = inputs_.Name(i);
  const bool video = inputs_.MediaOf(i) == Media::kVideo;
  const std::string folder = inputs_.RelativeFolder(inputs_.FolderOf(i));
  if (inputs_.MediaOf(i) == Media::kArchive)
    return JoinPath(folder, name) + (HasTarExtension(name) ? "" : ".tar");
  std::string path =
      JoinPath(folder, names_[i] == Name::kFull ? name : name.substr(0, ExtensionAt(name)));
  if (video && frame_folders_) return path;
  return path.append(video ? VideoOutputSuffix(outputs_[j]) : OutputSuffix(outputs_[j]));
}

std::vector<fs::path> OutputPaths::operator[](std::size_t i) const {
  std::vector<fs::path> paths;
  for (std::size_t j = 0; j < CountOf(i); ++j) paths.emplace_back(Text(i, j));
  return paths;
}

// Gives full names until that changes nothing. Returns the inputs that share a name nevertheless,
// in order.
std::vector<std::size_t> OutputPaths::Part() {
  const Folders folders(inputs_);
  const std::size_t outputs = std::max<std::size_t>(1, outputs_.size());
  while (true) {  // each round but the last turns at least one more input to its full name
    std::vector<std::size_t> wanted, doubled;
    HashIndex index(names_.size() * outputs);
    for (std::size_t i = 0; i < names_.size(); ++i)
      for (std::size_t j = 0; j < CountOf(i); ++j) {
        const std::string path = Text(i, j);
        index.Add(path, i * outputs + j);
        if (folders.Has(path)) wanted.push_back(i);
      }
    index.Sort();
    index.ForEqual([&](std::span<const HashIndex::Key> keys) {
      std::unordered_map<std::string, std::size_t> users;
      const auto text = [&](std::size_t key) { return Text(key / outputs, key % outputs); };
      for (const HashIndex::Key& key : keys) ++users[text(key.index)];
      for (const HashIndex::Key& key : keys)
        if (users[text(key.index)] > 1) doubled.push_back(key.index / outputs);
    });
    wanted.insert(wanted.end(), doubled.begin(), doubled.end());
    std::erase_if(wanted, [&](std::size_t i) { return names_[i] == Name::kFull; });
    for (const std::size_t i : wanted) names_[i] = Name::kFull;
    if (!wanted.empty()) continue;
    std::ranges::sort(doubled);
    doubled.erase(std::unique(doubled.begin(), doubled.end()), doubled.end());
    return doubled;
  }
}

// A name belongs to the first of them.
void OutputPaths::Refuse(const std::vector<std::size_t>& doubled, const ProblemSink& problem) {
  std::unordered_map<std::string, std::size_t> owner;
  for (const std::size_t i : doubled)
    for (std::size_t j = 0; j < CountOf(i); ++j) {
      const auto [first, fresh] = owner.emplace(Text(i, j), i);
      if (fresh || first->second == i) continue;
      problem({inputs_.Path(i),
               fmt::format("would have the output {} of {} (run them apart)", Quoted(first->first),
                           Quoted(inputs_.Path(first->second)))});
      names_[i] = Name::kNone;  // which ends the loop
    }
}

}  // namespace skinmask
