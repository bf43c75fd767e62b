// Reads and writes the file of a part. Every number that is read is checked, because the file is
// untrusted.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/printable.h"
#include "pipeline/bytes_as_text.h"
#include "pipeline/evaluation_part.h"
#include "pipeline/results_json.h"
#include "skinmask/base/file.h"

namespace skinmask {
namespace {

constexpr const char* kEvaluationFormat = "skinmask-evaluation-part";

// A name with its bytes, which stand beside it where it is no UTF-8.
std::string ReadName(const JsonNode& node, const char* name) {
  const std::string bytes = fmt::format("{}_bytes", name);
  if (!node.Has(bytes)) return node[name].Text();
  return Named(node[bytes], [&] { return FromBase64(node[bytes].Text()); });
}

Json JsonOf(const Problem& problem) {
  Json json = EntryOfInput(problem.input);
  json["line"] = problem.line;
  if (problem.shown) json["shown"] = *problem.shown;
  if (!problem.tolerable) json["tolerable"] = false;
  return json;
}

Problem ReadProblem(const JsonNode& node) {
  Problem problem(ReadName(node, "input"), "");
  // The file is untrusted, and these lines are shown to people.
  problem.line = Printable(node["line"].Text(), kMaxOfLine);
  if (node.Has("shown")) problem.shown = Printable(node["shown"].Text(), kMaxOfLine);
  problem.tolerable = !node.Has("tolerable");
  return problem;
}

Json JsonOf(const JudgedImage& image, const EvaluationPart& part) {
  if (image.problem) return {{"problem", JsonOf(*image.problem)}};
  Json json{{"name", image.name}};
  if (!IsUtf8(image.name)) json["name_bytes"] = Base64(image.name);  // JSON cannot hold such bytes
  json.update(JsonOf(image.metrics.counts));
  if (part.has_scores)
    for (const auto& [name, member] : kRatiosOfScores) json[name] = OrNull(image.metrics.*member);
  if (part.finder) json["adaptation"] = JsonOf(image.adaptation);
  if (part.keeps_scores) json["scores"] = Base64(image.scores);
  if (part.keeps_tones)
    json["tone"] = image.tone ? Json{image.tone->l, image.tone->a, image.tone->b} : Json();
  return json;
}

// True if the numbers of positive and negative pixels equal those of the counts.
bool AddUp(std::uint64_t positive, std::uint64_t negative, const Confusion& counts) {
  return positive == counts.tp + counts.fn && negative == counts.fp + counts.tn;
}

AdaptationSummary ReadAdaptation(const JsonNode& node) {
  using JudgedBy = AdaptationSummary::By;
  const std::string by = node["by"].Text();
  const auto holds = [&](const char* name) { return node.Has(name) && node[name].IsTrue(); };
  AdaptationSummary read{
      .monochrome = holds("monochrome"), .cool = holds("cool"), .unclear = holds("unclear")};
  if (by == "nobody") return {.by = JudgedBy::kNobody};
  if (node.Has("any_skin")) read.any_skin = node["any_skin"].Real();
  if (read.any_skin && !(*read.any_skin >= 0 && *read.any_skin <= 1))
    node["any_skin"].Fail(" is no probability");
  if (by == "seeds") {
    read.by = JudgedBy::kSeeds;
    read.faces = node["faces"].Count();
    return read;
  }
  if (by != "nothing" && by != "image")
    node["by"].Fail(" is none of nothing, nobody, seeds, image");
  read.stops = node["stops"].Real();
  if (by == "nothing") return read;
  read.by = JudgedBy::kImage;
  read.shift = node["shift"].Real();
  return read;
}

Metrics ReadMetrics(const JsonNode& node, bool has_scores) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 40;  // no image has so many pixels
  const Confusion counts = ReadConfusion(node, kMax);
  Metrics metrics = MetricsOf({counts, std::nullopt});
  if (!has_scores) return metrics;
  const bool positive = counts.tp + counts.fn > 0, negative = counts.fp + counts.tn > 0;
  for (const auto& [name, member] : kRatiosOfScores) {
    const std::optional<double> value = metrics.*member = node[name].RealOrNull();
    const bool defined = member == &Metrics::auc                 ? positive && negative
                         : member == &Metrics::average_precision ? positive
                                                                 : positive || negative;
    if (value.has_value() != defined || (value && !(*value >= 0 && *value <= 1)))
      node[name].Fail(" does not fit the counts (0 to 1, or null for 0/0)");
  }
  return metrics;
}

// Reads the tone, which must be present exactly if the image has true positive pixels.
std::optional<Lab> ReadTone(const JsonNode& node, bool any_positive) {
  if (node.json().is_null() == any_positive)
    node.Fail(" does not fit the counts (null where nothing is truly positive)");
  if (!any_positive) return std::nullopt;
  const JsonNode values = node.Items(3, " is not L, a, b");
  const Lab lab{values[0].Real(), values[1].Real(), values[2].Real()};
  const auto within = [](double value, double low, double high) {
    return value >= low && value <= high;
  };
  if (!within(lab.l, 0, 100) || !within(lab.a, -128, 128) || !within(lab.b, -128, 128))
    node.Fail(" is no colour (L from 0 to 100, a and b from -128 to 128)");
  return lab;
}

JudgedImage ReadImage(const JsonNode& node, const EvaluationPart& part) {
  if (node.Has("problem")) return {{}, {}, {}, {}, ReadProblem(node["problem"])};
  JudgedImage image;
  image.name = ReadName(node, "name");
  image.metrics = ReadMetrics(node, part.has_scores);
  if (part.finder) image.adaptation = ReadAdaptation(node["adaptation"]);
  if (part.keeps_tones)
    image.tone = ReadTone(node["tone"], image.metrics.counts.tp + image.metrics.counts.fn > 0);
  if (part.keeps_scores) {
    const JsonNode scores = node["scores"];
    const Confusion scored = Named(scores, [&] {
      image.scores = FromBase64(scores.Text());
      return CountsAbove(image.scores, 0);
    });
    if (!AddUp(scored.tp + scored.fn, scored.fp + scored.tn, image.metrics.counts))
      scores.Fail(" do not add up to the counts");
  }
  return image;
}

Int128 ReadInt128(const JsonNode& node) {
  const std::string text = node.Text();
  Int128 number = 0;
  constexpr std::size_t kMaxDigits = 36;  // below 2^127
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || text.size() > kMaxDigits || !std::ranges::all_of(text, digit))
    node.Fail(" is no whole number from 0");
  for (const char c : text) number = 10 * number + (c - '0');
  return number;
}

