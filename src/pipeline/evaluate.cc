#include "skinmask/pipeline/evaluate.h"

#include <nlohmann/json.hpp>

#include "pipeline/labelled_pairs.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/detect_image.h"

namespace skinmask {
namespace {

constexpr std::pair<const char*, std::optional<double> Metrics::*> kRatios[] = {
    {"accuracy", &Metrics::accuracy},
    {"precision", &Metrics::precision},
    {"recall", &Metrics::recall},
    {"specificity", &Metrics::specificity},
    {"f1", &Metrics::f1},
    {"iou", &Metrics::iou},
    {"auc", &Metrics::auc},
    {"average_precision", &Metrics::average_precision},
    {"brier", &Metrics::brier},
};
constexpr std::pair<const char*, std::uint64_t Confusion::*> kCounts[] = {
    {"tp", &Confusion::tp}, {"fp", &Confusion::fp}, {"fn", &Confusion::fn}, {"tn", &Confusion::tn}};

// What is added up over an image, and over all of them.
struct Sums {
  Confusion counts;
  ScoreHistogram scores;
  ClassCounts classes;  // of models of more than two
  std::vector<DrawnPixel> drawn;
};

// Pixels on a lattice over the image.
std::vector<DrawnPixel> DrawPixels(const LabelledImage& image, std::uint8_t positive) {
  constexpr int kLattice = 24;
  std::vector<DrawnPixel> drawn;
  for (int i = 0; i < kLattice * kLattice; ++i) {
    const int y = (2 * (i / kLattice) + 1) * image.bgr.rows / (2 * kLattice);
    const int x = (2 * (i % kLattice) + 1) * image.bgr.cols / (2 * kLattice);
    const std::uint8_t truth = image.classes.at<std::uint8_t>(y, x);
    const cv::Vec3b& bgr = image.bgr.at<cv::Vec3b>(y, x);
    if (truth != MaskRule::kIgnored) drawn.push_back({{bgr[0], bgr[1], bgr[2]}, truth == positive});
  }
  return drawn;
}

// Keeps every n-th of a stream of pixels, n doubling whenever there are too many: an even draw of
// all in bounded memory.
class PixelDraw {
 public:
  explicit PixelDraw(std::vector<DrawnPixel>& kept) : kept_(kept) {}
  void Add(const std::vector<DrawnPixel>& pixels) {
    constexpr std::size_t kMost = 8192;
    for (const DrawnPixel& pixel : pixels) {
      if (seen_++ % every_ != 0) continue;
      kept_.push_back(pixel);
      if (kept_.size() < kMost) continue;
      for (std::size_t i = 0; i < kMost / 2; ++i) kept_[i] = kept_[2 * i];
      kept_.resize(kMost / 2);
      every_ *= 2;
    }
  }

