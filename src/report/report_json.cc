#include <fmt/format.h>

#include <cmath>

#include "pipeline/evaluate_json.h"
#include "pipeline/sha256.h"
#include "report/groups_json.h"
#include "report/resample.h"
#include "skinmask/base/logistic.h"
#include "skinmask/data/color.h"
#include "skinmask/detect/draw.h"
#include "skinmask/learn/decision.h"
#include "skinmask/learn/reliability.h"
#include "skinmask/report/bootstrap.h"
#include "skinmask/report/curves.h"
#include "skinmask/report/gallery.h"
#include "skinmask/report/planes.h"
#include "skinmask/report/report.h"

namespace skinmask {
namespace {

constexpr std::size_t kCurvePoints = 500, kSamplesPerClass = 300;
constexpr int kLogOddsBins = 60, kPlaneSize = 129;

Json IntervalsJson(const NamedIntervals& intervals) {
  Json json;
  for (const auto& [name, interval] : intervals)
    json[name] = interval ? Json{interval->low, interval->high} : Json();
  return json;
}

Json BootstrapJson(const EvaluationReport& report) {
  const BootstrapIntervals intervals = Bootstrap(report, kResamples, kSeed);
  return {{"method", "bootstrap over images, percentiles"},
          {"confidence", BootstrapIntervals::kConfidence},
          {"resamples", kResamples},
          {"seed", kSeed},
          {"pooled", IntervalsJson(intervals.pooled)},
          {"mean_per_image", IntervalsJson(intervals.mean_per_image)}};
}

std::optional<double> OneMinus(const std::optional<double>& value) {
  return value ? std::optional(1 - *value) : std::nullopt;
}

Json PointJson(const CurvePoint& point) {
  const Confusion& c = point.counts;
  return {{"threshold", Logistic(point.log_odds)},
          {"log_odds", std::isfinite(point.log_odds) ? Json(point.log_odds) : Json()},
          {"recall", OrNull(c.Recall())},
          {"false_positive_rate", OrNull(OneMinus(c.Specificity()))},
          {"false_negative_rate", OrNull(OneMinus(c.Recall()))},
          {"precision", OrNull(c.Precision())},
          {"error_rate", OrNull(OneMinus(c.Accuracy()))},
          {"f1", OrNull(c.F1())}};
}

// Curves by columns, which is a third of the text of points by name.
Json CurvesJson(const Scores& scores, const CurvePoint& operating_point) {
  const Curve curve = ThinnedCurve(scores, operating_point, kCurvePoints);
  Json json{{"steps", scores.steps.size()}, {"operating_point", curve.operating_point}};
  for (const CurvePoint& point : curve.points) {
    const Json values = PointJson(point);  // items() refers to it
    for (const auto& [name, value] : values.items()) json[name].push_back(value);
  }
  return json;
}

Json ReliabilityJson(const Scores& scores) {
  Json bins = Json::array();
  const Reliability reliability = ReliabilityOf(scores);
  for (const ReliabilityBin& bin : reliability.bins)
    bins.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"count", bin.count},
                    {"positive", bin.positive},
                    {"mean_probability", OrNull(bin.MeanProbability())},
                    {"positive_share", OrNull(bin.PositiveShare())}});
  return {{"ece", OrNull(reliability.Ece())}, {"bins", bins}};
}

Json LogOddsJson(const Scores& scores) {
  const LogOddsHistogram histogram = LogOddsHistogramOf(scores, kLogOddsBins);
  const auto shares = [](const std::vector<std::uint64_t>& counts, std::uint64_t total) {
    Json json = Json::array();
    for (const std::uint64_t count : counts)
      json.push_back(total > 0 ? static_cast<double>(count) / static_cast<double>(total) : 0.);
    return json;
  };
  return {{"low", histogram.low},
          {"width", histogram.width},
          {"positive", histogram.positive},
          {"negative", histogram.negative},
          {"positive_share", shares(histogram.positive, scores.Total(true))},
          {"negative_share", shares(histogram.negative, scores.Total(false))}};
}

