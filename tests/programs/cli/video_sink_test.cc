// When the pictures of videos are shown, and frames as single images.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "support/probe.h"
#include "support/video_program.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;
using testing::kH264;
using testing::Lines;
using testing::Outcome;
using testing::Probe;
using testing::RawFrames;
using Strings = std::vector<std::string>;

class VideoSinkTest : public testing::VideoProgramTest {};

// Containers and codecs that know a rate alone, or make their streams late.
TEST_F(VideoSinkTest, EveryContainerHasTheRateAndTheFrames) {
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

// A slide show: 1 s, 1 s and 4 s. The last picture has no next one that would end it.
TEST_F(VideoSinkTest, TheLastPictureIsShownAsLongAsInTheInput) {
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
TEST_F(VideoSinkTest, FragmentsEndNoVideo) {
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
TEST_F(VideoSinkTest, AviBeginsWithItsFirstFrame) {
  Make("a.mkv", 30, testing::kH264, "176x144", "aevalsrc=sin(300*t*t*t):d=1:s=48000",
       {"late.mkv", "-i a.mkv -c copy -output_ts_offset 5"});
  const Outcome run = Run("detect late.mkv --adapt off -o a.avi");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Probe(Path("a.avi")).frames, 30);
}

// Small pictures share packets of program streams, and have no times of their own then.
TEST_F(VideoSinkTest, ProgramStreamsTellTheRate) {
  Make("a.mkv", 40, "-c:v ffv1", "96x80");
  ASSERT_EQ(Run("detect --adapt off a.mkv -o a.mpg --output overlay").status, 0);
  EXPECT_EQ(Probe(Path("a.mpg")).rate, "30000/1001");
}

TEST_F(VideoSinkTest, FramesAsImagesAreTheVideosFrames) {
  Make("a.mp4");
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o out").status, 0);
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o frames --frames --output mask,overlay,cutout,classes")
                .status,
            0);
  EXPECT_EQ(Names(Path("frames/a")).size(), 40u);
  std::string masks;
  for (int i = 0; i < 10; ++i) {
    const cv::Mat mask = cv::imread(Path("frames/a/00000" + std::to_string(i) + ".png").string(),
                                    cv::IMREAD_UNCHANGED);
    masks.append(mask.ptr<char>(), mask.total());
  }
  EXPECT_TRUE(masks == RawFrames(folder_, "out/a.mkv", "gray"));
  EXPECT_EQ(
      cv::imread(Path("frames/a/000003.cutout.png").string(), cv::IMREAD_UNCHANGED).channels(), 4);
  const Outcome again = Run("detect --adapt off a.mp4 -o frames --frames");
  EXPECT_EQ(again.status, 1);
  EXPECT_NE(again.err.find("--resume"), std::string::npos) << again.err;
  fs::remove(Path("frames/a/000003.png"));
  EXPECT_EQ(Run("detect --adapt off a.mp4 -o frames --frames --resume").status, 0);
  EXPECT_TRUE(fs::exists(Path("frames/a/000003.png")));
}

TEST_F(VideoSinkTest, ARateThatNoOutputHoldsIsThatOfTheInput) {
  Put("slow.y4m", "YUV4MPEG2 W2 H2 F1:2147483647 C420jpeg\nFRAME\n123456FRAME\n123456");
  const Outcome masks = Run("detect --adapt off slow.y4m -o out");
  EXPECT_EQ(masks.status, 0) << masks.err;
  const Outcome both = Run("detect --adapt off slow.y4m -o both --output mask,overlay");
  EXPECT_EQ(both.status, 1);
  EXPECT_EQ(Lines(both.err), 1) << both.err;
  EXPECT_NE(both.err.find("slow.y4m: has 1/2147483647 frames a second"), std::string::npos)
      << both.err;
}

TEST_F(VideoSinkTest, SingleImagesKeepTheirNumbers) {
  Make("a.mp4", 20);
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o all --frames").status, 0);
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o part --frames --from 3f --to 5f --json r.json").status,
            0);
  EXPECT_EQ(Names(Path("part")), (Strings{"a/000003.png", "a/000004.png"}));
  EXPECT_EQ(nlohmann::json::parse(ReadFile(Path("r.json")))["videos"][0]["frames"], 2);
  const std::string table = " --csv rows.csv";
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o part --frames --resume --to 3f" + table).status, 0);
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o part --frames --resume --from 0.166" + table).status,
            0);
  EXPECT_EQ(testing::Lines(ReadFile(Path("rows.csv"))), 1 + 3 + 15);  // rows of other frames stay
  EXPECT_EQ(Names(Path("part")), Names(Path("all")));
  for (const std::string& name : Names(Path("all")))
    EXPECT_TRUE(ReadFile(Path("all/" + name)) == ReadFile(Path("part/" + name))) << name;
}

}  // namespace
}  // namespace skinmask
