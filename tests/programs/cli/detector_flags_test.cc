// Adaptation as a user of the program meets it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "skinmask/base/logistic.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"
#include "support/green_picture.h"
#include "support/pictures.h"
#include "support/program.h"

namespace skinmask {
namespace {

using testing::DataFolder;
using testing::Encode;
using testing::Gradient;
using testing::GreenPicture;
using testing::kInside;
using testing::Lines;
using testing::Outcome;
using testing::TrueSkin;

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
  ASSERT_EQ(Run("detect in -o plain --output mask,probability --adapt off").status, 0);
  for (const std::string how : {"off", "faces"}) {
    ASSERT_EQ(Run("detect in -o " + how + " --output mask,probability --adapt " + how).status, 0);
    for (const std::string& name : Names(Path("plain")))
      EXPECT_EQ(ReadFile(Path(how + "/" + name)), ReadFile(Path("plain/" + name))) << how << name;
  }
}

TEST_F(AdaptProgramTest, FacesHelpAndThreadsDoNotMatter) {
  const std::string pairs = "--images " + photos_ + " --truth " + masks_;
  EXPECT_GT(PooledF1(pairs + " --adapt faces"), PooledF1(pairs + " --adapt off") + 0.1);
  EXPECT_EQ(PooledF1(pairs + " --adapt faces"), PooledF1(pairs));  // the default
  for (const std::string threads : {"1", "2"})
    ASSERT_EQ(Run("detect " + photos_ + " --output mask,probability --adapt faces --threads " +
                  threads + " -o " + threads)
                  .status,
              0);
  ASSERT_EQ(Run("detect " + photos_ + " -o plain --adapt off").status, 0);
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
  Put("seeds/a.png", ReadFile(Path("seed.png")));
  const Outcome over = Run("detect in -o seeds --seed-mask seeds/a.png --force");
  EXPECT_EQ(over.status, 1);
  EXPECT_NE(over.err.find("seeds/a.png: is an input and is not written over"), std::string::npos)
      << over.err;
  EXPECT_EQ(ReadFile(Path("seeds/a.png")), ReadFile(Path("seed.png")));
}

// Files count by what is in them, not by their names.
TEST_F(AdaptProgramTest, ASeedThatHasChangedIsAnother) {
  Put("in/a.png", Encode(".png", GreenPicture()));
  Put("in/b.png", Encode(".png", GreenPicture()));
  Put("truth/a.png", Encode(".png", TrueSkin()));
  Put("truth/b.png", Encode(".png", TrueSkin()));
  cv::Mat seed(200, 320, CV_8UC1, cv::Scalar(0));
  seed(kInside).setTo(255);
  Put("seed.png", Encode(".png", seed));
  Put("same.png", Encode(".png", seed));
  const std::string evaluate = "evaluate --images in --truth truth --seed-mask ";
  ASSERT_EQ(Run("detect in -o out --seed-mask seed.png --shard 1/2").status, 0);
  ASSERT_EQ(Run(evaluate + "seed.png --shard 1/2 --partial 1.json").status, 0);
  seed = 255 - seed;
  Put("seed.png", Encode(".png", seed));
  const Outcome changed = Run("detect in -o out --seed-mask seed.png --resume");
  EXPECT_EQ(changed.status, 1);
  EXPECT_NE(changed.err.find("--seed-mask"), std::string::npos) << changed.err;
  ASSERT_EQ(Run(evaluate + "seed.png --shard 2/2 --partial 2.json").status, 0);
  EXPECT_EQ(Run(evaluate + "seed.png --partials 1.json 2.json").status, 1);
  EXPECT_EQ(Run("detect in -o out --seed-mask same.png --resume").status, 0);
  ASSERT_EQ(Run(evaluate + "same.png --shard 2/2 --partial 3.json").status, 0);
  EXPECT_EQ(Run(evaluate + "same.png --partials 1.json 3.json").status, 0);
}

TEST_F(AdaptProgramTest, AFileThatIsNoYuNetIsOneLine) {
  Put("in/a.png", Encode(".png", Gradient(30, 20)));
  Put("text.onnx", "no network");
  const std::string whole = testing::DataFolder() / "faces/face_detection_yunet_2026may.onnx";
  const auto expect = [&](const std::string& command, const std::string& problem) {
    const Outcome run = testing::ProgramTest::Run(command);
    EXPECT_EQ(run.status, 1) << command;
    EXPECT_EQ(Lines(run.err), 1) << run.err;
    EXPECT_NE(run.err.find(problem), std::string::npos) << run.err;
  };
  expect("detect in -o out --faces absent.onnx", "absent.onnx: ");
  expect("detect in -o out --faces in", "in: ");
  expect("detect in -o out --faces text.onnx", "text.onnx: is not a YuNet face detector");
  ::setenv("SKINMASK_FACES", "text.onnx", 1);
  expect("detect in -o out", "text.onnx: is not a YuNet face detector");
  EXPECT_EQ(Run("detect in -o out --adapt off").status, 0);
  ::unsetenv("SKINMASK_FACES");
  if (!std::filesystem::exists(whole)) return;
  std::string damaged = ReadFile(whole);
  damaged.resize(damaged.size() / 2);
  Put("half.onnx", damaged);
  expect("detect in -o out --faces half.onnx", "half.onnx: is not a YuNet face detector");
}

// Beside a seed no faces are searched for, unless it is asked for.
TEST_F(AdaptProgramTest, AFinderThatIsNotUsedIsNotLoaded) {
  Put("in/a.png", Encode(".png", Gradient(30, 20)));
  ::setenv("SKINMASK_FACES", "absent.onnx", 1);
  EXPECT_EQ(Run("detect in -o out --seed-rect 1,1,9,9").status, 0);
  EXPECT_EQ(Run("detect in -o classes --output classes").status, 0);
  EXPECT_EQ(Run("detect in -o auto --seed-rect 1,1,9,9 --adapt auto").status, 1);
  ::unsetenv("SKINMASK_FACES");
}

TEST_F(AdaptProgramTest, YuNetFindsTheFacesOfTheSamples) {
  SKIP_WITHOUT_DATA();
  const std::string file = testing::DataFolder() / "faces/face_detection_yunet_2026may.onnx";
  const std::string pairs = "--images " + photos_ + " --truth " + masks_;
  EXPECT_GT(PooledF1(pairs + " --faces " + file), 0.86);
  const Outcome run = Run("detect " + photos_ + " -o out --json --faces " + file);
  EXPECT_EQ(nlohmann::json::parse(run.out)["finder"], "yunet");
}

TEST_F(AdaptProgramTest, WrongOptionsAreUsageErrors) {
  Put("in/a.png", Encode(".png", Gradient(30, 20)));
  for (const char* wrong :
       {"--adapt hands", "--seed-rect 1,2,3", "--seed-rect 1,2,3,0", "--seed-rect 1,2,3,4x",
        "--seed-rect -1,2,3,4", "--adapt off --faces x.onnx", "--refine crf"})
    EXPECT_EQ(Run(std::string("detect in -o out ") + wrong).status, 2) << wrong;
}

// Arguments of `train`.
class AdaptKindTest : public AdaptProgramTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(AdaptKindTest, EveryKindOfModelAdapts) {
  Put("two.csv", ReadFile(testing::SamplesFolder() / "labelled-pixels.csv"));
  // Hair as a third class: what is dark in the background. Of colours that vary as those of
  // photographs do, so that the model has a fast form.
  Put("three.csv",
      "class,b,g,r,count\n"
      "skin,120,140,200,40\nskin,80,110,190,30\nskin,150,170,210,30\nskin,100,150,240,20\n"
      "skin,60,70,120,20\nhair,20,22,25,40\nhair,60,45,50,30\nhair,10,40,20,30\n"
      "hair,30,20,60,20\nhair,50,60,70,20\nrest,200,180,90,40\nrest,90,200,120,30\n"
      "rest,220,220,200,30\nrest,150,60,60,20\nrest,120,130,120,30\n");
  const Outcome trained =
      Run("train --samples " + std::string(GetParam()) + " --max-f1 -o model.json");
  ASSERT_EQ(trained.status, 0) << trained.err;
  const std::string pairs = "--images " + photos_ + " --truth " + masks_ + " --model model.json";
  EXPECT_GT(PooledF1(pairs), PooledF1(pairs + " --adapt off"));
}

constexpr const char* kKinds[] = {"two.csv --kind qda",
                                  "two.csv --kind lda",
                                  "two.csv --kind gaussian-nb --space YCrCb",
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
  ASSERT_EQ(Run(pairs + " --report off.html --adapt off").status, 0);
  ASSERT_EQ(Run(pairs + " --report faces.html").status, 0);
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
                                  "detect in -o out --output classes --faces x.onnx",
                                  "evaluate --predicted in --truth in --adapt faces",
                                  "evaluate --samples x.csv --adapt faces"}) {
    const Outcome run = Run(wrong);
    EXPECT_EQ(run.status, 2) << wrong;
    EXPECT_NE(run.err.find("--adapt"), std::string::npos) << run.err;
    EXPECT_EQ(Lines(run.err), 1) << run.err;
  }
}

