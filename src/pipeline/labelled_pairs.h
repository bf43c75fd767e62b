// Pairs of images and masks, for training and evaluation.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "media/archive.h"
#include "media/mask_pairs.h"
#include "pipeline/ordered.h"
#include "pipeline/parts.h"
#include "skinmask/media/ground_truth.h"
#include "skinmask/media/image.h"
#include "skinmask/pipeline/collect_samples.h"

namespace skinmask {

// An image and the classes of its pixels (MaskRule::kIgnored for ignored pixels).
struct LabelledImage {
  std::string name;  // path of the image below its folder
  cv::Mat bgr;       // CV_8UC3; for predicted masks CV_8UC1 with 0 for skin
  cv::Mat classes;   // CV_8UC1, index into LabelledPairs::classes()
  // The masks of this pair with values between the labelled ones, and the number of these pixels.
  std::vector<std::string> unclear_masks{};
  std::uint64_t in_between = 0;
};

// The pairs that PairOptions describe. A place is an index into the whole list of pairs;
// PairOptions::shard selects a part of the list. Reading a pair throws Error if the sizes differ.
class LabelledPairs {
 public:
  // `predicted`: the images are masks that `detect` wrote (see PairMasks). `options` must outlive
  // this object.
  LabelledPairs(const PairOptions& options, bool predicted, const Run& run);

  const std::vector<std::string>& classes() const { return rule_.classes(); }
  static constexpr std::uint8_t kNoClass = MaskRule::kIgnored - 1;  // an index that no pixel has
  std::optional<std::uint8_t> IndexOf(const std::string& name) const {
    const auto found = std::ranges::find(classes(), name);
    if (found == classes().end()) return std::nullopt;
    return static_cast<std::uint8_t>(found - classes().begin());
  }
  std::size_t size() const { return pairs_.pairs.size(); }  // of the whole list
  std::size_t without_mask() const { return pairs_.without_mask; }
  std::string name(std::size_t place) const { return pairs_.pairs[place].image.path.string(); }
  // See LabelledImage::name.
  std::string relative(std::size_t place) const {
    return pairs_.pairs[place].image.relative.string();
  }
  // Reads a pair. The picture is valid until this thread reads the next one or calls Done, which
  // frees large buffers.
  LabelledImage Read(std::size_t place, const TakePixels& take) const;
  static void Done();

  // Calls, for the pairs of the shard, work(place, LabelledImage) in parallel and consume(result)
  // in order. At the end one warning reports all unclear masks.
  template <class Work, class Consume>
  void ForEach(const Run& run, const Work& work, const Consume& consume) const {
    using Result = decltype(work(std::size_t{0}, LabelledImage{}));
    struct Item {
      std::uint64_t pixels, in_between;
      std::vector<std::string> unclear_masks;
      Result result;
    };
    std::uint64_t in_between = 0, unclear_masks = 0;
    std::string first;
    const std::size_t count = SizeOf(options_.shard, size());
    const auto place = [&](std::size_t i) { return PlaceOf(options_.shard, i); };
    for (std::size_t i = 0; i < count; ++i) run.planned(name(place(i)), false);
    RunOrdered(
        count, run, [&](std::size_t i) { return name(place(i)); },
        [&](std::size_t i, const TakePixels& take) {
          const LabelledImage image = Read(place(i), take);
          Item item{image.bgr.total(), image.in_between, image.unclear_masks,
                    work(place(i), image)};
          Done();
          return item;
        },
        [&](std::size_t, Item&& item) {
          if (unclear_masks == 0 && !item.unclear_masks.empty()) first = item.unclear_masks.front();
          unclear_masks += item.unclear_masks.size();
          in_between += item.in_between;
          consume(std::move(item.result));
          run.finished();
        });
    if (unclear_masks > 0)
      run.warning(fmt::format(
          "{}: {} in-between pixels in {} mask{}, each taken as the nearest label (a PNG "
          "that holds only labelled values has none; without labels these are 0 and 255)",
          first, in_between, unclear_masks, unclear_masks > 1 ? "s" : ""));
  }

 private:
  std::string BytesOf(const std::filesystem::path& path, const DecodeOptions& options) const;

  Archives archives_;  // must be constructed before pairs_
  MaskPairs pairs_;
  const PairOptions& options_;
  MaskRule rule_;
  bool predicted_;
};

}  // namespace skinmask
