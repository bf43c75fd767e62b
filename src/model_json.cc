// The model file: JSON in both directions.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "skinmask/error.h"
#include "skinmask/file.h"
#include "skinmask/model.h"

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

Json ParametersJson(const Model& model) {
  Json parameters;
  parameters["estimator"] = model.estimator == Estimator::kUnbiased ? "unbiased" : "mle";
  if (model.kind == Covariance::kPooled) parameters["covariance"] = Rows(model.positive().covariance);
  for (std::size_t k = 0; k < model.classes.size(); ++k) {
    const GaussianClass& c = model.classes[k];
    Json one{{"class", c.name}, {"count", c.count}, {"prior", c.prior}, {"mean", Row(c.mean)}};
    if (model.kind != Covariance::kPooled) one["covariance"] = Rows(c.covariance);
    if (!model.shrinkage.empty()) one["shrinkage"] = model.shrinkage[k];
    parameters["classes"].push_back(std::move(one));
  }
  return parameters;
}

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json CardJson(const Model& model) {
  Json training{{"sha256", model.card.sha256}, {"channel_order", "BGR"}};
  for (const GaussianClass& c : model.classes) training["counts"][c.name] = c.count;
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

  [[noreturn]] void Fail(const std::string& problem) const { throw Error(subject_, path_ + problem); }

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
    if (items.size() != static_cast<std::size_t>(size)) Fail(fmt::format(" needs {} numbers", size));
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

GaussianClass ReadClass(const Node& node, int size, const std::optional<FeatureMatrix>& pooled) {
  GaussianClass c;
  c.name = node["class"].Text();
  c.count = node["count"].Count();
  c.prior = node["prior"].Real();
  c.mean = node["mean"].Vector(size);
  c.covariance = pooled ? *pooled : node["covariance"].Matrix(size);
  return c;
}

void ReadParameters(const Node& node, Model& model) {
  const std::string estimator = node["estimator"].Text();
  if (estimator != "mle" && estimator != "unbiased")
    node["estimator"].Fail(fmt::format(" '{}' is unknown (mle or unbiased)", estimator));
  model.estimator = estimator == "mle" ? Estimator::kMaximumLikelihood : Estimator::kUnbiased;
  const int size = model.features.size();
  std::optional<FeatureMatrix> pooled;
  if (model.kind == Covariance::kPooled) pooled = node["covariance"].Matrix(size);
  for (const Node& item : node["classes"].Items()) {
    model.classes.push_back(ReadClass(item, size, pooled));
    if (item.Has("shrinkage")) model.shrinkage.push_back(item["shrinkage"].Real());
  }
  if (!model.shrinkage.empty() && model.shrinkage.size() != model.classes.size())
    node["classes"].Fail(": shrinkage is given for some classes only");
}

// The list of names at the top says the same as the parameters.
void CheckClassList(const Node& node, const Model& model) {
  std::multiset<std::string> listed, described;
  for (const Node& name : node.Items()) listed.insert(name.Text());
  for (const GaussianClass& c : model.classes) described.insert(c.name);
  if (listed != described) node.Fail(" are not those of parameters.classes");
}

// The positive class leads in memory, wherever it stands in the file.
void PutPositiveFirst(const Node& root, Model& model) {
  const std::string name = root["positive"].Text();
  for (std::size_t k = 0; k < model.classes.size(); ++k) {
    if (model.classes[k].name != name) continue;
    std::swap(model.classes[0], model.classes[k]);
    if (!model.shrinkage.empty()) std::swap(model.shrinkage[0], model.shrinkage[k]);
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
    throw Error(subject, fmt::format("is not JSON: {}", what.substr(end == what.npos ? 0 : end + 2)));
  }
}

}  // namespace

std::string ModelToJson(const Model& model) {
  Json root{{"format", kFormat}, {"version", kVersion}, {"kind", KindName(model.kind)}};
  for (const GaussianClass& c : model.classes) root["classes"].push_back(c.name);
  root["positive"] = model.positive().name;
  root["features"] = {{"space", model.features.space().name},
                      {"channels", model.features.channel_names()}};
  root["parameters"] = ParametersJson(model);
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
    throw Error(subject, fmt::format("has model version {} (this program reads version {})", version,
                                     kVersion));
  Model model;
  model.kind = Named(root["kind"], [&] { return KindFromName(root["kind"].Text()); });
  model.features = ReadFeatures(root["features"]);
  ReadParameters(root["parameters"], model);
  CheckClassList(root["classes"], model);
  PutPositiveFirst(root, model);
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
