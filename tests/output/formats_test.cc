// What outputs are written as: JPEG and WebP beside PNG, and their quality; cut-outs with soft
// borders; codecs and quality of videos.
#include <cmath>
#include <cstdlib>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "skinmask/detect/detector.h"
#include "skinmask/detect/draw.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"
#include "support/pictures.h"
#include "support/probe.h"
#include "support/video_program.h"

namespace skinmask {
namespace {

using testing::Outcome;
using Strings = std::vector<std::string>;
using Format = OutputStyle::Format;

cv::Mat Hopper() { return ReadImage(testing::SamplesFolder() / "photos/grace_hopper.jpg"); }

class FormatsTest : public testing::VideoProgramTest {
 protected:
  FormatsTest() { Put("in/a.png", EncodePng(Hopper())); }
  cv::Mat Read(const std::string& name) const {
    return cv::imread(Path(name).string(), cv::IMREAD_UNCHANGED);
  }
  // One line, with that in it, and the status of a wrong command line.
  void ExpectRefused(const std::string& arguments, const std::string& part) const {
    const Outcome run = Run("detect " + arguments);
    EXPECT_EQ(run.status, 2) << arguments;
    EXPECT_EQ(testing::Lines(run.err), 1) << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
  }
};

TEST_F(FormatsTest, HoldThePicturesThatPngHolds) {
  const std::string kinds = " --adapt off --output mask,overlay,heatmap,probability,classes";
  ASSERT_EQ(Run("detect in -o png" + kinds).status, 0);
  for (const auto& [format, extension] : {std::pair("jpeg", ".jpg"), {"webp", ".webp"}}) {
    const std::string out = std::string(format) + "/";
    std::uintmax_t sizes[2] = {};
    for (const int quality : {30, 95}) {
      const Outcome run = Run("detect in --force -o " + out + kinds + " --format " + format +
                              " --quality " + std::to_string(quality));
      ASSERT_EQ(run.status, 0) << run.err;
      for (const std::string kind : {"overlay", "heatmap", "probability"}) {
        const std::string file = out + "a." + kind + extension;
        const cv::Mat there = cv::imread(Path(file).string()),
                      expected = cv::imread(Path("png/a." + kind + ".png").string());
        ASSERT_EQ(there.size(), expected.size()) << file;
        const double difference =
            cv::norm(there, expected, cv::NORM_L1) / static_cast<double>(3 * there.total());
        EXPECT_LT(difference, quality == 30 ? 12 : 4) << file;
        sizes[quality > 50] += testing::fs::file_size(Path(file));
      }
    }
    EXPECT_GT(static_cast<double>(sizes[1]), 1.8 * static_cast<double>(sizes[0])) << format;
    EXPECT_EQ(Names(Path(format)), (Strings{"a.classes.png", "a.heatmap" + std::string(extension),
                                            "a.overlay" + std::string(extension), "a.png",
                                            "a.probability" + std::string(extension)}));
    for (const std::string exact : {"a.png", "a.classes.png"})
      EXPECT_TRUE(ReadFile(Path(out + exact)) == ReadFile(Path("png/" + exact)));
  }
}

TEST_F(FormatsTest, OfAFileAreByItsName) {
  ASSERT_EQ(Run("detect in/a.png -o a.jpg --output overlay --quality 40").status, 0);
  ASSERT_EQ(Run("detect in/a.png -o out --output overlay --quality 40 --format jpeg").status, 0);
  EXPECT_TRUE(ReadFile(Path("a.jpg")) == ReadFile(Path("out/a.overlay.jpg")));
  ASSERT_EQ(Run("detect in/a.png -o a.WebP --output cutout").status, 0);
  EXPECT_EQ(Read("a.WebP").type(), CV_8UC4);
  ExpectRefused("in/a.png -o b.jpeg", "would change the pixels of mask");
  ExpectRefused("in/a.png -o b.jpg --output cutout", "has no transparency");
  ExpectRefused("in/a.png -o b.tif --output overlay", "written as PNG, JPEG or WebP");
  ExpectRefused("in/a.png -o b.jpg --format webp --output overlay", "name different formats");
  EXPECT_FALSE(testing::fs::exists(Path("b.jpg")));
}

TEST_F(FormatsTest, ThatLoseWhatIsNeededAreRefused) {
  ExpectRefused("in -o out --format webp", "would change the pixels of mask");
  ExpectRefused("in -o out --format jpeg --output mask,uncertainty", "would change the pixels");
  ExpectRefused("in -o out --format jpeg --output overlay,cutout", "has no transparency");
  ExpectRefused("in -o out --format webp --output probability --depth 16", "8 bits");
  ExpectRefused("in/a.png -o out --quality 50 --output overlay", "--quality is of JPEG, WebP");
  ExpectRefused("in -o out --quality 0 --output overlay --format jpeg", "--quality");
  ExpectRefused("in -o out --feather 3 --output overlay", "--feather: needs --output cutout");
  EXPECT_FALSE(testing::fs::exists(Path("out")));
}

TEST_F(FormatsTest, AreThoseOfTheRunThatIsResumed) {
  ASSERT_EQ(Run("detect in -o out --output overlay --format jpeg --quality 80").status, 0);
  EXPECT_EQ(Run("detect in -o out --output overlay --format jpeg --quality 80 --resume").status, 0);
  for (const char* other : {"--format jpeg --quality 70", "--format webp --quality 80", ""}) {
    const Outcome run = Run(std::string("detect in -o out --output overlay --resume ") + other);
    EXPECT_EQ(run.status, 1) << other;
    EXPECT_NE(run.err.find("made with another --"), std::string::npos) << run.err;
  }
}

// In archives, and of the frames of videos.
TEST_F(FormatsTest, AreThoseOfArchivesAndFrames) {
  const std::string out = " --adapt off --output mask,overlay --format webp";
  ASSERT_EQ(std::system(("cd '" + folder_.string() + "' && tar -cf a.tar -C in a.png").c_str()), 0);
  ASSERT_EQ(Run("detect a.tar -o tar" + out).status, 0);
  ASSERT_EQ(Run("detect in -o folder" + out).status, 0);
  ASSERT_EQ(std::system(("cd '" + folder_.string() + "/tar' && tar -xf a.tar").c_str()), 0);
  EXPECT_TRUE(ReadFile(Path("tar/a.overlay.webp")) == ReadFile(Path("folder/a.overlay.webp")));
  Make("v.mp4", 2);
  ASSERT_EQ(Run("detect v.mp4 -o frames --frames" + out).status, 0);
  EXPECT_EQ(Names(Path("frames")), (Strings{"v/000000.overlay.webp", "v/000000.png",
                                            "v/000001.overlay.webp", "v/000001.png"}));
}

TEST_F(FormatsTest, OverlaysOfVideosTakeCodecAndQuality) {
  Make("v.mp4", 6, "", "320x240");
  const auto size = [&](const std::string& options, const std::string& file) {
    const Outcome run = Run("detect v.mp4 --force --adapt off -o out " + options);
    EXPECT_EQ(run.status, 0) << options << "\n" << run.err;
    std::error_code none;
    return static_cast<double>(testing::fs::file_size(Path("out/" + file), none));
  };
  const double usual = size("--output overlay", "v.overlay.mp4");
  EXPECT_EQ(size("--output overlay --quality 90", "v.overlay.mp4"), usual);
  EXPECT_LT(size("--output overlay --quality 40", "v.overlay.mp4"), 0.6 * usual);
  const double vp9 = size("--output heatmap --codec vp9 --quality 90", "v.heatmap.webm");
  EXPECT_LT(size("--output heatmap --codec vp9 --quality 30", "v.heatmap.webm"), 0.8 * vp9);
  EXPECT_EQ(testing::Probe(Path("out/v.heatmap.webm")).codec, "vp9");
  const double rgb = size("--output heatmap --codec libx264rgb --quality 90", "v.heatmap.mp4");
  EXPECT_LT(size("--output heatmap --codec libx264rgb --quality 30", "v.heatmap.mp4"), 0.8 * rgb);
  // Beside what takes the codec they stay what they were.
  size("--output mask,overlay --codec libvpx-vp9", "v.overlay.mp4");
  EXPECT_EQ(testing::Probe(Path("out/v.overlay.mp4")).codec, "h264");
  const Outcome run =
      Run("detect v.mp4 --adapt off -o other --output overlay --codec ffv1 --quality 50");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("ffv1: takes no --quality"), std::string::npos) << run.err;
}

// Near the border alone it differs from the mask, there it is on the mask's side, and no step of it
// is a jump.
TEST(FeatheredAlpha, PassesSmoothlyOverTheBorder) {
  const Detector detector{DefaultModel()};
  Judgement judgement = detector.Judge(Hopper());
  const cv::Mat mask = judgement.Mask(), p = judgement.Probability();
  for (const int width : {1, 2, 5, 12}) {
    const cv::Mat alpha = FeatheredAlpha(mask, p, detector.threshold(), width);
    cv::Mat from_skin, from_other;
    cv::distanceTransform(~mask, from_skin, cv::DIST_C, 3);
    cv::distanceTransform(mask, from_other, cv::DIST_C, 3);
    const cv::Mat far = (from_skin > 2 * width + 1) | (from_other > 2 * width + 1);
    EXPECT_EQ(cv::countNonZero((alpha != mask) & far), 0) << width;
    EXPECT_GT(cv::countNonZero(far & mask), 1000);
    EXPECT_GT(cv::countNonZero(far & ~mask), 1000);
    EXPECT_GT(cv::countNonZero((alpha > 20) & (alpha < 235)), 500) << width;
  }
  EXPECT_TRUE(cv::countNonZero(FeatheredAlpha(mask, p, detector.threshold(), 0) != mask) == 0);
}

// The straight border of a half plane of sure pixels: it rises, by no more than a mean of so many
// pixels can.
TEST(FeatheredAlpha, HasNoJump) {
  for (const int width : {2, 4, 9}) {
    cv::Mat mask(60, 80, CV_8UC1, cv::Scalar(0));
    mask.colRange(40, 80).setTo(255);
    const cv::Mat alpha = FeatheredAlpha(mask, mask, 0.5, width);
    for (int x = 1; x < 80; ++x) {
      const int step = alpha.at<std::uint8_t>(30, x) - alpha.at<std::uint8_t>(30, x - 1);
      EXPECT_GE(step, 0) << width << " " << x;
      EXPECT_LE(step, 255 / width) << width << " " << x;
    }
    EXPECT_EQ(alpha.at<std::uint8_t>(30, 39 - 2 * width), 0);
    EXPECT_EQ(alpha.at<std::uint8_t>(30, 40 + 2 * width), 255);
  }
}

TEST_F(FormatsTest, CutoutsAreFeatheredUnlessTheyAreNotToBe) {
  ASSERT_EQ(Run("detect in -o out --output mask,cutout").status, 0);
  ASSERT_EQ(Run("detect in -o hard --output cutout --feather 0").status, 0);
  ASSERT_EQ(Run("detect in -o wide --output cutout --feather 12").status, 0);
  const cv::Mat mask = Read("out/a.png");
  const auto soft = [&](const std::string& name) {
    cv::Mat alpha;
    cv::extractChannel(Read(name), alpha, 3);
    return cv::countNonZero(alpha != mask);
  };
  EXPECT_EQ(soft("hard/a.cutout.png"), 0);
  EXPECT_GT(soft("out/a.cutout.png"), 1000);
  EXPECT_GT(soft("wide/a.cutout.png"), 2 * soft("out/a.cutout.png"));
}

TEST(OutputFiles, EndInTheirFormats) {
  EXPECT_EQ(SuffixOf(Output::kMask, Format::kJpeg), ".png");
  EXPECT_EQ(SuffixOf(Output::kClasses, Format::kWebp), ".classes.png");
  EXPECT_EQ(SuffixOf(Output::kOverlay, Format::kJpeg), ".overlay.jpg");
  EXPECT_EQ(SuffixOf(Output::kCutout, Format::kWebp), ".cutout.webp");
  EXPECT_EQ(FormatOfName("a/b.JPG"), Format::kJpeg);
  EXPECT_FALSE(FormatOfName("a/b.tif").has_value());
  EXPECT_FALSE(FormatOfName("b").has_value());
  for (const OutputKind& kind : OutputKinds())
    EXPECT_EQ(SuffixOf(kind.output, Format::kPng), kind.suffix);
}

}  // namespace
}  // namespace skinmask
