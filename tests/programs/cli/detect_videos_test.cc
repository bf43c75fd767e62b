#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <sstream>
#include <string_view>

#include "skinmask/base/logistic.h"
#include "skinmask/detect/adapt_stream.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/frame_posterior.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"
#include "skinmask/pipeline/run.h"
#include "support/pictures.h"
#include "support/scenes.h"
#include "support/video_program.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;
using testing::kH264;
using testing::Lines;
using testing::Outcome;
using testing::Shell;
using Strings = std::vector<std::string>;

class VideoDetectTest : public testing::VideoProgramTest {
 protected:
  // What Posterior says of frames of this size and of B, G and R.
  static std::string MasksOf(std::string frames, cv::Size size) {
    std::string masks;
    const Posterior posterior{DefaultModel()};
    const auto bytes = static_cast<std::size_t>(size.area()) * 3;
    EXPECT_EQ(frames.size() % bytes, 0u);
    for (std::size_t at = 0; at + bytes <= frames.size(); at += bytes) {
      const cv::Mat mask = DetectMask(posterior, cv::Mat(size, CV_8UC3, &frames[at]));
      masks.append(mask.ptr<char>(), mask.total());
    }
    return masks;
  }
  static std::size_t Differing(const std::string& a, const std::string& b) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) count += a[i] != b[i];
    return count;
  }
};

struct Clip {
  std::string name, encode, size;
  int frames = 10;
};

class VideoDetectClips : public VideoDetectTest, public ::testing::WithParamInterface<Clip> {};

// The same number of frames at the same times and rate; and with --pixels bgr each mask is that of
// the frame as an image.
TEST_P(VideoDetectClips, MasksAreThoseOfTheFrames) {
  const Clip& clip = GetParam();
  Make("plain_" + clip.name, clip.frames, clip.encode, clip.size);
  const std::string plain = ReadFile(Path("plain_" + clip.name));
  Put(clip.name, clip.name.starts_with("turned") ? testing::Turned(plain, 90) : plain);
  const Outcome run = Run("detect --adapt off " + clip.name +
                          " -o out --pixels bgr --output mask,overlay --csv out.csv");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  const std::string stem = "out/" + fs::path(clip.name).stem().string();
  // Turned by ffmpeg is the clip alone.
  const std::vector<testing::ReadClip> read = testing::ReadClips(
      folder_,
      {{clip.name, {"bgr24"}, ""}, {stem + ".mkv", {"gray"}}, {stem + ".overlay.mp4", {"gray"}}});
  const std::string& masks = read[1].frames[0];
  cv::Size size;
  ASSERT_EQ(std::sscanf(clip.size.c_str(), "%dx%d", &size.width, &size.height), 2);
  if (clip.name.starts_with("turned")) std::swap(size.width, size.height);
  const std::string expected = MasksOf(read[0].frames[0], size);
  EXPECT_TRUE(masks == expected) << Differing(masks, expected);
  EXPECT_NE(masks.find('\xff'), masks.npos);
  EXPECT_NE(masks.find('\0'), masks.npos);
  // A time of each frame, and the rate.
  ASSERT_EQ(read[0].pts.size(), static_cast<std::size_t>(clip.frames));
  for (const std::size_t written : {1, 2}) {
    ASSERT_EQ(read[written].pts.size(), read[0].pts.size()) << written;
    const bool milliseconds = written == 1 || clip.name.ends_with("mkv") ||
                              clip.name.ends_with("webm");  // Matroska counts them
    for (std::size_t i = 0; i < read[0].pts.size(); ++i)
      EXPECT_NEAR(static_cast<double>(read[0].pts[i]) * read[0].unit,
                  static_cast<double>(read[written].pts[i]) * read[written].unit,
                  milliseconds ? 0.00051 : 1e-6)
          << written << " " << i;
    if (!clip.name.starts_with("vfr")) {
      EXPECT_EQ(read[written].frame_time, read[0].frame_time);
    }
  }
  // All frames of the overlay decode, too, which is of even sides.
  const int area = (size.width + size.width % 2) * (size.height + size.height % 2);
  EXPECT_EQ(read[2].frames[0].size(), static_cast<std::size_t>(clip.frames * area));
  EXPECT_EQ(Lines(ReadFile(Path("out.csv"))), clip.frames + 1);
}

