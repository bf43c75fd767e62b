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
using testing::Shell;
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

// Containers and codecs that know a rate alone, or make their streams late.
TEST_F(VideoOutputsTest, EveryContainerHasTheRateAndTheFrames) {
  Make("a.mp4", 12);
  for (const auto& [output, flags] : {std::pair("a.flv", ""),
                                      {"a.avi", ""},
                                      {"a.mov", ""},
                                      {"a.qt", ""},
                                      {"b.QT", ""},
                                      {"a.ts", "--codec mpeg2video"},
                                      {"m.mkv", "--codec mpeg4"},
                                      {"m.avi", "--codec mpeg4"},
                                      {"t.mkv", "--codec libtheora"}}) {
    const Outcome run = Run(fmt::format("detect a.mp4 --adapt off -o {} {}", output, flags));
    EXPECT_EQ(run.status, 0) << output << run.err;
    const testing::Probed told = Probe(Path(output));
    EXPECT_EQ(told.pictures.size(), 12u) << output;
    const std::string rate = told.average_rate;
    const double over = std::stod(rate.substr(rate.find('/') + 1));
    EXPECT_NEAR(std::stod(rate) / over, 30000 / 1001., .01) << output;  // FLV counts milliseconds
  }
  EXPECT_EQ(Probe(Path("a.avi")).frames, 12);
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

// A slide show: 1 s, 1 s and 4 s. The last picture has no next one that would end it.
TEST_F(VideoOutputsTest, TheLastPictureIsShownAsLongAsInTheInput) {
  const auto make = [&](const std::string& name, const std::string& arguments) {
    testing::MakeOnce(folder_, "-f lavfi -i testsrc=s=96x64:" + arguments + " " + name, {name});
  };
  make("a.gif", "r=1:d=3 -vf \"setpts='if(eq(N,2),2,N)/TB'\" -final_delay 400");
  const auto seconds = [&](const std::string& name) { return Probe(Path(name)).seconds; };
  EXPECT_NEAR(seconds("a.gif"), 6, .01);
  for (const char* isolation : {"none", "all"}) {
    const Outcome run = Run(fmt::format(
        "detect a.gif --adapt off --isolate {} -o out --output mask,overlay --force", isolation));
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_NEAR(seconds("out/a.overlay.mp4"), 6, .01);
    EXPECT_NEAR(seconds("out/a.mkv"), 6, .01);
  }
  // Times that are not even, and pictures that are not decoded in the order of their times.
  make("uneven.gif", "r=1:d=9 -vf \"setpts='N*(N+1)/2/TB'\" -final_delay 500");
  ASSERT_EQ(Run("detect uneven.gif --adapt off -o uneven.mp4 --output overlay").status, 0);
  ASSERT_EQ(Run("detect uneven.mp4 --adapt off -o uneven.mkv").status, 0);
  EXPECT_NEAR(seconds("uneven.gif"), 41, .01);
  // FFmpeg 7 reads the end of this MP4 from the times of decoding: 37 s. (It is better than
  // FFmpeg's own, where the last picture has no time.)
  const double end = seconds("uneven.mp4");
  EXPECT_TRUE(std::abs(end - 41) < .01 || std::abs(end - 37) < .01) << end;
  EXPECT_NEAR(seconds("uneven.mkv"), end, .01);
  // Rates that FFmpeg guesses, of which most times are near a multiple.
  make("guessed.gif",
       "r=50:d=1.94 -vf \"select='eq(n,0)+eq(n,5)+eq(n,20)+eq(n,22)+eq(n,47)+eq(n,48)'\" "
       "-fps_mode vfr");
  ASSERT_EQ(Run("detect guessed.gif --adapt off -o guessed.mkv").status, 0);
  make("slow.gif",
       "r=100:d=0.5 -vf \"select='eq(n,0)+eq(n,5)+eq(n,10)+eq(n,14)+eq(n,20)+eq(n,25)'\" "
       "-fps_mode vfr");
  ASSERT_EQ(Run("detect slow.gif --adapt off -o slow.mkv").status, 0);
  for (const std::string name : {"guessed", "slow"}) {
    const std::vector<double> times = Probe(Path(name + ".gif")).Times();
    EXPECT_EQ(times.size(), 6u);
    EXPECT_EQ(Probe(Path(name + ".mkv")).Times(), times);
  }
  // Outputs are inputs, too.
  ASSERT_EQ(Run("detect out/a.overlay.mp4 --adapt off -o again.mp4").status, 0);
  EXPECT_NEAR(seconds("again.mp4"), 6, .01);
  const Outcome cut = Run("detect a.gif --adapt off -o cut.mp4 --to 4");
  EXPECT_EQ(cut.err, "");
  EXPECT_NEAR(seconds("cut.mp4"), 4, .01);
  // A picture of an even video that ends behind --to keeps its time.
  Make("even.mp4", 12, testing::kDefaultEncode, "176x144", "",
       {"copied.264", "-i even.mp4 -c copy -bsf:v h264_mp4toannexb"});
  ASSERT_EQ(Run("detect even.mp4 --adapt off -o even.mov --to 0.21").status, 0);
  EXPECT_EQ(Probe(Path("even.mov")).average_rate, "30000/1001");
  // A bare stream states its rate itself.
  ASSERT_EQ(Run("detect even.mp4 --adapt off -o even.264").status, 0);
  // FFmpeg 7 tells that of fields.
  EXPECT_EQ(Probe(Path("even.264")).rate, Probe(Path("copied.264")).rate);
  EXPECT_NE(Run("detect a.gif --adapt off -o late.mp4 --to 9").err.find("ends at 6 s, before 9 s"),
            std::string::npos);
}

// The index of a fragmented MP4 counts the pictures of its first fragment.
TEST_F(VideoOutputsTest, FragmentsEndNoVideo) {
  Make("a.mp4", 30, "-c:v libx264 -bf 2 -g 10 -pix_fmt yuv420p -movflags frag_keyframe");
  for (const char* output : {"a.ogv", "a.mkv"}) {
    ASSERT_EQ(Run(std::string("detect a.mp4 --adapt off --output overlay -o ") + output).status, 0);
    const std::vector<double> times = Probe(Path(output)).Times();
    ASSERT_EQ(times.size(), 30u);
    for (std::size_t i = 0; i < times.size(); ++i)
      EXPECT_NEAR(times[i] - times[0], static_cast<double>(i) * 1001 / 30000, .002) << output;
  }
  ASSERT_EQ(Run("detect a.mp4 --adapt off --output overlay --to 10f -o part.mp4").status, 0);
  EXPECT_NEAR(Probe(Path("part.mp4")).seconds, 10 * 1001 / 30000., .002);
}

// AVI stores what is before its first frame as frames without data, and only some of them.
TEST_F(VideoOutputsTest, AviBeginsWithItsFirstFrame) {
  Make("a.mkv", 30, testing::kH264, "176x144", "aevalsrc=sin(300*t*t*t):d=1:s=48000",
       {"late.mkv", "-i a.mkv -c copy -output_ts_offset 5"});
  const Outcome run = Run("detect late.mkv --adapt off -o a.avi");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Probe(Path("a.avi")).frames, 30);
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

class VideoSoundTest : public testing::VideoProgramTest {
 protected:
  // A clip of two seconds, more frames than the encoder of overlays holds back, with a sound that
  // never repeats itself.
  void MakeWithSound(const std::string& name, const std::string& codec,
                     const testing::Derived& derived = {}) const {
    Make(name, kFrames, testing::kH264 + (" -g 15 -c:a " + codec), "176x144",
         "aevalsrc=sin(300*t*t*t):d=2.002:s=48000", derived);
  }
  // The packets of sound: when they are heard, and what is in them.
  std::vector<testing::ProbedPacket> Packets(const std::string& name) const {
    return Probe(Path(name)).sound;
  }
  static constexpr int kFrames = 60;
};

TEST_F(VideoSoundTest, IsCopiedIntoOverlays) {
  MakeWithSound("a.mp4", "aac");
  for (const std::string out : {"out", "again"}) {
    const Outcome run = Run("detect --adapt off a.mp4 -o " + out + " --output mask,overlay");
    ASSERT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
  }
  EXPECT_TRUE(ReadFile(Path("out/a.overlay.mp4")) == ReadFile(Path("again/a.overlay.mp4")));
  const testing::Probed overlay = Probe(Path("out/a.overlay.mp4"));
  const auto before = Packets("a.mp4"), after = overlay.sound;
  ASSERT_GT(before.size(), 70u);
  ASSERT_GE(after.size() + 2, before.size());  // one may begin after the last frame
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_TRUE(after[i].bytes == before[i].bytes) << i;
    EXPECT_NEAR(after[i].time, before[i].time, 1e-4) << i;
  }
  // In Matroska, too: what the encoder of sound adds before the first picture does not delay it.
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o k --output overlay --codec ffv1").err, "");
  const testing::Probed matroska = Probe(Path("k/a.overlay.mkv"));
  const auto& in_matroska = matroska.sound;
  ASSERT_GE(in_matroska.size() + 2, before.size());
  for (std::size_t i = 0; i < in_matroska.size(); ++i)
    EXPECT_NEAR(in_matroska[i].time, before[i].time, 1e-3) << i;
  EXPECT_NEAR(matroska.Times()[0], 0, 1e-9);
  EXPECT_TRUE(Packets("out/a.mkv").empty());
  EXPECT_EQ(overlay.pictures.size(), std::size_t{kFrames});
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o mute --output overlay --audio none").err, "");
  EXPECT_TRUE(Packets("mute/a.overlay.mp4").empty());
}

