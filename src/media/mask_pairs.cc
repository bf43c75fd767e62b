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

std::string Quoted(const fs::path& path) { return "'" + path.string() + "'"; }

}  // namespace

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
                                const fs::path& masks, const NamePattern& mask_name, bool predicted,
                                const LineSink& problem) {
  std::error_code ignored;
  for (const fs::path& folder : {images, masks})
    if (!fs::is_directory(folder, ignored))
      throw Error(folder.string(), "is no folder (one of images is expected)");
  // Masks by sub-folder and stem.
  std::map<std::pair<fs::path, std::string>, std::vector<fs::path>> found;
  for (const InputFile& mask : ListFolder(masks, {}, Inputs::kImages, problem)) {
    const std::string stem = mask_name.StemOf(mask.path.filename());
    if (!stem.empty()) found[{mask.relative.parent_path(), stem}].push_back(mask.path);
  }
  std::vector<MaskPair> pairs;
  std::vector<fs::path> alone;
  std::set<fs::path> used;
  for (const InputFile& image : ListFolder(images, {}, Inputs::kImages, problem)) {
    std::string stem = image_name.StemOf(image.path.filename());
    if (stem.empty() || (predicted && IsOtherOutput(image.path))) continue;
    const fs::path folder = image.relative.parent_path();
    if (predicted && !found.count({folder, stem}) && HasImageExtension(stem))
      stem = fs::path(stem).stem().string();
    std::vector<fs::path> candidates = found[{folder, stem}];
    std::erase_if(candidates, [&](const fs::path& mask) {
      return FileIdentity(mask) == FileIdentity(image.path);
    });
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

}  // namespace skinmask
