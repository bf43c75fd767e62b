#include "media/mask_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/folder.h"
#include "media/names.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

using MasksByStem = std::map<std::pair<fs::path, std::string>, std::vector<fs::path>>;

MasksByStem FindMasks(const fs::path& folder, const NamePattern& name, const ProblemSink& problem,
                      Archives& archives) {
  MasksByStem found;
  const InputList files = ListFolder(folder, {.problem = problem}, archives);
  for (const InputFile mask : files) {
    const std::string stem = name.StemOf(mask.path.filename());
    if (!stem.empty()) found[{mask.relative.parent_path(), stem}].push_back(mask.path);
  }
  return found;
}

bool IsOtherOutput(const fs::path& path, const PairingOptions& options) {
  return std::ranges::any_of(options.other_outputs, [&](std::string_view suffix) {
    return path.native().ends_with(suffix);
  });
}

struct Matches {
  std::vector<MaskPair> pairs;
  std::vector<InputFile> alone;   // images without a mask
  std::vector<Problem> problems;  // images with several masks, and masks of several images
  std::vector<fs::path> unused;   // masks without an image
  // With `predicted`: the images include other outputs of `detect`; and the true masks whose
  // predictions have their name alone (b.png, not b.jpg.png).
  bool other_outputs = false;
  std::set<fs::path> named_alone;
};

Problem TwoMasks(const fs::path& image, const std::vector<fs::path>& masks) {
  return {image.string(), fmt::format("has two masks, {} and {} (`mask_name` tells them apart)",
                                      Quoted(masks[0]), Quoted(masks[1]))};
}

// Moves to the problems: pairs of two files of one folder that are each other's mask (x.jpg and
// x.png), since either may be the photograph; and, with `predicted`, several predictions of one
// true mask, unless each names its photograph (x.jpg.png and x.png.png).
void TakeOutUnclear(bool predicted, FileIdentities& of_images, FileIdentities& of_masks,
                    Matches& matches) {
  std::map<std::string, std::string> mask_of;   // by the image; identities of files
  std::map<fs::path, std::size_t> predictions;  // of the true mask; several may link to one file
  for (const MaskPair& pair : matches.pairs) {
    mask_of[of_images.Of(pair.image.path)] = of_masks.Of(pair.mask);
    ++predictions[pair.mask];
  }
  std::erase_if(matches.pairs, [&](const MaskPair& pair) {
    const std::string image = of_images.Of(pair.image.path), mask = of_masks.Of(pair.mask);
    const auto reverse = mask_of.find(mask);
    const bool mutual = image != mask && reverse != mask_of.end() && reverse->second == image;
    const bool several =
        predicted && predictions[pair.mask] > 1 && matches.named_alone.contains(pair.mask);
    if (mutual)
      matches.problems.emplace_back(
          pair.image.path.string(),
          fmt::format("may be the photograph or the mask of {} (`image_name` {{stem}}{} if it is "
                      "the photograph)",
                      Quoted(pair.mask), pair.image.path.extension().string()));
    else if (several)
      matches.problems.emplace_back(
          pair.image.path.string(),
          fmt::format("is one of {} predictions of {} (the folder must hold one of them)",
                      predictions[pair.mask], Quoted(pair.mask)));
    return mutual || several;
  });
}

Matches Match(const fs::path& images, const NamePattern& image_name, const fs::path& masks,
              const NamePattern& mask_name, const PairingOptions& options, const ListOptions& list,
              Archives& archives) {
  const bool predicted = options.predicted;
  MasksByStem found = FindMasks(masks, mask_name, list.problem, archives);
  Matches matches;
  std::set<std::string> used;  // identities of files
  FileIdentities of_images, of_masks;
  const InputList files = ListFolder(images, list, archives);
  for (const InputFile image : files) {
    std::string stem = image_name.StemOf(image.path.filename());
    const bool is_other = predicted && IsOtherOutput(image.path, options);
    matches.other_outputs |= is_other;
    // A pattern may select such an output, for example {stem}.probability.
    const std::string not_of_pattern = stem + image.path.extension().string();
    if (stem.empty() || (is_other && IsOtherOutput(not_of_pattern, options))) continue;
    if (!predicted && IsAnnotation(image, image_name)) continue;
    const fs::path folder = image.relative.parent_path();
    const bool full_name = predicted && !found.count({folder, stem}) && NamedMedia(stem).image;
    if (full_name) stem = fs::path(stem).stem().string();
    std::vector<fs::path> candidates = found[{folder, stem}];
    // A photograph is not its own mask, but a predicted mask may be the truth itself.
    if (!predicted || candidates.size() > 1)
      std::erase_if(candidates, [&](const fs::path& mask) {
        return of_masks.Of(mask) == of_images.Of(image.path);
      });
    if (candidates.empty())
      matches.alone.push_back(image);
    else if (candidates.size() > 1)
      matches.problems.push_back(TwoMasks(image.path, candidates));
    else
      matches.pairs.push_back({image, candidates[0]});
    for (const fs::path& mask : candidates) used.insert(of_masks.Of(mask));
    if (!full_name) matches.named_alone.insert(candidates.begin(), candidates.end());
  }
  TakeOutUnclear(predicted, of_images, of_masks, matches);
  // Files that are masks of other images do not count as images.
  std::erase_if(matches.alone,
                [&](const InputFile& image) { return used.contains(of_images.Of(image.path)); });
  for (const auto& [key, paths] : found)
    for (const fs::path& path : paths)
      if (!used.contains(of_masks.Of(path))) matches.unused.push_back(path);
  return matches;
}

