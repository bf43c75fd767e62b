#include "pipeline/labelled_pairs.h"

#include <tbb/enumerable_thread_specific.h>

#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/folder.h"
#include "skinmask/base/file.h"
#include "skinmask/data/color_counter.h"
#include "skinmask/detect/outputs.h"

namespace skinmask {
namespace {

thread_local Scratch pixels_of_thread, classes_of_thread;

MaskRule RuleOf(const PairOptions& options) {
  if (options.whole_class.empty()) return MaskRule(options.labels, options.ignored, options.invert);
  if (!IsClassName(options.whole_class))
    throw Error(fmt::format("`whole` '{}'", options.whole_class), "is no name for a class");
  return MaskRule({options.whole_class + "=other"}, {}, false);
}

// Without `masks`, or if they are the same archive, the masks lie beside the images.
PairOptions WithMasks(PairOptions options) {
  const bool same = !options.masks.empty() && HoldsArchives(options.images) &&
                    FileIdentity(options.masks) == FileIdentity(options.images);
  if (!(options.masks.empty() || same) || !options.whole_class.empty()) return options;
  options.masks = options.images;
  if (options.mask_name == PairOptions().mask_name) options.mask_name = "{stem}.mask";
  return options;
}

// Names must be unique, because scores and the pictures of a report are looked up by the image's
// name.
MaskPairs PairsOfList(const PairOptions& options) {
  MaskPairs found;
  std::set<std::filesystem::path> names;
  for (const auto& [image, mask] : options.listed) {
    if (!names.insert(image).second) throw Error(image.string(), "is listed twice");
    found.pairs.push_back({{image, image}, mask});
  }
  return found;
}

// The suffixes of the outputs of `detect` other than masks.
std::vector<std::string_view> OtherSuffixes() {
  using Format = OutputStyle::Format;
  std::vector<std::string_view> suffixes;
  for (const OutputKind& kind : OutputKinds())
    for (const Format format : {Format::kPng, Format::kJpeg, Format::kWebp})
      if (kind.output != Output::kMask) suffixes.push_back(SuffixOf(kind.output, format));
  return suffixes;
}

MaskPairs PairsOf(const PairOptions& options, bool predicted, const Run& run, Archives& archives) {
  if (!options.listed.empty()) return PairsOfList(options);
  ListOptions list{.problem = run.problem, .passed_over = run.passed_over};
  // The first shard reports the problems of all pairs. Only an unreadable folder or archive is
  // reported by every shard, because then this shard's list, and so its numbering, may differ from
  // that of the others.
  if (options.shard.index != 1)
    list = {.problem = [tell = run.problem](const Problem& problem) {
      if (!problem.tolerable) tell(problem);
    }};
  const NamePattern image_name(options.image_name, "`image_name`");
  const NamePattern mask_name(options.mask_name, "`mask_name`");
  if (options.whole_class.empty())
    return PairMasks(options.images, image_name, options.masks, mask_name,
                     {predicted, OtherSuffixes(), options.allow_missing}, list, archives);
  MaskPairs found;
  const InputList files = IsFolder(options.images) || HoldsArchives(options.images)
                              ? ListFolder(options.images, list, archives)
                              : ListInputs({options.images}, list);
  for (const InputFile image : files)
    if (!image_name.StemOf(image.path.filename()).empty() && !IsAnnotation(image, image_name))
      found.pairs.push_back({image, {}});
  return found;
}

// The file on the disk; for a file in an archive, the archive.
std::string FileBehind(std::filesystem::path path) {
  while (path.has_relative_path() && !Exists(path)) path = path.parent_path();
  return path.string();
}

void RequireNoneWritten(const std::vector<MaskPair>& pairs, const Run& run) {
  std::map<std::string, std::filesystem::path> written;
  for (const std::filesystem::path& file : run.written)
    if (IsRegularFile(file)) written[FileIdentity(file)] = file;
  if (written.empty()) return;
  FileIdentities identities[2];
  for (const MaskPair& pair : pairs)
    for (const auto& [i, read] : {std::pair(0, pair.image.path), {1, pair.mask}}) {
      const auto found = written.find(identities[i].Of(FileBehind(read)));
      if (found != written.end())
        throw Error(found->second.string(), "is an input and is not written over");
    }
}

}  // namespace

LabelledPairs::LabelledPairs(const PairOptions& options, bool predicted, const Run& run)
    : pairs_(PairsOf(WithMasks(options), predicted, run, archives_)),
      options_(options),
      rule_(RuleOf(options)),
      predicted_(predicted) {
  RequireShard(options.shard);
  RequireNoneWritten(pairs_.pairs, run);
  if (pairs_.pairs.empty())
    throw Error(options.images.string(),
                "holds no image with a mask (`mask_name` says how masks are called)");
}

void LabelledPairs::Done() {
  pixels_of_thread.Trim();
  classes_of_thread.Trim();
}

std::string LabelledPairs::BytesOf(const std::filesystem::path& path,
                                   const DecodeOptions& options) const {
  std::optional<std::string> kept = options_.bytes ? options_.bytes(path) : std::nullopt;
  return kept ? *std::move(kept) : archives_.ReadBytes(path, options);
}

LabelledImage LabelledPairs::Read(std::size_t place, const TakePixels& take) const {
  const MaskPair& pair = pairs_.pairs[place];
  LabelledImage labelled{pair.image.relative.string(), {}, {}};
  const auto note = [&labelled](const ClassMap& map, const std::filesystem::path& mask) {
    if (map.in_between > 0) labelled.unclear_masks.push_back(mask.string());
    labelled.in_between += map.in_between;
  };
  DecodeOptions decode;
  decode.max_pixels = options_.max_pixels;
  decode.take = take;
  decode.buffer = &pixels_of_thread;
  if (predicted_) {
    ClassMap predicted =
        DecodeMask(BytesOf(pair.image.path, decode), pair.image.path.string(), MaskRule(), decode);
    labelled.bgr = predicted.classes;
    note(predicted, pair.image.path);
  } else {
    labelled.bgr = DecodeImage(BytesOf(pair.image.path, decode), pair.image.path.string(), decode);
  }
  if (!options_.whole_class.empty()) {
    labelled.classes = cv::Mat::zeros(labelled.bgr.size(), CV_8UC1);
    return labelled;
  }
  decode.buffer = &classes_of_thread;
  ClassMap map = DecodeMask(BytesOf(pair.mask, decode), pair.mask.string(), rule_, decode);
  const cv::Size image = labelled.bgr.size(), mask = map.classes.size();
  if (image != mask)
    throw Error(pair.image.path.string(),
                fmt::format("is {}x{}, but its mask {} is {}x{} (the same size{})", image.width,
                            image.height, pair.mask.string(), mask.width, mask.height,
                            image == cv::Size(mask.height, mask.width)
                                ? ", upright as the photograph's EXIF orientation has it"
                                : ""));
  labelled.classes = map.classes;
  note(map, pair.mask);
  return labelled;
}

Samples CollectSamples(const PairOptions& options, const Run& run) {
  if (options.step < 1)
    throw Error(fmt::format("`step` {}", options.step), "is out of range (1 or more)");
  const LabelledPairs pairs(options, false, run);
  const auto step = static_cast<std::size_t>(options.step);
  SampleCounter all;
  for (const std::string& name : pairs.classes()) all.ClassIndex(name);
  // Pointers, because TBB keeps the slot of an element whose constructor threw (out of memory), and
  // an unconstructed counter must not be used.
  tbb::enumerable_thread_specific<std::unique_ptr<ColorCounter>> counters;
  pairs.ForEach(
      run,
      [&](std::size_t place, const LabelledImage& image) {
        std::unique_ptr<ColorCounter>& own = counters.local();
        if (!own) own = std::make_unique<ColorCounter>(pairs.classes().size());
        ColorCounter& counter = *own;
        for (int y = 0; y < image.bgr.rows; y += options.step)
          counter.CountRow(image.bgr.ptr<std::uint8_t>(y), image.classes.ptr<std::uint8_t>(y),
                           static_cast<std::size_t>(image.bgr.cols), step);
        if (!options.groups) return std::vector<SampleRow>();
        return counter.Flush(static_cast<std::uint32_t>(place + 1));
      },
      [&](std::vector<SampleRow>&& rows) { all.Add(std::move(rows)); });
  std::vector<ColorCounter*> each;
  for (const std::unique_ptr<ColorCounter>& counter : counters)
    if (counter) each.push_back(counter.get());
  all.Add(ColorCounter::FlushAll(each));
  return std::move(all).Finish();
}

}  // namespace skinmask
