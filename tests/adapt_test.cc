#include "skinmask/adapt.h"

#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>

#include "adapt/fit.h"
#include "skinmask/error.h"
#include "skinmask/moments.h"
#include "skinmask/pipeline.h"
#include "support/files.h"
#include "support/pictures.h"
#include "support/world.h"

namespace skinmask {
namespace {

using testing::DataFolder;
using testing::Encode;
using testing::Gradient;
using testing::Lines;
using testing::Outcome;

// Under green light: skin of a colour that the global model takes for none, before grey and blue.
const cv::Scalar kSkin(110, 170, 120);
const cv::Rect kInside(110, 60, 40, 40);

cv::Mat TrueSkin() {
  cv::Mat mask(200, 320, CV_8UC1, cv::Scalar(0));
  cv::circle(mask, {130, 80}, 60, 255, cv::FILLED);
  return mask;
}

cv::Mat GreenPicture() {
  cv::Mat bgr(200, 320, CV_8UC3, cv::Scalar(120, 120, 120));
  bgr(cv::Rect(0, 100, 320, 100)).setTo(cv::Scalar(150, 90, 60));
  bgr.setTo(kSkin, TrueSkin());
  testing::Random random(7);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < 3 * bgr.cols; ++x)
      bgr.ptr(y)[x] = static_cast<std::uint8_t>(bgr.ptr(y)[x] + 6 * random.Normal());
  return bgr;
}

Adapter AdapterOf(std::unique_ptr<SeedFinder> finder, Refine refine = Refine::kGuided) {
  std::vector<std::unique_ptr<SeedFinder>> finders;
  finders.push_back(std::move(finder));
  const Model model = DefaultModel();
  return Adapter(model, model.decision.threshold, std::move(finders), refine);
}

double F1(const cv::Mat& mask, const cv::Mat& truth) {
  const double both = cv::countNonZero(mask & truth);
  return 2 * both / (cv::countNonZero(mask) + cv::countNonZero(truth));
}

TEST(Adapt, ARectangleOfSkinFindsTheRestOfIt) {
  const cv::Mat bgr = GreenPicture(), truth = TrueSkin();
  const Model global = DefaultModel();
  EXPECT_LT(F1(DetectMask(Posterior(global), bgr), truth), 0.2);
  for (const Refine refine : {Refine::kOff, Refine::kGuided}) {
    const cv::Mat z = AdapterOf(FixedSeed(kInside), refine).LogOdds(bgr);
    ASSERT_EQ(z.size(), bgr.size());
    ASSERT_EQ(z.type(), CV_32FC1);
    EXPECT_GT(F1(MaskOf(z, global.decision.threshold), truth), 0.97);
  }
}

TEST(Adapt, TheFitFindsTheColoursThatWereDrawn) {
  const cv::Mat bgr = GreenPicture(), none(bgr.size(), CV_32FC1, cv::Scalar(0));
  const auto anchor = AnchorOf(bgr, {kInside, false, {}, false}, none);
  ASSERT_TRUE(anchor);
  const std::vector<ColorGaussian> anchors{*anchor};
  const std::optional<ImageModel> model = FitToImage(bgr, anchors, none, none);
  ASSERT_TRUE(model);
  ASSERT_EQ(model->skin.size(), 1u);
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(model->skin[0].mean(c), kSkin[c], 1.5);
    EXPECT_NEAR(model->skin[0].covariance(c, c), 36, 20);
  }
  EXPECT_FALSE(AnchorOf(bgr, {cv::Rect(0, 0, 1, 1), false, {}, false}, none));
  EXPECT_FALSE(FitToImage(bgr, {}, none, none));
}

// The oracle: moments of the two samples together.
TEST(Adapt, MovingTowardsPoolsMoments) {
  testing::Random random(3);
  Moments parts[2], both;
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 500; ++i) {
      const std::int32_t bgr[3] = {static_cast<std::int32_t>(100 + 60 * k + 9 * random.Normal()),
                                   static_cast<std::int32_t>(90 + 5 * random.Normal()), i % 200};
      const std::uint64_t count = k == 0 ? 3 : 1;  // a quarter of the pixels is the second's
      parts[k].Add(bgr, count);
      both.Add(bgr, count);
    }
  ColorGaussian g{0, parts[0].Mean(), parts[0].Covariance()};
  const ColorGaussian other{0, parts[1].Mean(), parts[1].Covariance()}, before = g;
  MoveTowards(g, other, 0);
  EXPECT_EQ(g.mean, before.mean);
  EXPECT_EQ(g.covariance, before.covariance);
  MoveTowards(g, other, 0.25);
  EXPECT_LT((g.mean - both.Mean()).norm(), 1e-9);
  EXPECT_LT((g.covariance - both.Covariance()).norm(), 1e-8);
}

TEST(Adapt, SeedsOutsideTheImageAreErrors) {
  const Adapter adapter = AdapterOf(FixedSeed(cv::Rect(300, 0, 40, 40)));
  EXPECT_ERROR(adapter.LogOdds(GreenPicture()),
               "--seed-rect 300,0,40,40: is not within the image (of 320x200");
}

