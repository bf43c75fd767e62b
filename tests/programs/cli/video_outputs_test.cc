// What is made of videos beside masks of their own size: smaller ones, soft mattes, transparency.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <set>

#include "skinmask/base/logistic.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/draw.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"
#include "skinmask/model/reference.h"
#include "skinmask/model/yuv_quadratic.h"
#include "support/pictures.h"
#include "support/probe.h"
#include "support/video_program.h"

namespace skinmask {
namespace {

using testing::Lines;
using testing::Outcome;
using testing::Probe;
using testing::RawFrames;
using Strings = std::vector<std::string>;

constexpr int kWidth = 151, kHeight = 93;
constexpr std::size_t kPixels = std::size_t{kWidth} * kHeight;

class VideoOutputsTest : public testing::VideoProgramTest {
 protected:
  // A clip of odd size whose frames the program ffmpeg has as BGR, and these frames.
  std::vector<cv::Mat> MakeOdd(const std::string& name, int frames = 4) const {
    Make(name, frames, "-c:v mjpeg -q:v 2 -pix_fmt yuvj444p", "151x93", "",
         {"a.bgr", "-i " + name + " -f rawvideo -pix_fmt bgr24"});
    const std::string bgr = ReadFile(Path("a.bgr"));
    std::vector<cv::Mat> pictures;
    for (std::size_t i = 0; i < bgr.size() / 3; i += kPixels) {
      cv::Mat picture(kHeight, kWidth, CV_8UC3);
      std::memcpy(picture.data, bgr.data() + 3 * i, 3 * kPixels);
      pictures.push_back(picture);
    }
    EXPECT_EQ(pictures.size(), static_cast<std::size_t>(frames));
    return pictures;
  }
};

TEST_F(VideoOutputsTest, ScaledMasksAreThoseOfAveragedFrames) {
  const std::vector<cv::Mat> frames = MakeOdd("a.avi");
  const Posterior posterior{DefaultModel()};
  const auto out = [](int scale) { return "out" + std::to_string(scale); };
  for (const int scale : {2, 8}) {
    const Outcome run = Run("detect --adapt off a.avi -o " + out(scale) +
                            " --output mask,overlay --scale 1/" + std::to_string(scale));
    ASSERT_EQ(run.status, 0) << run.err;
  }
  const std::vector<testing::ReadClip> read =
      testing::ReadClips(folder_, {{out(2) + "/a.mkv", {"gray"}}, {out(8) + "/a.mkv", {"gray"}}});
  for (const int scale : {2, 8}) {
    const cv::Size size((kWidth + scale - 1) / scale, (kHeight + scale - 1) / scale);
    std::string expected;
    for (const cv::Mat& frame : frames) {
      cv::Mat small;
      cv::resize(frame, small, size, 0, 0, cv::INTER_AREA);
      const cv::Mat mask = DetectMask(posterior, small);
      expected.append(mask.ptr<char>(), mask.total());
    }
    EXPECT_TRUE(read[scale == 2 ? 0 : 1].frames[0] == expected) << scale;
    const testing::Probed overlay = Probe(Path(out(scale) + "/a.overlay.mp4"));
    EXPECT_EQ(cv::Size(overlay.width, overlay.height),
              cv::Size((size.width + 1) / 2 * 2, (size.height + 1) / 2 * 2));
  }
  // With adaptation, and as single images: of the same size.
  ASSERT_EQ(Run("detect a.avi -o frames --frames --scale 1/2").status, 0);
  EXPECT_EQ(cv::imread(Path("frames/a/000003.png").string(), cv::IMREAD_UNCHANGED).size(),
            cv::Size(76, 47));
}

TEST_F(VideoOutputsTest, EncodersThatWantEvenSizesGetThem) {
  MakeOdd("a.avi", 2);
  for (const std::string codec : {"prores", "prores_aw"}) {
    const Outcome run =
        Run("detect --adapt off a.avi --output overlay --codec " + codec + " -o " + codec + ".mov");
    ASSERT_EQ(run.status, 0) << run.err;
    const testing::Probed written = Probe(Path(codec + ".mov"));
    EXPECT_EQ(cv::Size(written.width, written.height), cv::Size(152, 94));
  }
}

// The values of a run in 16 bits, against log-odds of the oracle's, row by row.
void ExpectDeep(const std::string& gray16, const std::vector<double>& z) {
  ASSERT_EQ(gray16.size(), 2 * z.size());
  int between = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    std::uint16_t value;
    std::memcpy(&value, gray16.data() + 2 * i, 2);
    ASSERT_NEAR(value, 65535 * Logistic(z[i]), 0.55) << i;
    between += value % 257 != 0;
  }
  EXPECT_GT(between, 100);
}

TEST_F(VideoOutputsTest, SoftMattesOfImagesAreTheReferencesProbability) {
  const cv::Mat photo = ReadImage(testing::SamplesFolder() / "photos/grace_hopper.jpg");
  Put("a.png", testing::Encode(".png", photo));
  const Outcome run = Run("detect --adapt off a.png -o out --output mask,probability --depth 16");
  ASSERT_EQ(run.status, 0) << run.err;
  std::vector<double> z(photo.total());
  Reference(DefaultModel()).LogOddsRow(photo.data, z.size(), z.data());
  const cv::Mat deep = cv::imread(Path("out/a.probability.png").string(), cv::IMREAD_UNCHANGED);
  ASSERT_EQ(deep.type(), CV_16UC1);
  ExpectDeep(std::string(deep.ptr<char>(), 2 * deep.total()), z);
  // The mask is as ever; and adapted, P is what 8 bits round.
  ASSERT_EQ(Run("detect --adapt off a.png -o plain").status, 0);
  EXPECT_TRUE(ReadFile(Path("plain/a.png")) == ReadFile(Path("out/a.png")));
  for (const std::string depth : {"8", "16"})
    ASSERT_EQ(
        Run("detect a.png -o faces" + depth + " --output mask,probability --depth " + depth).status,
        0);
  EXPECT_TRUE(ReadFile(Path("faces8/a.png")) == ReadFile(Path("faces16/a.png")));
  const cv::Mat bytes = cv::imread(Path("faces8/a.probability.png").string(), cv::IMREAD_UNCHANGED);
  const cv::Mat words =
      cv::imread(Path("faces16/a.probability.png").string(), cv::IMREAD_UNCHANGED);
  cv::Mat coarse;
  words.convertTo(coarse, CV_8U, 1 / 257.);
  EXPECT_LE(cv::norm(coarse, bytes, cv::NORM_INF), 1);
  EXPECT_LT(cv::countNonZero(coarse != bytes), 100);
}

TEST_F(VideoOutputsTest, SoftMattesOfVideosAreTheQuadraticsProbability) {
  Make("a.mp4", 4);
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o out --output probability --depth 16").status, 0);
  const testing::Probed written = Probe(Path("out/a.probability.mkv"));
  EXPECT_EQ(written.codec, "ffv1");
  EXPECT_EQ(written.pix_fmt, "gray16le");
  const std::vector<testing::ReadClip> read = testing::ReadClips(
      folder_, {{"out/a.probability.mkv", {"gray16le"}}, {"a.mp4", {"yuv420p"}}});
  const std::string &deep = read[0].frames[0], &raw = read[1].frames[0];
  const Quadratic of_yuv = InYuv(Quadratic(DefaultModel()), {});
  std::vector<double> z;
  constexpr std::size_t kW = 176, kH = 144;
  for (std::size_t f = 0; f < 4; ++f) {
    const auto* y0 = reinterpret_cast<const std::uint8_t*>(raw.data()) + f * kW * kH * 3 / 2;
    for (std::size_t y = 0; y < kH; ++y)
      for (std::size_t x = 0; x < kW; ++x) {
        const std::uint8_t* u = y0 + kW * kH + y / 2 * (kW / 2) + x / 2;
        const std::uint8_t yuv[] = {y0[y * kW + x], *u, u[kW * kH / 4]};
        z.push_back(of_yuv(yuv));
      }
  }
  ExpectDeep(deep, z);
  // The same as single images.
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o frames --frames --output probability --depth 16 --csv "
                "t.csv")
                .status,
            0);
  const cv::Mat last =
      cv::imread(Path("frames/a/000003.probability.png").string(), cv::IMREAD_UNCHANGED);
  EXPECT_TRUE(deep.substr(3 * 2 * kW * kH) == std::string(last.ptr<char>(), 2 * last.total()));
}

