// The part of an evaluation is the result of one shard: a row for each image, and exact sums, so
// that the parts add up to exactly the result of a single run.
#pragma once

#include <array>
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

// A pixel and its rank, by which it is kept or not. The rank is a hash of the image's name and of
// the pixel's position, so the choice does not depend on the order of images or on the run that
// judged them.
struct RankedPixel {
  std::uint64_t rank;
  DrawnPixel pixel;
};

// Keeps the pixels of lowest rank, separately for positive and other pixels. This is a uniform
// sample in bounded memory, and does not depend on the order of the pixels.
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
  std::string scores;              // ScoreHistogram::Packed(), if they are kept
  std::optional<Problem> problem;  // why it could not be judged; the other members are then unset
  std::optional<Lab> tone{};       // if tones are kept; see EvaluationReport
};

struct EvaluationPart {
  static constexpr std::size_t kBlocks = 1024;  // at most; enough to estimate the spread

  PartHeader header;  // version, options and model are set for files only
  std::string positive = "skin";
  std::optional<std::string> finder;  // with an adapter: the names of its face finders
  bool has_scores = false;            // a model was judged, not masks
  bool keeps_scores = false;          // each image keeps its scores
  bool keeps_tones = false;
  std::size_t images_without_mask = 0;
  // Messages about the folders; the first shard has them.
  std::vector<std::pair<std::string, std::string>> skipped;  // file and reason
  std::vector<Problem> problems;
  std::vector<JudgedImage> images;  // all pairs of the shard, in the order of the list
  ScoreHistogram scores;
  // See EvaluationReport: a block has the images whose indices in the whole list are equal modulo
  // kBlocks.
  std::vector<CoarseScores> blocks;
  ClassCounts classes;
  PixelDraw drawn;
};

struct JudgeOptions {
  bool keep_scores = false;     // of each image, for rules that choose the threshold later
  std::optional<double> above;  // see EvaluateImages
  bool tones = false;
};

void AddToBlock(std::vector<CoarseScores>& blocks, std::size_t block, const CoarseScores& scores);

// Judges the shard of `options`; `detector` is null for existing masks.
EvaluationPart EvaluateShard(const PairOptions& options, const Detector* detector,
                             const JudgeOptions& judge_options, const Run& run);
// The report of a part that is a whole evaluation.
EvaluationReport ReportOf(const EvaluationPart& whole);
// Sends to `run` the messages that it would have received from judging the images.
void ReportMessages(const EvaluationPart& whole, const Run& run);

// Merges the parts of one evaluation, added in any order.
class EvaluationMerge {
 public:
  // Throws Error as PartSet does.
  void Add(const std::string& file, EvaluationPart&& part);
  // The result that a single run would have had. Throws Error if a part is missing.
  EvaluationPart Whole() &&;

 private:
  PartSet set_;
  EvaluationPart sum_;
  std::vector<std::pair<Shard, std::vector<JudgedImage>>> images_;
};

// Counts the images of `part`, which keeps their scores, at a threshold of the whole's scores, and
// stores the counts in `whole`. Throws Error if the file has changed since it was added.
void CountAbove(EvaluationPart& whole, const EvaluationPart& part, const std::string& file,
                double above);

// The text of the file of a part (docs/formats.md, 'Part of an evaluation').
std::string FormatEvaluationPart(const EvaluationPart& part);
// Reads such a file. Throws Error for anything that FormatEvaluationPart does not write; sizes and
// sums are checked.
EvaluationPart ReadEvaluationPart(const std::filesystem::path& file);
// The same for the bytes of a file; errors have `name` in place of the file.
EvaluationPart ParseEvaluationPart(const std::string& text, const std::string& name);

}  // namespace skinmask
