// Writes and reads model files. A malformed file is an error that says where.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "base/json.h"
#include "base/parse.h"
#include "model/gaussian_json.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/model/model.h"

namespace skinmask {
namespace {

constexpr std::string_view kModelFormat = "skinmask-model";
constexpr std::uint64_t kModelVersion = 1;

Features ReadFeatures(const JsonNode& node) {
  std::vector<std::string> channels;
  for (const JsonNode& name : node["channels"].Items()) channels.push_back(name.Text());
  if (channels.empty()) node["channels"].Fail(" is empty");
  return Named(node, [&] { return Features(node["space"].Text(), channels); });
}

std::vector<BinCount> ReadBins(const JsonNode& node) {
  const std::string text = node.Text();
  std::vector<BinCount> bins;
  for (std::string_view left = text; !left.empty();) {
    const std::string_view one = left.substr(0, left.find(' '));
    const std::size_t colon = std::min(one.find(':'), one.size());
    const auto bin = ParseNumber<std::uint32_t>(one.substr(0, colon));
    const auto count = ParseNumber<std::uint64_t>(one.substr(std::min(colon + 1, one.size())));
    if (!bin || !count) node.Fail(" is not bin:count ...");
    bins.push_back({*bin, *count});
    left.remove_prefix(std::min(one.size() + 1, left.size()));
  }
  return bins;
}

FeatureTerms ReadTerms(const JsonNode& node, int size) {
  FeatureTerms terms{node["constant"].Real(), VectorOf(node["linear"], size), {}};
  for (const JsonNode& item : node["product"].Items()) terms.product.push_back(item.Real());
  return terms;
}

// `all` is the node of all classes' parameters.
ClassModel ReadClass(const JsonNode& node, const JsonNode& all, const Model& model) {
  const int size = model.features.size();
  ClassModel c;
  c.name = node["class"].Text();
  c.count = node["count"].Count();
  c.prior = node["prior"].Real();
  if (IsGaussian(model.kind)) {
    c.mean = VectorOf(node["mean"], size);
    c.covariance = MatrixOf((model.kind == Kind::kLda ? all : node)["covariance"], size);
  } else if (model.kind == Kind::kMixture) {
    c.components = ComponentsOf(node["components"], size);
  } else if (IsHistogram(model.kind)) {
    c.bins = ReadBins(node["bins"]);
  } else if (node.Has("linear")) {
    c.terms = ReadTerms(node, size);
  }
  return c;
}

// With more than two classes, each class has its own terms.
LogisticTerms ReadLogistic(const JsonNode& node, int size) {
  LogisticTerms terms;
  terms.linear = FeatureVector::Zero(size);
  if (node["classes"].Items().size() == 2)
    static_cast<FeatureTerms&>(terms) = ReadTerms(node, size);
  terms.ridge = node["ridge"].Real();
  terms.solver = node["solver"].Text();
  terms.iterations =
      static_cast<int>(std::min<std::uint64_t>(node["iterations"].Count(), INT32_MAX));
  terms.log_likelihood = node["log_likelihood"].Real();
  return terms;
}

void ReadParameters(const JsonNode& node, Model& model) {
  if (IsGaussian(model.kind)) {
    const JsonNode estimator = node["estimator"];
    model.estimator = Named(estimator, [&] { return EstimatorFromName(estimator.Text()); });
  }
  if (model.kind == Kind::kLogistic) model.logistic = ReadLogistic(node, model.features.size());
  if (IsHistogram(model.kind)) {
    model.histogram.bins = static_cast<int>(std::min<std::uint64_t>(node["bins"].Count(), 1 << 20));
    model.histogram.smoothing = node["smoothing"].Real();
  }
  for (const JsonNode& item : node["classes"].Items()) {
    model.classes.push_back(ReadClass(item, node, model));
    if (item.Has("shrinkage")) model.shrinkage.push_back(item["shrinkage"].Real());
  }
  if (!model.shrinkage.empty() && model.shrinkage.size() != model.classes.size())
    node["classes"].Fail(": shrinkage is given for some classes only");
}

// The list of names at the top must agree with the parameters.
void CheckClassList(const JsonNode& node, const Model& model) {
  std::multiset<std::string> listed, described;
  for (const JsonNode& name : node.Items()) listed.insert(name.Text());
  for (const ClassModel& c : model.classes) described.insert(c.name);
  if (listed != described) node.Fail(" are not those of parameters.classes");
}

// The positive class is the first in memory, wherever it stands in the file.
void PutPositiveFirst(const JsonNode& root, Model& model) {
  const std::string name = root["positive"].Text();
  const auto found = std::ranges::find(model.classes, name, &ClassModel::name);
  if (found == model.classes.end())
    root["positive"].Fail(fmt::format(" '{}' is not one of the classes", name));
  const std::ptrdiff_t index = found - model.classes.begin(), size = std::ssize(model.classes);
  const auto lead = [index](auto first) { std::rotate(first, first + index, first + index + 1); };
  // The coefficients of logistic models are those of the positive class, whatever the order.
  lead(model.classes.begin());
  if (!model.shrinkage.empty()) lead(model.shrinkage.begin());
  // No costs, or wrong ones, which Validate refuses.
  if (std::ssize(model.class_costs) != size * size) return;
  const auto costs = model.class_costs.begin();
  std::rotate(costs, costs + index * size, costs + (index + 1) * size);
  for (std::ptrdiff_t row = 0; row < size; ++row) lead(costs + row * size);
}

bool IsCost(double cost) { return cost > 0 && std::isfinite(cost); }

// Whether RuleName (learn/decision.h) writes this rule. This room must not include that one.
bool IsRule(std::string_view rule) {
  const std::size_t end = rule.find(' ');
  const std::string_view name = rule.substr(0, end);
  if (end == rule.npos) return name == "fixed" || name == "max-f1";
  const auto numbers = ParseNumbers<double>(rule.substr(end + 1), ':');
  if (!numbers || numbers->size() != (name == "cost" ? 2 : 1)) return false;
  if (name == "cost") return std::ranges::all_of(*numbers, IsCost);
  return (name == "max-fpr" || name == "min-recall") && numbers->front() >= 0 &&
         numbers->front() <= 1;
}

Card ReadCard(const JsonNode& node) {
  Card card;
  const JsonNode training = node["training"];
  card.sha256 = training["sha256"].Text();
  if (training.Has("channel_order")) training["channel_order"].Text();
  if (training.Has("counts"))
    for (const auto& [name, unused] : training["counts"].Object().items())
      training["counts"][name].Count();
  if (node.Has("notes"))
    for (const auto& [name, unused] : node["notes"].Object().items())
      card.notes.emplace_back(name, node["notes"][name].Text());
  if (node.Has("scores"))
    for (const JsonNode& s : node["scores"].Items())
      card.scores.push_back(
          {s["data"].Text(), s["threshold"].Real(), s["precision"].RealOrNull(),
           s["recall"].RealOrNull(), s["f1"].RealOrNull(), s["auc"].RealOrNull(),
           s.Has("log_likelihood") ? s["log_likelihood"].RealOrNull() : std::nullopt});
  return card;
}

// A number stands for one slope without a jump.
CalibrationSide ReadSide(const JsonNode& node) {
  if (!node.json().is_object()) return node.Real();
  CalibrationSide side(node["jump"].Real(), {});
  const JsonNode from = node["from"].Items(), slopes = node["slopes"].Items();
  if (from.size() != slopes.size()) node.Fail(" has another number of slopes than of from");
  for (std::size_t k = 0; k < from.size(); ++k)
    side.lines.push_back({from[k].Real(), slopes[k].Real()});
  return side;
}

CalibrationCurve ReadCurve(const JsonNode& node) {
  return {ReadSide(node["below"]), ReadSide(node["above"])};
}

// "bin:count bin:count ...", because in a JSON list each number would take a line.
std::string BinsText(const std::vector<BinCount>& bins) {
  std::string text;
  for (const BinCount& bin : bins)
    fmt::format_to(std::back_inserter(text), "{}:{} ", bin.bin, bin.count);
  if (!text.empty()) text.pop_back();
  return text;
}

Json TermsJson(const FeatureTerms& terms) {
  return {
      {"constant", terms.constant}, {"linear", RowJson(terms.linear)}, {"product", terms.product}};
}

Json ClassJson(const Model& model, std::size_t k) {
  const ClassModel& c = model.classes[k];
  Json one{{"class", c.name}, {"count", c.count}, {"prior", c.prior}};
  if (IsGaussian(model.kind)) {
    one["mean"] = RowJson(c.mean);
    if (model.kind != Kind::kLda) one["covariance"] = RowsJson(c.covariance);
    if (!model.shrinkage.empty()) one["shrinkage"] = model.shrinkage[k];
  }
  for (const Gaussian& gaussian : c.components) one["components"].push_back(GaussianJson(gaussian));
  if (IsHistogram(model.kind)) one["bins"] = BinsText(c.bins);
  if (model.kind == Kind::kLogistic && model.classes.size() > 2) one.update(TermsJson(c.terms));
  return one;
}

Json ParametersJson(const Model& model) {
  Json parameters = Json::object();
  if (IsGaussian(model.kind)) parameters["estimator"] = EstimatorName(model.estimator);
  if (model.kind == Kind::kLda) parameters["covariance"] = RowsJson(model.positive().covariance);
  if (IsHistogram(model.kind)) {
    parameters["bins"] = model.histogram.bins;
    parameters["smoothing"] = model.histogram.smoothing;
  }
  if (model.kind == Kind::kLogistic) {
    const LogisticTerms& l = model.logistic;
    if (model.classes.size() == 2) parameters.update(TermsJson(l));
    parameters.update(Json{{"ridge", l.ridge},
                           {"solver", l.solver},
                           {"iterations", l.iterations},
                           {"log_likelihood", l.log_likelihood}});
  }
  for (std::size_t k = 0; k < model.classes.size(); ++k)
    parameters["classes"].push_back(ClassJson(model, k));
  return parameters;
}

Json CardJson(const Model& model) {
  Json training{{"sha256", model.card.sha256}, {"channel_order", "BGR"}};
  for (const ClassModel& c : model.classes) training["counts"][c.name] = c.count;
  Json card{{"training", std::move(training)}};
  for (const auto& [name, text] : model.card.notes) {
    Json& note = card["notes"][name];
    note = note.is_null() ? text : note.get<std::string>() + "; " + text;
  }
  for (const CardScore& s : model.card.scores) {
    card["scores"].push_back({{"data", s.data},
                              {"threshold", s.threshold},
                              {"pooling", "pixels"},
                              {"precision", OrNull(s.precision)},
                              {"recall", OrNull(s.recall)},
                              {"f1", OrNull(s.f1)},
                              {"auc", OrNull(s.auc)}});
    if (s.log_likelihood) card["scores"].back()["log_likelihood"] = *s.log_likelihood;
  }
  return card;
}

// In the short form that ReadSide takes.
Json ShortSideJson(const CalibrationSide& side) {
  const bool is_slope = side.jump == 0 && side.lines.size() == 1;
  return is_slope ? Json(side.lines.front().slope) : SideJson(side);
}

Json CurveJson(const CalibrationCurve& curve) {
  return {{"below", ShortSideJson(curve.below)}, {"above", ShortSideJson(curve.above)}};
}

}  // namespace

Model ModelFromJson(std::string_view json, std::string_view subject) {
  constexpr std::size_t kMax = 100'000;  // the largest, 255 classes or 512 components, has a fifth
  const Json parsed = ParseObject(json, subject, "a model", kMax);
  const JsonNode root(parsed, std::string(subject), "");
  if (!root.Has("format") || root.json()["format"] != kModelFormat)
    throw Error(subject, fmt::format("is no model (\"format\": \"{}\" is expected)", kModelFormat));
  if (const std::uint64_t version = root["version"].Count(); version != kModelVersion)
    throw Error(subject, fmt::format("has model version {} (this program reads version {})",
                                     version, kModelVersion));
  Model model;
  model.kind = Named(root["kind"], [&] { return KindFromName(root["kind"].Text()); });
  model.features = ReadFeatures(root["features"]);
  ReadParameters(root["parameters"], model);
  CheckClassList(root["classes"], model);
  const JsonNode decision = root["decision"];
  if (decision.Has("class_costs"))
    for (const JsonNode& row : decision["class_costs"].Items()) {
      const std::size_t before = model.class_costs.size();
      for (const JsonNode& cost : row.Items()) model.class_costs.push_back(cost.Real());
      if (const std::size_t count = model.class_costs.size() - before;
          count != model.classes.size())
        throw Error(subject, fmt::format("a row of class_costs has {} numbers ({} classes)", count,
                                         model.classes.size()));
    }
  PutPositiveFirst(root, model);
  if (root.Has("calibration")) {
    const JsonNode node = root["calibration"];
    model.calibration = {node["slope"].Real(), node["offset"].Real(), node["data"].Text()};
    if (node.Has("prior")) model.calibration.prior = node["prior"].Real();
    if (node.Has("prior") && model.calibration.prior == 0) node["prior"].Fail(" 0 is out of range");
  }
  if (root.Has("adapted_calibration")) {
    const JsonNode node = root["adapted_calibration"];
    model.adapted_calibration = {
        ReadCurve(node["faces"]), ReadCurve(node["image"]),
        node.Has("neither") ? ReadCurve(node["neither"]) : CalibrationCurve(), node["data"].Text()};
  }
  model.decision.threshold = decision["threshold"].Real();
  model.decision.rule = decision["rule"].Text();
  if (!IsRule(model.decision.rule))
    decision["rule"].Fail(
        fmt::format(" '{}' is no rule (fixed, max-f1, max-fpr R, min-recall R or cost FP:FN)",
                    model.decision.rule));
  if (decision.Has("data")) model.decision.data = decision["data"].Text();
  model.card = ReadCard(root["card"]);
  Validate(model, subject);
  return model;
}

Model ReadModel(const std::filesystem::path& path) {
  return ModelFromJson(ReadFile(path, {.most = kMaxModelBytes}), path.string());
}

std::string ModelToJson(const Model& model) {
  Json root{{"format", kModelFormat}, {"version", kModelVersion}, {"kind", KindName(model.kind)}};
  for (const ClassModel& c : model.classes) root["classes"].push_back(c.name);
  root["positive"] = model.positive().name;
  root["features"] = {{"space", model.features.space().name},
                      {"channels", model.features.channel_names()}};
  root["parameters"] = ParametersJson(model);
  if (const Calibration& c = model.calibration; !c.data.empty() || !c.identity()) {
    root["calibration"] = {{"slope", c.slope}, {"offset", c.offset}, {"data", c.data}};
    if (c.prior > 0) root["calibration"]["prior"] = c.prior;
  }
  if (const AdaptedCalibration& c = model.adapted_calibration; !c.data.empty() || !c.identity()) {
    Json json{{"faces", CurveJson(c.faces)}, {"image", CurveJson(c.image)}};
    if (!c.neither.identity()) json["neither"] = CurveJson(c.neither);
    json["data"] = c.data;
    root["adapted_calibration"] = std::move(json);
  }
  root["decision"] = {{"threshold", model.decision.threshold}, {"rule", model.decision.rule}};
  if (!model.decision.data.empty()) root["decision"]["data"] = model.decision.data;
  const std::size_t size = model.classes.size();
  for (auto row = model.class_costs.begin(); row != model.class_costs.end(); row += size)
    root["decision"]["class_costs"].push_back(std::vector<double>(row, row + size));
  root["card"] = CardJson(model);
  return JsonText(root, 2) + "\n";
}

}  // namespace skinmask