// Reports the problems. If there are many, ten are shown, and `of_rest` is the line for the others.
void Tell(std::vector<Problem>& problems, const fs::path& folder,
          fmt::format_string<const std::size_t&> of_rest, const ProblemSink& sink) {
  constexpr std::size_t kShown = 10;
  const std::size_t rest = problems.size() > kShown + 1 ? problems.size() - kShown : 0;
  for (std::size_t i = kShown; rest > 0 && i < problems.size(); ++i) problems[i].shown = "";
  if (rest > 0) problems.back().shown = Error(folder.string(), fmt::format(of_rest, rest)).what();
  for (const Problem& problem : problems) sink(problem);
}

// The expected path of the mask of an image: 'm/1_skin.png'.
std::string WantedMask(const InputFile& image, const NamePattern& image_name, const fs::path& masks,
                       const NamePattern& mask_name) {
  const std::string stem = image_name.StemOf(image.path.filename());
  const fs::path path = masks / image.relative.parent_path() / mask_name.Expand(stem);
  return Quoted(mask_name.has_extension() ? path.string() : path.string() + ".*");
}

// True if true and predicted masks are swapped: nothing matches, but the swapped folders do; or
// only the folder of true masks has other outputs of `detect`.
bool AreSwapped(const Matches& matches, const fs::path& images, const NamePattern& image_name,
                const fs::path& masks, const NamePattern& mask_name, const PairingOptions& options,
                Archives& archives) {
  if (matches.pairs.empty() && matches.alone.empty()) return false;  // there are no images
  const auto is_other = [&](const fs::path& mask) { return IsOtherOutput(mask, options); };
  if (!matches.other_outputs && std::ranges::any_of(matches.unused, is_other)) return true;
  if (!matches.pairs.empty() || !matches.problems.empty()) return false;
  return !Match(masks, image_name, images, mask_name, options, {}, archives).pairs.empty();
}

}  // namespace

NamePattern::NamePattern(std::string pattern, std::string_view role)
    : pattern_(std::move(pattern)), has_extension_(NamedMedia(pattern_).image) {
  if (pattern_.find("{stem}") == pattern_.npos)
    throw Error(fmt::format("{} '{}'", role, pattern_), "has no {stem} (as in {stem}_mask)");
  if (pattern_.find('/') != pattern_.npos)
    throw Error(fmt::format("{} '{}'", role, pattern_),
                "has a slash (a name alone: masks lie in the same sub-folders as their images)");
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

bool IsAnnotation(const InputFile& image, const NamePattern& name) {
  const bool in_archive = std::ranges::any_of(image.path.parent_path(), [](const fs::path& part) {
    return NamedMedia(part.native()).archive;
  });
  return in_archive && name.Expand("") == "" && image.path.stem().has_extension();
}

MaskPairs PairMasks(const fs::path& images, const NamePattern& image_name, const fs::path& masks,
                    const NamePattern& mask_name, const PairingOptions& options,
                    const ListOptions& list, Archives& archives) {
  for (const fs::path& folder : {images, masks})
    if (!IsFolder(folder) && !NamedMedia(folder.native()).archive)
      throw Error(folder.string(), "is no folder (one of images is expected)");
  const bool predicted = options.predicted;
  Matches matches = Match(images, image_name, masks, mask_name, options, list, archives);
  if (predicted && AreSwapped(matches, images, image_name, masks, mask_name, options, archives))
    throw Error(images.string(), fmt::format("holds true masks and {} predicted ones, as it seems "
                                             "(`predicted` and `truth` the other way round)",
                                             Quoted(masks)));
  if (matches.pairs.empty() && !matches.alone.empty() && matches.problems.empty())
    throw Error(images.string(),
                fmt::format("holds no image with a mask: of {} there is no {}{} (`image_name` and "
                            "`mask_name` say how images and masks are called)",
                            Quoted(matches.alone[0].path), images == masks ? "other " : "",
                            WantedMask(matches.alone[0], image_name, masks, mask_name)));
  std::vector<Problem> alone, unused;
  for (const InputFile& image : matches.alone)
    alone.emplace_back(image.path.string(),
                       fmt::format("has no mask {} (`image_name` and `mask_name` say how "
                                   "images and masks are called)",
                                   WantedMask(image, image_name, masks, mask_name)));
  for (const fs::path& mask : matches.unused)
    unused.emplace_back(mask.string(), "has no predicted mask in " + Quoted(images));
  Tell(matches.problems, masks, "holds no single mask for {} more images", list.problem);
  if (options.allow_missing)
    for (const Problem& problem : alone) list.passed_over(problem.input, problem.Reason());
  else
    Tell(alone, masks, "holds no mask for {} more images", list.problem);
  if (matches.pairs.empty() && !matches.problems.empty())
    throw Error(images.string(), "holds no other image with a mask");
  if (predicted) Tell(unused, images, "holds no predicted mask for {} more masks", list.problem);
  return {std::move(matches.pairs), matches.alone.size()};
}

}  // namespace skinmask
