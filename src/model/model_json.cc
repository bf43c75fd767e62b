// The model file: JSON in both directions.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/model/model.h"

namespace skinmask {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "skinmask-model";
constexpr std::uint64_t kVersion = 1;

Json Row(const FeatureVector& v) { return std::vector<double>(v.data(), v.data() + v.size()); }

Json Rows(const FeatureMatrix& m) {
  Json rows = Json::array();
  for (int i = 0; i < m.rows(); ++i) rows.push_back(Row(m.row(i).transpose()));
  return rows;
}

Json GaussianJson(const Gaussian& gaussian) {
  return {{"weight", gaussian.weight},
          {"mean", Row(gaussian.mean)},
          {"covariance", Rows(gaussian.covariance)}};
}

// "bin:count bin:count ...": in JSON's own lists each number would stand on a line.
std::string BinsText(const std::vector<BinCount>& bins) {
  std::string text;
  for (const BinCount& bin : bins)
    fmt::format_to(std::back_inserter(text), "{}:{} ", bin.bin, bin.count);
  if (!text.empty()) text.pop_back();
  return text;
}

Json ClassJson(const Model& model, std::size_t k) {
  const ClassModel& c = model.classes[k];
  Json one{{"class", c.name}, {"count", c.count}, {"prior", c.prior}};
  if (IsGaussian(model.kind)) {
    one["mean"] = Row(c.mean);
    if (model.kind != Kind::kLda) one["covariance"] = Rows(c.covariance);
    if (!model.shrinkage.empty()) one["shrinkage"] = model.shrinkage[k];
  }
  for (const Gaussian& gaussian : c.components) one["components"].push_back(GaussianJson(gaussian));
  if (IsHistogram(model.kind)) one["bins"] = BinsText(c.bins);
  return one;
}

Json ParametersJson(const Model& model) {
  Json parameters = Json::object();
  if (IsGaussian(model.kind))
    parameters["estimator"] = model.estimator == Estimator::kUnbiased ? "unbiased" : "mle";
  if (model.kind == Kind::kLda) parameters["covariance"] = Rows(model.positive().covariance);
  if (IsHistogram(model.kind)) {
    parameters["bins"] = model.histogram.bins;
    parameters["smoothing"] = model.histogram.smoothing;
  }
  if (model.kind == Kind::kLogistic) {
    const LogisticTerms& l = model.logistic;
    parameters.update(Json{{"constant", l.constant},
                           {"linear", Row(l.linear)},
                           {"product", l.product},
                           {"ridge", l.ridge},
                           {"solver", l.solver},
                           {"iterations", l.iterations},
                           {"log_likelihood", l.log_likelihood}});
  }
  for (std::size_t k = 0; k < model.classes.size(); ++k)
    parameters["classes"].push_back(ClassJson(model, k));
  return parameters;
}

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json CardJson(const Model& model) {
  Json training{{"sha256", model.card.sha256}, {"channel_order", "BGR"}};
  for (const ClassModel& c : model.classes) training["counts"][c.name] = c.count;
  Json card{{"training", std::move(training)}};
  for (const auto& [name, text] : model.card.notes) card["notes"][name] = text;
  for (const CardScore& s : model.card.scores)
    card["scores"].push_back({{"data", s.data},
                              {"threshold", s.threshold},
                              {"pooling", "pixels"},
                              {"precision", OrNull(s.precision)},
                              {"recall", OrNull(s.recall)},
                              {"f1", OrNull(s.f1)},
                              {"auc", OrNull(s.auc)}});
  return card;
}

// A place in a file that is being read: the value, and how to name it in an error.
class Node {
 public:
  Node(const Json& json, std::string subject, std::string path)
      : json_(json), subject_(std::move(subject)), path_(std::move(path)) {}

  [[noreturn]] void Fail(const std::string& problem) const {
    throw Error(subject_, path_ + problem);
  }

  bool Has(const char* key) const { return json_.is_object() && json_.contains(key); }
  Node operator[](const char* key) const {
    const std::string path = path_.empty() ? std::string(key) : path_ + "." + key;
    if (!Has(key)) throw Error(subject_, path + " is missing");
    return {json_[key], subject_, path};
  }
  std::vector<Node> Items() const {
    if (!json_.is_array()) Fail(" is not a list");
    std::vector<Node> items;
    for (std::size_t i = 0; i < json_.size(); ++i)
      items.emplace_back(json_[i], subject_, fmt::format("{}[{}]", path_, i));
    return items;
  }
  std::string Text() const {
    if (!json_.is_string()) Fail(" is not a text");
    return json_.get<std::string>();
  }
  double Real() const {
    if (!json_.is_number()) Fail(" is not a finite number");
    return json_.get<double>();
  }
  std::uint64_t Count() const {
    if (!json_.is_number_unsigned()) Fail(" is not a whole number from 0");
    return json_.get<std::uint64_t>();
  }
  FeatureVector Vector(int size) const {
    const std::vector<Node> items = Items();
    if (items.size() != static_cast<std::size_t>(size))
      Fail(fmt::format(" needs {} numbers", size));
    FeatureVector v(size);
    for (int i = 0; i < size; ++i) v(i) = items[static_cast<std::size_t>(i)].Real();
    return v;
  }
  FeatureMatrix Matrix(int size) const {
    const std::vector<Node> items = Items();
    if (items.size() != static_cast<std::size_t>(size)) Fail(fmt::format(" needs {} rows", size));
    FeatureMatrix m(size, size);
    for (int i = 0; i < size; ++i)
      m.row(i) = items[static_cast<std::size_t>(i)].Vector(size).transpose();
    return m;
  }
  const Json& json() const { return json_; }