INSTANTIATE_TEST_SUITE_P(
    Video, VideoDetectClips,
    ::testing::Values(
        Clip{"h264.mp4", kH264, "176x144"},
        Clip{"vp9.webm", "-c:v libvpx-vp9 -deadline realtime", "151x93"},
        Clip{"mjpeg.avi", "-c:v mjpeg -pix_fmt yuvj422p", "151x93"},
        Clip{"turned.mp4", kH264, "176x144"},
        Clip{"hd709.mkv", "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -colorspace bt709",
             "1280x720", 4},
        Clip{"ten_bits.mkv", "-c:v libx264 -pix_fmt yuv420p10le", "176x144"},
        Clip{
            "vfr.mp4",
            std::string(kH264) +
                " -vf 'loop=loop=-1:size=1,scroll=h=0.01,scale=176:144,"
                "setpts=(N*N*7+N*333)/10000/TB' -fps_mode passthrough -video_track_timescale 30000",
            "176x144"},
        Clip{"four_k.mp4", kH264, "3840x2160", 1}),
    [](const auto& instance) {
      return instance.param.name.substr(0, instance.param.name.find('.'));
    });

// ffmpeg's zscale makes HDR of a colour. Its SDR display differs a little from BT.1886's.
TEST_F(VideoDetectTest, HdrIsJudgedAndMeasuredAsSdr) {
  std::string making =
      "-f lavfi -i color=c=0xC89678:s=64x48:r=10:d=0.3 -vf "
      "format=gbrp,zscale=m=709:r=tv,format=yuv420p -c:v ffv1 -color_primaries bt709 "
      "-color_trc bt709 -colorspace bt709 a.mkv";
  for (const std::string_view transfer : {"smpte2084", "arib-std-b67"})
    making += fmt::format(
        " && ffmpeg -v error -y -i a.mkv -vf setparams=colorspace=bt709:color_primaries="
        "bt709:color_trc=bt709,zscale=t=linear:npl=203,format=gbrpf32le,zscale=p="
        "2020:t={0}:m=2020_ncl:r=tv:npl=203,format=yuv420p10le -c:v ffv1 "
        "-color_primaries bt2020 -color_trc {0} -colorspace bt2020nc a{0}.mkv",
        transfer);
  testing::MakeOnce(folder_, making, {"a.mkv", "asmpte2084.mkv", "aarib-std-b67.mkv"});
  for (const std::string_view transfer : {"", "smpte2084", "arib-std-b67"}) {
    for (const std::string_view flags : {"--isolate none --pixels yuv", "--isolate all"}) {
      const std::string detect = fmt::format(
          "detect --adapt off a{}.mkv -o out --csv out.csv --force {}", transfer, flags);
      ASSERT_EQ(Run(detect).status, 0);
      std::istringstream table(ReadFile(Path("out.csv")));
      std::string names, row, name, value;
      std::getline(table, names);
      std::getline(table, row);
      std::istringstream all_names(names), values(row);
      std::map<std::string, std::string> first;
      while (std::getline(all_names, name, ',') && std::getline(values, value, ','))
        first[name] = value;
      EXPECT_EQ(std::stod(first["skin_fraction"]), 1) << transfer;
      EXPECT_NEAR(std::stod(first["mean_red"]), 0xC8, 8) << transfer;
      EXPECT_NEAR(std::stod(first["mean_green"]), 0x96, 8) << transfer;
      EXPECT_NEAR(std::stod(first["mean_blue"]), 0x78, 12) << transfer;
    }
  }
}

