// The kinds of what is made of a picture: one table, which all that offer them read.
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

// In the order of the table. C and others have the numbers: new ones come last.
enum class Output { kMask, kProbability, kOverlay, kCutout, kClasses, kUncertainty, kHeatmap };

// The form in which one is wanted.
struct OutputForm {
  int bits = 8;             // of probabilities: 8, 16, or 32 for floats
  bool transparent = true;  // the alpha of a picture, if it has some; else it is on black
  // Pixels over which cut-outs pass from picture to transparency; absent: by the picture's size.
  std::optional<int> feather{};
  bool indexed = true;  // classes are indices; else pictures in the colours of their palette
};

struct OutputKind {
  Output output;
  std::string_view name;                  // "mask"
  std::string_view suffix, video_suffix;  // of its files: ".png", ".mkv"
  std::string_view note;                  // what the help says of a file of it, behind its name
  std::string_view meaning;               // of its pixels, in one line
  // CV_8UC1 and the like; of probabilities that of 8 bits.
  int type;
  bool of_probability = false;  // made of Judgement::Probability
  bool of_unknown = false;      // shows, or may show, what DetectorOptions::abstain says
  bool of_model_alone = false;  // knows no adaptation
  bool has_palette = false;     // indices in ClassPalette
  // Its videos are for people to look at: they have the input's sound.
  bool is_watched = false;
  // It is the photograph, drawn on: its files have the photograph's colours and resolution.
  bool is_photograph = false;
  // Its pictures are levels that programs read: their files are PNG, which changes none.
  bool is_exact = false;
  // Its videos are by the encoder that was chosen; else they are H.264 beside any that are.
  bool takes_codec = true;
  // `memory` is used where it fits.
  cv::Mat (*draw)(Judgement& judgement, const OutputForm& form, const cv::Mat& memory) = nullptr;
};

std::span<const OutputKind> OutputKinds();
const OutputKind& KindOf(Output output);  // throws Error for a number that is none
// By its name; throws Error.
Output OutputFromName(std::string_view name);
std::vector<std::string_view> OutputNames();
// Of those alone of which this is true: OutputNames(&OutputKind::is_watched).
template <class IsSuch>
[[gnu::visibility("hidden")]] std::vector<std::string_view> OutputNames(IsSuch is_such) {
  std::vector<std::string_view> names;
  for (const OutputKind& kind : OutputKinds())
    if (std::invoke(is_such, kind)) names.push_back(kind.name);
  return names;
}
// For the help: 'mask (b.png, 0 and 255), ...; of videos b.mkv, ...'.
std::string OutputHelp();

// CV_8UC1 and the like.
int TypeOf(Output output, const OutputForm& form = {});
// Of a judgement. The result is in `memory` where that is of the picture's size and the output's
// type, and can be.
cv::Mat Draw(Output output, Judgement& judgement, const OutputForm& form = {},
             const cv::Mat& memory = {});

// What users choose of files of pictures.
struct OutputStyle {
  enum class Format { kPng, kJpeg, kWebp };
  Format format = Format::kPng;  // of outputs that are not exact
  std::optional<int> feather{};  // OutputForm::feather
  // 1 to 100, the best, of JPEG and WebP, and of videos that lose something; absent: kUsualQuality.
  std::optional<int> quality{};
};
inline constexpr int kUsualQuality = 90;
const OptionTable<OutputStyle>& StyleTable();
// The format that a file's name asks for, by .png, .jpg, .jpeg or .webp; absent for all others.
std::optional<OutputStyle::Format> FormatOfName(std::string_view name);
// Throws Error for a format that none of these outputs, or one of them, cannot have. `bits` are
// those of probabilities.
void RequireFormat(const OutputStyle& style, const std::vector<Output>& outputs, int bits = 8);
// Throws Error for a feather where none of these outputs is a cut-out.
void RequireFeathered(const OutputStyle& style, const std::vector<Output>& outputs);
// What files of pictures end in: ".overlay.jpg".
std::string_view SuffixOf(Output output, OutputStyle::Format format);
// The bytes of a file of an output in a form with transparency and indices. What is drawn on the
// photograph has its `tags`.
std::string EncodeOutput(Output output, const cv::Mat& drawn, std::size_t class_count,
                         const OutputStyle& style = {}, const PictureTags& tags = {});

// Whether any of them is such a one: Any(outputs, &OutputKind::is_watched).
bool Any(const std::vector<Output>& outputs, bool OutputKind::*is_such);

// Throws Error for options, as a user asked for them, that would change none of these outputs: what
// is not known where neither masks nor maps of it are among them, and adaptation where classes are.
void RequireShown(const DetectorOptions& asked, const std::vector<Output>& outputs);
// The options by which outputs that stand together say the same: beside classes nothing is adapted,
// and masks that abstain leave out the colours that a map of the unknown beside them does.
DetectorOptions OptionsTogether(DetectorOptions options, const std::vector<Output>& outputs,
                                const Model& model);

// Whether its videos are by the encoder that was chosen, where it stands among these outputs.
bool TakesCodec(Output output, const std::vector<Output>& outputs);
// Of what is watched, by one of FFmpeg's encoders: ".mp4" for H.264, H.265, AV1 and MPEG-4, else as
// below.
std::string_view WatchedExtension(std::string_view codec);
// Of a video with transparency by one of FFmpeg's encoders: ".webm" for VP8 and VP9, ".mov" for
// ProRes, ".mkv" for all others.
std::string_view TransparentExtension(std::string_view codec);

}  // namespace skinmask
