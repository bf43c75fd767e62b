#include "programs/cli/pair_flags.h"

#include "programs/cli/usage_error.h"
#include "programs/cli/verb.h"
#include "skinmask/data/samples.h"
#include "skinmask/media/ground_truth.h"
#include "skinmask/media/mask_pairs.h"

namespace skinmask::cli {

void AddPairOptions(CLI::App& verb, PairOptions& pairs) {
  const OptionGroup group(verb, "Masks");
  group.AddDefault("--image-name", pairs.image_name, "PATTERN",
                   "Name of images, without extension");
  group.AddDefault("--mask-name", pairs.mask_name, "PATTERN",
                   "Name of the mask that belongs to {stem}, any image extension");
  group
      .Add("--label", pairs.labels, "CLASS=VALUE",
           "Class of a grey level, an R,G,B colour or 'other'; repeatable (default: above 127 is "
           "skin, else non-skin)")
      ->allow_extra_args(false);
  group.Add("--ignore", pairs.ignored, "VALUE", "Value that counts for nothing; repeatable")
      ->allow_extra_args(false);
  group.AddFlag("--invert", pairs.invert, "Swap the two classes");
  AddMaxPixelsOption(verb, pairs.max_pixels);
  CLI::Option* whole = group.Add("--whole", pairs.whole_class, "CLASS",
                                 "No mask files: every pixel of every image is of this class");
  for (const char* other : {"--mask-name", "--label", "--ignore", "--invert"})
    whole->excludes(verb.get_option(other));
}

void CheckPairOptions(const PairOptions& pairs) {
  AsUsage([&] {
    NamePattern(pairs.image_name, "--image-name");
    NamePattern(pairs.mask_name, "--mask-name");
    MaskRule(pairs.labels, pairs.ignored, pairs.invert);
    if (!pairs.whole_class.empty() && !IsClassName(pairs.whole_class))
      throw Error("--whole '" + pairs.whole_class + "'", "is no name for a class");
  });
}

}  // namespace skinmask::cli
