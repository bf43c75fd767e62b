#include "skinmask/media/output_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "media/names.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

// An index of all folders of inputs, at all levels, as relative paths, with the inputs in them.
HashIndex FoldersOf(const InputList& inputs) {
  HashIndex index(0);
  std::string last;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string path = inputs.Relative(i);
    std::string_view folder = FolderOf(path);
    if (folder == last) continue;
    last = folder;
    for (; !folder.empty(); folder = FolderOf(folder)) index.Add(folder, i);
  }
  index.Sort();
  return index;
}

}  // namespace

OutputPaths::OutputPaths(const InputList& inputs, std::vector<OutputSuffix> outputs,
                         const ProblemSink& problem, bool frame_folders)
    : inputs_(inputs),
      outputs_(std::move(outputs)),
      frame_folders_(frame_folders),
      names_(inputs.size(), Name::kStem) {
  Refuse(ResolveConflicts(), problem);
}

std::size_t OutputPaths::CountOf(std::size_t i) const {
  if (names_[i] == Name::kNone) return 0;
  const Media media = inputs_.MediaOf(i);
  const bool one = media == Media::kArchive || (media == Media::kVideo && frame_folders_);
  return one ? 1 : outputs_.size();
}

std::string OutputPaths::Text(std::size_t i, std::size_t j) const {
  std::string path = inputs_.Relative(i);
  const Media media = inputs_.MediaOf(i);
  if (media == Media::kArchive) return path + (NamedMedia(path).archive ? "" : ".tar");
  const std::string_view name = NameOf(path);
  if (names_[i] != Name::kFull) path.resize(path.size() - name.size() + ExtensionAt(name));
  if (media == Media::kVideo && frame_folders_) return path;
  return path.append(media == Media::kVideo ? outputs_[j].video : outputs_[j].image);
}

std::vector<fs::path> OutputPaths::operator[](std::size_t i) const {
  std::vector<fs::path> paths;
  for (std::size_t j = 0; j < CountOf(i); ++j) paths.emplace_back(Text(i, j));
  return paths;
}

// Gives full names to inputs with conflicts until nothing changes. Returns the inputs that still
// conflict, in order.
std::vector<std::size_t> OutputPaths::ResolveConflicts() {
  const HashIndex folders = FoldersOf(inputs_);
  const auto is_folder = [&](const std::string& path) {
    return std::ranges::any_of(folders.Find(path), [&](const HashIndex::Key& key) {
      return inputs_.Relative(key.index).starts_with(path + '/');
    });
  };
  const std::size_t outputs = std::max<std::size_t>(1, outputs_.size());
  const auto text = [&](std::size_t key) { return Text(key / outputs, key % outputs); };
  while (true) {  // each round except the last gives at least one more input its full name
    std::vector<bool> in_a_folders_place(names_.size()), doubled(names_.size());
    HashIndex index(names_.size() * outputs);
    for (std::size_t i = 0; i < names_.size(); ++i)
      for (std::size_t j = 0; j < CountOf(i); ++j) {
        const std::string path = Text(i, j);
        index.Add(path, i * outputs + j);
        if (is_folder(path)) in_a_folders_place[i] = true;
      }
    index.Sort();
    index.ForEqual([&](std::span<const HashIndex::Key> keys) {
      std::unordered_map<std::string, std::size_t> users;
      for (const HashIndex::Key& key : keys) ++users[text(key.index)];
      for (const HashIndex::Key& key : keys)
        if (users[text(key.index)] > 1) doubled[key.index / outputs] = true;
    });
    bool changed = false;
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (doubled[i]) left.push_back(i);
      if (names_[i] != Name::kStem || !(doubled[i] || in_a_folders_place[i])) continue;
      names_[i] = Name::kFull;
      changed = true;
    }
    if (!changed) return left;
  }
}

// The first input with a name keeps it.
void OutputPaths::Refuse(const std::vector<std::size_t>& doubled, const ProblemSink& problem) {
  std::unordered_map<std::string, std::size_t> owner;
  for (const std::size_t i : doubled)
    for (std::size_t j = 0; j < CountOf(i); ++j) {
      const auto [first, fresh] = owner.emplace(Text(i, j), i);
      if (fresh || first->second == i) continue;
      problem({inputs_.Path(i),
               fmt::format("would have the output {} of {} (run them apart)", Quoted(first->first),
                           Quoted(inputs_.Path(first->second)))});
      names_[i] = Name::kNone;  // CountOf(i) becomes 0, which ends the loop
    }
}

}  // namespace skinmask
