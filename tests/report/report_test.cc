#include "skinmask/report/report.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "skinmask/base/logistic.h"
#include "skinmask/pipeline/evaluate.h"
#include "skinmask/report/bootstrap.h"
#include "skinmask/report/gallery.h"
#include "skinmask/report/planes.h"
#include "support/colors.h"
#include "support/pictures.h"
#include "support/program.h"
#include "support/world.h"

namespace skinmask {
namespace {

using nlohmann::json;
using testing::Random;
using testing::Trained;

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

TEST(Bootstrap, IsDeterministicAndAsWideAsTheNormalApproximation) {
  const EvaluationReport report = SomeImages(80);
  const BootstrapIntervals once = Bootstrap(report, 2000, 1), again = Bootstrap(report, 2000, 1);
  double sum = 0, squares = 0;
  for (const auto& [name, metrics] : report.images) {
    sum += *metrics.recall;
    squares += *metrics.recall * *metrics.recall;
  }
  const double mean = sum / 80, error = std::sqrt((squares / 80 - mean * mean) / 80);
  for (std::size_t i = 0; i < once.mean_per_image.size(); ++i) {
    const auto& [name, interval] = once.mean_per_image[i];
    EXPECT_EQ(interval.has_value(),
              name != "auc" && name != "average_precision" && name != "brier");
    if (name != "recall") continue;
    EXPECT_NEAR(interval->low, mean - 1.96 * error, 0.15 * error);
    EXPECT_NEAR(interval->high, mean + 1.96 * error, 0.15 * error);
    EXPECT_EQ(interval->low, again.mean_per_image[i].second->low);
    EXPECT_LT(once.pooled[i].second->low, *report.pooled.counts.Recall());
    EXPECT_GT(once.pooled[i].second->high, *report.pooled.counts.Recall());
  }
  for (const auto& [name, interval] : Bootstrap(SomeImages(1), 100, 1).pooled)
    EXPECT_FALSE(interval.has_value()) << name;
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

TEST(Planes, BoundaryIsWhereTheReferenceIsAtTheThreshold) {
  for (const char* space : {"BGR", "YCrCb", "HSV"}) {
    const Model model = Trained(Kind::kQda, space);
    const std::vector<Axis> axes = AxesOf(model);
    const double level = Logit(model.decision.threshold);
    std::size_t segments = 0;
    for (const Plane& plane : PlanesOf(model)) {
      ASSERT_TRUE(plane.held.has_value());
      for (const Segment& s : BoundaryOf(plane, axes, level)) {
        ++segments;
        // Log-odds by the classes' densities, from the parameters alone.
        FeatureVector f(3);
        f(plane.x) = s[0];
        f(*plane.y) = s[1];
        f(plane.held->first) = plane.held->second;
        double a[2];
        for (std::size_t k = 0; k < 2; ++k) {
          const ClassModel& c = model.classes[k];
          const Eigen::Matrix3d covariance = c.covariance;
          const Eigen::Vector3d d = f - c.mean;
          a[k] = std::log(c.prior) - std::log(covariance.determinant()) / 2 -
                 d.dot(covariance.inverse() * d) / 2;
        }
        EXPECT_NEAR(a[0] - a[1], level, 0.35) << space;
      }
    }
    EXPECT_GT(segments, 50u) << space;
  }
}

TEST(Planes, FewerChannelsAndOtherSpacesDraw) {
  const struct {
    const char* space;
    std::vector<std::string> channels;
    std::size_t planes;
  } cases[] = {{"YCrCb", {"Cr", "Cb"}, 1}, {"rg", {}, 1}, {"Lab", {}, 3}, {"HSV", {"S"}, 1}};
  for (const auto& one : cases) {
    const Model model = Trained(Kind::kGaussianNb, one.space, 2, one.channels);
    const std::vector<Plane> planes = PlanesOf(model);
    EXPECT_EQ(planes.size(), one.planes) << one.space;
    for (const Plane& plane : planes)
      EXPECT_TRUE(std::any_of(plane.log_odds.begin(), plane.log_odds.end(),
                              [](double z) { return std::isfinite(z); }));
    EXPECT_FALSE(DrawPlanes(model).empty());
  }
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
  for (const char* key : {"failed", "skipped", "interrupted", "version", "options"})
    EXPECT_EQ(evaluation.erase(key), 1u) << key;  // the record of the run is not on the page
  EXPECT_EQ(Embedded(html, "evaluation"), evaluation);
  EXPECT_EQ(html.find("{{"), html.find("{{", html.find("Chart.js")));  // every place is filled in
  EXPECT_EQ(html.find("<link"), html.npos);
  EXPECT_EQ(html.find(" src=\"http"), html.npos);
  const json pictures = Embedded(html, "pictures");
  EXPECT_EQ(pictures.size(), 2u);
  for (const char* panel : {"photograph", "truth", "probability", "errors"})
    EXPECT_TRUE(pictures["astronaut.png"][panel].get<std::string>().starts_with(
        "data:image/jpeg;base64,/9j/"));
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
  EXPECT_TRUE(Embedded(html, "pictures")["grace_hopper.png"].contains("predicted"));
}

TEST_F(ReportTest, ShowDrawsThePlanes) {
  ASSERT_EQ(Run("show --picture p.png").status, 0);
  const cv::Mat picture = cv::imread(Path("p.png").string());
  EXPECT_GT(picture.cols, 3 * 512);
  EXPECT_EQ(Run("show --picture p.png").status, 1);
}

}  // namespace
}  // namespace skinmask
