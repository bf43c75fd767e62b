// Curves of calibration from the parts of evaluations.
#include <gtest/gtest.h>

#include <cmath>

#include "skinmask/model/model.h"
#include "support/colors.h"
#include "support/parts.h"

namespace skinmask {
namespace {

using nlohmann::ordered_json;
using testing::Encode;
using testing::Outcome;
using testing::PartsTest;

class CalibrateTest : public PartsTest {
 protected:
  // Parts of pairs whose true masks miss a tenth of the skin, and hold some of the rest: what the
  // model is sure of is true in nine of ten pixels.
  void PutNoisyPairs(int count) {
    PutPairs(count);
    testing::Random random(3);
    for (int i = 0; i < count; ++i) {
      cv::Mat mask = cv::imread(Path(fmt::format("m/{}.png", i)).string(), cv::IMREAD_GRAYSCALE);
      for (int y = 0; y < mask.rows; ++y)
        for (int x = 0; x < mask.cols; ++x)
          if (random.Uniform() < 0.1) mask.at<std::uint8_t>(y, x) ^= 255;
      Put(fmt::format("m/{}.png", i), Encode(".png", mask));
    }
  }

  double Ece(const std::string& model) {
    EXPECT_EQ(Run("evaluate --force --json e.json " + kPairs + " --model " + model).status, 0);
    return ordered_json::parse(Bytes("e.json"))["reliability"]["ece"].get<double>();
  }

