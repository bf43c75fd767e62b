#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/nearest.h"
#include "base/parse.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/detector.h"

namespace skinmask {
namespace {

using Adapting = DetectorOptions::Adapt;
using Interval = std::pair<double, double>;

constexpr std::pair<Adapting, std::string_view> kAdaptings[] = {
    {Adapting::kAuto, "auto"}, {Adapting::kFaces, "faces"}, {Adapting::kOff, "off"}};

bool IsInterval(const Interval& interval) {
  return interval.first >= 0 && interval.first <= interval.second && interval.second <= 1;
}

std::string TextOfInterval(const Interval& interval) {
  return fmt::format("{},{}", interval.first, interval.second);
}
Interval IntervalFrom(const std::string& text) {
  const auto numbers = ParseNumbers<double>(text, ',');
  if (numbers && numbers->size() == 2 && IsInterval({(*numbers)[0], (*numbers)[1]}))
    return {(*numbers)[0], (*numbers)[1]};
  throw Error(fmt::format("`abstain` '{}'", text),
              "is not LOW,HIGH (two probabilities, the lower one first, as in 0.2,0.8)");
}

std::string TextOfRectangle(const cv::Rect& r) {
  return fmt::format("{},{},{},{}", r.x, r.y, r.width, r.height);
}
cv::Rect RectangleFrom(const std::string& text) {
  if (const auto rectangle = RectangleFromText(text)) return *rectangle;
  throw Error(fmt::format("`seed_rect` '{}'", text), "is not X,Y,WIDTH,HEIGHT in pixels");
}

constexpr std::pair<bool Drawing::*, std::string_view> kDrawings[] = {
    {&Drawing::faces, "faces"}, {&Drawing::ellipse, "ellipse"}};

std::string TextOfDrawing(const Drawing& drawing) {
  std::string text;
  for (const auto& [is_drawn, name] : kDrawings)
    if (drawing.*is_drawn) text.append(text.empty() ? "" : ",").append(name);
  return text;
}
Drawing DrawingFrom(const std::string& text) {
  Drawing drawing;
  for (std::size_t at = 0; at <= text.size();) {
    const std::string word = text.substr(at, text.find(',', at) - at);
    const auto found = std::ranges::find(kDrawings, word, [](const auto& d) { return d.second; });
    if (found == std::end(kDrawings))
      throw Error(fmt::format("`draw` '{}'", word), UnknownAmong(word, {"faces", "ellipse"}));
    drawing.*(found->first) = true;
    at += word.size() + 1;
  }
  return drawing;
}

}  // namespace

std::optional<cv::Rect> RectangleFromText(std::string_view text) {
  constexpr int kMaxSide = 1 << 24;  // sums of two stay whole numbers
  const auto n = ParseNumbers<int>(text, ',');
  const auto is_good = [](int i) { return i >= 0 && i <= kMaxSide; };
  if (!n || n->size() != 4 || !std::ranges::all_of(*n, is_good) || (*n)[2] == 0 || (*n)[3] == 0)
    return std::nullopt;
  return cv::Rect((*n)[0], (*n)[1], (*n)[2], (*n)[3]);
}

const OptionTable<DetectorOptions>& DetectorTable() {
  using O = DetectorOptions;
  static const OptionTable<O> table{
      Option("adapt", &O::adapt, kAdaptings)
          .Shown("adapt", "Adaptation", "auto|faces|off",
                 "Fit the model to the faces of each image, and divide an image without a face "
                 "where its own colours divide (auto) or by the global model (faces); off: the "
                 "global model alone, which is faster and much less accurate")
          .Insists([](O& options) { options.insist = true; }),
      Option("faces", &O::faces)
          .Shown("faces", "Adaptation", "FILE.onnx",
                 "Find faces by this network, YuNet of the OpenCV Zoo, instead of the built-in "
                 "detector")
          .Insists([](O& options) { options.insist |= !options.faces.empty(); }),
      Option("seed_mask", &O::seed_mask)
          .Shown("seed_mask", "Adaptation", "FILE",
                 "Fit to the skin that this mask marks (above 127), in every image"),
      Option("seed_rect", &O::seed_rect, TextOfRectangle, RectangleFrom)
          .Shown("seed_rect", "Adaptation", "X,Y,W,H",
                 "Fit to the skin in this rectangle, in every image"),
      {"adaptation.", &O::adaptation, AdaptTable()},
      Option("threshold", &O::threshold, 0, 1)
          .Shown("threshold", "Decision", "P",
                 "A pixel is skin when P(skin) is above this (default: the model's own)"),
      Option("prior", &O::prior, OptionRange{0, 1, true, true})
          .Shown("prior", "Decision", "P",
                 "Prior P(skin), more than 0 and less than 1 (default: the model's own)"),
      Option("class_costs", &O::class_costs, TextOfClassCosts, ClassCostsFrom)
          .Shown("class_costs", "Decision", "C,C:C,C",
                 "What calling one class another costs, where classes are written or counted, as "
                 "train has it (default: the model's own)"),
      Option("abstain", &O::abstain, TextOfInterval, IntervalFrom)
          .Shown("abstain", "Decision", "LOW,HIGH",
                 "Say 'I do not know' where P(skin) is above LOW and at most HIGH"),
      Option("outlier", &O::outlier, OptionRange{0, 1, true})
          .Shown("outlier", "Decision", "Q",
                 "Count as not known, too, the colours outside of the part of each class, and each "
                 "Gaussian, that holds the share Q of it (default: 0.999 with output uncertainty, "
                 "else all colours are known)"),
      Option("draw", &O::draw, TextOfDrawing, DrawingFrom)
          .Shown("draw", "Output", "faces|ellipse",
                 "Draw into overlays the boxes of faces, numbered, with the forehead and the "
                 "cheeks that are measured, or the ellipse of the mask with its axis; or both: "
                 "faces,ellipse"),
      Option("erode", &O::erode, 0, 100)
          .Shown("erode", "Output", "N",
                 "Measure colours only where all is skin that is at most N pixels away (default: "
                 "2)")
          .Aside()};
  return table;
}

void Validate(const DetectorOptions& options, const Model& model) {
  DetectorTable().Validate(options, "option");
  if (options.abstain && !IsInterval(*options.abstain))
    throw Error("`abstain`", fmt::format("{} are not two probabilities, the lower one first",
                                         TextOfInterval(*options.abstain)));
  if (options.outlier.value_or(1) < 1 && model.kind == Kind::kLogistic)
    throw Error("`outlier`", "a logistic model has no densities (a Gaussian or a histogram one)");
}

}  // namespace skinmask
