#include "skinmask/media/mask_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/media/outputs.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMaskNames = "the pattern of mask names";

std::string Quoted(const fs::path& path) { return "'" + path.string() + "'"; }

// Masks by sub-folder and stem.
using MasksByStem = std::map<std::pair<fs::path, std::string>, std::vector<fs::path>>;

MasksByStem FindMasks(const fs::path& folder, const NamePattern& name, const ProblemSink& problem) {
  MasksByStem found;
  for (const InputFile& mask : ListFolder(folder, {.problem = problem})) {
    const std::string stem = name.StemOf(mask.path.filename());
    if (!stem.empty()) found[{mask.relative.parent_path(), stem}].push_back(mask.path);
  }
  return found;
}

void TellOfTwo(const fs::path& image, const std::vector<fs::path>& masks,
               const ProblemSink& problem) {
  problem({image.string(), fmt::format("has two masks, {} and {} ({} tells them apart)",
                                       Quoted(masks[0]), Quoted(masks[1]), kMaskNames)});
}

// `what` is wrong with all paths but those that are `used`.
void TellOfUnpaired(const std::vector<fs::path>& paths, const std::string& what,
                    const std::set<fs::path>& used, const ProblemSink& problem) {
  for (const fs::path& path : paths)
    if (!used.count(FileIdentity(path))) problem({path.string(), what});
}

}  // namespace

NamePattern::NamePattern(std::string pattern, std::string_view role)
    : pattern_(std::move(pattern)), has_extension_(HasImageExtension(pattern_)) {
  if (pattern_.find("{stem}") == pattern_.npos)
    throw Error(fmt::format("{} '{}'", role, pattern_), "has no {stem} (as in {stem}_mask)");
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
                                const fs::path& masks, const NamePattern& mask_name, bool predicted,
                                const ListOptions& list) {
  std::error_code ignored;
  for (const fs::path& folder : {images, masks})
    if (!fs::is_directory(folder, ignored))
      throw Error(folder.string(), "is no folder (one of images is expected)");
  MasksByStem found = FindMasks(masks, mask_name, list.problem);
  std::vector<MaskPair> pairs;
  std::vector<fs::path> alone;
  std::set<fs::path> used;
  for (const InputFile& image : ListFolder(images, list)) {
    std::string stem = image_name.StemOf(image.path.filename());
    if (stem.empty() || (predicted && IsOtherOutput(image.path))) continue;
    const fs::path folder = image.relative.parent_path();
    if (predicted && !found.count({folder, stem}) && HasImageExtension(stem))
      stem = fs::path(stem).stem().string();
    std::vector<fs::path> candidates = found[{folder, stem}];
    std::erase_if(candidates, [&](const fs::path& mask) {
      return FileIdentity(mask) == FileIdentity(image.path);
    });
    if (candidates.empty())
      alone.push_back(image.path);
    else if (candidates.size() > 1)
      TellOfTwo(image.path, candidates, list.problem);
    else
      pairs.push_back({image, candidates[0]});
    for (const fs::path& mask : candidates) used.insert(FileIdentity(mask));
  }
  TellOfUnpaired(
      alone,
      fmt::format("has no mask in {} ({} says how they are called)", Quoted(masks), kMaskNames),
      used, list.problem);
  if (predicted)
    for (const auto& [key, paths] : found)
      TellOfUnpaired(paths, "has no predicted mask in " + Quoted(images), used, list.problem);
  return pairs;
}

}  // namespace skinmask
