#include "skinmask/report/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/distributions.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/learn/reliability.h"
#include "skinmask/media/image.h"
#include "skinmask/pipeline/evaluate.h"
#include "skinmask/report/gallery.h"
#include "skinmask/report/intervals.h"
#include "support/colors.h"
#include "support/pictures.h"
#include "support/program.h"

namespace skinmask {
namespace {

using nlohmann::json;
using testing::Random;

EvaluationReport SomeImages(int n) {
  Random random(8);
  EvaluationReport report;
  for (int i = 0; i < n; ++i) {
    Confusion c;
    c.tp = 100 + random.Next() % 900;
    c.fn = random.Next() % 500;
    c.fp = random.Next() % 300;
    c.tn = 10000 - c.tp - c.fn - c.fp;
    Evaluation one{c, std::nullopt};
    report.images.emplace_back("i" + std::to_string(i), MetricsOf(one));
    report.pooled.counts += c;
  }
  return report;
}

const Interval& Named(const NamedIntervals& intervals, const std::string& name) {
  return *std::ranges::find(intervals, name, [](const auto& pair) { return pair.first; })->second;
}

TEST(Intervals, AreNearlyThoseOfTheNormalApproximation) {
  const EvaluationReport report = SomeImages(80);
  const ReportIntervals intervals = IntervalsOf(report);
  double sum = 0, squares = 0, pooled = 0, pixels = 0;
  for (const auto& [name, metrics] : report.images) {
    sum += *metrics.recall;
    squares += *metrics.recall * *metrics.recall;
    pixels += static_cast<double>(metrics.counts.tp + metrics.counts.fn);
  }
  const double mean = sum / 80, error = std::sqrt((squares / 80 - mean * mean) / 80);
  EXPECT_NEAR(Named(intervals.mean_per_image, "recall").low, mean - 1.96 * error, 0.25 * error);
  EXPECT_NEAR(Named(intervals.mean_per_image, "recall").high, mean + 1.96 * error, 0.25 * error);
  // Pooled, by the delta method for a ratio of two sums.
  const double recall = *report.pooled.counts.Recall();
  for (const auto& [name, metrics] : report.images) {
    const Confusion& c = metrics.counts;
    pooled += std::pow(static_cast<double>(c.tp) - recall * static_cast<double>(c.tp + c.fn), 2);
  }
  const double of_ratio = std::sqrt(pooled) / pixels;
  EXPECT_NEAR(Named(intervals.pooled, "recall").low, recall - 1.96 * of_ratio, 0.25 * of_ratio);
  EXPECT_NEAR(Named(intervals.pooled, "recall").high, recall + 1.96 * of_ratio, 0.25 * of_ratio);
  for (const auto& [name, interval] : intervals.mean_per_image)
    EXPECT_EQ(interval.has_value(),
              name != "auc" && name != "average_precision" && name != "brier");
  for (const auto& [name, interval] : IntervalsOf(SomeImages(1)).pooled)
    EXPECT_FALSE(interval.has_value()) << name;
}

// Pictures without skin tell nothing of recall, however many there are.
TEST(Intervals, ImagesThatTellNothingDoNotNarrowThem) {
  for (const int few : {2, 3, 4}) {
    const EvaluationReport report = SomeImages(few);
    EvaluationReport with_scenes = report;
    for (int i = 0; i < 30; ++i) {
      const Confusion scene{0, 10, 0, 900};
      with_scenes.images.emplace_back("scene", MetricsOf({scene, std::nullopt}));
      with_scenes.pooled.counts += scene;
    }
    const ReportIntervals own = IntervalsOf(report), more = IntervalsOf(with_scenes);
    for (const auto part : {&ReportIntervals::pooled, &ReportIntervals::mean_per_image}) {
      const Interval narrow = Named(own.*part, "recall"), wide = Named(more.*part, "recall");
      EXPECT_LE(wide.low, narrow.low + 1e-9) << few;
      EXPECT_GE(wide.high, narrow.high - 1e-9) << few;
    }
  }
}

TEST(Intervals, OfThePooledBrierScoreWeighPixels) {
  EvaluationReport report = SomeImages(50);
  Random random(9);
  double errors = 0, pixels = 0;
  for (auto& [name, metrics] : report.images) {
    metrics.counts.tn += random.Next() % 30000;
    const double size = static_cast<double>(metrics.counts.Total());
    metrics.brier = 0.02 + 0.1 * random.Uniform();
    errors += *metrics.brier * size;
    pixels += size;
  }
  const double brier = errors / pixels;
  double squares = 0;
  for (const auto& [name, metrics] : report.images)
    squares += std::pow((*metrics.brier - brier) * static_cast<double>(metrics.counts.Total()), 2);
  const double error = std::sqrt(squares) / pixels;
  const Interval interval = Named(IntervalsOf(report).pooled, "brier");
  EXPECT_NEAR(interval.low, brier - 2 * error, 0.3 * error);
  EXPECT_NEAR(interval.high, brier + 2 * error, 0.3 * error);
  // An image of which nothing counts says nothing, and takes nothing away.
  EvaluationReport with_empty = report;
  with_empty.images.emplace_back("empty", MetricsOf({Confusion(), std::nullopt}));
  const Interval same = Named(IntervalsOf(with_empty).pooled, "brier");
  EXPECT_NEAR(same.low, interval.low, 0.1 * error);
  EXPECT_NEAR(same.high, interval.high, 0.1 * error);
  report.images[7].second.brier.reset();
  for (const auto& [name, pooled] : IntervalsOf(report).pooled)
    EXPECT_EQ(pooled.has_value(), name != "auc" && name != "average_precision" && name != "brier" &&
                                      !name.starts_with("ece"));
}

struct ScoredPixel {
  float log_odds;
  bool truth;
};
using ScoredImage = std::vector<ScoredPixel>;

// Photographs of all sizes, each with an offset of its own.
std::vector<ScoredImage> ScoredImages(int count) {
  Random random(12);
  std::vector<ScoredImage> images;
  for (int i = 0; i < count; ++i) {
    ScoredImage image;
    const double offset = 0.7 * random.Normal() + 0.5, share = 0.1 + 0.3 * random.Uniform();
    const auto pixels = static_cast<int>(std::exp(7 + 0.4 * random.Normal()));
    for (int p = 0; p < pixels; ++p) {
      const bool truth = random.Uniform() < share;
      image.push_back(
          {static_cast<float>(offset + (truth ? 1.5 : -3) + 2 * random.Normal()), truth});
    }
    images.push_back(image);
  }
  return images;
}

void AddPixels(const ScoredImage& image, ScoreHistogram& histogram) {
  for (const ScoredPixel& pixel : image) histogram.Add(pixel.log_odds, pixel.truth);
}

// Of the images with these places, one each time that its place is there: all together, pixel by
// pixel, since a histogram has many more bins than these images have pixels.
EvaluationReport Pooled(const std::vector<ScoredImage>& images,
                        const std::vector<std::size_t>& places) {
  EvaluationReport report;
  ScoreHistogram sum;
  for (const std::size_t i : places) AddPixels(images[i], sum);
  report.scores = sum.Steps();
  report.pooled = MetricsOf({CountsAbove(sum.Packed(), 0), report.scores});
  return report;
}

// And each of them.
EvaluationReport WithImages(const std::vector<ScoredImage>& images,
                            const std::vector<std::size_t>& places) {
  EvaluationReport report = Pooled(images, places);
  for (const std::size_t i : places) {
    ScoreHistogram histogram;
    AddPixels(images[i], histogram);
    const auto steps = histogram.Steps();
    report.images.emplace_back("i", MetricsOf({CountsAbove(histogram.Packed(), 0), steps}));
    report.blocks.emplace_back(steps);
  }
  return report;
}

std::array<double, 5> FineMeasures(const EvaluationReport& report) {
  const Reliability reliability = ReliabilityOf(*report.scores);
  return {*report.pooled.auc, *report.pooled.average_precision, *report.pooled.brier,
          *reliability.Ece(), *reliability.EceMiddle()};
}

// The oracles: images left out and all counted anew in the fine bins, and images drawn anew.
TEST(Intervals, OfPooledScoresAreThoseOfImagesLeftOutAndOfImagesDrawn) {
  constexpr std::size_t kImages = 40, kDraws = 100;
  constexpr const char* kNames[] = {"auc", "average_precision", "brier", "ece", "ece_middle"};
  const std::vector<ScoredImage> images = ScoredImages(kImages);
  std::vector<std::size_t> places(kImages);
  for (std::size_t i = 0; i < kImages; ++i) places[i] = i;
  const EvaluationReport report = WithImages(images, places);
  const std::array<double, 5> all = FineMeasures(report);
  std::array<std::vector<double>, 5> left_out, drawn;
  for (std::size_t i = 0; i < kImages; ++i) {
    std::vector<std::size_t> rest = places;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    const auto measures = FineMeasures(Pooled(images, rest));
    for (std::size_t m = 0; m < 5; ++m) left_out[m].push_back(Logit(measures[m]));
  }
  Random random(5);
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    std::vector<std::size_t> some(kImages);
    for (std::size_t& place : some) place = random.Next() % kImages;
    const auto measures = FineMeasures(Pooled(images, some));
    for (std::size_t m = 0; m < 5; ++m) drawn[m].push_back(Logit(measures[m]));
  }
  const auto moments = [](const std::vector<double>& values) {  // mean, and two sums about it
    const double n = static_cast<double>(values.size());
    double mean = 0, second = 0, fourth = 0;
    for (const double value : values) mean += value / n;
    for (const double value : values) second += std::pow(value - mean, 2);
    for (const double value : values) fourth += std::pow(value - mean, 4);
    return std::array{mean, second, fourth};
  };
  const NamedIntervals intervals = IntervalsOf(report).pooled;
  for (std::size_t m = 0; m < 5; ++m) {
    const Interval interval = Named(intervals, kNames[m]);
    const auto [mean, second, fourth] = moments(left_out[m]);
    const double error = std::sqrt((kImages - 1.) / kImages * second);
    const double t =
        StudentQuantile(0.975, static_cast<std::size_t>(std::max(2., second * second / fourth)));
    const double middle = Logit(all[m]);
    EXPECT_NEAR(Logit(interval.low), middle - t * error, 0.02 * t * error) << kNames[m];
    EXPECT_NEAR(Logit(interval.high), middle + t * error, 0.02 * t * error) << kNames[m];
    const double of_draws = std::sqrt(moments(drawn[m])[1] / kDraws);
    EXPECT_NEAR(error, of_draws, 0.2 * of_draws) << kNames[m];
  }
  // With one image nothing can be left out.
  for (const auto& [name, interval] : IntervalsOf(WithImages(images, {3})).pooled)
    EXPECT_FALSE(interval.has_value()) << name;
  // The difference to itself is nothing; scores that one of both has not have none.
  EvaluationReport without = report;
  without.blocks.clear();
  EXPECT_EQ(Named(IntervalsOfDifference(report, report).pooled, "auc").high, 0);
  const NamedIntervals none = IntervalsOfDifference(report, without).pooled;
  for (const auto& [name, interval] : none)
    EXPECT_EQ(interval.has_value(), name != "auc" && name != "average_precision") << name;
}

// Images as photographs are: of all sizes, and a few of them with most of the errors. In 95 of 100
// samples of them an interval is to hold what all of them have.
TEST(Intervals, CoverWhatTheyAreOf) {
  constexpr int kImages = 400, kTrials = 3000, kDrawn = 20;
  Random random(3);
  std::vector<Confusion> images;
  Confusion all;
  for (int i = 0; i < kImages; ++i) {
    const double skin = std::exp(7 + random.Normal()), missed = Logistic(1.5 * random.Normal() - 2),
                 wrong = std::exp(5 + 1.3 * random.Normal());
    Confusion c;
    c.fn = static_cast<std::uint64_t>(skin * missed) + 1;
    c.tp = static_cast<std::uint64_t>(skin * (1 - missed)) + 1;
    c.fp = static_cast<std::uint64_t>(wrong) + 1;
    c.tn = 30000;
    images.push_back(c);
    all += c;
  }
  int recall = 0, precision = 0, f1 = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    EvaluationReport report;
    for (int i = 0; i < kDrawn; ++i)
      report.images.emplace_back("i", MetricsOf({images[random.Next() % kImages], std::nullopt}));
    const NamedIntervals pooled = IntervalsOf(report).pooled;
    const auto holds = [&](const char* name, double value) {
      return Named(pooled, name).low <= value && value <= Named(pooled, name).high;
    };
    recall += holds("recall", *all.Recall());
    precision += holds("precision", *all.Precision());
    f1 += holds("f1", *all.F1());
  }
  for (const int held : {recall, precision, f1}) {
    EXPECT_GT(held, 0.92 * kTrials);
    EXPECT_LT(held, 0.98 * kTrials);
  }
}