 private:
  std::vector<DrawnPixel>& kept_;
  std::size_t seen_ = 0, every_ = 1;
};

// Judges every pair with `judge(image, sums)` and adds up.
template <class Judge>
EvaluationReport EvaluatePairs(const LabelledPairs& pairs, bool has_scores, const Run& run,
                               const Judge& judge) {
  Sums pooled;
  EvaluationReport report;
  PixelDraw draw(report.drawn);
  struct One {
    std::string name;
    Sums sums;
    Metrics metrics;
  };
  const auto evaluation_of = [&](const Sums& sums) {
    return Evaluation{sums.counts, has_scores ? std::optional(sums.scores.Steps()) : std::nullopt};
  };
  pairs.ForEach(
      run,
      [&](std::size_t, const LabelledImage& image) {
        One one{image.name, {}, {}};
        judge(image, one.sums);
        one.metrics = MetricsOf(evaluation_of(one.sums));
        return one;
      },
      [&](std::size_t, One&& one) {
        report.images.emplace_back(std::move(one.name), one.metrics);
        pooled.counts += one.sums.counts;
        pooled.scores += one.sums.scores;
        pooled.classes += one.sums.classes;
        draw.Add(one.sums.drawn);
      });
  Evaluation all = evaluation_of(pooled);
  report.pooled = MetricsOf(all);
  report.scores = std::move(all.scores);
  if (!pooled.classes.classes.empty()) report.classes = std::move(pooled.classes);
  return report;
}

// What a model of more than two classes calls the pixels of an image. `in_model` has for each class
// of the mask its index among the model's, or their number where there is none.
ClassCounts CountClasses(const LabelledImage& image, const Model& model, const Posterior& posterior,
                         const std::vector<std::size_t>& in_model) {
  ClassCounts counts(model);
  std::vector<std::uint8_t> called(static_cast<std::size_t>(image.bgr.cols));
  for (int y = 0; y < image.bgr.rows; ++y) {
    const std::uint8_t* const classes = image.classes.ptr<std::uint8_t>(y);
    posterior.ClassRow(image.bgr.ptr<std::uint8_t>(y), called.size(), called.data());
    for (std::size_t x = 0; x < called.size(); ++x)
      if (classes[x] != MaskRule::kIgnored && in_model[classes[x]] < model.classes.size())
        counts.Add(in_model[classes[x]], called[x]);
  }
  return counts;
}

// The index of the positive class among the classes of the masks.
std::uint8_t PositiveIndex(const LabelledPairs& pairs, const PairOptions& options,
                           const std::string& positive) {
  for (std::size_t k = 0; k < pairs.classes().size(); ++k)
    if (pairs.classes()[k] == positive) return static_cast<std::uint8_t>(k);
  if (options.whole_class.empty())
    throw Error("labels", fmt::format("name no class '{}', the positive one (classes are: {})",
                                      positive, fmt::join(pairs.classes(), " ")));
  return MaskRule::kIgnored - 1;  // a class that no pixel has: all are negative
}

}  // namespace

Metrics MetricsOf(const Evaluation& evaluation) {
  const Confusion& c = evaluation.counts;
  Metrics m{c, c.Accuracy(), c.Precision(), c.Recall(), c.Specificity(), c.F1(), c.Iou(), {}, {},
            {}};
  if (evaluation.scores) {
    m.auc = evaluation.scores->Auc();
    m.average_precision = evaluation.scores->AveragePrecision();
    m.brier = evaluation.scores->Brier();
  }
  return m;
}

EvaluationReport EvaluateImages(const PairOptions& options, const Model& model, const Run& run,
                                const Adapter* adapter) {
  const LabelledPairs pairs(options, false, run);
  const std::uint8_t positive = PositiveIndex(pairs, options, model.positive().name);
  const Posterior posterior(model, {.probability = false});
  std::vector<std::size_t> in_model;
  for (const std::string& name : pairs.classes())
    in_model.push_back(static_cast<std::size_t>(
        std::ranges::find(model.classes, name, &ClassModel::name) - model.classes.begin()));
  EvaluationReport report =
      EvaluatePairs(pairs, true, run, [&](const LabelledImage& image, Sums& sum) {
        const auto width = static_cast<std::size_t>(image.bgr.cols);
        std::vector<std::uint8_t> mask(width);
        std::vector<float> z(width);
        const cv::Mat adapted = adapter ? adapter->LogOdds(image.bgr) : cv::Mat();
        const cv::Mat adapted_mask =
            adapted.empty() ? cv::Mat() : MaskOf(adapted, model.decision.threshold);
        for (int y = 0; y < image.bgr.rows; ++y) {
          const std::uint8_t* classes = image.classes.ptr<std::uint8_t>(y);
          if (adapted.empty()) {
            posterior.MaskRow(image.bgr.ptr<std::uint8_t>(y), width, mask.data());
            posterior.LogOddsRow(image.bgr.ptr<std::uint8_t>(y), width, z.data());
          } else {
            std::copy_n(adapted_mask.ptr<std::uint8_t>(y), width, mask.data());
            std::copy_n(adapted.ptr<float>(y), width, z.data());
          }
          for (std::size_t x = 0; x < width; ++x) {
            if (classes[x] == MaskRule::kIgnored) continue;
            sum.counts.Add(classes[x] == positive, mask[x] != 0);
            sum.scores.Add(z[x], classes[x] == positive);
          }
        }
        sum.drawn = DrawPixels(image, positive);
        if (model.classes.size() > 2) sum.classes = CountClasses(image, model, posterior, in_model);
      });
  report.positive = model.positive().name;
  return report;
}

EvaluationReport EvaluatePredicted(const PairOptions& options, const Run& run) {
  const LabelledPairs pairs(options, true, run);
  const std::uint8_t positive = PositiveIndex(pairs, options, "skin");
  return EvaluatePairs(pairs, false, run, [&](const LabelledImage& image, Sums& sum) {
    for (int y = 0; y < image.bgr.rows; ++y) {
      const std::uint8_t* classes = image.classes.ptr<std::uint8_t>(y);
      const std::uint8_t* mask = image.bgr.ptr<std::uint8_t>(y);
      for (int x = 0; x < image.bgr.cols; ++x)
        if (classes[x] != MaskRule::kIgnored) sum.counts.Add(classes[x] == positive, mask[x] == 0);
    }
  });
}

std::vector<std::pair<std::string, std::optional<double>>> Ratios(const Metrics& metrics) {
  std::vector<std::pair<std::string, std::optional<double>>> ratios;
  for (const auto& [name, member] : kRatios) ratios.emplace_back(name, metrics.*member);
  return ratios;
}

std::vector<std::pair<std::string, std::optional<double>>> MeanPerImage(
    const EvaluationReport& report) {
  std::vector<std::pair<std::string, std::optional<double>>> means;
  const auto add = [&](const char* name, const auto& value_of) {
    double sum = 0, n = 0;
    for (const auto& [image, metrics] : report.images) {
      if (const std::optional<double> value = value_of(metrics)) {
        sum += *value;
        ++n;
      }
    }
    means.emplace_back(name, n > 0 ? std::optional(sum / n) : std::nullopt);
  };
  for (const auto& [name, member] : kCounts)
    add(name, [m = member](const Metrics& metrics) {
      return std::optional(static_cast<double>(metrics.counts.*m));
    });
  for (const auto& [name, member] : kRatios)
    add(name, [m = member](const Metrics& metrics) { return metrics.*m; });
  return means;
}

std::string ReportToJson(const EvaluationReport& report) {
  using Json = nlohmann::ordered_json;
  const auto or_null = [](const std::optional<double>& v) { return v ? Json(*v) : Json(); };
  const auto metrics_json = [&](const Metrics& metrics) {
    Json json;
    for (const auto& [name, member] : kCounts) json[name] = metrics.counts.*member;
    for (const auto& [name, value] : Ratios(metrics)) json[name] = or_null(value);
    return json;
  };
  Json root{{"pooled", metrics_json(report.pooled)}};
  if (report.classes) root["classes"] = Json::parse(ClassCountsToJson(*report.classes));
  if (const std::optional<Decision>& d = report.decision) {
    root["decision"] = {{"threshold", d->threshold}, {"rule", d->rule}};
    if (!d->data.empty()) root["decision"]["data"] = d->data;
  }
  for (const auto& [name, value] : MeanPerImage(report))
    root["mean_per_image"][name] = or_null(value);
  root["images"] = Json::array();
  for (const auto& [name, metrics] : report.images) {
    Json image{{"name", name}};
    image.update(metrics_json(metrics));
    root["images"].push_back(std::move(image));
  }
  // A name on disk may be no UTF-8; the text must be.
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace skinmask
