// Reads ground-truth masks, in which grey levels or colours represent classes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/media/image.h"

namespace [[gnu::visibility("default")]] skinmask {

// How the pixels of a mask are mapped to classes. Without labels, values above 127 are skin and the
// others are non-skin.
class MaskRule {
 public:
  static constexpr std::uint8_t kIgnored = 255;  // in ClassMap::classes

  // `labels` are CLASS=VALUE, `ignored` are VALUE, where VALUE is a grey level 0..255, a colour
  // R,G,B, or 'other' for all values without a label. `invert` swaps the two classes. Throws Error.
  MaskRule(const std::vector<std::string>& labels, const std::vector<std::string>& ignored,
           bool invert);
  // The rule of masks that `detect` writes, and of seeds, for which there are no labels.
  MaskRule() : MaskRule({}, {}, false) { may_have_labels_ = false; }

  const std::vector<std::string>& classes() const { return classes_; }
  bool has_labels() const { return !above_127_; }

 private:
  friend class MaskReader;
  void Label(std::string_view value, std::uint8_t index, const std::string& subject);
  std::vector<std::string> classes_;
  std::map<std::uint32_t, std::uint8_t> colors_;  // 0xRRGGBB to class index or kIgnored
  std::optional<std::uint8_t> other_;
  bool above_127_ = false;  // the rule without labels
  bool may_have_labels_ = true;
};

// A mask as class indices.
struct ClassMap {
  cv::Mat classes;  // CV_8UC1: index into MaskRule::classes(), or kIgnored
  // Pixels whose value is between the labelled ones: of a JPEG, or of a mask without labels (a map
  // of probabilities, a photograph) whose grey is neither 0 nor 255.
  std::uint64_t in_between = 0;
};

// Reads a mask file. JPEG does not preserve values exactly; therefore a pixel of a JPEG without a
// labelled value gets the class of the nearest labelled value and is counted in `in_between`.
// Throws Error for a value without a label in other formats, for a mask of 0 and one dark value if
// no labels are given, and for labels of 16 bits that are neither all below 256 nor all multiples
// of 257. Of `options`, buffer, max_pixels, take and isolation are used. The classes may be stored
// in the buffer; they are then valid until its next use.
ClassMap ReadMask(const std::filesystem::path& path, const MaskRule& rule,
                  const DecodeOptions& options = {});
ClassMap DecodeMask(std::string_view bytes, std::string_view subject, const MaskRule& rule,
                    const DecodeOptions& options = {});

}  // namespace skinmask
