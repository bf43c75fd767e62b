#include "skinmask/pipeline/evaluate.h"

#include <tbb/concurrent_queue.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/distributions.h"
#include "pipeline/bytes_as_text.h"
#include "pipeline/evaluation_part.h"
#include "pipeline/expected_pixels.h"
#include "pipeline/labelled_pairs.h"

namespace skinmask {
namespace {

std::uint64_t HashOf(std::string_view name) {
  std::uint64_t hash = 0;
  for (const char c : name) hash = Mix(hash + static_cast<std::uint8_t>(c) + 1);
  return hash;
}

// Calls see(y, x, class) for every pixel that is not ignored.
template <class See>
void ForEachPixel(const LabelledImage& image, const See& see) {
  for (int y = 0; y < image.classes.rows; ++y) {
    const std::uint8_t* const classes = image.classes.ptr(y);
    for (int x = 0; x < image.classes.cols; ++x)
      if (classes[x] != MaskRule::kIgnored) see(y, x, classes[x]);
  }
}

// Takes pixels on a lattice over the image.
std::vector<RankedPixel> DrawPixels(const LabelledImage& image, std::uint8_t positive) {
  constexpr int kLattice = 24;
  std::vector<RankedPixel> drawn;
  const std::uint64_t hash = HashOf(image.name);
  const auto at = [](int i, int length) {
    return static_cast<int>((2 * i + 1) * std::int64_t{length} / (2 * kLattice));
  };
  for (int i = 0; i < kLattice * kLattice; ++i) {
    const int y = at(i / kLattice, image.bgr.rows), x = at(i % kLattice, image.bgr.cols);
    const std::uint8_t truth = image.classes.at<std::uint8_t>(y, x);
    const cv::Vec3b& bgr = image.bgr.at<cv::Vec3b>(y, x);
    if (truth != MaskRule::kIgnored)
      drawn.push_back({Mix(hash + static_cast<std::uint64_t>(i)),
                       {{bgr[0], bgr[1], bgr[2]}, truth == positive}});
  }
  return drawn;
}

// What judging one image gives: its row, and what it adds to the sums over images.
struct JudgedPixels {
  JudgedImage row;
  Confusion counts;
  ScoreHistogram scores;
  CoarseScores coarse;
  ClassCounts classes;  // for models of more than two classes
  std::vector<RankedPixel> drawn;
};

// The median colour of the true positive pixels.
std::optional<Lab> ToneOf(const LabelledImage& image, std::uint8_t positive) {
  MedianLab median;
  ForEachPixel(image, [&](int y, int x, std::uint8_t truth) {
    const std::uint8_t* const bgr = image.bgr.ptr(y) + 3 * x;
    if (truth == positive) median.Add(LabOfSrgb(bgr[0], bgr[1], bgr[2]));
  });
  return median.Median();
}

void Complete(const LabelledImage& image, std::uint8_t positive, bool has_scores,
              const JudgeOptions& options, JudgedPixels& one) {
  one.row.name = image.name;
  if (options.keep_scores) one.row.scores = one.scores.Packed();
  if (options.above) one.counts = CountsAbove(one.scores.Packed(), *options.above);
  Evaluation evaluation{one.counts, std::nullopt};
  if (has_scores) {
    evaluation.scores = one.scores.Steps();
    one.coarse = CoarseScores(*evaluation.scores);
  }
  one.row.metrics = MetricsOf(evaluation);
  if (options.tones) one.row.tone = ToneOf(image, positive);
}

using Judge = std::function<void(const LabelledImage&, JudgedPixels&)>;

// Judges the pairs of the shard and adds the results up.
void JudgePairs(const LabelledPairs& pairs, std::uint8_t positive, const JudgeOptions& options,
                const Run& run, const Judge& judge, EvaluationPart& part) {
  Run recorded = run;
  recorded.problem = [&](const Problem& problem) {
    part.images.push_back({{}, {}, {}, {}, problem});
    run.problem(problem);
  };
  // Histograms are reused: allocating 2.4 MB for each image takes longer than counting in them.
  tbb::concurrent_queue<ScoreHistogram> spare;
  pairs.ForEach(
      recorded,
      [&](std::size_t, const LabelledImage& image) {
        JudgedPixels one;
        if (spare.try_pop(one.scores)) one.scores *= 0;
        judge(image, one);
        Complete(image, positive, part.has_scores, options, one);
        return one;
      },
      [&](JudgedPixels&& one) {
        const std::size_t place = PlaceOf(part.header.shard, part.images.size());
        if (part.has_scores) AddToBlock(part.blocks, place % EvaluationPart::kBlocks, one.coarse);
        part.scores += one.scores;
        spare.push(std::move(one.scores));
        part.classes += one.classes;
        part.drawn.Add(one.drawn);
        part.images.push_back(std::move(one.row));  // last: if one of these fails, its problem does
      });
}

// Lists the pairs and records the messages in `part`.
LabelledPairs ListPairs(const PairOptions& options, bool predicted, const Run& run,
                        EvaluationPart& part) {
  Run recorded = run;
  recorded.problem = [&](const Problem& problem) {
    part.problems.push_back(problem);
    run.problem(problem);
  };
  recorded.passed_over = [&](const std::filesystem::path& file, const std::string& reason) {
    part.skipped.emplace_back(file.string(), reason);
    run.passed_over(file, reason);
  };
  LabelledPairs pairs(options, predicted, recorded);
  std::string names;
  for (std::size_t place = 0; place < pairs.size(); ++place)
    names.append(pairs.relative(place)).push_back('\0');
  part.header.data = Sha256(names);
  part.header.size = pairs.size();
  part.header.shard = options.shard;
  part.images_without_mask = pairs.without_mask();
  return pairs;
}

// Judges images by a detector. `positive` is the index of the positive class among the classes of
// the masks.
Judge ModelJudge(const LabelledPairs& pairs, std::uint8_t positive, const Detector& given) {
  DetectorOptions options = given.options();
  options.expected = {
      .expected_pixels = ExpectedPixels(pairs.size(), kLargeInput,
                                        [&](std::size_t place) { return pairs.name(place); }),
      .probability = false};
  return [positive, in_model = IndicesInModel(pairs.classes(), given.model()),
          detector = given.With(options)](const LabelledImage& image, JudgedPixels& one) {
    Judgement judgement = detector.Judge(image.bgr);
    one.row.adaptation = judgement.summary();
    judgement.MakeMask(false, true);
    const cv::Mat mask = judgement.Mask(), log_odds = judgement.LogOdds();
    ForEachPixel(image, [&](int y, int x, std::uint8_t truth) {
      one.counts.Add(truth == positive, mask.ptr(y)[x] != 0);
      one.scores.Add(log_odds.ptr<float>(y)[x], truth == positive);
    });
    one.drawn = DrawPixels(image, positive);
    if (!CountsClasses(detector.model())) return;
    one.classes = ClassCounts(detector.model());
    const cv::Mat called = judgement.Classes();
    ForEachPixel(image, [&](int y, int x, std::uint8_t truth) {
      if (in_model[truth] < detector.model().classes.size())
        one.classes.Add(in_model[truth], called.ptr(y)[x]);
    });
  };
}

// The index of the positive class among the classes of the masks. The class of whole images must be
// a class of the model or, without a model, skin or non-skin.
std::uint8_t PositiveIndex(const LabelledPairs& pairs, const PairOptions& options,
                           const std::string& positive, const Detector* detector) {
  if (const auto index = pairs.IndexOf(positive)) return *index;
  const std::string& whole = options.whole_class;
  std::vector<std::string> known = {positive, "non-skin"};
  if (detector) {
    known.clear();
    for (const ClassModel& c : detector->model().classes) known.push_back(c.name);
  }
  if (!whole.empty() && std::ranges::find(known, whole) == known.end())
    throw Error("`whole` " + whole,
                fmt::format("is no class here (classes are: {})", fmt::join(known, " ")));
  if (whole.empty())
    throw Error("`label`", fmt::format("names no class '{}', the positive one (classes are: {})",
                                       positive, fmt::join(pairs.classes(), " ")));
  return LabelledPairs::kNoClass;  // all pixels are negative
}

}  // namespace

EvaluationPart EvaluateShard(const PairOptions& options, const Detector* detector,
                             const JudgeOptions& judge_options, const Run& run) {
  EvaluationPart part;
  part.has_scores = detector != nullptr;
  part.keeps_scores = judge_options.keep_scores;
  part.keeps_tones = judge_options.tones;
  if (detector) part.positive = detector->model().positive().name;
  if (detector && detector->adapter()) part.finder = detector->adapter()->finder_names();
  const LabelledPairs pairs = ListPairs(options, detector == nullptr, run, part);
  const std::uint8_t positive = PositiveIndex(pairs, options, part.positive, detector);
  const Judge masks = [&](const LabelledImage& image, JudgedPixels& one) {
    ForEachPixel(image, [&](int y, int x, std::uint8_t truth) {
      one.counts.Add(truth == positive, image.bgr.ptr(y)[x] == 0);
    });
  };
  JudgePairs(pairs, positive, judge_options, run,
             detector ? ModelJudge(pairs, positive, *detector) : masks, part);
  return part;
}

EvaluationReport EvaluateImages(const PairOptions& options, const Detector& detector,
                                const Run& run, std::optional<double> above, bool tones) {
  return ReportOf(EvaluateShard(options, &detector, {false, above, tones}, run));
}

EvaluationReport EvaluatePredicted(const PairOptions& options, const Run& run) {
  return ReportOf(EvaluateShard(options, nullptr, {}, run));
}

std::vector<DrawnPixel> DrawPixels(const Samples& samples, const std::string& positive,
                                   std::size_t each) {
  std::array<std::uint64_t, 2> totals{};
  const auto is_positive = [&](const SampleRow& row) {
    return samples.classes()[row.class_index] == positive;
  };
  for (const SampleRow& row : samples.rows()) totals[is_positive(row)] += row.count;
  std::vector<DrawnPixel> drawn;
  std::array<double, 2> owed{};
  for (const SampleRow& row : samples.rows()) {
    const bool truth = is_positive(row);
    const double every =
        std::max(1., static_cast<double>(totals[truth]) / static_cast<double>(each));
    for (owed[truth] += static_cast<double>(row.count); owed[truth] >= every; owed[truth] -= every)
      drawn.push_back({{row.b, row.g, row.r}, truth});
  }
  return drawn;
}

EvaluationReport EvaluateTable(const Samples& samples, const Model& model) {
  constexpr std::size_t kDrawn = 1000;
  if (samples.Total() == 0)
    throw Error("samples", "hold no pixel (there is no row, or every count is 0)");
  const std::string& positive = model.positive().name;
  Evaluation evaluation = EvaluateSamples(samples, model);
  EvaluationReport report;
  report.positive = positive;
  report.pooled = MetricsOf(evaluation);
  report.scores = std::move(evaluation.scores);
  report.drawn = DrawPixels(samples, positive, kDrawn);
  if (CountsClasses(model)) report.classes = CountClasses(samples, model);
  return report;
}

}  // namespace skinmask
