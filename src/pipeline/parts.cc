#include "pipeline/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pipeline/results_json.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/base/version.h"

namespace skinmask {
namespace {

constexpr std::uint64_t kPartVersion = 1;

// Options are recorded as true, a text, or a list of texts.
bool IsGiven(const Json& value) {
  const auto is_text = [](const Json& one) { return one.is_string(); };
  return value == true || is_text(value) ||
         (value.is_array() && std::ranges::all_of(value, is_text));
}

// The first option in which they differ, and its values: "threshold is 0.3 (there 0.5)".
std::string DifferenceOf(const Json& options, const Json& first, const char* there) {
  const auto value = [](const Json& all, const std::string& name) {
    return all.contains(name) ? JsonText(all[name]) : std::string("not given");
  };
  for (const Json* each : {&options, &first})
    for (const auto& [name, ignored] : each->items())
      if (value(options, name) != value(first, name))
        return fmt::format("its option {} is {}, and {} {}", name, value(options, name), there,
                           value(first, name));
  return "its options stand in another order";
}

// The difference between `part` and the first part; empty if they belong together.
std::string DifferenceOf(const PartHeader& part, const PartHeader& first) {
  if (part.shard.count != first.shard.count)
    return fmt::format("it is one of {} parts, and there are {} there", part.shard.count,
                       first.shard.count);
  // Models are compared by their digest, not by the names of their files.
  Json options = part.options, others = first.options;
  for (Json* each : {&options, &others}) each->erase("model");
  if (options != others) return DifferenceOf(options, others, "there");
  if (part.model != first.model) return "it was made with another model";
  if (part.size != first.size || part.data != first.data) return "it is of other data";
  return {};
}

constexpr const char* kComparisonFormat = "skinmask-comparison-part";

struct FoldScoreRow {
  enum class Of { kShare, kLoss, kAny };
  const char* name;
  std::optional<double> FoldScore::*member;
  Of of;
};
constexpr FoldScoreRow kFoldScores[] = {
    {"auc", &FoldScore::auc, FoldScoreRow::Of::kShare},
    {"best_f1", &FoldScore::best_f1, FoldScoreRow::Of::kShare},
    {"accuracy", &FoldScore::accuracy, FoldScoreRow::Of::kShare},
    {"log_loss", &FoldScore::log_loss, FoldScoreRow::Of::kLoss},
    {"class_log_loss", &FoldScore::class_log_loss, FoldScoreRow::Of::kLoss},
    {"log_likelihood", &FoldScore::log_likelihood, FoldScoreRow::Of::kAny},
    {"aic", &FoldScore::aic, FoldScoreRow::Of::kAny},
    {"bic", &FoldScore::bic, FoldScoreRow::Of::kAny}};

Json JsonOf(const FoldScore& fold) {
  Json json;
  for (const auto& [name, member, of] : kFoldScores) json[name] = OrNull(fold.*member);
  json.update(JsonOf(fold.counts));
  if (!fold.classes.classes.empty()) json["classes"] = JsonOf(fold.classes);
  json["seconds"] = fold.seconds;
  json["parameters"] = fold.parameters;
  return json;
}

FoldScore ReadFold(const JsonNode& node) {
  FoldScore fold;
  for (const auto& [name, member, of] : kFoldScores) {
    const std::optional<double> value = fold.*member = node[name].RealOrNull();
    if (value && of == FoldScoreRow::Of::kShare && !(*value >= 0 && *value <= 1))
      node[name].Fail(" is no share from 0 to 1");
    if (value && of == FoldScoreRow::Of::kLoss && !(*value >= 0)) node[name].Fail(" is below 0");
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
  if (model.problem.empty() != model.IsScored())
    node.Fail(" has neither scores nor a problem, or both");
  return model;
}

}  // namespace

void RequireShard(const Shard& shard) {
  if (shard.count < 1 || shard.index < 1 || shard.index > shard.count)
    throw Error(fmt::format("shard {} of {}", shard.index, shard.count),
                "is none (the first is 1, the last is their number)");
}

Json JsonOf(const PartHeader& header, const std::string& format) {
  return {{"format", format},          {"format_version", kPartVersion},
          {"version", header.version}, {"options", header.options},
          {"model", header.model},     {"data", header.data},
          {"size", header.size},       {"shard", {header.shard.index, header.shard.count}}};
}

PartHeader ReadPartHeader(const JsonNode& root, const std::string& subject,
                          const std::string& format) {
  if (!root.Has("format") || root.json()["format"] != format)
    throw Error(subject, fmt::format("is no part (\"format\": \"{}\" is expected)", format));
  PartHeader header;
  header.version = root["version"].Text();
  if (root["format_version"].Count() != kPartVersion || header.version != kVersion)
    throw Error(subject, fmt::format("was made by skinmask {} (this is {}, and takes its own parts "
                                     "only)",
                                     header.version, kVersion));
  const Json& options = root["options"].json();
  if (!options.is_object()) root["options"].Fail(" is no object");
  for (const auto& [name, value] : options.items())
    if (!IsGiven(value)) root["options"].Fail(fmt::format(" has no words for {}", name));
  header.options = options;
  header.model = root["model"].Text();
  header.data = root["data"].Text();
  header.size = root["size"].Count();
  const JsonNode shard = root["shard"].Items(2, " is not I and N");
  header.shard = {shard[0].Count(), shard[1].Count()};
  Named(root["shard"], [&] { RequireShard(header.shard); });
  return header;
}

void RequireMadeWith(const std::string& file, Json made, Json here,
                     const std::vector<std::string>& free) {
  for (const std::string& name : free) {
    made.erase(name);
    here.erase(name);
  }
  if (made == here) return;
  throw Error(file,
              fmt::format("was made with other options: {} (a merge repeats those of its parts)",
                          DifferenceOf(made, here, "here")));
}

void PartSet::Add(const std::string& file, const PartHeader& header) {
  if (files_.empty()) {
    first_ = file;
    header_ = header;
  } else if (const std::string difference = DifferenceOf(header, header_); !difference.empty()) {
    throw Error(file, fmt::format("does not belong to {}: {}", first_, difference));
  }
  const auto [before, added] = files_.emplace(header.shard.index, file);
  if (!added)
    throw Error(file, fmt::format("is part {} of {}, and so is {} (each part once)",
                                  header.shard.index, header.shard.count, before->second));
}

void PartSet::RequireWhole() const {
  std::size_t missing = 1;
  for (const auto& [index, file] : files_) missing += index == missing;
  if (files_.size() == header_.shard.count) return;
  throw Error(fmt::format("part {} of {}", missing, header_.shard.count),
              fmt::format("is missing ({} of {} are there)", files_.size(), header_.shard.count));
}

std::string FormatComparisonPart(const PartHeader& header,
                                 const std::vector<ComparedModel>& models) {
  Json root = JsonOf(header, kComparisonFormat);
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