// Its encoder shares out bits by the unit of the times, which are finer than frames.
TEST_F(VideoOutputsTest, Vc2HasTheMask) {
  Make("a.mp4", 3);
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o exact").status, 0);
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o out --codec vc2").status, 0);
  const std::vector<testing::ReadClip> read =
      testing::ReadClips(folder_, {{"exact/a.mkv", {"gray"}}, {"out/a.mkv", {"gray"}}});
  const std::string &mask = read[0].frames[0], &coded = read[1].frames[0];
  ASSERT_EQ(coded.size(), mask.size());
  std::size_t other = 0;
  for (std::size_t i = 0; i < mask.size(); ++i)
    other += (static_cast<unsigned char>(coded[i]) > 127) != (mask[i] != 0);
  EXPECT_LT(other, mask.size() / 1000);
}

// By default the encoder stores no alpha, whatever the format of its pixels.
TEST_F(VideoOutputsTest, HapKeepsTransparency) {
  Make("a.mp4", 2, "", "64x48");  // it takes multiples of four
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o a.mov --output cutout --codec hap").status, 0);
  const std::string pixels = RawFrames(folder_, "a.mov", "rgba");
  std::set<char> alphas;
  for (std::size_t i = 3; i < pixels.size(); i += 4) alphas.insert(pixels[i]);
  EXPECT_TRUE(alphas.contains('\0') && alphas.contains('\xff'));
}