TEST(Adapt, EmptyAndTinyImagesHaveNoSeeds) {
  const Adapter adapter = AdapterOf(FaceFinder());
  for (const cv::Size size : {cv::Size(1, 1), cv::Size(300, 1), cv::Size(19, 40)})
    EXPECT_TRUE(adapter.LogOdds(cv::Mat(size, CV_8UC3, cv::Scalar(90, 120, 200))).empty());
}

class AdaptProgramTest : public testing::ProgramTest {
 protected:
  std::string photos_ = (testing::SamplesFolder() / "photos").string();
  std::string masks_ = (testing::SamplesFolder() / "masks").string();
  double PooledF1(const std::string& arguments) {
    const Outcome run = Run("evaluate --json " + arguments);
    EXPECT_EQ(run.status, 0) << run.err;
    return nlohmann::json::parse(run.out)["pooled"]["f1"];
  }
};

TEST_F(AdaptProgramTest, OffAndWithoutAFaceNothingChanges) {
  Put("in/a.png", Encode(".png", Gradient(300, 200)));
  ASSERT_EQ(Run("detect in -o plain --output mask,probability").status, 0);
  for (const std::string how : {"off", "faces"}) {
    ASSERT_EQ(Run("detect in -o " + how + " --output mask,probability --adapt " + how).status, 0);
    for (const std::string& name : Names(Path("plain")))
      EXPECT_EQ(ReadFile(Path(how + "/" + name)), ReadFile(Path("plain/" + name))) << how << name;
  }
}

TEST_F(AdaptProgramTest, FacesHelpAndThreadsDoNotMatter) {
  const std::string pairs = "--images " + photos_ + " --truth " + masks_;
  EXPECT_GT(PooledF1(pairs + " --adapt faces"), PooledF1(pairs) + 0.1);
  ASSERT_EQ(Run("detect " + photos_ + " -o one --output mask,probability --adapt faces --threads 1")
                .status,
            0);
  ASSERT_EQ(Run("detect " + photos_ + " -o two --output mask,probability --adapt faces --threads 2")
                .status,
            0);
  ASSERT_EQ(Run("detect " + photos_ + " -o plain").status, 0);
  for (const std::string& name : Names(Path("one")))
    EXPECT_EQ(ReadFile(Path("one/" + name)), ReadFile(Path("two/" + name))) << name;
  for (const std::string& name : Names(Path("plain")))
    EXPECT_NE(ReadFile(Path("one/" + name)), ReadFile(Path("plain/" + name))) << name;
}

TEST_F(AdaptProgramTest, AMaskAndARectangleSayTheSame) {
  Put("in/a.png", Encode(".png", GreenPicture()));
  Put("truth/a.png", Encode(".png", TrueSkin()));
  cv::Mat seed(200, 320, CV_8UC1, cv::Scalar(0));
  seed(kInside).setTo(255);
  Put("seed.png", Encode(".png", seed));
  const double by_rect = PooledF1("--images in --truth truth --seed-rect 110,60,40,40");
  EXPECT_EQ(PooledF1("--images in --truth truth --seed-mask seed.png"), by_rect);
  EXPECT_GT(by_rect, 0.97);
  Put("small.png", Encode(".png", seed(cv::Rect(100, 50, 60, 60))));
  const Outcome other = Run("detect in -o out --seed-mask small.png");
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.err.find("small.png: is 60x60, and the image 320x200"), std::string::npos)
      << other.err;
}

TEST_F(AdaptProgramTest, AMissingCascadeIsOneLineThatSaysWhatToInstall) {
  Put("in/a.png", Encode(".png", Gradient(30, 20)));
  Put("empty/readme", "no cascade");
  const Outcome absent = Run("detect in -o out --adapt faces --cascade empty");
  EXPECT_EQ(absent.status, 1);
  EXPECT_EQ(Lines(absent.err), 1) << absent.err;
  EXPECT_NE(absent.err.find("empty/haarcascade_frontalface_alt2.xml: is not there"),
            std::string::npos)
      << absent.err;
  EXPECT_NE(absent.err.find("opencv-data"), std::string::npos) << absent.err;
  const Outcome broken = Run("detect in -o out --adapt faces --cascade empty/readme");
  EXPECT_EQ(broken.status, 1);
  EXPECT_EQ(Lines(broken.err), 1) << broken.err;
  EXPECT_NE(broken.err.find("empty/readme: is no cascade"), std::string::npos) << broken.err;
}

TEST_F(AdaptProgramTest, WrongOptionsAreUsageErrors) {
  Put("in/a.png", Encode(".png", Gradient(30, 20)));
  for (const char* wrong :
       {"--adapt hands", "--seed-rect 1,2,3", "--seed-rect 1,2,3,0", "--seed-rect 1,2,3,4x",
        "--seed-rect -1,2,3,4", "--cascade x.xml", "--refine crf"})
    EXPECT_EQ(Run(std::string("detect in -o out ") + wrong).status, 2) << wrong;
}

TEST_F(AdaptProgramTest, PhotographsOfPeople) {
  SKIP_WITHOUT_DATA();
  const std::string ecu = (testing::DataFolder() / "ecu").string();
  EXPECT_GT(PooledF1("--images " + ecu + "/images --truth " + ecu +
                     "/masks --mask-name '{stem}_skin_{stem}' --adapt faces"),
            0.85);
}

}  // namespace
}  // namespace skinmask