TEST(Intervals, OfDifferencesArePaired) {
  const EvaluationReport a = SomeImages(60);
  EvaluationReport b = a;
  for (const auto& [name, interval] : IntervalsOfDifference(a, a).pooled)
    EXPECT_EQ(interval ? interval->low : 0, 0) << name;
  // A tenth of the hits lost in each image: the difference is surer than either recall.
  b.pooled = Metrics{};
  for (auto& [name, metrics] : b.images) {
    Evaluation one{metrics.counts, std::nullopt};
    const std::uint64_t lost = one.counts.tp / 10;
    one.counts.tp -= lost;
    one.counts.fn += lost;
    metrics = MetricsOf(one);
    b.pooled.counts += one.counts;
  }
  const Interval difference = Named(IntervalsOfDifference(a, b).pooled, "recall"),
                 own = Named(IntervalsOf(a).pooled, "recall");
  const double lost = *a.pooled.counts.Recall() - *b.pooled.counts.Recall();
  EXPECT_LT(difference.low, lost);
  EXPECT_GT(difference.high, lost);
  EXPECT_LT(difference.high - difference.low, (own.high - own.low) / 4);
  b.images.pop_back();
  EXPECT_THROW(IntervalsOfDifference(a, b), Error);
}

TEST(Gallery, WorstAndBestShareNoImage) {
  EvaluationReport report = SomeImages(31);
  const GalleryChoice many = ChooseGallery(report);
  EXPECT_EQ(many.worst.size(), 12u);
  EXPECT_EQ(many.best.size(), 12u);
  const auto f1 = [&](std::size_t i) { return *report.images[i].second.f1; };
  EXPECT_LE(f1(many.worst[0]), f1(many.worst[11]));
  EXPECT_LT(f1(many.worst[11]), f1(many.best[11]));
  EXPECT_LE(f1(many.best[11]), f1(many.best[0]));
  report.images.resize(3);
  const GalleryChoice few = ChooseGallery(report);
  EXPECT_EQ(few.worst.size(), 2u);
  EXPECT_EQ(few.best.size(), 1u);
}

