#include "skinmask/detect/adapt.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>
#include <set>

#include "detect/adapt/image_fit.h"
#include "detect/adapt/seed_skin.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"
#include "support/pictures.h"
#include "support/program.h"
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

Adapter AdapterOf(std::unique_ptr<SeedFinder> finder, const AdaptOptions& options = {}) {
  std::vector<std::unique_ptr<SeedFinder>> finders;
  finders.push_back(std::move(finder));
  const Model model = DefaultModel();
  return Adapter(model, model.decision.threshold, std::move(finders), options);
}

double F1(const cv::Mat& mask, const cv::Mat& truth) {
  const double both = cv::countNonZero(mask & truth);
  return 2 * both / (cv::countNonZero(mask) + cv::countNonZero(truth));
}

TEST(Adapt, ARectangleOfSkinFindsTheRestOfIt) {
  const cv::Mat bgr = GreenPicture(), truth = TrueSkin();
  const Model global = DefaultModel();
  EXPECT_LT(F1(DetectMask(Posterior(global), bgr), truth), 0.2);
  for (const bool refined : {false, true}) {
    AdaptOptions options;
    options.refinement.enabled = refined;
    const cv::Mat z = AdapterOf(FixedSeed(kInside), options).LogOdds(bgr);
    ASSERT_EQ(z.size(), bgr.size());
    ASSERT_EQ(z.type(), CV_32FC1);
    EXPECT_GT(F1(MaskOf(z, global.decision.threshold), truth), 0.97);
  }
}

TEST(Adapt, TheFitFindsTheColoursThatWereDrawn) {
  const cv::Mat bgr = GreenPicture(), none(bgr.size(), CV_32FC1, cv::Scalar(0));
  const auto anchor = AnchorOf(bgr, {kInside, false, {}, false}, none, {});
  ASSERT_TRUE(anchor);
  const std::vector<ColorGaussian> anchors{*anchor};
  const std::optional<ImageModel> model = FitToImage(bgr, anchors, {none, none}, {});
  ASSERT_TRUE(model);
  ASSERT_EQ(model->skin.size(), 1u);
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(model->skin[0].mean(c), kSkin[c], 1.5);
    EXPECT_NEAR(model->skin[0].covariance(c, c), 36, 20);
  }
  EXPECT_FALSE(AnchorOf(bgr, {cv::Rect(0, 0, 1, 1), false, {}, false}, none, {}));
  EXPECT_FALSE(FitToImage(bgr, {}, {none, none}, {}));
}

