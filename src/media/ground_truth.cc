#include "skinmask/media/ground_truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <iterator>

#include "base/parse.h"
#include "media/image_codec.h"
#include "skinmask/base/error.h"
#include "skinmask/data/samples.h"

namespace skinmask {
namespace {

constexpr std::string_view kValueForm = "VALUE is a grey level 0..255, a colour R,G,B, or other";

std::uint32_t ParseColor(std::string_view text, const std::string& subject) {
  const auto parts = ParseNumbers<std::uint8_t>(text, ',');
  if (!parts || (parts->size() != 1 && parts->size() != 3))
    throw Error(subject, fmt::format("is not understood ({})", kValueForm));
  const std::uint32_t first = parts->front();
  return parts->size() == 1 ? first * 0x010101
                            : first << 16 | std::uint32_t{(*parts)[1]} << 8 | (*parts)[2];
}

int SquaredDistance(std::uint32_t a, std::uint32_t b) {
  int sum = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    const int d = static_cast<int>(a >> shift & 255) - static_cast<int>(b >> shift & 255);
    sum += d * d;
  }
  return sum;
}

std::string ShowColor(std::uint32_t rgb) {
  if (rgb % 0x010101 == 0) return fmt::format("{}", rgb & 255);
  return fmt::format("{},{},{}", rgb >> 16, rgb >> 8 & 255, rgb & 255);
}

}  // namespace

MaskRule::MaskRule(const std::vector<std::string>& labels, const std::vector<std::string>& ignored,
                   bool invert) {
  for (const std::string& label : labels) {
    const std::string subject = fmt::format("`label` '{}'", label);
    const std::size_t equals = label.find('=');
    if (equals == 0 || equals == label.npos)
      throw Error(subject, fmt::format("is not understood (CLASS=VALUE, {})", kValueForm));
    const std::string name = label.substr(0, equals);
    if (!IsClassName(name)) throw Error(subject, fmt::format("'{}' is no name for a class", name));
    const auto index = std::find(classes_.begin(), classes_.end(), name) - classes_.begin();
    if (index == std::ssize(classes_)) classes_.push_back(name);
    if (classes_.size() > kMaxClasses)
      throw Error(subject, fmt::format("is one class too many ({} at most)", kMaxClasses));
    Label(std::string_view(label).substr(equals + 1), static_cast<std::uint8_t>(index), subject);
  }
  if (labels.empty()) {
    above_127_ = true;
    classes_ = {"skin", "non-skin"};
  }
  for (const std::string& value : ignored)
    Label(value, kIgnored, fmt::format("`ignore` '{}'", value));
  if (!invert) return;
  if (classes_.size() != 2)
    throw Error("`invert`", fmt::format("needs two classes, not {}", classes_.size()));
  std::swap(classes_[0], classes_[1]);
}

void MaskRule::Label(std::string_view value, std::uint8_t index, const std::string& subject) {
  if (value == "other") {
    if (above_127_) throw Error(subject, "needs `label` (without it every value is skin or not)");
    if (other_) throw Error(subject, "names 'other' a second time");
    other_ = index;
  } else if (!colors_.emplace(ParseColor(value, subject), index).second) {
    throw Error(subject, "names a value that is labelled already");
  }
}

// Maps pixels to classes.
class MaskReader {
 public:
  MaskReader(const MaskRule& rule, bool lossy, std::string subject)
      : rule_(rule), lossy_(lossy), subject_(std::move(subject)) {}

  ClassMap Read(cv::Mat image) {
    if (image.depth() == CV_16U) image = Narrow(image);
    return image.channels() == 1 ? Grey(image) : Color(image);
  }