 private:
  const Json& json_;
  std::string subject_;
  std::string path_;
};

// What `make` returns; its Error is told as one of this place in the file.
template <class Make>
auto Named(const Node& node, const Make& make) {
  try {
    return make();
  } catch (const Error& e) {
    node.Fail(fmt::format(": {}", e.what()));
  }
}

Features ReadFeatures(const Node& node) {
  std::vector<std::string> channels;
  for (const Node& name : node["channels"].Items()) channels.push_back(name.Text());
  if (channels.empty()) node["channels"].Fail(" is empty");
  return Named(node, [&] { return Features(node["space"].Text(), channels); });
}

std::vector<BinCount> ReadBins(const Node& node) {
  const std::string text = node.Text();
  std::vector<BinCount> bins;
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    BinCount bin;
    const auto place = std::from_chars(at, end, bin.bin);
    if (place.ec != std::errc() || place.ptr == end || *place.ptr != ':')
      node.Fail(" is not bin:count ...");
    const auto count = std::from_chars(place.ptr + 1, end, bin.count);
    if (count.ec != std::errc() || (count.ptr != end && *count.ptr != ' '))
      node.Fail(" is not bin:count ...");
    bins.push_back(bin);
    at = count.ptr == end ? end : count.ptr + 1;
  }
  return bins;
}

ClassModel ReadClass(const Node& node, const Model& model,
                     const std::optional<FeatureMatrix>& pooled) {
  const int size = model.features.size();
  ClassModel c;
  c.name = node["class"].Text();
  c.count = node["count"].Count();
  c.prior = node["prior"].Real();
  if (IsGaussian(model.kind)) {
    c.mean = node["mean"].Vector(size);
    c.covariance = pooled ? *pooled : node["covariance"].Matrix(size);
  } else if (model.kind == Kind::kMixture) {
    for (const Node& item : node["components"].Items())
      c.components.push_back(
          {item["weight"].Real(), item["mean"].Vector(size), item["covariance"].Matrix(size)});
  } else if (IsHistogram(model.kind)) {
    c.bins = ReadBins(node["bins"]);
  }
  return c;
}

Estimator ReadEstimator(const Node& node) {
  const std::string estimator = node.Text();
  if (estimator != "mle" && estimator != "unbiased")
    node.Fail(fmt::format(" '{}' is unknown (mle or unbiased)", estimator));
  return estimator == "mle" ? Estimator::kMaximumLikelihood : Estimator::kUnbiased;
}

LogisticTerms ReadLogistic(const Node& node, int size) {
  LogisticTerms terms;
  terms.constant = node["constant"].Real();
  terms.linear = node["linear"].Vector(size);
  for (const Node& item : node["product"].Items()) terms.product.push_back(item.Real());
  terms.ridge = node["ridge"].Real();
  terms.solver = node["solver"].Text();
  terms.iterations =
      static_cast<int>(std::min<std::uint64_t>(node["iterations"].Count(), INT32_MAX));
  terms.log_likelihood = node["log_likelihood"].Real();
  return terms;
}

void ReadParameters(const Node& node, Model& model) {
  if (IsGaussian(model.kind)) model.estimator = ReadEstimator(node["estimator"]);
  if (model.kind == Kind::kLogistic) model.logistic = ReadLogistic(node, model.features.size());
  if (IsHistogram(model.kind)) {
    model.histogram.bins = static_cast<int>(std::min<std::uint64_t>(node["bins"].Count(), 1 << 20));
    model.histogram.smoothing = node["smoothing"].Real();
  }
  std::optional<FeatureMatrix> pooled;
  if (model.kind == Kind::kLda) pooled = node["covariance"].Matrix(model.features.size());
  for (const Node& item : node["classes"].Items()) {
    model.classes.push_back(ReadClass(item, model, pooled));
    if (item.Has("shrinkage")) model.shrinkage.push_back(item["shrinkage"].Real());
  }
  if (!model.shrinkage.empty() && model.shrinkage.size() != model.classes.size())
    node["classes"].Fail(": shrinkage is given for some classes only");
}