TEST_F(VideoSoundTest, IsCutWithThePictures) {
  MakeWithSound("a.mkv", "libopus");
  const Outcome run = Run("detect --adapt off a.mkv -o out --output overlay --from 0.5 --to 1.5");
  ASSERT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  const testing::Probed whole = Probe(Path("a.mkv"));
  const auto &before = whole.sound, after = Packets("out/a.overlay.mp4");
  const double start = whole.Times().at(15);  // from half a second on
  std::size_t i = 0;
  while (before[i].time < start) ++i;
  ASSERT_GT(after.size(), 40u);
  for (std::size_t j = 0; j < after.size(); ++j) {
    EXPECT_TRUE(after[j].bytes == before[i + j].bytes) << j;
    EXPECT_NEAR(after[j].time, before[i + j].time - start, 0.0015) << j;
  }
  EXPECT_LT(after.back().time, 1);
  EXPECT_GT(after.back().time, 0.95);
}

// FFmpeg does not know what MPEG streams hold.
TEST_F(VideoSoundTest, IsCopiedIntoMpegStreams) {
  MakeWithSound("a.mp4", "aac");
  MakeWithSound("b.mkv", "mp2");
  for (const auto& [input, output] : {std::pair("a.mp4", "a.ts"), {"b.mkv", "b.mpg"}}) {
    const Outcome run =
        Run(fmt::format("detect --adapt off {} -o {} --output overlay", input, output));
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(Packets(output).size() / 10, Packets(input).size() / 10) << output;
  }
  MakeWithSound("c.avi", "adpcm_ms");
  EXPECT_NE(Run("detect --adapt off c.avi -o c.ts --output overlay").err.find("holds no adpcm_ms"),
            std::string::npos);
}