class ReportTest : public testing::ProgramTest {
 protected:
  std::string pairs_ = "--images " + (testing::SamplesFolder() / "photos").string() + " --truth " +
                       (testing::SamplesFolder() / "masks").string();

  // The JSON within the page.
  static json Embedded(const std::string& html, const std::string& id) {
    const std::string start = "<script type=\"application/json\" id=\"" + id + "\">";
    const std::size_t from = html.find(start) + start.size();
    return json::parse(html.substr(from, html.find("</script>", from) - from));
  }
};

TEST_F(ReportTest, HoldsTheJsonAndAsksForNothing) {
  const testing::Outcome run = Run("evaluate " + pairs_ + " --report r.html --json=r.json");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string html = ReadFile(Path("r.html"));
  json evaluation = json::parse(ReadFile(Path("r.json")));
  for (const char* key : {"failed", "skipped", "interrupted"})
    EXPECT_EQ(evaluation.erase(key), 1u) << key;  // what became of the inputs is not on the page
  EXPECT_EQ(Embedded(html, "evaluation"), evaluation);
  EXPECT_EQ(html.find("{{"), html.find("{{", html.find("Chart.js")));  // every place is filled in
  EXPECT_EQ(html.find("<link"), html.npos);
  EXPECT_EQ(html.find(" src=\"http"), html.npos);
  const json pictures = Embedded(html, "pictures");
  EXPECT_EQ(pictures.size(), 2u);
  for (const char* panel : {"photograph", "truth", "probability", "errors"})
    EXPECT_TRUE(pictures["0"][panel].get<std::string>().starts_with("data:image/jpeg;base64,/9j/"));
  for (const char* name : {"auc", "average_precision", "brier", "ece", "ece_middle"})
    EXPECT_EQ(evaluation["intervals"]["pooled"][name].size(), 2u) << name;
  EXPECT_NE(run.out.find("  95 % of pooled   (2 images)\n"), run.out.npos) << run.out;
  for (const char* key : {"intervals", "operating_point", "best_f1", "curves", "reliability",
                          "log_odds", "boundary", "gallery", "model"})
    EXPECT_TRUE(evaluation.contains(key)) << key;
  const json& curves = evaluation["curves"];
  const std::size_t at = curves["operating_point"];
  EXPECT_EQ(curves["recall"][at], evaluation["pooled"]["recall"]);
  EXPECT_EQ(curves["precision"][at], evaluation["operating_point"]["precision"]);
  EXPECT_LE(curves["recall"].size(), 502u);
  EXPECT_EQ(Run("evaluate " + pairs_ + " --report r.html").status, 1);  // it is there already
  EXPECT_EQ(Run("evaluate --threads 1 " + pairs_ + " --report r1.html").status, 0);
  EXPECT_EQ(ReadFile(Path("r1.html")), html);
}

