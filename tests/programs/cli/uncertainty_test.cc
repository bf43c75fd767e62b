// Masks that abstain, maps of what is not known, and what not answering is worth.
#include <gtest/gtest.h>

#include "skinmask/model/outliers.h"
#include "support/parts.h"

namespace skinmask {
namespace {

using nlohmann::ordered_json;
using testing::Outcome;
using testing::PartsTest;

class UncertaintyTest : public PartsTest {
 protected:
  cv::Mat Read(const std::string& name) {
    return cv::imread(Path(name).string(), cv::IMREAD_UNCHANGED);
  }
};

// What each value means, from masks at both ends and from the model's own distances.
TEST_F(UncertaintyTest, MapsAndMasksAreMadeOfMasksAtBothEnds) {
  PutPairs(2);
  ASSERT_EQ(Run("train --images i --masks m -o m.json").status, 0);
  const Model model = ReadModel(Path("m.json"));
  for (const std::string adapt : {"--adapt off", "--seed-rect 15,20,12,12", "--adapt auto"}) {
    const std::string detect = "detect --force --model m.json i " + adapt;
    ASSERT_EQ(Run(detect + " -o low --threshold 0.2").status, 0);
    ASSERT_EQ(Run(detect + " -o high --threshold 0.9").status, 0);
    ASSERT_EQ(Run(detect + " -o own --output mask,overlay").status, 0);
    ASSERT_EQ(Run(detect + " -o plain --abstain 0.2,0.9 --output mask,overlay").status, 0);
    ASSERT_EQ(
        Run(detect + " -o both --abstain 0.2,0.9 --outlier 0.5 --output mask,uncertainty").status,
        0);
    const cv::Mat low = Read("low/1.png"), high = Read("high/1.png");
    const cv::Mat mask = Read("plain/1.png"), map = Read("both/1.uncertainty.png");
    const cv::Mat abstaining = Read("both/1.png");
    ASSERT_EQ(mask.type(), CV_8UC1);
    ASSERT_EQ(map.type(), CV_8UC1);
    EXPECT_EQ(Bytes("plain/1.overlay.png"), Bytes("own/1.overlay.png")) << adapt;
    int unexplained = 0;
    for (int y = 0; y < mask.rows; ++y)
      for (int x = 0; x < mask.cols; ++x) {
        const int unsure = low.at<std::uint8_t>(y, x) != high.at<std::uint8_t>(y, x) ? 128 : 0;
        ASSERT_EQ(mask.at<std::uint8_t>(y, x), high.at<std::uint8_t>(y, x) | unsure) << adapt;
        const int found = map.at<std::uint8_t>(y, x);
        ASSERT_TRUE(found == 255 || found == unsure) << adapt << found;
        ASSERT_EQ(abstaining.at<std::uint8_t>(y, x), found ? 128 : high.at<std::uint8_t>(y, x));
        unexplained += found == 255;
      }
    EXPECT_GT(unexplained, 0) << adapt;
    if (adapt != "--adapt off") continue;
    // The trained model's outliers are the library's.
    const Outliers outliers(model, 0.5);
    const cv::Mat picture = cv::imread(Path("i/1.png").string());
    std::vector<std::uint8_t> row(static_cast<std::size_t>(picture.cols));
    for (int y = 0; y < picture.rows; ++y) {
      outliers.Row(picture.ptr(y), row.size(), row.data());
      for (int x = 0; x < picture.cols; ++x)
        ASSERT_EQ(row[static_cast<std::size_t>(x)] != 0, map.at<std::uint8_t>(y, x) == 255);
    }
  }
}

TEST_F(UncertaintyTest, VideosHaveTheirs) {
  PutPairs(1);
  ASSERT_EQ(Run("train --images i --masks m -o m.json").status, 0);
  const std::string raw =
      "--input-format rawvideo --size 80x60 --pixel-format bgr24 --model m.json --adapt off";
  cv::Mat picture = cv::imread(Path("i/0.png").string());
  Put("v.raw", std::string(reinterpret_cast<char*>(picture.data), picture.total() * 3));
  const std::string unsure = " --output mask,uncertainty --abstain 0.1,0.9";
  ASSERT_EQ(Run("detect v.raw -o v --frames " + raw + unsure).status, 0);
  ASSERT_EQ(Run("detect i/0.png -o p --model m.json --adapt off" + unsure).status, 0);
  EXPECT_EQ(Bytes("v/v/000000.png"), Bytes("p/0.png"));
  EXPECT_EQ(Bytes("v/v/000000.uncertainty.png"), Bytes("p/0.uncertainty.png"));
  EXPECT_EQ(Run("detect v.raw -o v --output uncertainty " + raw).status, 0);
  EXPECT_TRUE(std::filesystem::exists(Path("v/v.uncertainty.mkv")));
}

TEST_F(UncertaintyTest, CoverageAndRiskAreThoseOfTheMasks) {
  PutPairs(3);
  ASSERT_EQ(Run("train --images i --masks m -o m.json").status, 0);
  const std::string pairs = "--images i --truth m --model m.json --adapt off ";
  const Outcome run = Run("evaluate --json e.json --abstain 0.3,0.7 " + pairs);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("coverage"), std::string::npos);
  const ordered_json selective = ordered_json::parse(Bytes("e.json"))["selective"];
  ASSERT_EQ(Run("detect i -o p --model m.json --adapt off --abstain 0.3,0.7").status, 0);
  double all = 0, answered = 0, wrong = 0;
  for (int i = 0; i < 3; ++i) {
    const cv::Mat mask = Read(fmt::format("p/{}.png", i)), truth = Read(fmt::format("m/{}.png", i));
    all += static_cast<double>(mask.total());
    answered += cv::countNonZero(mask != 128);
    wrong += cv::countNonZero((mask != 128) & (mask != truth));
  }
  // Scores are counted in bins, of which two hold the ends of the interval.
  EXPECT_NEAR(selective["abstain"]["coverage"].get<double>(), answered / all, 1e-3);
  EXPECT_NEAR(selective["abstain"]["risk"].get<double>(), wrong / answered, 1e-3);
  EXPECT_EQ(selective["coverage"].back(), 1.0);
  EXPECT_LT(selective["area"].get<double>(), selective["risk"].back().get<double>());
  ExpectEqual(pairs + "--abstain 0.3,0.7", {2});
}

TEST_F(UncertaintyTest, RefusesWhatItCannotDo) {
  PutPairs(1);
  ASSERT_EQ(Run("train --images i --masks m --kind logistic -o l.json").status, 0);
  const auto expect = [&](const std::string& command, const std::string& line) {
    const Outcome outcome = Run(command);
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_NE(outcome.err.find(line), std::string::npos) << outcome.err;
  };
  for (const std::string bad : {"0.5", "0.8,0.2", "a,b", "0,1,2", "-0.1,0.5", "0.5,1.5", "nan,1"})
    expect("detect i -o o --abstain " + bad, "--abstain '" + bad + "': is not LOW,HIGH");
  expect("detect i -o o --output overlay --abstain 0.2,0.8", "--abstain: needs --output mask");
  expect("detect i -o o --class-costs 0,1:1,0", "--class-costs: needs --output classes");
  expect("detect i -o o --outlier 0.9",
         "--outlier: needs --output uncertainty, or mask with --abstain");
  expect("detect i -o o --output uncertainty --outlier 1.5",
         "--outlier: '1.5' is no number above 0 and up to 1");
  expect("detect i -o o --output uncertainty --outlier 0.9 --model l.json --adapt off",
         "logistic model has no densities");
  expect("evaluate --predicted i --truth m --abstain 0.2,0.8", "--abstain is of probabilities");
  EXPECT_EQ(Run("detect i -o o --output uncertainty --model l.json --adapt off").status, 0);
}

}  // namespace
}  // namespace skinmask