// A recording that was cut without a new encoding still has the sound before the cut.
TEST_F(VideoSoundTest, ThatIsNotPlayedIsNotCopied) {
  MakeWithSound("a.mp4", "aac", {"cut.mp4", "-ss 0.93 -i a.mp4 -c copy"});
  const auto in_cut = Packets("cut.mp4");
  ASSERT_LT(in_cut.front().time, -0.2);
  for (const std::string output : {"cut.mkv", "cut.overlay.mp4"}) {
    ASSERT_EQ(Run("detect --adapt off cut.mp4 --output overlay -o " + output).err, "");
    const auto packets = Packets(output);
    EXPECT_GT(packets.front().time, -0.05) << output;
    EXPECT_NEAR(packets.back().time, in_cut.back().time, 0.05) << output;
  }
  // What is heard first needs the packet before it.
  const auto loudness = [&](const std::string& name) {
    constexpr std::size_t kFirst = 512;
    Shell(folder_, "ffmpeg -v error -y -i " + name + " -map 0:a -f s16le -ac 1 first.raw");
    const std::string raw = ReadFile(Path("first.raw"));
    double sum = 0;
    for (std::size_t i = 0; i < kFirst; ++i) {
      std::int16_t level;
      std::memcpy(&level, raw.data() + 2 * i, 2);
      sum += level * level;
    }
    return std::sqrt(sum / kFirst);
  };
  EXPECT_NEAR(loudness("cut.overlay.mp4") / loudness("cut.mp4"), 1, 0.05);
}

// AVI's times of sound are counts of packets of one length, which only the copy of a decoder's
// parameters would have; and packets of TrueHD are shorter than Matroska's milliseconds.
TEST_F(VideoSoundTest, KeepsItsTimesInEveryContainer) {
  MakeWithSound("a.mp4", "aac", {"d.mkv", "-i a.mp4 -c copy"});
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o a.avi --output overlay").err, "");
  // Pictures are not stored in another order, which would make them late beside the sound.
  EXPECT_NEAR(std::stod(Shell(folder_,
                              "ffprobe -v error -select_streams v:0 -show_entries "
                              "frame=best_effort_timestamp_time -of default=nk=1:nw=1 a.avi")),
              0, 1e-6);
  ASSERT_EQ(Run("detect --adapt off a.avi -o again.avi --output overlay").err, "");
  ASSERT_EQ(Run("detect --adapt off d.mkv -o d.avi --output overlay").err, "");
  ASSERT_EQ(Run("detect --adapt off d.mkv -o d.mp4 --output overlay").err, "");
  MakeWithSound("b.mkv", "truehd -strict -2");
  ASSERT_EQ(Run("detect --adapt off b.mkv -o c.mkv --output overlay").err, "");
  for (const auto& [from, to] : {std::pair("a.mp4", "a.avi"),
                                 {"a.avi", "again.avi"},
                                 {"d.mkv", "d.avi"},
                                 {"d.mkv", "d.mp4"},
                                 {"b.mkv", "c.mkv"}}) {
    const auto before = Packets(from), after = Packets(to);
    // One or two may begin before the first frame, or after the last.
    ASSERT_GE(after.size() + 3, before.size()) << to;
    const auto first = std::ranges::find(before, after[0].bytes, &testing::ProbedPacket::bytes);
    ASSERT_GE(before.end() - first, std::ssize(after)) << to;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const testing::ProbedPacket& packet = first[static_cast<std::ptrdiff_t>(i)];
      ASSERT_TRUE(after[i].bytes == packet.bytes) << to << i;
      ASSERT_NEAR(after[i].time - after[0].time, packet.time - first->time, 2e-3) << to << i;
    }
  }
}

