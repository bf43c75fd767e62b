// Writes outputs as files of pictures.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/nearest.h"
#include "base/parse.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/draw.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/media/image.h"

namespace skinmask {
namespace {

using Format = OutputStyle::Format;

constexpr std::pair<Format, std::string_view> kFormats[] = {
    {Format::kPng, "png"}, {Format::kJpeg, "jpeg"}, {Format::kWebp, "webp"}};
constexpr std::string_view kExtensions[] = {".png", ".jpg", ".webp"};  // in the order of Format

// JPEG has no transparency.
bool FitsJpeg(const OutputKind& kind) { return !kind.is_exact && kind.type != CV_8UC4; }
bool FitsWebpAlone(const OutputKind& kind) { return !kind.is_exact && !FitsJpeg(kind); }

}  // namespace

const OptionTable<OutputStyle>& StyleTable() {
  using S = OutputStyle;
  static const std::string of_format = fmt::format(
      "Format of {}, and unless it is jpeg of {}; {} are always PNG, which is exact",
      fmt::join(OutputNames(FitsJpeg), ", "), fmt::join(OutputNames(FitsWebpAlone), ", "),
      fmt::join(OutputNames(&OutputKind::is_exact), ", "));
  static const OptionTable<S> table{
      Option("format", &S::format, kFormats).Shown("format", "Output", "png|jpeg|webp", of_format),
      Option("feather", &S::feather, 0, 100)
          .Shown(
              "feather", "Output", "PIXELS",
              "Width over which cut-outs become transparent around the border of the skin, by "
              "P(skin); 0: not at all (default: 1 for each 300 of the shorter side, at least 2)"),
      Option("quality", &S::quality, 1, 100)
          .Shown("quality", "Output", "N",
                 "Of JPEG and WebP, and of videos that lose something, 1 to 100, the best")
          .Usually(fmt::format("{}", kUsualQuality))};
  return table;
}

std::optional<Format> FormatOfName(std::string_view name) {
  const std::string extension = LowerCase(name.substr(std::min(name.size(), name.rfind('.'))));
  if (extension == ".jpeg") return Format::kJpeg;
  const auto found = std::ranges::find(kExtensions, extension);
  if (found == std::end(kExtensions)) return std::nullopt;
  return kFormats[found - std::begin(kExtensions)].first;
}

void RequireFormat(const OutputStyle& style, const std::vector<Output>& outputs, int bits) {
  if (style.format == Format::kPng) return;
  const std::string subject = fmt::format("`format` '{}'", NameIn(kFormats, style.format));
  if (std::ranges::all_of(outputs, [](Output output) { return KindOf(output).is_exact; }))
    throw Error(subject,
                fmt::format("would change the pixels of {} (png, or `output` {}, {})",
                            KindOf(outputs.front()).name, fmt::join(OutputNames(FitsJpeg), ", "),
                            fmt::join(OutputNames(FitsWebpAlone), ", ")));
  for (const Output output : outputs)
    if (style.format == Format::kJpeg && FitsWebpAlone(KindOf(output)))
      throw Error(subject, fmt::format("has no transparency, which {} needs (png or webp)",
                                       KindOf(output).name));
  if (bits != 8) throw Error(subject, "holds probabilities of 8 bits alone (png)");
}

std::string_view SuffixOf(Output output, Format format) {
  static const auto suffixes = [] {
    std::vector<std::array<std::string, std::size(kFormats)>> made;
    for (const OutputKind& kind : OutputKinds()) {
      const std::string_view stem = kind.suffix.substr(0, kind.suffix.rfind('.'));
      auto& row = made.emplace_back();
      for (std::size_t i = 0; i < row.size(); ++i)
        row[i] = std::string(stem).append(kExtensions[kind.is_exact ? 0 : i]);
    }
    return made;
  }();
  return suffixes[static_cast<std::size_t>(output)][static_cast<std::size_t>(format)];
}

std::string EncodeOutput(Output output, const cv::Mat& drawn, std::size_t class_count,
                         const OutputStyle& style, const PictureTags& tags) {
  const OutputKind& kind = KindOf(output);
  if (kind.is_photograph && !(tags.icc.empty() && tags.dpi_x == 0))
    return WithTags(EncodeOutput(output, drawn, class_count, style), tags, drawn.size());
  if (kind.has_palette) return EncodePalettePng(drawn, ClassPalette(class_count));
  if (kind.is_exact || style.format == Format::kPng) return EncodePng(drawn);
  const int quality = style.quality.value_or(kUsualQuality);
  return style.format == Format::kJpeg ? EncodeJpeg(drawn, quality) : EncodeWebP(drawn, quality);
}

}  // namespace skinmask