// An oracle of its own: planes from the program ffmpeg, rows by hand.
TEST_F(VideoDetectTest, FramesInYuvAreJudgedByTheYuvKernels) {
  Make("a.mp4");
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o out --output mask,probability,overlay").status, 0);
  const std::vector<testing::ReadClip> read =
      testing::ReadClips(folder_, {{"a.mp4", {"yuv420p", "bgr24"}},
                                   {"out/a.mkv", {"gray"}},
                                   {"out/a.probability.mkv", {"gray"}}});
  const std::string& raw = read[0].frames[0];
  const CompiledYuvQuadratic compiled(Quadratic(DefaultModel()), YuvEncoding{},
                                      Logit(DefaultModel().decision.threshold));
  constexpr std::size_t kWidth = 176, kHeight = 144, kPixels = kWidth * kHeight;
  std::string masks(10 * kPixels, '\1'), probabilities = masks;
  for (std::size_t f = 0; f < 10; ++f) {
    const auto* y0 = reinterpret_cast<const std::uint8_t*>(raw.data()) + f * kPixels * 3 / 2;
    for (std::size_t y = 0; y < kHeight; ++y) {
      const std::uint8_t* u = y0 + kPixels + y / 2 * (kWidth / 2);
      const YuvRow row{YuvRow::Layout::kI422, {y0 + y * kWidth, u, u + kPixels / 4}};
      const std::size_t at = f * kPixels + y * kWidth;
      compiled.MaskRow(row, kWidth, reinterpret_cast<std::uint8_t*>(masks.data()) + at);
      compiled.ProbabilityRow(row, kWidth,
                              reinterpret_cast<std::uint8_t*>(probabilities.data()) + at);
    }
  }
  EXPECT_TRUE(read[1].frames[0] == masks);
  EXPECT_TRUE(read[2].frames[0] == probabilities);
  // Rounding to BGR moves few pixels across the threshold.
  EXPECT_LT(Differing(masks, MasksOf(read[0].frames[1], {kWidth, kHeight})), masks.size() / 50);
}

// Of frames, of images in archives, and of videos, which are for people and have the sound.
TEST_F(VideoDetectTest, HeatmapsAreThereForAll) {
  Make("c.mp4", 5, testing::kDefaultEncode, "176x144", "sine=duration=0.1");
  ASSERT_EQ(Run("detect --adapt off c.mp4 -o f --frames --output probability,heatmap").status, 0);
  cv::Mat colors;
  cv::applyColorMap(cv::imread(Path("f/c/000002.probability.png").string(), cv::IMREAD_GRAYSCALE),
                    colors, cv::COLORMAP_INFERNO);
  const cv::Mat map = cv::imread(Path("f/c/000002.heatmap.png").string());
  ASSERT_EQ(map.size(), colors.size());
  EXPECT_EQ(cv::norm(map, colors, cv::NORM_INF), 0);
  Shell(folder_, "cp f/c/000002.heatmap.png k.png && tar -cf t.tar k.png");
  ASSERT_EQ(Run("detect --adapt off c.mp4 t.tar -o out --output heatmap").status, 0);
  EXPECT_EQ(Names(Path("out")), (Strings{"c.heatmap.mp4", "t.tar"}));
  Shell(folder_,
        "ffprobe -v error -select_streams a -show_entries stream=codec_name out/c.heatmap.mp4 | "
        "grep -q codec_name=");
}

TEST_F(VideoDetectTest, FoldersHoldImagesAndVideos) {
  Make("in/sub/b.mp4");
  Make("in/c.mp4", 5, testing::kDefaultEncode, "176x144", "sine=duration=0.1");
  Put("in/a.png", testing::Encode(".png", testing::Gradient(30, 20)));
  Put("in/c.png", testing::Encode(".png", testing::Gradient(30, 20)));
  fs::copy(Path("in/sub/b.mp4"), Path("no_extension"));
  const Outcome run =
      Run("detect --adapt off in no_extension -o out --output mask,cutout --json r.json");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(Names(Path("out")), (Strings{"a.cutout.png", "a.png", "c.cutout.mp4", "c.cutout.png",
                                         "c.mkv", "c.png", "no_extension.cutout.mp4",
                                         "no_extension.mkv", "sub/b.cutout.mp4", "sub/b.mkv"}));
  const auto record = nlohmann::json::parse(ReadFile(Path("r.json")));
  EXPECT_EQ(record["images"].size(), 2u);
  ASSERT_EQ(record["videos"].size(), 3u);
  EXPECT_EQ(record["videos"][0]["frames"], 5);
  EXPECT_EQ(record["videos"][0]["rate"], "30000/1001");
  // Nothing is written over, and nothing is left to do.
  EXPECT_EQ(Run("detect --adapt off in -o out").status, 1);
  const auto resumed = nlohmann::json::parse(
      Run("detect --adapt off in -o out --output mask,cutout --resume --json").out);
  EXPECT_TRUE(resumed["images"].empty() && resumed["videos"].empty()) << resumed;
  EXPECT_EQ(Run("detect --adapt off in -o shard --shard 2/4").status, 0);
  EXPECT_EQ(Names(Path("shard")), (Strings{"c.mkv"}));
}