// Coordinates for plots: a thousandth of a channel's step is enough of them.
double Rounded(double value) { return std::round(value * 1e4) / 1e4; }

// Features of a few of the evaluated pixels, evenly over those that were kept.
Json SamplesJson(const EvaluationReport& report, const Features& features, bool positive) {
  std::vector<std::array<std::uint8_t, 3>> colours;
  for (const DrawnPixel& pixel : report.drawn)
    if (pixel.positive == positive) colours.push_back(pixel.bgr);
  Json json = Json::array();
  const std::size_t shown = std::min(colours.size(), kSamplesPerClass);
  for (std::size_t i = 0; i < shown; ++i) {
    std::array<std::int32_t, 3> carrier;
    CarrierRow(features.space(), colours[i * colours.size() / shown].data(), 1, carrier.data());
    const Eigen::Vector3d c(carrier[0], carrier[1], carrier[2]);
    const FeatureVector f = features.Matrix() * c + features.Offset();
    Json point = Json::array();
    for (int k = 0; k < f.size(); ++k) point.push_back(Rounded(f(k)));
    json.push_back(point);
  }
  return json;
}

Json GaussianJson(const Gaussian& gaussian) {
  Json json{{"weight", gaussian.weight}};
  for (int i = 0; i < gaussian.mean.size(); ++i) {
    json["mean"].push_back(gaussian.mean(i));
    for (int j = 0; j < gaussian.covariance.cols(); ++j)
      json["covariance"][static_cast<std::size_t>(i)].push_back(gaussian.covariance(i, j));
  }
  return json;
}

Json ClassesJson(const Model& model) {
  Json classes = Json::array();
  const std::string rgb = ClassPalette(model.classes.size());
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(rgb[i]) & 255; };
  for (std::size_t k = 0; k < model.classes.size(); ++k) {
    const ClassModel& c = model.classes[k];
    Json json{{"name", c.name},
              {"colour",
               fmt::format("#{:02x}{:02x}{:02x}", byte(3 * k), byte(3 * k + 1), byte(3 * k + 2))},
              {"gaussians", Json::array()}};
    for (const Gaussian& gaussian : c.gaussians())
      json["gaussians"].push_back(GaussianJson(gaussian));
    classes.push_back(json);
  }
  return classes;
}

Json SegmentsJson(const std::vector<Polyline>& lines) {
  Json json = Json::array();
  for (const Polyline& line : lines)
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      json.push_back({Rounded(line[i][0]), Rounded(line[i][1]), Rounded(line[i + 1][0]),
                      Rounded(line[i + 1][1])});
  return json;
}

// The likeliest class along each row as runs, '12:- 40:0 77:1'.
Json RegionsJson(const Plane& plane) {
  Json json = Json::array();
  for (int row = 0; row < plane.rows(); ++row) {
    std::string runs;
    const auto at = [&](int column) {
      return plane.ClassAt(static_cast<std::size_t>(row * plane.size + column));
    };
    for (int column = 0, next = 0; column < plane.size; column = next) {
      while (next < plane.size && at(next) == at(column)) ++next;
      const std::string of = at(column) == Plane::kNoColour ? "-" : std::to_string(at(column));
      runs += fmt::format("{}{}:{}", column == 0 ? "" : " ", next - column, of);
    }
    json.push_back(runs);
  }
  return json;
}

Json PlaneJson(const Model& model, const Plane& plane, const std::vector<Axis>& axes) {
  const auto name = [&](int feature) { return axes[static_cast<std::size_t>(feature)].name; };
  Json json{{"x", plane.x}, {"y", plane.y ? Json(*plane.y) : Json()}, {"held", nullptr}};
  if (plane.held)
    json["held"] = {{"channel", name(plane.held->first)}, {"value", plane.held->second}};
  for (std::size_t i = 0; !plane.y && i < plane.log_odds.size(); ++i) {
    const double z = plane.log_odds[i];
    json["probability"].push_back(std::isnan(z) ? Json() : Json(Logistic(z)));
  }
  const std::vector<double> densities = DensitiesOf(model, plane);
  for (std::size_t i = 0; i < densities.size(); ++i)
    json["densities"][i % plane.class_count].push_back(densities[i]);
  json["size"] = plane.size;
  json["regions"] = RegionsJson(plane);
  json["boundary"] = SegmentsJson(BoundaryOf(plane, axes, Logit(model.decision.threshold)));
  json["borders"] = Json::array();
  for (const Border& border : BordersOf(plane, axes))
    json["borders"].push_back(
        {{"classes", {border.first, border.second}}, {"segments", SegmentsJson(border.lines)}});
  return json;
}