TEST(Adapt, SeedsOutsideTheImageAreErrors) {
  const Adapter adapter = AdapterOf(FixedSeed(cv::Rect(300, 0, 40, 40)));
  EXPECT_ERROR(adapter.LogOdds(GreenPicture()),
               "seed rectangle 300,0,40,40: is not within the image (of 320x200");
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
  for (const std::string threads : {"1", "2"})
    ASSERT_EQ(Run("detect " + photos_ + " --output mask,probability --adapt faces --threads " +
                  threads + " -o " + threads)
                  .status,
              0);
  ASSERT_EQ(Run("detect " + photos_ + " -o plain").status, 0);
  for (const std::string& name : Names(Path("1")))
    EXPECT_EQ(ReadFile(Path("1/" + name)), ReadFile(Path("2/" + name))) << name;
  for (const std::string& name : Names(Path("plain")))
    EXPECT_NE(ReadFile(Path("1/" + name)), ReadFile(Path("plain/" + name))) << name;
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

// Arguments of `train`.
class AdaptKindTest : public AdaptProgramTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(AdaptKindTest, EveryKindOfModelAdapts) {
  Put("two.csv", ReadFile(testing::SamplesFolder() / "labelled-pixels.csv"));
  // Hair as a third class: what is dark in the background.
  Put("three.csv",
      "class,b,g,r,count\n"
      "skin,120,140,200,40\nskin,90,120,190,30\nskin,140,150,190,30\nskin,100,150,230,20\n"
      "hair,20,22,25,40\nhair,40,35,50,30\nhair,10,30,20,30\nhair,30,20,40,20\n"
      "rest,200,180,90,40\nrest,90,200,120,30\nrest,220,220,200,30\nrest,150,60,60,20\n");
  const Outcome trained =
      Run("train --samples " + std::string(GetParam()) + " --max-f1 -o model.json");
  ASSERT_EQ(trained.status, 0) << trained.err;
  const std::string pairs = "--images " + photos_ + " --truth " + masks_ + " --model model.json";
  EXPECT_GT(PooledF1(pairs + " --adapt faces"), PooledF1(pairs));
}

constexpr const char* kKinds[] = {"two.csv --kind qda",
                                  "two.csv --kind lda",
                                  "two.csv --kind gaussian-nb --space Lab",
                                  "two.csv --kind mixture",
                                  "two.csv --kind logistic",
                                  "two.csv --kind histogram-nb",
                                  "two.csv --kind histogram --bins 16",
                                  "two.csv --kind qda --space YCrCb --channels Cr",
                                  "two.csv --kind qda --calibrate two.csv",
                                  "three.csv"};
INSTANTIATE_TEST_SUITE_P(Kinds, AdaptKindTest, ::testing::ValuesIn(kKinds));

TEST_F(AdaptProgramTest, APriorMovesAdaptedLogOddsAsAllOthers) {
  const Model model = DefaultModel();
  const double threshold = 0.3, prior = 0.6;
  const double shift = Logit(prior) - Logit(model.positive().prior);
  const double shifted = Logistic(Logit(threshold) + shift);
  for (const std::string& flags :
       {fmt::format("-o a --threshold {}", threshold),
        fmt::format("-o b --prior {} --threshold {:.17g}", prior, shifted),
        fmt::format("-o c --threshold {:.17g}", shifted)})
    ASSERT_EQ(Run("detect " + photos_ + " --adapt faces " + flags).status, 0);
  for (const std::string& name : Names(Path("a"))) {
    const cv::Mat a = ReadImage(Path("a/" + name)), b = ReadImage(Path("b/" + name)),
                  c = ReadImage(Path("c/" + name));
    EXPECT_LT(cv::norm(a, b, cv::NORM_L1) / 255 / 3, 1e-4 * static_cast<double>(a.total())) << name;
    EXPECT_GT(cv::norm(a, c, cv::NORM_L1) / 255 / 3, 1e-3 * static_cast<double>(a.total())) << name;
  }
}

// The same picture with and without adaptation: the gallery must not show the same mask.
TEST_F(AdaptProgramTest, TheReportShowsAdaptedMasks) {
  const std::string pairs = "evaluate --images " + photos_ + " --truth " + masks_;
  ASSERT_EQ(Run(pairs + " --report off.html").status, 0);
  ASSERT_EQ(Run(pairs + " --report faces.html --adapt faces").status, 0);
  const auto pictures = [&](const std::string& page) {
    std::set<std::string> uris;
    const std::string text = ReadFile(Path(page));
    for (std::size_t at = 0; (at = text.find("data:image/jpeg", at)) != std::string::npos; ++at)
      uris.insert(text.substr(at, text.find_first_of("\"'", at) - at));
    return uris;
  };
  const std::set<std::string> off = pictures("off.html"), faces = pictures("faces.html");
  std::vector<std::string> shared;
  std::ranges::set_intersection(off, faces, std::back_inserter(shared));
  const std::size_t photographs = Names(photos_).size();
  EXPECT_EQ(off.size(), 4 * photographs);  // photograph, truth, probability, errors
  EXPECT_EQ(faces.size(), 4 * photographs);
  EXPECT_EQ(shared.size(), 2 * photographs);  // photograph and truth
}

TEST_F(AdaptProgramTest, WhatCannotBeAdaptedIsRefused) {
  Put("in/a.png", Encode(".png", Gradient(30, 20)));
  for (const std::string wrong : {"detect in -o out --output classes --adapt faces",
                                  "detect in -o out --output mask,classes --seed-rect 1,1,9,9",
                                  "evaluate --predicted in --truth in --adapt faces",
                                  "evaluate --samples x.csv --adapt faces"}) {
    const Outcome run = Run(wrong);
    EXPECT_EQ(run.status, 2) << wrong;
    EXPECT_NE(run.err.find("--adapt"), std::string::npos) << run.err;
    EXPECT_EQ(Lines(run.err), 1) << run.err;
  }
}

// A quarter of the images each, so that they run side by side. Where every quarter is above the
// bound, all together are: pooled F1 lies between those of the parts.
class AdaptPeopleTest : public AdaptProgramTest, public ::testing::WithParamInterface<int> {};

TEST_P(AdaptPeopleTest, PhotographsOfPeople) {
  SKIP_WITHOUT_DATA();
  const std::filesystem::path ecu = testing::DataFolder() / "ecu";
  const std::vector<std::string> names = Names(ecu / "images");
  std::filesystem::create_directory(Path("in"));
  for (std::size_t i = static_cast<std::size_t>(GetParam()); i < names.size(); i += 4)
    std::filesystem::create_symlink(std::filesystem::absolute(ecu / "images" / names[i]),
                                    Path("in/" + names[i]));
  EXPECT_GT(PooledF1("--images in --truth " + (ecu / "masks").string() +
                     " --mask-name '{stem}_skin_{stem}' --adapt faces"),
            0.85);
}

INSTANTIATE_TEST_SUITE_P(Quarters, AdaptPeopleTest, ::testing::Range(0, 4));

}  // namespace
}  // namespace skinmask