// The list of names at the top says the same as the parameters.
void CheckClassList(const Node& node, const Model& model) {
  std::multiset<std::string> listed, described;
  for (const Node& name : node.Items()) listed.insert(name.Text());
  for (const ClassModel& c : model.classes) described.insert(c.name);
  if (listed != described) node.Fail(" are not those of parameters.classes");
}

// The positive class leads in memory, wherever it stands in the file.
void PutPositiveFirst(const Node& root, Model& model) {
  const std::string name = root["positive"].Text();
  for (std::size_t k = 0; k < model.classes.size(); ++k) {
    if (model.classes[k].name != name) continue;
    // The coefficients of logistic models are of the positive class, whatever the order.
    const auto place = static_cast<std::ptrdiff_t>(k);
    std::rotate(model.classes.begin(), model.classes.begin() + place,
                model.classes.begin() + place + 1);
    if (!model.shrinkage.empty())
      std::rotate(model.shrinkage.begin(), model.shrinkage.begin() + place,
                  model.shrinkage.begin() + place + 1);
    return;
  }
  root["positive"].Fail(fmt::format(" '{}' is not one of the classes", name));
}

std::optional<double> RealOrNull(const Node& node) {
  return node.json().is_null() ? std::nullopt : std::optional<double>(node.Real());
}

Card ReadCard(const Node& node) {
  Card card;
  card.sha256 = node["training"]["sha256"].Text();
  if (node.Has("notes")) {
    if (!node["notes"].json().is_object()) node["notes"].Fail(" is not an object");
    for (const auto& [name, unused] : node["notes"].json().items())
      card.notes.emplace_back(name, node["notes"][name.c_str()].Text());
  }
  if (node.Has("scores"))
    for (const Node& s : node["scores"].Items())
      card.scores.push_back({s["data"].Text(), s["threshold"].Real(), RealOrNull(s["precision"]),
                             RealOrNull(s["recall"]), RealOrNull(s["f1"]), RealOrNull(s["auc"])});
  return card;
}

Json Parse(std::string_view text, std::string_view subject) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& e) {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: ..." without the tag.
    const std::string_view what = e.what();
    const std::size_t end = what.find("] ");
    throw Error(subject,
                fmt::format("is not JSON: {}", what.substr(end == what.npos ? 0 : end + 2)));
  }
}

}  // namespace

std::string ModelToJson(const Model& model) {
  Json root{{"format", kFormat}, {"version", kVersion}, {"kind", KindName(model.kind)}};
  for (const ClassModel& c : model.classes) root["classes"].push_back(c.name);
  root["positive"] = model.positive().name;
  root["features"] = {{"space", model.features.space().name},
                      {"channels", model.features.channel_names()}};
  root["parameters"] = ParametersJson(model);
  if (!model.calibration.data.empty() || !model.calibration.identity())
    root["calibration"] = {{"slope", model.calibration.slope},
                           {"offset", model.calibration.offset},
                           {"data", model.calibration.data}};
  root["decision"] = {{"threshold", model.decision.threshold}, {"rule", model.decision.rule}};
  if (!model.decision.data.empty()) root["decision"]["data"] = model.decision.data;
  root["card"] = CardJson(model);
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Model ModelFromJson(std::string_view json, std::string_view subject) {
  const Json parsed = Parse(json, subject);
  const Node root(parsed, std::string(subject), "");
  if (!root.Has("format") || root.json()["format"] != kFormat)
    throw Error(subject, fmt::format("is no model (\"format\": \"{}\" is expected)", kFormat));
  if (const std::uint64_t version = root["version"].Count(); version != kVersion)
    throw Error(subject, fmt::format("has model version {} (this program reads version {})",
                                     version, kVersion));
  Model model;
  model.kind = Named(root["kind"], [&] { return KindFromName(root["kind"].Text()); });
  model.features = ReadFeatures(root["features"]);
  ReadParameters(root["parameters"], model);
  CheckClassList(root["classes"], model);
  PutPositiveFirst(root, model);
  if (root.Has("calibration")) {
    const Node node = root["calibration"];
    model.calibration = {node["slope"].Real(), node["offset"].Real(), node["data"].Text()};
  }
  model.decision.threshold = root["decision"]["threshold"].Real();
  model.decision.rule = root["decision"]["rule"].Text();
  if (root["decision"].Has("data")) model.decision.data = root["decision"]["data"].Text();
  model.card = ReadCard(root["card"]);
  Validate(model, subject);
  return model;
}

Model ReadModel(const std::filesystem::path& path) {
  return ModelFromJson(ReadFile(path), path.string());
}

}  // namespace skinmask
