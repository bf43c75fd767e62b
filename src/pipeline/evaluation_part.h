// The part of an evaluation is what one shard of it found: sums that are exact, so that parts add
// up to the very whole, and a row for each image.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/parts.h"
#include "skinmask/base/problem.h"
#include "skinmask/detect/detector.h"
#include "skinmask/learn/class_counts.h"
#include "skinmask/learn/coarse_scores.h"
#include "skinmask/learn/evaluation.h"
#include "skinmask/pipeline/evaluate.h"
#include "skinmask/pipeline/run.h"

namespace [[gnu::visibility("default")]] skinmask {

// A pixel, and the number by which it is kept or not: a hash of its image's name and its place
// there, so that the choice depends neither on the order of images nor on what run judged them.
struct RankedPixel {
  std::uint64_t rank;
  DrawnPixel pixel;

  auto operator<=>(const RankedPixel& other) const {
    return std::pair(rank, pixel.bgr) <=> std::pair(other.rank, other.pixel.bgr);
  }
  bool operator==(const RankedPixel&) const = default;
};

// Keeps, of the positive pixels and of all others, those of the lowest ranks: an even draw of all
// in bounded memory, and the same however they come.
class PixelDraw {
 public:
  static constexpr std::size_t kEach = 1000;

  void Add(const std::vector<RankedPixel>& pixels);
  // By rank, positives first.
  std::vector<RankedPixel> Ranked() const;

 private:
  std::array<std::vector<RankedPixel>, 2> kept_;
};

// One pair of the list.
struct JudgedImage {
  std::string name;
  Metrics metrics;
  AdaptationSummary adaptation;
  std::string scores;              // ScoreHistogram::Packed(), where they are kept
  std::optional<Problem> problem;  // why it could not be judged: then nothing else counts
  std::optional<Lab> tone{};       // where tones are kept: as EvaluationReport has it
};

struct EvaluationPart {
  static constexpr std::size_t kBlocks = 1024;  // at most: that many tell the spread well

  PartHeader header;  // version, options and model are those of the file alone
  std::string positive = "skin";
  std::optional<std::string> finder;  // with an adapter: who found the faces
  bool has_scores = false;            // a model judged, not masks
  bool keeps_scores = false;          // each image has its own
  bool keeps_tones = false;
  std::size_t images_without_mask = 0;
  // What the first shard tells of the folders.
  std::vector<std::pair<std::string, std::string>> skipped;  // and why
  std::vector<Problem> problems;
  std::vector<JudgedImage> images;  // all pairs of the shard, in the order of the list
  ScoreHistogram scores;
  // As EvaluationReport has them: files whose places in the whole list are the same modulo kBlocks.
  std::vector<CoarseScores> blocks;
  ClassCounts classes;
  PixelDraw drawn;
};

struct JudgeOptions {
  bool keep_scores = false;     // of each image, for rules that choose a threshold later
  std::optional<double> above;  // as EvaluateImages has it
  bool tones = false;
};

// Adds the scores to those of the block.
void AddToBlock(std::vector<CoarseScores>& blocks, std::size_t block, const CoarseScores& scores);

// Judges the shard that `options` name; `detector` is null for masks that were made before.
EvaluationPart EvaluateShard(const PairOptions& options, const Detector* detector,
                             const JudgeOptions& judge_options, const Run& run);
// The report of a part that is the whole.
EvaluationReport ReportOf(const EvaluationPart& whole);
// Tells `run` what it would have been told had it judged the images.
void Tell(const EvaluationPart& whole, const Run& run);

// The parts of one whole, in any order.
class EvaluationMerge {
 public:
  // Throws Error as PartSet does.
  void Add(const std::string& file, EvaluationPart&& part);
  // What one run would have found. Throws Error where a part is missing.
  EvaluationPart Whole() &&;

 private:
  PartSet set_;
  EvaluationPart sum_;
  std::vector<std::pair<Shard, std::vector<JudgedImage>>> images_;
};

// Judges the images of `whole` that are those of `part`, which keeps their scores, at a threshold
// of the whole's scores. Throws Error where the file has changed since it was added.
void JudgeAgain(EvaluationPart& whole, const EvaluationPart& part, const std::string& file,
                double above);

// The file of a part (docs/formats.md, 'Part of an evaluation').
std::string FormatEvaluationPart(const EvaluationPart& part);
// Throws Error for what FormatEvaluationPart does not write: sizes and sums are checked.
EvaluationPart ReadEvaluationPart(const std::filesystem::path& file);
// The same for the bytes of a file that errors call `name`.
EvaluationPart ParseEvaluationPart(const std::string& text, const std::string& name);

}  // namespace skinmask
