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

// A value in a file that is being read, and how to name it in an error.
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

// What `make` returns; its Error is told as one of this value in the file.
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
  // What no JSON object begins like is another file altogether; where its first byte stands would
  // help nobody.
  if (!text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())).starts_with('{'))
    throw Error(subject, "is not JSON, as a model is (an object, '{' at first)");
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

Model ModelFromJson(std::string_view json, std::string_view subject) {
  const Json parsed = Parse(json, subject);
  const Node root(parsed, std::string(subject), "");
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