 private:
  // Converts 16 bits to 8. Labels are either values below 256 as they are stored, or 8-bit values
  // multiplied by 257.
  cv::Mat Narrow(const cv::Mat& deep) {
    constexpr double kOfByte = 257;
    const cv::Mat values = deep.reshape(1);
    double least = 0, most = 0;
    cv::minMaxLoc(values, &least, &most);
    cv::Mat bytes, again;
    if (!rule_.above_127_ && most < 256) {
      deep.convertTo(bytes, CV_8U);
      return bytes;
    }
    deep.convertTo(bytes, CV_8U, 1 / kOfByte);
    bytes.convertTo(again, CV_16U, kOfByte);
    if (cv::norm(deep, again, cv::NORM_INF) == 0) return bytes;
    if (!rule_.above_127_)
      throw Error(subject_, fmt::format("has values of 16 bits, up to {:g} (labels are 0 to 255: a "
                                        "mask of 8 bits a channel)",
                                        most));
    const bool is_dark = most < 127.5 * kOfByte && (least == 0 || most == 1);
    if (is_dark && cv::countNonZero(values) == cv::countNonZero(values == most))
      throw Error(
          subject_,
          fmt::format("holds only {}{:g} in 16 bits, nothing above 32767{}",
                      least == 0 ? "0 and " : "", most,
                      rule_.may_have_labels_ ? " (`label` reads values of up to 255)" : ""));
    // Disables CheckRange, because dark values cannot be counted after the rounding.
    dark_values_ = 2;
    return bytes;
  }

  // Classifies each value that occurs once, then maps all pixels with a table, in place.
  ClassMap Grey(cv::Mat& image) {
    const std::array<bool, 256> occurs = ValuesOf(image);
    cv::Mat classes(1, 256, CV_8UC1, cv::Scalar(0)), between(1, 256, CV_8UC1, cv::Scalar(0));
    for (std::uint32_t v = 0; v < 256; ++v) {
      if (!occurs[v]) continue;
      Classify(v * 0x010101);
      classes.data[v] = class_;
      between.data[v] = in_between_;
    }
    CheckRange();
    ClassMap map{image, 0};
    if (cv::countNonZero(between) > 0) {
      cv::Mat marked;
      cv::LUT(image, between, marked);
      map.in_between = static_cast<std::uint64_t>(cv::countNonZero(marked));
    }
    cv::LUT(image, classes, map.classes);
    return map;
  }

  static std::array<bool, 256> ValuesOf(const cv::Mat& image) {
    std::array<bool, 256> occurs{};
    std::uint8_t a = 0, b = 0;  // the two values of most masks
    for (int y = 0; y < image.rows; ++y) {
      const std::uint8_t* row = image.ptr<std::uint8_t>(y);
      std::uint8_t other = 0;
      for (int x = 0; x < image.cols; ++x)
        other |= static_cast<std::uint8_t>((row[x] ^ a) == 0 ? 0 : row[x] ^ b);
      if (other == 0 && occurs[a] && occurs[b]) continue;
      for (int x = 0; x < image.cols; ++x) occurs[row[x]] = true;
      const auto first = std::find(occurs.begin(), occurs.end(), true);
      const auto second = std::find(first + 1, occurs.end(), true);
      a = static_cast<std::uint8_t>(first - occurs.begin());
      b = second == occurs.end() ? a : static_cast<std::uint8_t>(second - occurs.begin());
    }
    return occurs;
  }

  // Caches the class of the last colour, because masks consist of runs.
  ClassMap Color(const cv::Mat& image) {
    ClassMap map{cv::Mat(image.size(), CV_8UC1), 0};
    std::uint32_t last = UINT32_MAX;  // no colour
    for (int y = 0; y < image.rows; ++y) {
      const std::uint8_t* bgr = image.ptr<std::uint8_t>(y);
      std::uint8_t* out = map.classes.ptr<std::uint8_t>(y);
      for (int x = 0; x < image.cols; ++x, bgr += 3) {
        const auto rgb = static_cast<std::uint32_t>(bgr[0] | bgr[1] << 8 | bgr[2] << 16);
        if (rgb != last) Classify(last = rgb);
        out[x] = class_;
        map.in_between += in_between_;
      }
    }
    CheckRange();
    return map;
  }