ScoreHistogram ReadScores(const JsonNode& node, const Confusion& counts) {
  ScoreHistogram scores = Named(node, [&] {
    return ScoreHistogram::Unpacked(FromBase64(node["bins"].Text()),
                                    ReadInt128(node["squared_error"]));
  });
  const Scores steps = scores.Steps();
  if (!AddUp(steps.Total(true), steps.Total(false), counts))
    node.Fail(" does not add up to the counts of the images");
  return scores;
}

Json JsonOf(const CoarseScores& block, std::size_t index) {
  Json json{{"block", index}, {"bins", Base64(block.Packed())}};
  for (const auto& [count, positive, sum] : block.reliability)
    json["reliability"].push_back({count, positive, sum});
  return json;
}

CoarseScores ReadBlock(const JsonNode& node) {
  std::array<CoarseScores::Probabilities, Reliability::kBins> reliability;
  const JsonNode bins = node["reliability"].Items(reliability.size(), " has not 15 bins");
  for (std::size_t b = 0; b < reliability.size(); ++b) {
    const JsonNode values = bins[b].Items(3, " is not count, positive, sum");
    reliability[b] = {values[0].Count(), values[1].Count(), values[2].Count()};
  }
  return Named(
      node, [&] { return CoarseScores::Unpacked(FromBase64(node["bins"].Text()), reliability); });
}

// Reads the blocks. They must be in ascending order and hold all pixels.
std::vector<CoarseScores> ReadBlocks(const JsonNode& node, const Confusion& counts) {
  std::vector<CoarseScores> blocks;
  std::uint64_t positive = 0, negative = 0;
  for (const JsonNode& item : node.Items()) {
    const std::uint64_t index = item["block"].Count();
    if (index < blocks.size() || index >= EvaluationPart::kBlocks)
      item["block"].Fail(" is out of order, or no block");
    const CoarseScores block = ReadBlock(item);
    if (block.bins.empty()) item["bins"].Fail(" is empty");
    AddToBlock(blocks, index, block);
    positive += block.Total(true);
    negative += block.Total(false);
  }
  if (!AddUp(positive, negative, counts)) node.Fail(" do not add up to the counts of the images");
  return blocks;
}