TEST_F(ReportTest, ImagesBesideTheGalleryHaveThumbnails) {
  const cv::Mat photograph = ReadImage(testing::SamplesFolder() / "photos/astronaut.png");
  const cv::Mat mask = cv::imread(testing::SamplesFolder() / "masks/astronaut.png", 0);
  std::filesystem::create_directory(Path("i"));
  std::filesystem::create_directory(Path("m"));
  for (int i = 0; i < 26; ++i) {
    const cv::Rect part(40 * (i % 6), 30 * (i / 6), 200, 100);
    const std::string name = fmt::format("/{:02}.png", i);
    cv::imwrite(Path("i").string() + name, photograph(part));
    cv::imwrite(Path("m").string() + name, mask(part));
  }
  const std::string evaluate = "evaluate --adapt off --images i --truth m --report ";
  ASSERT_EQ(Run(evaluate + "r.html").status, 0);
  const json pictures = Embedded(ReadFile(Path("r.html")), "pictures");
  EXPECT_EQ(pictures.size(), 26u);
  int thumbnails = 0;
  for (const json& of_image : pictures) {
    EXPECT_NE(of_image.contains("thumbnail"), of_image.contains("photograph"));
    if (!of_image.contains("thumbnail")) continue;
    ++thumbnails;
    EXPECT_EQ(of_image.size(), 1u);
    const std::string uri = of_image["thumbnail"];
    EXPECT_TRUE(uri.starts_with("data:image/webp;base64,UklGR")) << uri.substr(0, 40);
    EXPECT_LT(uri.size(), 2500u);
  }
  EXPECT_EQ(thumbnails, 2);
}

