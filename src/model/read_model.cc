// Reading the model file: what is malformed is an error that says where.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/parse.h"
#include "model/model_format.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/model/model.h"

namespace skinmask {
namespace {

FeatureVector VectorOf(const JsonNode& node, int size) {
  const JsonItems items = node.Items();
  if (items.size() != static_cast<std::size_t>(size))
    node.Fail(fmt::format(" needs {} numbers", size));
  FeatureVector v(size);
  for (int i = 0; i < size; ++i) v(i) = items[static_cast<std::size_t>(i)].Real();
  return v;
}

FeatureMatrix MatrixOf(const JsonNode& node, int size) {
  const JsonItems items = node.Items();
  if (items.size() != static_cast<std::size_t>(size))
    node.Fail(fmt::format(" needs {} rows", size));
  FeatureMatrix m(size, size);
  for (int i = 0; i < size; ++i)
    m.row(i) = VectorOf(items[static_cast<std::size_t>(i)], size).transpose();
  return m;
}

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

ClassModel ReadClass(const JsonNode& node, const Model& model,
                     const std::optional<FeatureMatrix>& pooled) {
  const int size = model.features.size();
  ClassModel c;
  c.name = node["class"].Text();
  c.count = node["count"].Count();
  c.prior = node["prior"].Real();
  if (IsGaussian(model.kind)) {
    c.mean = VectorOf(node["mean"], size);
    c.covariance = pooled ? *pooled : MatrixOf(node["covariance"], size);
  } else if (model.kind == Kind::kMixture) {
    for (const JsonNode& item : node["components"].Items())
      c.components.push_back({item["weight"].Real(), VectorOf(item["mean"], size),
                              MatrixOf(item["covariance"], size)});
  } else if (IsHistogram(model.kind)) {
    c.bins = ReadBins(node["bins"]);
  }
  return c;
}

Estimator ReadEstimator(const JsonNode& node) {
  return Named(node, [&] { return EstimatorFromName(node.Text()); });
}

LogisticTerms ReadLogistic(const JsonNode& node, int size) {
  LogisticTerms terms;
  terms.constant = node["constant"].Real();
  terms.linear = VectorOf(node["linear"], size);
  for (const JsonNode& item : node["product"].Items()) terms.product.push_back(item.Real());
  terms.ridge = node["ridge"].Real();
  terms.solver = node["solver"].Text();
  terms.iterations =
      static_cast<int>(std::min<std::uint64_t>(node["iterations"].Count(), INT32_MAX));
  terms.log_likelihood = node["log_likelihood"].Real();
  return terms;
}

void ReadParameters(const JsonNode& node, Model& model) {
  if (IsGaussian(model.kind)) model.estimator = ReadEstimator(node["estimator"]);
  if (model.kind == Kind::kLogistic) model.logistic = ReadLogistic(node, model.features.size());
  if (IsHistogram(model.kind)) {
    model.histogram.bins = static_cast<int>(std::min<std::uint64_t>(node["bins"].Count(), 1 << 20));
    model.histogram.smoothing = node["smoothing"].Real();
  }
  std::optional<FeatureMatrix> pooled;
  if (model.kind == Kind::kLda) pooled = MatrixOf(node["covariance"], model.features.size());
  for (const JsonNode& item : node["classes"].Items()) {
    model.classes.push_back(ReadClass(item, model, pooled));
    if (item.Has("shrinkage")) model.shrinkage.push_back(item["shrinkage"].Real());
  }
  if (!model.shrinkage.empty() && model.shrinkage.size() != model.classes.size())
    node["classes"].Fail(": shrinkage is given for some classes only");
}

// The list of names at the top says the same as the parameters.
void CheckClassList(const JsonNode& node, const Model& model) {
  std::multiset<std::string> listed, described;
  for (const JsonNode& name : node.Items()) listed.insert(name.Text());
  for (const ClassModel& c : model.classes) described.insert(c.name);
  if (listed != described) node.Fail(" are not those of parameters.classes");
}

// The positive class leads in memory, wherever it stands in the file.
void PutPositiveFirst(const JsonNode& root, Model& model) {
  const std::string name = root["positive"].Text();
  for (std::size_t k = 0; k < model.classes.size(); ++k) {
    if (model.classes[k].name != name) continue;
    // The coefficients of logistic models are of the positive class, whatever the order.
    const auto index = static_cast<std::ptrdiff_t>(k);
    std::rotate(model.classes.begin(), model.classes.begin() + index,
                model.classes.begin() + index + 1);
    if (!model.shrinkage.empty())
      std::rotate(model.shrinkage.begin(), model.shrinkage.begin() + index,
                  model.shrinkage.begin() + index + 1);
    return;
  }
  root["positive"].Fail(fmt::format(" '{}' is not one of the classes", name));
}

Card ReadCard(const JsonNode& node) {
  Card card;
  card.sha256 = node["training"]["sha256"].Text();
  if (node.Has("notes")) {
    if (!node["notes"].json().is_object()) node["notes"].Fail(" is not an object");
    for (const auto& [name, unused] : node["notes"].json().items())
      card.notes.emplace_back(name, node["notes"][name.c_str()].Text());
  }
  if (node.Has("scores"))
    for (const JsonNode& s : node["scores"].Items())
      card.scores.push_back({s["data"].Text(), s["threshold"].Real(), s["precision"].RealOrNull(),
                             s["recall"].RealOrNull(), s["f1"].RealOrNull(),
                             s["auc"].RealOrNull()});
  return card;
}

CalibrationScales ReadScales(const JsonNode& node) {
  return {node["below"].Real(), node["above"].Real()};
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
  PutPositiveFirst(root, model);
  if (root.Has("calibration")) {
    const JsonNode node = root["calibration"];
    model.calibration = {node["slope"].Real(), node["offset"].Real(), node["data"].Text()};
  }
  if (root.Has("adapted_calibration")) {
    const JsonNode node = root["adapted_calibration"];
    model.adapted_calibration = {ReadScales(node["faces"]), ReadScales(node["image"]),
                                 node["data"].Text()};
  }
  model.decision.threshold = root["decision"]["threshold"].Real();
  model.decision.rule = root["decision"]["rule"].Text();
  if (root["decision"].Has("data")) model.decision.data = root["decision"]["data"].Text();
  model.card = ReadCard(root["card"]);
  Validate(model, subject);
  return model;
}

Model ReadModel(const std::filesystem::path& path) {
  return ModelFromJson(ReadFile(path, {.most = kMaxModelBytes}), path.string());
}

}  // namespace skinmask