// A model of something else than skin adapts only if that is asked for.
TEST_F(AdaptProgramTest, OptionsOfAdaptationAreRefusedForAModelOfSomethingElse) {
  Put("in/a.png", Encode(".png", Gradient(30, 20)));
  Put("s.csv",
      "class,b,g,r,count\nhair,10,20,30,5\nhair,14,20,37,5\nhair,12,28,33,5\nhair,22,21,36,5\n"
      "other,90,80,70,5\nother,95,70,79,5\nother,99,84,60,5\nother,91,97,66,5\n");
  ASSERT_EQ(Run("train --samples s.csv --positive hair -o hair.json").status, 0);
  for (const std::string option :
       {"--require-face", "--min-component .3", "--refine off", "--steady 1"}) {
    const Outcome run = Run("detect in -o out --model hair.json " + option);
    EXPECT_EQ(run.status, 2) << option;
    EXPECT_NE(run.err.find("a model of 'hair' adapts only with --adapt, --faces or a seed"),
              std::string::npos)
        << run.err;
    EXPECT_EQ(Run("detect in -o out --adapt auto --force --model hair.json " + option).status, 0);
  }
  EXPECT_EQ(Run("detect in -o o2 --model hair.json --output overlay --draw faces").status, 2);
  EXPECT_EQ(Run("detect in -o o3 --model hair.json --output overlay --draw ellipse").status, 0);
  EXPECT_EQ(Run("evaluate --images in --whole other --model hair.json --require-face").status, 2);
}

// Masks of the trained model alone are much worse, and nobody asked for them.
TEST_F(AdaptProgramTest, ClassesKeepOthersFromBeingAdaptedAloud) {
  Put("in/a.png", Encode(".png", Gradient(30, 20)));
  const std::string warning = "warning: --output classes: is of the trained model alone";
  const Outcome run = Run("detect in -o both --output mask,classes");
  EXPECT_NE(run.err.find(warning), std::string::npos) << run.err;
  EXPECT_EQ(Lines(run.err), 1) << run.err;
  for (const char* meant : {"classes", "mask,classes --adapt off", "mask,classes -q"})
    EXPECT_EQ(Run(std::string("detect in -o out --force --output ") + meant).err, "") << meant;
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

INSTANTIATE_TEST_SUITE_P(Quarters, AdaptPeopleTest, ::testing::Values(0, 2));

}  // namespace
}  // namespace skinmask
