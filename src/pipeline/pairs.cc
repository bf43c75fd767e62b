#include "pairs.h"

namespace skinmask {
namespace {

MaskRule RuleOf(const PairOptions& options) {
  if (options.whole_class.empty()) return MaskRule(options.labels, options.ignored, options.invert);
  return MaskRule({options.whole_class + "=other"}, {}, false);
}

std::vector<MaskPair> PairsOf(const PairOptions& options, bool predicted, const Run& run) {
  const NamePattern image_name(options.image_name, "--image-name");
  const NamePattern mask_name(options.mask_name, "--mask-name");
  if (options.whole_class.empty())
    return PairMasks(options.images, image_name, options.masks, mask_name, predicted,
                     run.problem);
  std::vector<MaskPair> pairs;
  for (const InputFile& image : ListImages({options.images}, {}, run.problem))
    if (!image_name.StemOf(image.path.filename()).empty()) pairs.push_back({image, {}});
  return pairs;
}

}  // namespace

LabelledPairs::LabelledPairs(const PairOptions& options, bool predicted, const Run& run)
    : pairs_(PairsOf(options, predicted, run)),
      rule_(RuleOf(options)),
      whole_(!options.whole_class.empty()) {
  if (pairs_.empty())
    throw Error(options.images.string(),
                "holds no image with a mask (--mask-name says how masks are called)");
}

LabelledImage LabelledPairs::Read(std::size_t i) const {
  const MaskPair& pair = pairs_[i];
  LabelledImage labelled{pair.image.relative.string(), ReadImage(pair.image.path), {}, 0};
  if (whole_) {
    labelled.classes = cv::Mat::zeros(labelled.bgr.size(), CV_8UC1);
    return labelled;
  }
  ClassMap map = ReadMask(pair.mask, rule_);
  const cv::Size image = labelled.bgr.size(), mask = map.classes.size();
  if (image != mask)
    throw Error(pair.image.path.string(),
                fmt::format("is {}x{}, but its mask {} is {}x{} (the same size)", image.width,
                            image.height, pair.mask.string(), mask.width, mask.height));
  labelled.classes = map.classes;
  labelled.in_between = map.in_between;
  return labelled;
}

Samples CollectSamples(const PairOptions& options, const Run& run) {
  if (options.step < 1) throw Error(fmt::format("--step {}", options.step), "is out of range (1 or more)");
  const LabelledPairs pairs(options, false, run);
  SampleCounter all;
  for (const std::string& name : pairs.classes()) all.ClassIndex(name);
  pairs.ForEach(
      run,
      [&](std::size_t i, const LabelledImage& image) {
        std::vector<std::vector<std::uint32_t>> colors(pairs.classes().size());
        for (int y = 0; y < image.bgr.rows; y += options.step) {
          const std::uint8_t* bgr = image.bgr.ptr<std::uint8_t>(y);
          const std::uint8_t* classes = image.classes.ptr<std::uint8_t>(y);
          for (int x = 0; x < image.bgr.cols; x += options.step) {
            if (classes[x] == MaskRule::kIgnored) continue;
            const std::uint8_t* p = bgr + 3 * x;
            colors[classes[x]].push_back(static_cast<std::uint32_t>(p[0] | p[1] << 8 | p[2] << 16));
          }
        }
        SampleCounter counter;
        const auto group = options.groups ? static_cast<std::uint32_t>(i + 1) : 0;
        for (std::size_t k = 0; k < colors.size(); ++k)
          CountColors(colors[k], counter.ClassIndex(pairs.classes()[k]), group, counter);
        return std::move(counter).Finish();
      },
      [&](std::size_t, Samples&& samples) { all.Add(samples); });
  return std::move(all).Finish();
}

}  // namespace skinmask