  const std::string kPairs = "--images i --truth m --seed-rect 15,20,12,12";
};

TEST_F(CalibrateTest, MakesProbabilitiesSharesAndKeepsTheMasks) {
  PutNoisyPairs(4);
  ASSERT_EQ(Run("train --images i --masks m -o m.json").status, 0);
  const auto parts = Parts("evaluate --max-f1 --model m.json " + kPairs, "--partial", 2);
  const std::string calibrate = fmt::format("calibrate --model m.json {}", fmt::join(parts, " "));
  ASSERT_EQ(Run(calibrate + " -o c.json --json fit.json").status, 0);
  const ordered_json fit = ordered_json::parse(Bytes("fit.json"));
  EXPECT_EQ(fit["faces"]["images"], 4);
  for (const char* none : {"image", "neither"}) {
    EXPECT_EQ(fit[none]["images"], 0);
    EXPECT_EQ(fit[none]["below"], 1.0);
    EXPECT_EQ(fit[none]["above_curve"],
              ordered_json::parse(R"({"jump":0.0,"from":[0.0],"slopes":[1.0]})"));
  }
  EXPECT_EQ(fit["faces"]["above_curve"]["from"], ordered_json({0., 2., 4.}));
  EXPECT_EQ(fit["faces"]["above_curve"]["slopes"][0], fit["faces"]["above"]);
  EXPECT_LT(Ece("c.json"), 0.7 * Ece("m.json"));
  // A curve that is kept, here those for images without a face, keeps the name of its data.
  const auto data_of = [&](const std::string& model) {
    return ordered_json::parse(Bytes(model))["adapted_calibration"]["data"].get<std::string>();
  };
  EXPECT_EQ(data_of("c.json").find("others"), std::string::npos);
  ordered_json kept = ordered_json::parse(Bytes("c.json"));
  kept["adapted_calibration"]["image"] = kept["adapted_calibration"]["faces"];
  kept["adapted_calibration"]["data"] = "earlier";
  Put("kept.json", kept.dump());
  const auto more = Parts("evaluate --max-f1 --model kept.json " + kPairs, "--partial", 2);
  ASSERT_EQ(
      Run(fmt::format("calibrate --model kept.json {} -o k.json", fmt::join(more, " "))).status, 0);
  EXPECT_TRUE(data_of("k.json").ends_with("; others earlier")) << data_of("k.json");
  // Also the second time, because the kept curve may be of any of these data.
  const auto once_more = Parts("evaluate --max-f1 --model k.json " + kPairs, "--partial", 2);
  ASSERT_EQ(
      Run(fmt::format("calibrate --model k.json {} -o l.json", fmt::join(once_more, " "))).status,
      0);
  EXPECT_TRUE(data_of("l.json").ends_with("earlier")) << data_of("l.json");
  for (const auto& part : fit["parts"]) {
    EXPECT_LT(part["ece_left_out"].get<double>(), 0.7 * part["ece"].get<double>());
    EXPECT_LT(part["ece_middle_left_out"].get<double>(), part["ece_middle"].get<double>());
  }
  for (const std::string model : {"m", "c"})
    ASSERT_EQ(Run("detect i --seed-rect 15,20,12,12 -o of-" + model + " --model " + model + ".json")
                  .status,
              0);
  for (const std::string name : {"/0.png", "/3.png"})
    EXPECT_EQ(Bytes("of-m" + name), Bytes("of-c" + name)) << name;
  EXPECT_NE(Run("show c.json").out.find("adapted "), std::string::npos);
  // What is calibrated has nothing left to be calibrated, whatever the order of the parts.
  const auto again = Parts("evaluate --max-f1 --model c.json " + kPairs, "--partial", 2);
  ASSERT_EQ(Run(fmt::format("calibrate --force --model c.json {1} {0} -o d.json --json fit2.json",
                            again[0], again[1]))
                .status,
            0);
  const CalibrationCurve first = ReadModel(Path("c.json")).adapted_calibration.faces,
                         second = ReadModel(Path("d.json")).adapted_calibration.faces;
  for (const double z : {-8., -5., -3., -1., 1., 3., 5., 8.})
    EXPECT_NEAR(second(z), first(z), 0.04 * (1 + std::abs(first(z)))) << z;
}

// At another threshold than 0.5, too, the scales are the likeliest of the probabilities that are
// told.
TEST_F(CalibrateTest, HoldsAtAnyThreshold) {
  PutNoisyPairs(4);
  ASSERT_EQ(Run("train --images i --masks m --threshold 0.15 -o m.json").status, 0);
  ASSERT_EQ(Run("evaluate --max-f1 --model m.json --partial p.json " + kPairs).status, 0);
  ASSERT_EQ(Run("calibrate --model m.json p.json -o c.json").status, 0);
  EXPECT_LT(Ece("c.json"), 0.9 * Ece("m.json"));
}

// Two folders whose files have the same names, one of them with a picture that is none.
TEST_F(CalibrateTest, TakesSeveralEvaluationsAndCountsWhatWasJudged) {
  PutNoisyPairs(3);
  ASSERT_EQ(Run("train --images i --masks m -o m.json").status, 0);
  std::filesystem::copy(Path("i"), Path("other"));
  const std::string evaluate = "evaluate --max-f1 --model m.json --seed-rect 15,20,12,12 --truth m";
  ASSERT_EQ(Run(evaluate + " --images i --partial a.json").status, 0);
  Put("other/1.png", "no picture");
  ASSERT_EQ(Run(evaluate + " --images other --partial b.json").status, 1);
  ASSERT_EQ(Run("calibrate --model m.json a.json b.json -o c.json --json fit.json").status, 0);
  const ordered_json fit = ordered_json::parse(Bytes("fit.json"));
  EXPECT_EQ(fit["parts"][0]["images"], 3);
  EXPECT_EQ(fit["parts"][1]["images"], 2);
  EXPECT_EQ(fit["faces"]["images"], 5);
  EXPECT_EQ(fit["faces"]["fitted"], true);
}

// Pictures of one class give no curve, and the line does not say that they did.
TEST_F(CalibrateTest, SaysWhichPicturesGaveNoCurve) {
  PutNoisyPairs(3);
  ASSERT_EQ(Run("train --images i --masks m -o m.json").status, 0);
  ASSERT_EQ(Run("evaluate --max-f1 --model m.json --partial a.json " + kPairs).status, 0);
  const cv::Mat black(40, 50, CV_8UC3, cv::Scalar(0, 0, 0));
  for (const char* name : {"k/1.png", "k/2.png"}) Put(name, Encode(".png", black));
  ASSERT_EQ(
      Run("evaluate --max-f1 --model m.json --images k --whole non-skin --partial b.json").status,
      0);
  const Outcome run = Run("calibrate --model m.json a.json b.json -o c.json --json fit.json");
  ASSERT_EQ(run.status, 0) << run.err;
  const ordered_json fit = ordered_json::parse(Bytes("fit.json"));
  for (const char* kind : {"image", "neither"}) EXPECT_EQ(fit[kind]["fitted"], false) << kind;
  EXPECT_NE(run.err.find(": not calibrated, and as before"), std::string::npos) << run.err;
}

TEST_F(CalibrateTest, SaysWhatTheFilesAreNot) {
  PutNoisyPairs(3);
  ASSERT_EQ(Run("train --images i --masks m -o m.json").status, 0);
  const auto expect = [&](const std::string& parts, const std::string& line, int status = 1) {
    const Outcome outcome = Run("calibrate --model m.json -o c.json " + parts);
    EXPECT_EQ(outcome.status, status) << parts;
    EXPECT_NE(outcome.err.find(line), std::string::npos) << parts << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(Path("c.json"))) << parts;
  };
  const std::string evaluate = "evaluate --model m.json --shard ";
  ASSERT_EQ(Run(evaluate + "1/2 --max-f1 --partial half.json " + kPairs).status, 0);
  expect("half.json", "is missing");
  ASSERT_EQ(Run(evaluate + "1/1 --partial bare.json " + kPairs).status, 0);
  expect("bare.json", "bare.json: keeps no scores of each image");
  ASSERT_EQ(
      Run(evaluate + "1/1 --max-f1 --partial off.json --adapt off --images i --truth m").status, 0);
  expect("off.json", "off.json: was made without adaptation");
  ASSERT_EQ(Run("evaluate --max-f1 --partial default.json " + kPairs).status, 0);
  expect("default.json", "default.json: was made with another model than this");
  expect("m.json", "m.json");
  expect("absent.json", "absent.json");
  expect("", "parts", 2);
}

}  // namespace
}  // namespace skinmask
