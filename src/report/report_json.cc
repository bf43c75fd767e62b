#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "model/gaussian_json.h"
#include "pipeline/bytes_as_text.h"
#include "pipeline/results_json.h"
#include "skinmask/base/logistic.h"
#include "skinmask/data/color.h"
#include "skinmask/detect/draw.h"
#include "skinmask/learn/decision.h"
#include "skinmask/learn/reliability.h"
#include "skinmask/report/curves.h"
#include "skinmask/report/gallery.h"
#include "skinmask/report/groups.h"
#include "skinmask/report/intervals.h"
#include "skinmask/report/planes.h"
#include "skinmask/report/report.h"

namespace skinmask {
namespace {

constexpr std::size_t kCurvePoints = 500;
constexpr int kLogOddsBins = 60;
constexpr std::size_t kSamplesPerClass = 300;
constexpr int kPlaneSize = 129;

Json PairOf(const std::optional<Interval>& interval) {
  return interval ? Json{interval->low, interval->high} : Json();
}

Json IntervalsJson(const NamedIntervals& intervals) {
  Json json;
  for (const auto& [name, interval] : intervals) json[name] = PairOf(interval);
  return json;
}

// The jackknife draws no resamples; `resamples` and `seed` stay for readers of the format. `of`
// says what the intervals are computed of.
Json IntervalsJson(const ReportIntervals& intervals, std::string_view of) {
  return {{"method", fmt::format("jackknife over images, {}, Student's t", of)},
          {"confidence", ReportIntervals::kConfidence},
          {"resamples", 0},
          {"seed", 0},
          {"pooled", IntervalsJson(intervals.pooled)},
          {"mean_per_image", IntervalsJson(intervals.mean_per_image)}};
}

std::optional<double> OneMinus(const std::optional<double>& value) {
  return value ? std::optional(1 - *value) : std::nullopt;
}

Json PointJson(const OperatingPoint& point) {
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

// Curves by columns, which take a third of the text of points by name.
Json CurvesJson(const Scores& scores, const OperatingPoint& operating_point) {
  const Curve curve = ThinnedCurve(scores, operating_point, kCurvePoints);
  Json json{{"steps", scores.steps.size()}, {"operating_point", curve.operating_point}};
  for (const double score : curve.scores)
    json["score"].push_back(std::isfinite(score) ? Json(score) : Json());
  for (const OperatingPoint& point : curve.points) {
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
  return {{"ece", OrNull(reliability.Ece())},
          {"ece_middle", OrNull(reliability.EceMiddle())},
          {"bins", bins}};
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

// The card's notes, and the digest of the training data.
Json CardJson(const Card& card) {
  Json notes = Json::object();
  for (const auto& [name, text] : card.notes) notes[name] = text;
  return {{"sha256", card.sha256}, {"notes", notes}};
}

Json ModelJson(const Model& model) {
  return {{"kind", KindName(model.kind)},
          {"space", model.features.space().name},
          {"channels", model.features.channel_names()},
          {"threshold", model.decision.threshold},
          {"rule", model.decision.rule},
          {"digest", Sha256(ModelToJson(model))},
          {"card", CardJson(model.card)}};
}

// `a` less `b`, if both are defined.
Json DifferencesJson(const NamedRatios& a, const NamedRatios& b) {
  Json json;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto& [name, value] = a[i];
    const std::optional<double>& other = b[i].second;
    json[name] = value && other ? Json(*value - *other) : Json();
  }
  return json;
}

Json VersusJson(const EvaluationReport& report, const Rival& rival) {
  const NamedRatios pooled = Ratios(rival.report.pooled), means = MeanPerImage(rival.report);
  return {{"model", ModelJson(rival.model)},
          {"pooled", MetricsJson(rival.report.pooled)},
          {"mean_per_image", RatiosJson(means)},
          {"difference",
           {{"pooled", DifferencesJson(Ratios(report.pooled), pooled)},
            {"mean_per_image", DifferencesJson(MeanPerImage(report), means)}}},
          {"intervals",
           IntervalsJson(IntervalsOfDifference(report, rival.report), "plain differences")}};
}

Json GroupJson(const GroupScore& group) {
  Json json{{"name", group.name}, {"images", group.images}, {"pixels", group.counts.Total()}};
  json.update(JsonOf(group.counts));
  Json intervals;
  for (std::size_t m = 0; m < kGroupMeasures.size(); ++m) {
    const auto& [name, shown, of] = kGroupMeasures[m];
    json[std::string(name)] = OrNull((group.counts.*of)());
    intervals[std::string(name)] = PairOf(group.intervals[m]);
  }
  json["intervals"] = intervals;
  return json;
}

Json GapJson(const GroupScores& scores, std::size_t measure) {
  Json json{{"words", scores.Words(measure)}};
  if (const std::optional<GroupGap>& gap = scores.gaps[measure])
    json.update({{"above", gap->above},
                 {"below", gap->below},
                 {"gap", gap->gap},
                 {"interval", PairOf(gap->interval)},
                 {"certain", gap->certain()}});
  return json;
}

// An object for each grouping of the report.
Json GroupsJson(const EvaluationReport& report) {
  Json groupings = Json::array();
  for (const Grouping& grouping : report.groupings) {
    const GroupScores scores = ScoreGroups(report, grouping);
    Json json{{"by", grouping.by}, {"source", grouping.source}, {"groups", Json::array()}};
    for (const GroupScore& group : scores.groups) json["groups"].push_back(GroupJson(group));
    for (std::size_t m = 0; m < kGroupMeasures.size(); ++m)
      json["gaps"][std::string(kGroupMeasures[m].name)] = GapJson(scores, m);
    json["least_images"] = kLeastGroup;
    json["images_in_none"] = scores.in_none;
    json["why_none"] = grouping.why_none;
    groupings.push_back(std::move(json));
  }
  return groupings;
}

// By columns, as the curves.
Json SelectiveJson(const EvaluationReport& report, double threshold) {
  constexpr std::size_t kPoints = 101;
  const SelectiveCurve curve = SelectiveCurveOf(*report.scores, threshold, kPoints);
  Json json{{"area", curve.area}, {"coverage", Json::array()}, {"risk", Json::array()}};
  for (const SelectivePoint& point : curve.points) {
    json["coverage"].push_back(point.coverage);
    json["risk"].push_back(OrNull(point.risk));
  }
  if (const auto answered = AnsweredOf(report))
    json["abstain"] = {{"low", report.abstain->first},
                       {"high", report.abstain->second},
                       {"coverage", answered->coverage},
                       {"risk", OrNull(answered->risk)}};
  return json;
}

void AddScores(Json& root, const EvaluationReport& report, const OperatingPoint& operating_point) {
  const Scores& scores = *report.scores;
  root["operating_point"] = PointJson(operating_point);
  root["best_f1"] = nullptr;
  if (const auto best = Choose(scores, {DecisionRule::Kind::kMaxF1}))
    root["best_f1"] = PointJson(*best);
  root["curves"] = CurvesJson(scores, operating_point);
  root["reliability"] = ReliabilityJson(scores);
  root["log_odds"] = LogOddsJson(scores);
  root["selective"] = SelectiveJson(report, operating_point.log_odds);
}

// Coordinates for plots, to 1e-4 of a channel's unit.
double Rounded(double value) { return std::round(value * 1e4) / 1e4; }

// The features of some of the evaluated pixels, chosen evenly from those that the report kept.
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

// The likeliest class along each row as runs, '12:- 40:0 77:1' ('-': no colour).
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
  const std::vector<double> densities = DensitiesOf(model, plane, axes);
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

// The regions and borders of a model, with some of the pixels that the report drew.
Json BoundaryJson(const EvaluationReport& report, const Model& model) {
  const std::vector<Axis> axes = AxesOf(model);
  Json json{{"channels", Json::array()}, {"classes", ClassesJson(model)}};
  for (const Axis& axis : axes)
    json["channels"].push_back(
        {{"name", axis.name}, {"unit", axis.unit}, {"low", axis.low}, {"high", axis.high}});
  json["samples"] = {{"positive", SamplesJson(report, model.features, true)},
                     {"negative", SamplesJson(report, model.features, false)}};
  json["planes"] = Json::array();
  for (const Plane& plane : PlanesOf(model, axes, kPlaneSize))
    json["planes"].push_back(PlaneJson(model, plane, axes));
  return json;
}

}  // namespace

std::string FullReportToJson(const EvaluationReport& report, const Model* model,
                             const Rival* rival) {
  Json root = ReportJson(report);
  root["positive"] = report.positive;
  root["pixels"] = report.pooled.counts.Total();
  root["intervals"] = IntervalsJson(IntervalsOf(report), "log-odds of shares");
  const GalleryChoice choice = ChooseGallery(report);
  root["gallery"] = {{"worst", choice.worst}, {"best", choice.best}};
  if (!report.groupings.empty()) root["groups"] = GroupsJson(report);
  if (model) {
    root["model"] = ModelJson(*model);
    if (report.scores)
      AddScores(root, report, {Logit(model->decision.threshold), report.pooled.counts});
    root["boundary"] = BoundaryJson(report, *model);
  }
  if (rival) root["versus"] = VersusJson(report, *rival);
  return JsonText(root, 1) + "\n";
}

}  // namespace skinmask