// Without transparency, cut-outs stand on black, with the same soft border.
TEST_F(VideoOutputsTest, OpaqueCutoutsAreBlendedWithBlack) {
  Make("a.mp4", 3);
  const std::string start = "detect --adapt off a.mp4 -o ", end = " --output cutout --feather 7";
  ASSERT_EQ(Run(start + "clear.mkv --codec ffv1" + end).status, 0);
  ASSERT_EQ(Run(start + "- --output-format rawvideo" + end + " >opaque.raw && true").status, 0);
  const std::string clear = RawFrames(folder_, "clear.mkv", "bgra");
  const std::string opaque = ReadFile(Path("opaque.raw"));
  ASSERT_EQ(opaque.size() / 3, clear.size() / 4);
  const auto at = [](const std::string& bytes, std::size_t i) {
    return static_cast<int>(static_cast<unsigned char>(bytes[i]));
  };
  std::size_t soft = 0;
  for (std::size_t i = 0; i < opaque.size(); ++i) {
    const int alpha = at(clear, i / 3 * 4 + 3);
    soft += alpha % 255 != 0;
    ASSERT_NEAR(at(opaque, i), at(clear, i / 3 * 4 + i % 3) * alpha / 255., 0.51) << i;
  }
  EXPECT_GT(soft, 100u);
}

// Containers that do not hold H.264 get the codec that is usual in them.
TEST_F(VideoOutputsTest, ContainersWithoutH264HaveTheirOwnCodec) {
  Make("a.mp4", 5, testing::kH264, "176x144");
  for (const auto& [output, codec] : {std::pair("a.ogv", "theora"), {"a.mxf", "mpeg2video"}}) {
    const Outcome run = Run(fmt::format("detect a.mp4 --adapt off -o {}", output));
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(Probe(Path(output)).codec, codec);
  }
}

