#include "pipeline/comparison_part.h"

#include <fmt/format.h>

#include <utility>

#include "base/json.h"
#include "pipeline/labelled_pairs.h"
#include "pipeline/results_json.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask {
namespace {

constexpr const char* kComparisonFormat = "skinmask-comparison-part";
constexpr std::pair<const char*, std::optional<double> FoldScore::*> kFoldScores[] = {
    {"auc", &FoldScore::auc},
    {"best_f1", &FoldScore::best_f1},
    {"accuracy", &FoldScore::accuracy},
    {"log_loss", &FoldScore::log_loss},
    {"class_log_loss", &FoldScore::class_log_loss},
    {"log_likelihood", &FoldScore::log_likelihood},
    {"aic", &FoldScore::aic},
    {"bic", &FoldScore::bic}};

bool IsShare(std::optional<double> FoldScore::*score) {
  return score == &FoldScore::auc || score == &FoldScore::best_f1 || score == &FoldScore::accuracy;
}
bool IsLoss(std::optional<double> FoldScore::*score) {
  return score == &FoldScore::log_loss || score == &FoldScore::class_log_loss;
}

Json JsonOf(const FoldScore& fold) {
  Json json;
  for (const auto& [name, member] : kFoldScores) json[name] = OrNull(fold.*member);
  json.update(JsonOf(fold.counts));
  if (!fold.classes.classes.empty()) json["classes"] = JsonOf(fold.classes);
  json["seconds"] = fold.seconds;
  json["parameters"] = fold.parameters;
  return json;
}

FoldScore ReadFold(const JsonNode& node) {
  FoldScore fold;
  for (const auto& [name, member] : kFoldScores) {
    const std::optional<double> value = fold.*member = node[name].RealOrNull();
    if (value && IsShare(member) && !(*value >= 0 && *value <= 1))
      node[name].Fail(" is no share from 0 to 1");
    if (value && IsLoss(member) && !(*value >= 0)) node[name].Fail(" is below 0");
  }
  fold.counts = ReadConfusion(node, Samples::kMaxTotal);
  if (node.Has("classes")) fold.classes = ReadClassCounts(node["classes"], fold.counts.Total());
  fold.seconds = node["seconds"].Real();
  fold.parameters = node["parameters"].Count();
  return fold;
}

ComparedModel ReadCompared(const JsonNode& node) {
  ComparedModel model;
  model.given = GivenModel{node["name"].Text(), {}};
  model.problem = node["problem"].Text();
  for (const JsonNode& fold : node["folds"].Items()) {
    model.folds.push_back(ReadFold(fold));
    if (model.folds.back().classes.classes != model.folds.front().classes.classes)
      fold.Fail(" has other classes than the first");
  }
  const bool scored = model.Auc().mean && model.BestF1().mean && model.LogLoss().mean;
  if (model.problem.empty() != scored) node.Fail(" has neither scores nor a problem, or both");
  return model;
}

}  // namespace

std::vector<ComparedModel> ModelsOfShard(const Shard& shard,
                                         const std::vector<ComparedModel>& models) {
  std::vector<ComparedModel> own;
  for (std::size_t i = 0; i < SizeOf(shard, models.size()); ++i)
    own.push_back(models[PlaceOf(shard, i)]);
  return own;
}

std::string FormatComparisonPart(PartHeader header, const std::vector<ComparedModel>& models) {
  header.format = kComparisonFormat;
  Json root = JsonOf(header);
  root["models"] = Json::array();
  for (const ComparedModel& model : models) {
    Json json{{"name", model.Name()}, {"problem", model.problem}, {"folds", Json::array()}};
    for (const FoldScore& fold : model.folds) json["folds"].push_back(JsonOf(fold));
    root["models"].push_back(std::move(json));
  }
  return JsonText(root) + "\n";
}

ComparisonPart ReadComparisonPart(const std::filesystem::path& file) {
  const Json parsed = ParseObject(ReadFile(file), file.string(), "a part of a comparison");
  const JsonNode root(parsed, file.string(), "");
  ComparisonPart part{ReadPartHeader(root, file.string(), kComparisonFormat), {}};
  for (const JsonNode& model : root["models"].Items()) part.models.push_back(ReadCompared(model));
  if (part.models.size() != SizeOf(part.header.shard, part.header.size))
    root["models"].Fail(" are not as many as the part has");
  return part;
}

void AddScores(const ComparisonPart& part, const std::string& file, Comparison& whole) {
  if (part.header.size != whole.models.size())
    throw Error(file, fmt::format("compares {} models, and its options name {}", part.header.size,
                                  whole.models.size()));
  for (std::size_t i = 0; i < part.models.size(); ++i) {
    const ComparedModel& scored = part.models[i];
    ComparedModel& model = whole.models[PlaceOf(part.header.shard, i)];
    if (scored.Name() != model.Name() ||
        (scored.problem.empty() && scored.folds.size() != whole.folds.count()))
      throw Error(
          file, fmt::format("has no scores of {} in {} folds", model.Name(), whole.folds.count()));
    model.problem = scored.problem;
    model.folds = scored.folds;
  }
}

}  // namespace skinmask