// What is given and is what holds without it is no other option.
TEST_F(VideoDetectTest, DefaultsThatAreGivenResume) {
  Make("a.mp4", 3);
  for (const auto& [output, codec] : {std::pair("mask,cutout", "ffv1"), {"overlay", "libx264"}}) {
    const std::string detect = std::string("detect --adapt off a.mp4 -o ") + codec + " --output " +
                               output + " --json " + codec + ".json ";
    ASSERT_EQ(Run(detect + "--audio copy").status, 0);
    for (const std::string& options : {std::string(), std::string("--codec ") + codec})
      EXPECT_EQ(Run(detect + "--resume " + options).status, 0) << options;
    EXPECT_NE(Run(detect + "--resume --codec libx265").err.find("another --codec"),
              std::string::npos);
    EXPECT_NE(Run(detect + "--resume --audio none").err.find("another --audio"), std::string::npos);
  }
}

TEST_F(VideoDetectTest, TheTableHasTimesAndWhereTheSkinIs) {
  Make("clip, one.mp4");
  ASSERT_EQ(
      Run("detect --adapt off 'clip, one.mp4' -o out --csv table.csv --output mask,probability")
          .status,
      0);
  std::istringstream table(ReadFile(Path("table.csv")));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line,
            "frame,seconds,skin_fraction,x,y,semi_major,semi_minor,angle_degrees,input,"
            "measured_pixels,mean_red,mean_green,mean_blue,sd_red,sd_green,sd_blue,faces,any_skin");
  const auto read = testing::ReadClips(
      folder_, {{"out/clip, one.mkv", {"gray"}}, {"out/clip, one.probability.mkv", {"gray"}}});
  const std::string &masks = read[0].frames[0], &p = read[1].frames[0];
  constexpr std::size_t kWidth = 176, kPixels = 176 * 144;
  for (std::size_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(std::getline(table, line));
    double frame, seconds, fraction, x, y;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf,%lf", &frame, &seconds, &fraction, &x, &y),
              5)
        << line;
    EXPECT_EQ(frame, static_cast<double>(i));
    EXPECT_NEAR(seconds, static_cast<double>(i) * 1001 / 30000, 1e-5);
    const std::string mask = masks.substr(i * kPixels, kPixels);
    EXPECT_NEAR(fraction,
                static_cast<double>(std::count(mask.begin(), mask.end(), '\xff')) / kPixels, 1e-6);
    double sum = 0, sum_x = 0, sum_y = 0;
    for (std::size_t j = 0; j < kPixels; ++j) {
      const double value = static_cast<std::uint8_t>(p[i * kPixels + j]);
      sum += value;
      sum_x += value * static_cast<double>(j % kWidth);
      sum_y += value * static_cast<double>(j / kWidth);
    }
    EXPECT_NEAR(x, sum_x / sum, 1e-3);
    EXPECT_NEAR(y, sum_y / sum, 1e-3);
    EXPECT_NE(line.find(",\"clip, one.mp4\","), line.npos) << line;
  }
  EXPECT_FALSE(std::getline(table, line));
}

TEST_F(VideoDetectTest, TheAdaptedModelIsCarriedInOrder) {
  Make("a.mp4", 10);
  for (const std::string threads : {"1", "2"})
    ASSERT_EQ(Run("detect --adapt off a.mp4 --seed-rect 60,40,40,40 --threads " + threads +
                  " -o out" + threads)
                  .status,
              0);
  std::vector<std::unique_ptr<SeedFinder>> finders;
  finders.push_back(FixedSeed(cv::Rect(60, 40, 40, 40)));
  testing::ScoredStream stream(std::make_shared<Adapter>(
      DefaultModel(), DefaultModel().decision.threshold, std::move(finders)));
  VideoReader reader(Path("a.mp4").string());
  stream.SetRate(reader.info().rate.Value());
  std::string expected;
  while (const auto frame = reader.Read()) {
    const cv::Mat mask = MaskOf(stream.LogOdds(frame->Bgr()), DefaultModel().decision.threshold);
    expected.append(mask.ptr<char>(), mask.total());
  }
  for (const testing::ReadClip& read :
       testing::ReadClips(folder_, {{"out1/a.mkv", {"gray"}}, {"out2/a.mkv", {"gray"}}}))
    EXPECT_TRUE(read.frames[0] == expected);
}

}  // namespace
}  // namespace skinmask