// Encoders that spend 200 kbit/s if nothing is said: of moving pictures with noise Theora's dropped
// most, and the others' were blocks.
TEST_F(VideoOutputsTest, EncodersWithAQuantizerHaveTheQuality) {
  testing::MakeOnce(
      folder_,
      "-f lavfi -i testsrc2=size=320x240:rate=25 -vf noise=alls=30:allf=t -frames:v 12 "
      "-c:v ffv1 -pix_fmt yuv420p a.mkv",
      {"a.mkv"});
  const std::string detect = "detect a.mkv --adapt off --output heatmap ";
  constexpr double kPoor = 200e3 / 8 * 12 / 25;  // bytes of 200 kbit/s
  for (const auto& [file, codec] : {std::pair("a.ogv", "libtheora"),
                                    {"a.mp4", "mpeg4"},
                                    {"a.mxf", "mpeg2video"},
                                    {"a.avi", "mjpeg"}}) {
    const auto size_at = [&, file = file, codec = codec](const std::string& quality) {
      const Outcome run =
          Run(detect + fmt::format("--force -o {} --codec {} {}", file, codec, quality));
      EXPECT_EQ(run.status, 0) << codec << run.err;
      return static_cast<double>(std::filesystem::file_size(Path(file)));
    };
    const double usual = size_at("");
    EXPECT_GT(usual, 2 * kPoor) << codec;
    EXPECT_LT(size_at("--quality 50"), .6 * usual) << codec;
  }
}

TEST_F(VideoOutputsTest, SixteenBitsThatCannotBeAreALine) {
  Make("a.mp4", 2);
  EXPECT_EQ(Run("detect a.mp4 -o out --depth 16").status, 2);
  EXPECT_EQ(Run("detect a.mp4 -o out --output probability --depth 12").status, 2);
  const Outcome run =
      Run("detect --adapt off a.mp4 -o out --output probability --depth 16 --codec libx264");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("libx264: does not store grey of 16 bits"), std::string::npos) << run.err;
  // FFmpeg reads these back as colours.
  for (const char* const file : {"a.avi", "a.mov"}) {
    const Outcome raw = Run(fmt::format(
        "detect --adapt off a.mp4 -o {} --output probability --depth 16 --codec rawvideo", file));
    EXPECT_EQ(raw.status, 1);
    EXPECT_NE(raw.err.find("holds no uncompressed grey of 16 bits"), std::string::npos) << raw.err;
  }
}

struct Transparent {
  std::string codec, suffix, decoder, pix_fmt;
  double most;  // difference of alpha
};

class TransparentCutouts : public VideoOutputsTest,
                           public ::testing::WithParamInterface<Transparent> {};