  // Throws Error for a mask of black and one other dark value, which must be labels. A mask with
  // more dark values may be a map of probabilities without skin.
  void CheckRange() const {
    if (dark_values_ != 1 || lossy_ || (!has_black_ && dark_ != 0x010101)) return;
    const std::string value = ShowColor(dark_);
    throw Error(subject_,
                fmt::format("holds only {}{}, nothing above 127, which would be skin{}",
                            has_black_ ? "0 and " : "", value,
                            rule_.may_have_labels_
                                ? fmt::format(" (`label` says it: skin={}, non-skin=0)", value)
                                : ""));
  }

  // Sets class_ and in_between_ for a value.
  void Classify(std::uint32_t rgb) {
    in_between_ = false;
    if (const auto known = rule_.colors_.find(rgb); known != rule_.colors_.end()) {
      class_ = known->second;
    } else if (rule_.above_127_) {
      // ITU-R BT.601 luma in fixed point, as cv::cvtColor rounds it; equal channels stay.
      const std::uint32_t grey =
          ((rgb & 255) * 1868 + (rgb >> 8 & 255) * 9617 + (rgb >> 16) * 4899 + 8192) >> 14;
      class_ = grey > 127 ? 0 : 1;
      has_black_ |= rgb == 0;
      if (class_ == 0) {
        dark_values_ = 2;
      } else if (rgb != 0 && rgb != dark_) {
        dark_ = rgb;
        ++dark_values_;
      }
      in_between_ = grey != 0 && grey != 255;
    } else if (lossy_) {
      ClassifyAsNearest(rgb);
    } else if (rule_.other_) {
      class_ = *rule_.other_;
    } else {
      throw Error(
          subject_,
          fmt::format(
              "has a pixel of value {} (label it with `label`, or leave it out with `ignore`)",
              ShowColor(rgb)));
    }
  }

  // Gives a lossy pixel the class of the nearest labelled value. If there is a label 'other', the
  // value must be within the noise of JPEG.
  void ClassifyAsNearest(std::uint32_t rgb) {
    constexpr int kNoise = 32 * 32;  // per-channel JPEG noise stays within about 20 at edges
    int best = rule_.other_ ? kNoise : INT_MAX;
    class_ = rule_.other_.value_or(MaskRule::kIgnored);
    for (const auto& [color, index] : rule_.colors_) {
      if (const int distance = SquaredDistance(color, rgb); distance < best) {
        best = distance;
        class_ = index;
        in_between_ = true;
      }
    }
  }

  const MaskRule& rule_;
  const bool lossy_;
  const std::string subject_;
  std::uint8_t class_ = MaskRule::kIgnored;
  bool in_between_ = false;
  bool has_black_ = false;
  std::uint32_t dark_ = 0;         // the last value that is neither skin nor black
  std::uint64_t dark_values_ = 0;  // number of changes of dark_; at least 2 if there is skin
};

ClassMap DecodeMask(std::string_view bytes, std::string_view subject, const MaskRule& rule,
                    const DecodeOptions& options) {
  DecodeOptions decode = options;
  decode.keep_grey = true;
  decode.keep_depth = true;
  decode.keep_colors = true;  // colours are labels of classes
  decode.scale = 1;
  std::string unscaled;
  if (rule.has_labels() && IsPnm(bytes)) bytes = unscaled = UnscaledPnm(bytes);
  return MaskReader(rule, IsJpeg(bytes), std::string(subject))
      .Read(DecodeImage(bytes, subject, decode));
}

ClassMap ReadMask(const std::filesystem::path& path, const MaskRule& rule,
                  const DecodeOptions& options) {
  return DecodeMask(ReadImageBytes(path, options), path.string(), rule, options);
}

}  // namespace skinmask
