// The outputs that can be made from a picture: one table, which all interfaces read.
#pragma once

#include <functional>
#include <opencv2/core.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skinmask/base/options.h"
#include "skinmask/detect/judgement.h"
#include "skinmask/media/image.h"

namespace [[gnu::visibility("default")]] skinmask {

struct DetectorOptions;
struct Model;

// In the order of the table. New outputs come last, because C and others use the numbers.
enum class Output { kMask, kProbability, kOverlay, kCutout, kClasses, kUncertainty, kHeatmap };

// The form of an output.
struct OutputForm {
  int bits = 8;             // of probabilities: 8, 16, or 32 for floats
  bool transparent = true;  // keep the alpha of cut-outs; else they are on black
  // Pixels over which cut-outs become transparent; absent: by the picture's size.
  std::optional<int> feather{};
  bool indexed = true;  // classes as indices; else as colours of the palette
};

struct OutputKind {
  Output output;
  std::string_view name;                  // "mask"
  std::string_view suffix, video_suffix;  // of its files: ".png", ".mkv"
  std::string_view note;                  // follows its file's name in the help
  std::string_view meaning;               // the meaning of its pixels, in one line
  // OpenCV's type, as CV_8UC1; of probabilities that of 8 bits.
  int type;
  bool of_probability = false;  // made from Judgement::Probability
  bool of_unknown = false;      // depends on DetectorOptions::abstain
  bool of_model_alone = false;  // is never adapted
  bool has_palette = false;     // its pixels are indices in ClassPalette
  // Its videos are for people to watch, and have the input's sound.
  bool is_watched = false;
  // It is drawn on the photograph: its files have the photograph's colour profile and resolution.
  bool is_photograph = false;
  // Its pixels are levels that programs read: its files are PNG, which changes no pixel.
  bool is_exact = false;
  // Its videos are made by the chosen encoder; otherwise by H.264, if an output that takes the
  // encoder stands beside it.
  bool takes_codec = true;
  // `memory` is used if it fits.
  cv::Mat (*draw)(Judgement& judgement, const OutputForm& form, const cv::Mat& memory) = nullptr;
};

std::span<const OutputKind> OutputKinds();
const OutputKind& KindOf(Output output);  // throws Error for an unknown number
// Throws Error for an unknown name.
Output OutputFromName(std::string_view name);
std::vector<std::string_view> OutputNames();
// The names of those outputs for which this is true: OutputNames(&OutputKind::is_watched).
template <class IsSuch>
[[gnu::visibility("hidden")]] std::vector<std::string_view> OutputNames(IsSuch is_such) {
  std::vector<std::string_view> names;
  for (const OutputKind& kind : OutputKinds())
    if (std::invoke(is_such, kind)) names.push_back(kind.name);
  return names;
}
// For the help: 'mask (b.png, 0 and 255), ...; of videos b.mkv, ...'.
std::string OutputHelp();

// OpenCV's type of an output in this form, as CV_8UC1.
int TypeOf(Output output, const OutputForm& form = {});
// Makes an output of a judgement. The result is in `memory` if that has the picture's size and the
// output's type, and the output allows it.
cv::Mat Draw(Output output, Judgement& judgement, const OutputForm& form = {},
             const cv::Mat& memory = {});

// The user's choices for files of pictures.
struct OutputStyle {
  enum class Format { kPng, kJpeg, kWebp };
  Format format = Format::kPng;  // of outputs that are not exact
  std::optional<int> feather{};  // OutputForm::feather
  // The quality of JPEG, WebP and lossy videos, 1 to 100 (best); absent: kUsualQuality.
  std::optional<int> quality{};
};
inline constexpr int kUsualQuality = 90;
const OptionTable<OutputStyle>& StyleTable();
// The format of a file name's extension .png, .jpg, .jpeg or .webp; absent for all others.
std::optional<OutputStyle::Format> FormatOfName(std::string_view name);
// Throws Error for a format that changes nothing because all of these outputs stay PNG, and for one
// that an output cannot have. `bits` are those of probabilities.
void RequireFormat(const OutputStyle& style, const std::vector<Output>& outputs, int bits = 8);
// The suffix of files of an output in a format: ".overlay.jpg".
std::string_view SuffixOf(Output output, OutputStyle::Format format);
// The bytes of the file of an output that was drawn with transparency and indices. Outputs that are
// drawn on the photograph get its `tags`.
std::string EncodeOutput(Output output, const cv::Mat& drawn, std::size_t class_count,
                         const OutputStyle& style = {}, const PictureTags& tags = {});

// Whether any of the outputs has this property: Any(outputs, &OutputKind::is_watched).
bool Any(const std::vector<Output>& outputs, bool OutputKind::*is_such);

// Whether an option of this name changes this kind of output. Options that are not of some kinds
// alone, as those of adaptation, change all.
bool Changes(std::string_view option, const OutputKind& kind);
// Throws Error if it changes none of these outputs.
void RequireChanged(std::string_view option, const std::vector<Output>& outputs);
// Throws Error for an option that the user set but that changes none of these outputs: abstaining
// and outliers without a mask or a map of uncertainty, class costs without classes, drawing without
// an overlay, and adaptation beside classes.
void RequireShown(const DetectorOptions& asked, const std::vector<Output>& outputs);
// The options that make outputs of one run consistent: with classes among them nothing is adapted,
// and masks that abstain leave out the same colours as the map of uncertainty beside them.
DetectorOptions OptionsTogether(DetectorOptions options, const std::vector<Output>& outputs,
                                const Model& model);
// The `outlier` that its absence is equivalent to, where maps of uncertainty and no masks that
// abstain are among the outputs. Absent for all others: alone, such masks have another default than
// beside these maps.
std::optional<double> UsualOutlier(const DetectorOptions& options,
                                   const std::vector<Output>& outputs);

// Whether the output's videos are made by the chosen encoder if it is one of these outputs.
bool TakesCodec(Output output, const std::vector<Output>& outputs);
// The extension of videos that are watched, by the name of FFmpeg's encoder: ".mp4" for H.264,
// H.265, AV1 and MPEG-4, else as TransparentExtension.
std::string_view WatchedExtension(std::string_view codec);
// The extension of videos with transparency, by the name of FFmpeg's encoder: ".webm" for VP8 and
// VP9, ".mov" for ProRes and QuickTime Animation, ".mkv" for all others.
std::string_view TransparentExtension(std::string_view codec);

}  // namespace skinmask