void ReadDrawn(const JsonNode& node, PixelDraw& drawn) {
  std::vector<RankedPixel> pixels;
  for (const JsonNode& item : node.Items()) {
    const JsonNode values = item.Items(5, " is not rank, b, g, r, positive");
    RankedPixel pixel{values[0].Count(), {{}, values[4].IsTrue()}};
    for (std::size_t c = 0; c < 3; ++c) {
      if (values[c + 1].Count() > 255) item.Fail(" has no bytes for a colour");
      pixel.pixel.bgr[c] = static_cast<std::uint8_t>(values[c + 1].Count());
    }
    pixels.push_back(pixel);
  }
  drawn.Add(pixels);
}

}  // namespace

std::string FormatEvaluationPart(const EvaluationPart& part) {
  Json root = JsonOf(part.header, kEvaluationFormat);
  root["positive"] = part.positive;
  root["finder"] = OrNull(part.finder);
  root["has_scores"] = part.has_scores;
  root["keeps_scores"] = part.keeps_scores;
  root["keeps_tones"] = part.keeps_tones;
  root["images_without_mask"] = part.images_without_mask;
  if (part.has_scores) {
    root["scores"] = {{"bins", Base64(part.scores.Packed())},
                      {"squared_error", fmt::format("{}", part.scores.squared_error())}};
    root["blocks"] = Json::array();
    for (std::size_t b = 0; b < part.blocks.size(); ++b)
      if (!part.blocks[b].bins.empty()) root["blocks"].push_back(JsonOf(part.blocks[b], b));
  }
  if (!part.classes.classes.empty()) root["classes"] = JsonOf(part.classes);
  root["drawn"] = Json::array();
  for (const auto& [rank, pixel] : part.drawn.Ranked())
    root["drawn"].push_back({rank, pixel.bgr[0], pixel.bgr[1], pixel.bgr[2], pixel.positive});
  root["skipped"] = Json::array();
  for (const auto& [input, reason] : part.skipped)
    root["skipped"].push_back(EntryOfInput(input, reason));
  root["problems"] = Json::array();
  for (const Problem& problem : part.problems) root["problems"].push_back(JsonOf(problem));
  root["images"] = Json::array();
  for (const JudgedImage& image : part.images) root["images"].push_back(JsonOf(image, part));
  return JsonText(root) + "\n";
}

EvaluationPart ParseEvaluationPart(const std::string& text, const std::string& name) {
  const Json parsed = ParseObject(text, name, "a part of an evaluation");
  const JsonNode root(parsed, name, "");
  EvaluationPart part;
  part.header = ReadPartHeader(root, name, kEvaluationFormat);
  part.positive = root["positive"].Text();
  if (!root["finder"].json().is_null()) part.finder = root["finder"].Text();
  part.has_scores = root["has_scores"].IsTrue();
  part.keeps_scores = root["keeps_scores"].IsTrue();
  part.keeps_tones = root["keeps_tones"].IsTrue();
  part.images_without_mask = root["images_without_mask"].Count();
  Confusion all;
  for (const JsonNode& image : root["images"].Items()) {
    part.images.push_back(ReadImage(image, part));
    all += part.images.back().metrics.counts;
  }
  if (part.images.size() != SizeOf(part.header.shard, part.header.size))
    root["images"].Fail(fmt::format(" are {}, and the part has {} of {} pairs", part.images.size(),
                                    SizeOf(part.header.shard, part.header.size), part.header.size));
  if (part.has_scores) {
    part.scores = ReadScores(root["scores"], all);
    part.blocks = ReadBlocks(root["blocks"], all);
  }
  if (root.Has("classes")) part.classes = ReadClassCounts(root["classes"], all.Total());
  ReadDrawn(root["drawn"], part.drawn);
  for (const JsonNode& item : root["skipped"].Items())
    part.skipped.emplace_back(ReadName(item, "input"), item["reason"].Text());
  for (const JsonNode& item : root["problems"].Items()) part.problems.push_back(ReadProblem(item));
  return part;
}

EvaluationPart ReadEvaluationPart(const std::filesystem::path& file) {
  return ParseEvaluationPart(ReadFile(file), file.string());
}

}  // namespace skinmask