Json BoundaryJson(const EvaluationReport& report, const Model& model) {
  const std::vector<Axis> axes = AxesOf(model);
  Json json{{"channels", Json::array()}, {"classes", ClassesJson(model)}};
  for (const Axis& axis : axes)
    json["channels"].push_back(
        {{"name", axis.name}, {"unit", axis.unit}, {"low", axis.low}, {"high", axis.high}});
  json["samples"] = {{"positive", SamplesJson(report, model.features, true)},
                     {"negative", SamplesJson(report, model.features, false)}};
  json["planes"] = Json::array();
  for (const Plane& plane : PlanesOf(model, kPlaneSize))
    json["planes"].push_back(PlaneJson(model, plane, axes));
  return json;
}

Json GalleryJson(const EvaluationReport& report) {
  const GalleryChoice choice = ChooseGallery(report);
  return {{"worst", choice.worst}, {"best", choice.best}};
}

// What the card says of the model, and the digest of what it was trained on.
Json CardJson(const Card& card) {
  Json notes = Json::object();
  for (const auto& [name, text] : card.notes) notes[name] = text;
  return {{"sha256", card.sha256}, {"notes", notes}};
}

// Columns, as the curves.
Json SelectiveJson(const EvaluationReport& report, double threshold) {
  constexpr std::size_t kPoints = 101;
  const SelectiveCurve curve = SelectiveCurveOf(*report.scores, threshold, kPoints);
  Json json{{"area", curve.area}, {"coverage", Json::array()}, {"risk", Json::array()}};
  for (const SelectivePoint& point : curve.points) {
    json["coverage"].push_back(point.coverage);
    json["risk"].push_back(point.risk);
  }
  if (const auto answered = AnsweredOf(report))
    json["abstain"] = {{"low", report.abstain->first},
                       {"high", report.abstain->second},
                       {"coverage", answered->coverage},
                       {"risk", answered->risk}};
  return json;
}

void AddScores(Json& root, const EvaluationReport& report, const CurvePoint& operating_point) {
  const Scores& scores = *report.scores;
  root["operating_point"] = PointJson(operating_point);
  root["best_f1"] = nullptr;
  if (const auto best = Choose(scores, {DecisionRule::Kind::kMaxF1}))
    root["best_f1"] = PointJson({best->log_odds, best->counts});
  root["curves"] = CurvesJson(scores, operating_point);
  root["reliability"] = ReliabilityJson(scores);
  root["log_odds"] = LogOddsJson(scores);
  root["selective"] = SelectiveJson(report, operating_point.log_odds);
}

}  // namespace

std::string FullReportToJson(const EvaluationReport& report, const Model* model) {
  Json root = ReportJson(report);
  root["positive"] = report.positive;
  root["pixels"] = report.pooled.counts.Total();
  root["intervals"] = BootstrapJson(report);
  root["gallery"] = GalleryJson(report);
  if (!report.groupings.empty()) root["groups"] = GroupsJson(report);
  if (model) {
    root["model"] = {{"kind", KindName(model->kind)},
                     {"space", model->features.space().name},
                     {"channels", model->features.channel_names()},
                     {"threshold", model->decision.threshold},
                     {"rule", model->decision.rule},
                     {"digest", Sha256(ModelToJson(*model))},
                     {"card", CardJson(model->card)}};
    if (report.scores)
      AddScores(root, report, {Logit(model->decision.threshold), report.pooled.counts});
    root["boundary"] = BoundaryJson(report, *model);
  }
  return JsonText(root, 1) + "\n";
}

}  // namespace skinmask
