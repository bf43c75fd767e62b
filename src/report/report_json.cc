#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "pipeline/bytes_as_text.h"
#include "pipeline/results_json.h"
#include "report/boundary_json.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/decision.h"
#include "skinmask/learn/reliability.h"
#include "skinmask/report/curves.h"
#include "skinmask/report/gallery.h"
#include "skinmask/report/groups.h"
#include "skinmask/report/intervals.h"
#include "skinmask/report/report.h"

namespace skinmask {
namespace {

constexpr std::size_t kCurvePoints = 500;
constexpr int kLogOddsBins = 60;

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

// Curves by columns, which take a third of the text of points by name.
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