TEST(EncodeWebPTest, IsAPictureAgain) {
  const cv::Mat photograph = ReadImage(testing::SamplesFolder() / "photos/astronaut.png");
  const cv::Mat again = DecodeImage(EncodeWebP(photograph, 90), "webp");
  EXPECT_GT(cv::PSNR(photograph, again), 30);
  EXPECT_ERROR(EncodeWebP(photograph, 0), "quality: is out of range");
  EXPECT_ERROR(EncodeWebP(cv::Mat(1, 20000, CV_8UC1, 0.0), 50), "sides of at most 16383");
  EXPECT_ERROR(EncodeWebP(cv::Mat(), 50), "image");
}

TEST_F(ReportTest, OfATableAndOfMasksHoldsWhatThereIs) {
  ASSERT_EQ(Run("evaluate --samples " +
                (testing::SamplesFolder() / "labelled-pixels.csv").string() + " --report t.html")
                .status,
            0);
  const json table = Embedded(ReadFile(Path("t.html")), "evaluation");
  EXPECT_TRUE(table["curves"].is_object());
  EXPECT_GT(table["boundary"]["samples"]["positive"].size(), 100u);
  EXPECT_TRUE(table["gallery"]["worst"].empty());
  EXPECT_TRUE(table["intervals"]["pooled"]["f1"].is_null());
  const std::string photos = (testing::SamplesFolder() / "photos").string();
  ASSERT_EQ(Run("detect --adapt off " + photos + " -o out").status, 0);
  ASSERT_EQ(Run("evaluate --predicted out --truth " +
                (testing::SamplesFolder() / "masks").string() + " --report p.html")
                .status,
            0);
  const std::string html = ReadFile(Path("p.html"));
  EXPECT_FALSE(Embedded(html, "evaluation").contains("curves"));
  EXPECT_TRUE(Embedded(html, "pictures")["1"].contains("predicted"));
}

