#include "skinmask/report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/parse.h"
#include "media/late_module.h"
#include "report/canvas.h"
#include "report/chart.h"
#include "report/model_plot.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/report/planes.h"

namespace skinmask {
namespace {

constexpr double kSide = 400, kStripWidth = 620, kMargin = 16, kTitleHeight = 34;
constexpr std::size_t kMaxNamed = 24;  // classes in the legend
constexpr std::size_t kMaxInARow = 3;
constexpr Font kTitleFont{15, true};
constexpr Pen kEmpty{kRule, 1.5};

// The model with its classes in the order of the first model's, so that they have its colours.
Model Ordered(const Model& model, const Model& first) {
  const auto named = [](const Model& m) {
    return fmt::format("{} ({})", m.features.space().name,
                       fmt::join(m.features.channel_names(), ", "));
  };
  if (named(model) != named(first))
    throw Error("picture", fmt::format("models see {} and {} (the same axes need the same)",
                                       named(first), named(model)));
  Model ordered = model;
  ordered.classes.clear();
  ordered.shrinkage.clear();
  for (const ClassModel& wanted : first.classes) {
    const auto c = std::ranges::find(model.classes, wanted.name, &ClassModel::name);
    if (c != model.classes.end()) ordered.classes.push_back(*c);
  }
  if (ordered.classes.size() != model.classes.size() ||
      model.classes.size() != first.classes.size() ||
      model.positive().name != first.positive().name)
    throw Error("picture", "models have other classes, or find other ones");
  return ordered;
}

// The values at which the planes of all models are cut.
struct Cut {
  HeldValues at;
  std::array<std::string, 3> why;
};

std::size_t PlaceOf(const std::string& channel, const std::vector<std::string>& names) {
  return static_cast<std::size_t>(std::ranges::find(names, LowerCase(channel), LowerCase) -
                                  names.begin());
}

// The mean of the positive class's pixels, if there are any.
std::optional<double> PositiveMean(const std::vector<SamplePoint>& points, std::size_t feature) {
  double sum = 0, pixels = 0;
  for (const SamplePoint& point : points)
    if (point.of_class == 0) {
      sum += point.count * point.features[feature];
      pixels += point.count;
    }
  return pixels > 0 ? std::optional(sum / pixels) : std::nullopt;
}

// At the positive class's mean, by the first model that has one, or else by its samples.
Cut CutOf(std::span<const Model> models, const std::vector<SamplePoint>& points,
          const PictureOptions& options) {
  Cut cut;
  const std::vector<std::string> names = models[0].features.channel_names();
  const auto with_means =
      std::ranges::find_if(models, [](const Model& m) { return PositiveMean(m, 0).has_value(); });
  for (std::size_t i = 0; i < names.size(); ++i) {
    cut.at[i] = with_means == models.end() ? PositiveMean(points, i)
                                           : PositiveMean(*with_means, static_cast<int>(i));
    if (cut.at[i]) cut.why[i] = models[0].positive().name + "'s mean";
  }
  for (const auto& [channel, value] : options.at) {
    const std::size_t i = PlaceOf(channel, names);
    cut.at[i] = value;
    cut.why[i].clear();
  }
  return cut;
}

void AddLines(Legend& legend, const std::vector<Subject>& subjects) {
  legend.push_back({"two classes are as likely", kBorder});
  const Model& model = subjects[0].model;
  const double level = subjects[0].level;
  const bool one =
      std::ranges::all_of(subjects, [&](const Subject& s) { return s.level == level; });
  if (!one)
    legend.push_back(
        {fmt::format("P({}) = the model's threshold", model.positive().name), kThreshold});
  else if (std::isfinite(level))
    legend.push_back({fmt::format("P({}) = {:.3g}, the threshold", model.positive().name,
                                  model.decision.threshold),
                      kThreshold});
}

bool HasNoColours(const Plane& plane) {
  return std::ranges::any_of(plane.log_odds, [](double z) { return std::isnan(z); });
}

// `pixels` is the number of pixels that the points were chosen from.
Legend LegendOf(const std::vector<Subject>& subjects, const PictureOptions& options,
                double pixels) {
  const Model& model = subjects[0].model;
  const bool planes = subjects[0].planes[0].y.has_value();
  const char* const projected = subjects[0].axes.size() == 3 ? ", projected" : "";
  Legend legend;
  const std::size_t named = std::min(kMaxNamed, model.classes.size());
  for (std::size_t k = 0; k < named; ++k)
    legend.push_back({model.classes[k].name, Pen{InkOf(k), 1.5}, InkOf(k, kTintOpacity)});
  if (named < model.classes.size())
    legend.push_back(
        {fmt::format("and {} classes more", model.classes.size() - named), kEmpty, kWhite});
  if (planes && std::ranges::any_of(subjects[0].planes, HasNoColours))
    legend.push_back({"no colour is there", kEmpty, kWhite});
  AddLines(legend, subjects);
  const bool gaussians = std::ranges::any_of(
      subjects, [](const Subject& s) { return !s.model.positive().gaussians().empty(); });
  if (planes && gaussians)
    legend.push_back({fmt::format("mean, and the ellipse of 95 %{}", projected), Pen{kFaint, 1.6}});
  if (options.samples && planes)
    legend.push_back({fmt::format("points: {} of {:.0f} pixels{}", subjects[0].points.size(),
                                  pixels, projected)});
  if (options.samples && !planes) legend.push_back({"bars: the pixels"});
  return legend;
}

// Draws all plots, and returns their lower right end.
Spot DrawPlots(Canvas& canvas, const std::vector<Subject>& subjects) {
  const bool single = subjects[0].planes.size() == 1;
  double top = 0;
  for (const Subject& subject : subjects)
    if (!subject.planes[0].y) top = std::max(top, 1.05 * HighestOf(subject));
  Spot at{kMargin, kMargin + kTitleHeight}, end{};
  std::size_t in_row = 0;
  for (const Subject& subject : subjects) {
    if (single ? in_row == kMaxInARow : in_row > 0) {
      at = {kMargin, end.y};
      in_row = 0;
    }
    for (const Plane& plane : subject.planes) {
      const double width = plane.y || subjects.size() > 1 ? kSide : kStripWidth;
      const Box plot{at.x + Chart::kLeft, at.y + Chart::kAbove, width, kSide};
      plane.y ? DrawPlane(canvas, subject, plane, plot)
              : DrawChannel(canvas, subject, plane, plot, top);
      at.x = plot.right() + Chart::kRight;
      end = {std::max(end.x, at.x), plot.bottom() + Chart::kBelow + 8};
      ++in_row;
    }
  }
  return end;
}

std::string TitleOf(const std::vector<Subject>& subjects) {
  const Model& model = subjects[0].model;
  return fmt::format("Likeliest class {}in {} ({})",
                     subjects.size() > 1 ? "" : fmt::format("by {} ", KindName(model.kind)),
                     model.features.space().name, fmt::join(model.features.channel_names(), ", "));
}

}  // namespace

std::unique_ptr<Canvas> NewCanvas() {
  static auto* const make =
      FindInModule<decltype(skinmask_new_canvas)>("skinmask-cairo.so", "skinmask_new_canvas");
  std::unique_ptr<Canvas> canvas;
  make(canvas);
  return canvas;
}

void RequireHeld(const Model& model, const PictureOptions& options) {
  const std::vector<std::string> names = model.features.channel_names();
  if (options.marginal && names.size() != 3)
    throw Error("picture", fmt::format("a model of {} channel{} has none to integrate out (of 3)",
                                       names.size(), names.size() == 1 ? "" : "s"));
  const auto [low, high] = model.features.Range();
  std::set<std::size_t> held;
  for (const auto& [channel, value] : options.at) {
    const std::string subject = fmt::format("channel '{}'", channel);
    const std::size_t i = PlaceOf(channel, names);
    if (i == names.size() || names.size() != 3)
      throw Error(subject,
                  fmt::format("cannot be held (one of three that the model has; it has {})",
                              fmt::join(names, ", ")));
    if (!held.insert(i).second) throw Error(subject, "is held twice (one value for it)");
    const auto axis = static_cast<int>(i);
    if (!(value >= low(axis) && value <= high(axis)))
      throw Error(subject,
                  fmt::format("is never {:g} ({:g} to {:g})", value, low(axis), high(axis)));
  }
}

std::string DrawModels(std::span<const Model> given, PictureFormat format,
                       const PictureOptions& options) {
  if (given.empty()) throw Error("picture", "has no model to draw (one or more)");
  for (const Model& model : given) Validate(model, "model");
  if (given.size() > 1 && options.names.size() != given.size())
    throw Error("picture", fmt::format("has {} names of {} models (one of each)",
                                       options.names.size(), given.size()));
  const bool marginal = options.marginal;
  RequireHeld(given[0], options);
  std::vector<Model> models;
  for (const Model& model : given) models.push_back(Ordered(model, given[0]));
  const std::vector<Axis> axes = AxesOf(models);
  std::vector<SamplePoint> points;
  if (options.samples) points = PointsOf(*options.samples, models[0]);
  const Cut cut = CutOf(models, points, options);
  double pixels = 0;
  for (const SamplePoint& point : points) pixels += point.count;
  if (axes.size() > 1) points = Thinned(points);
  std::vector<Subject> subjects;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const Model& model = models[i];
    const std::string name = models.size() > 1 ? options.names.at(i) : "";
    // A coarser grid with many classes, because it holds a number for each class.
    const int size = model.classes.size() > 16 ? 97 : 385;
    subjects.push_back(
        {model, name.empty() ? "" : name + ": ", axes,
         marginal ? MarginalPlanesOf(model, axes, size) : PlanesOf(model, axes, size, cut.at),
         Logit(model.decision.threshold), cut.why, points});
  }
  const std::unique_ptr<Canvas> canvas = NewCanvas();
  const std::string title = TitleOf(subjects);
  canvas->Write({title, {kMargin, kMargin + 15}, kTitleFont}, kDark);
  const Spot end = DrawPlots(*canvas, subjects);
  const Legend legend = LegendOf(subjects, options, pixels);
  const double width =
      std::max({end.x - kMargin, canvas->WidthOf(title, kTitleFont), WidestEntry(legend, *canvas)});
  const double height = DrawLegend(legend, *canvas, {kMargin, end.y}, width);
  return FileOf(*canvas, width + 2 * kMargin, end.y + height + kMargin, format);
}

}  // namespace skinmask