TEST_P(TransparentCutouts, HaveTheMaskAsAlpha) {
  const Transparent& t = GetParam();
  const std::vector<cv::Mat> frames = MakeOdd("a.avi");
  for (const std::string out : {"out", "again"})
    ASSERT_EQ(Run("detect --adapt off a.avi -o " + out + " --output cutout --feather 0 --codec " +
                  t.codec)
                  .status,
              0);
  ASSERT_EQ(Run("detect --adapt off a.avi -o masks").status, 0);
  const std::string file = "out/a.cutout" + t.suffix;
  EXPECT_EQ(Names(Path("out")), (Strings{"a.cutout" + t.suffix}));
  EXPECT_TRUE(ReadFile(Path(file)) == ReadFile(Path("again/a.cutout" + t.suffix)));
  const std::string flags = t.decoder.empty() ? "" : "-c:v " + t.decoder;
  const std::vector<testing::ReadClip> read =
      testing::ReadClips(folder_, {{file, {"bgra"}, flags}, {"masks/a.mkv", {"gray"}}});
  const std::string &pixels = read[0].frames[0], &masks = read[1].frames[0];
  const auto width = static_cast<std::size_t>(Probe(Path(file)).width);
  const std::size_t height = width == kWidth ? 93 : 94;
  ASSERT_EQ(pixels.size(), frames.size() * width * height * 4);
  double far = 0, skin = 0;
  for (std::size_t f = 0; f < frames.size(); ++f)
    for (std::size_t y = 0; y < kHeight; ++y)
      for (std::size_t x = 0; x < kWidth; ++x) {
        const auto* p =
            reinterpret_cast<const std::uint8_t*>(&pixels[4 * ((f * height + y) * width + x)]);
        const auto mask = static_cast<std::uint8_t>(masks[f * kPixels + y * kWidth + x]);
        ASSERT_LE(std::abs(p[3] - mask), t.most) << f << " " << x << " " << y;
        if (mask == 0) continue;
        ++skin;
        for (int c = 0; c < 3; ++c)
          far += std::abs(p[c] -
                          frames[f].at<cv::Vec3b>(static_cast<int>(y), static_cast<int>(x))[c]) /
                 3.;
      }
  EXPECT_GT(skin, 1000);
  EXPECT_LT(far / skin, 8);
}

INSTANTIATE_TEST_SUITE_P(Codecs, TransparentCutouts,
                         ::testing::Values(Transparent{"vp9", ".webm", "libvpx-vp9", "yuva420p",
                                                       40},
                                           Transparent{"vp8", ".webm", "libvpx", "yuva420p", 40},
                                           Transparent{"prores_ks", ".mov", "", "yuva444p12le", 1},
                                           Transparent{"ffv1", ".mkv", "", "bgra", 0}),
                         [](const auto& instance) { return instance.param.codec; });

TEST_F(VideoOutputsTest, CutoutsByCodecsWithoutAlphaAreALine) {
  Make("a.mp4", 2);
  const Outcome run = Run("detect --adapt off a.mp4 -o out --output cutout --codec libx264");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(Lines(run.err), 1);
  EXPECT_NE(run.err.find("libx264: stores no transparency"), std::string::npos) << run.err;
  // It is no failure of the input.
  EXPECT_EQ(Run("detect --adapt off a.mp4 -o out --output cutout --codec libx264 --max-failures 9")
                .status,
            1);
  // The masks' encoder, which gets no frame then, must not wait for one.
  const Outcome both =
      Run("detect --adapt off a.mp4 -o out --output mask,cutout --codec libsvtav1");
  EXPECT_EQ(both.status, 1);
  EXPECT_NE(both.err.find("libsvtav1: stores no transparency"), std::string::npos) << both.err;
  // Only Matroska stores that of VP8 and VP9.
  for (const auto& [file, codec] : {std::pair("c.mp4", "vp9"), {"c.ivf", "vp8"}}) {
    const Outcome opaque =
        Run(fmt::format("detect --adapt off a.mp4 -o {} --output cutout --codec {}", file, codec));
    EXPECT_EQ(opaque.status, 1);
    EXPECT_NE(opaque.err.find("holds no transparency of VP8 and VP9"), std::string::npos)
        << opaque.err;
  }
  const Outcome palettes = Run("detect --adapt off a.mp4 -o p.mov --output heatmap --codec smc");
  EXPECT_NE(palettes.err.find("smc: stores palettes alone"), std::string::npos) << palettes.err;
  // Packets without a container would be one heap of bytes.
  const Outcome bare =
      Run("detect --adapt off a.mp4 -o - --output cutout --codec ffv1 --output-format rawvideo");
  EXPECT_EQ(bare.status, 1);
  EXPECT_NE(bare.err.find("files of this kind do not take ffv1"), std::string::npos) << bare.err;
  EXPECT_EQ(Names(Path("out")), Strings{});
}

}  // namespace
}  // namespace skinmask
