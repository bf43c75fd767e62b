// Masks of ground truth. The first byte is the length of the rule: labels between semicolons,
// those with '!' ignored, '~' for 'invert'. Behind it is the image.
#include <vector>

#include "fuzz/input.h"
#include "fuzz/pictures.h"
#include "skinmask/media/ground_truth.h"

namespace skinmask {
namespace {

MaskRule Rule(std::string_view text) {
  std::vector<std::string> labels, ignored;
  bool invert = false;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (part == "~")
      invert = true;
    else if (part.starts_with('!'))
      ignored.emplace_back(part.substr(1));
    else
      labels.emplace_back(part);
  }
  return MaskRule(labels, ignored, invert);
}

void Check(const ClassMap& map, const MaskRule& rule) {
  fuzz::Require(map.classes.type() == CV_8UC1 && !map.classes.empty(), "classes are bytes");
  fuzz::Require(map.in_between <= map.classes.total(), "no more in between than there are");
  for (int y = 0; y < map.classes.rows; ++y)
    for (int x = 0; x < map.classes.cols; ++x) {
      const std::uint8_t one = map.classes.at<std::uint8_t>(y, x);
      fuzz::Require(one == MaskRule::kIgnored || one < rule.classes().size(),
                    "a class is one of the rule's");
    }
}

}  // namespace
}  // namespace skinmask

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinmask;
  fuzz::Input input(data, size);
  MaskRule rule;
  const std::string_view text = input.Take(input.Byte());
  if (!fuzz::Succeeds([&] { rule = Rule(text); })) return 0;
  std::string bytes(input.Rest());
  if (bytes.starts_with("\x89PNG")) bytes = fuzz::WithRightSums(bytes);
  const DecodeOptions options{.max_pixels = fuzz::kMaxPixels};
  ClassMap map;
  if (fuzz::Succeeds([&] { map = DecodeMask(bytes, "mask", rule, options); })) Check(map, rule);
  return 0;
}