TEST_F(VideoSoundTest, OfVaryingLengthsIsLeftOutOfAvi) {
  MakeWithSound("a.mkv", "libvorbis");
  const Outcome run = Run("detect --adapt off a.mkv -o a.avi --output overlay");
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.err.find("avi: wants packets of one known length, and those of vorbis are not"),
            std::string::npos)
      << run.err;
  MakeWithSound("b.mkv", "libopus");
  ASSERT_EQ(Run("detect --adapt off b.mkv -o b.ogv --output overlay").err, "");
  EXPECT_GE(Packets("b.ogv").size() + 2, Packets("b.mkv").size());
}

// Small pictures share packets of program streams, and have no times of their own then.
TEST_F(VideoOutputsTest, ProgramStreamsTellTheRate) {
  Make("a.mkv", 40, "-c:v ffv1", "96x80");
  ASSERT_EQ(Run("detect --adapt off a.mkv -o a.mpg --output overlay").status, 0);
  EXPECT_EQ(Probe(Path("a.mpg")).rate, "30000/1001");
}

TEST_F(VideoSoundTest, OfWaveIsCopiedIntoMatroska) {
  MakeWithSound("a.avi", "pcm_mulaw");
  ASSERT_EQ(Run("detect --adapt off a.avi -o a.mkv --output overlay").err, "");
  const auto packets = Packets("a.mkv");
  ASSERT_FALSE(packets.empty());
  EXPECT_TRUE(packets.front().bytes == Packets("a.avi").front().bytes);
}

// As in a transport stream whose clock begins anew soon after its start. MP4 shows nothing before
// 0.
TEST_F(VideoSoundTest, AVideoThatBeginsBefore0BeginsAt0InItsOutputs) {
  Make("a.ts", 50, "-c:v mpeg2video -c:a mp2", "176x144", "sine=d=2",
       {"b.ts", "-i a.ts -c copy -muxdelay 0 -output_ts_offset 95442.7"});
  ASSERT_LT(Probe(Path("b.ts")).Times().at(0), -0.5);
  const Outcome run = Run("detect --adapt off b.ts -o out --output mask,overlay");
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* const output : {"out/b.overlay.mp4", "out/b.mkv"}) {
    const std::vector<double> times = Probe(Path(output)).Times();
    ASSERT_EQ(times.size(), 50u) << output;
    EXPECT_NEAR(times[0], 0, 1e-3) << output;
  }
  const auto sound = Packets("out/b.overlay.mp4");
  EXPECT_GT(sound.front().time, -0.05);
  EXPECT_LT(sound.front().time, 0.1);
}

TEST_F(VideoSoundTest, WithoutTimesIsAWarning) {
  MakeWithSound("a.mp4", "aac",
                {"b.mkv", "-i a.mp4 -c copy -output_ts_offset -5 -avoid_negative_ts disabled"});
  const Outcome run = Run("detect --adapt off b.mkv -o out --output overlay");
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(
      run.err.find("its sound is left out of out/b.overlay.mp4 (b.mkv: has sound without times)"),
      std::string::npos)
      << run.err;
}

TEST_F(VideoSoundTest, ThatDoesNotFitIsAWarning) {
  MakeWithSound("a.avi", "adpcm_ms");
  const Outcome run = Run("detect --adapt off a.avi -o out --output overlay,mask");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(Lines(run.err), 1) << run.err;
  EXPECT_NE(
      run.err.find("warning: a.avi: its sound is left out of out/a.overlay.mp4 (mp4: holds no "
                   "adpcm_ms)"),
      std::string::npos)
      << run.err;
  EXPECT_EQ(Names(Path("out")), (Strings{"a.mkv", "a.overlay.mp4"}));
  EXPECT_EQ(Run("detect --adapt off a.avi -o masks").err, "");
  EXPECT_EQ(Run("detect --adapt off a.avi -o masks2 --audio copy").status, 2);
  EXPECT_EQ(Run("detect --adapt off a.avi -o f --frames --output overlay --audio copy").status, 2);
}

}  // namespace
}  // namespace skinmask