TEST_F(ReportTest, HasItsTitleAndTheDateOfItsSource) {
  const std::string evaluate = "evaluate --samples " +
                               (testing::SamplesFolder() / "labelled-pixels.csv").string() +
                               " --force --report r.html";
  EXPECT_FALSE((Run(evaluate), Embedded(ReadFile(Path("r.html")), "evaluation").contains("date")));
  setenv("SOURCE_DATE_EPOCH", "1000000000", 1);
  EXPECT_EQ(Run(evaluate + " --title 'A </script> & \"B\"'").status, 0);
  const json page = Embedded(ReadFile(Path("r.html")), "evaluation");
  EXPECT_EQ(page["date"], "2001-09-09");
  EXPECT_EQ(page["title"], "A </script> & \"B\"");
  setenv("SOURCE_DATE_EPOCH", "today", 1);
  const testing::Outcome wrong = Run(evaluate);
  unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.err.find("SOURCE_DATE_EPOCH: is no number of seconds"), wrong.err.npos);
  const std::string table = (testing::SamplesFolder() / "labelled-pixels.csv").string();
  EXPECT_EQ(Run("evaluate --title T --samples " + table).status, 2);  // a title of no page
}

TEST_F(ReportTest, TwoModelsAreComparedOnTheSameImages) {
  const std::string uci = std::string(SKINMASK_SOURCE) + "/models/uci.json",
                    own = std::string(SKINMASK_SOURCE) + "/models/default.json";
  const std::string evaluate = "evaluate --adapt off --force " + pairs_;
  ASSERT_EQ(Run(evaluate + " --json a.json --model " + uci).status, 0);
  ASSERT_EQ(Run(evaluate + " --json b.json --model " + own).status, 0);
  const testing::Outcome run =
      Run(evaluate + " --json c.json --report c.html --model " + uci + " --model " + own);
  ASSERT_EQ(run.status, 0) << run.err;
  const json a = json::parse(ReadFile(Path("a.json"))), b = json::parse(ReadFile(Path("b.json"))),
             c = json::parse(ReadFile(Path("c.json")));
  EXPECT_EQ(c["pooled"], a["pooled"]);
  EXPECT_EQ(c["boundary"], a["boundary"]);
  const json& versus = c["versus"];
  EXPECT_EQ(versus["model"], b["model"]);
  EXPECT_EQ(versus["intervals"]["method"], "jackknife over images, plain differences, Student's t");
  EXPECT_EQ(versus["mean_per_image"], b["mean_per_image"]);
  EXPECT_TRUE(versus["pooled"].contains("tp"));
  for (const char* ratio : {"f1", "auc", "brier"}) {
    const double difference = versus["difference"]["pooled"][ratio];
    EXPECT_DOUBLE_EQ(difference,
                     a["pooled"][ratio].get<double>() - b["pooled"][ratio].get<double>());
  }
  EXPECT_LE(versus["intervals"]["pooled"]["f1"][0], versus["difference"]["pooled"]["f1"]);
  EXPECT_EQ(Embedded(ReadFile(Path("c.html")), "evaluation")["versus"], versus);
  const std::string twice = " --model " + uci + " --model " + own;
  EXPECT_EQ(Run(evaluate + twice + twice).status, 2);
  EXPECT_EQ(Run(evaluate + twice + " --shard 1/1 --partial p.json").status, 2);
  EXPECT_EQ(Run("evaluate --predicted x --truth y" + twice).status, 2);
}

}  // namespace
}  // namespace skinmask
