// Videos that are damaged, interrupted or cannot be written.
#include "support/pictures.h"
#include "support/probe.h"
#include "support/video_program.h"

namespace skinmask {
namespace {

using testing::kH264;
using testing::Lines;
using testing::Outcome;
using testing::Probe;
using testing::RawFrames;
using testing::Shell;
using Strings = std::vector<std::string>;

class VideoProblemsTest : public testing::VideoProgramTest {};

TEST_F(VideoProblemsTest, ADamagedVideoKeepsWhatIsBefore) {
  Make("whole.mp4", 60, "-c:v libx264 -g 10 -pix_fmt yuv420p -movflags +faststart");
  Make("next.mp4", 3);
  const std::string bytes = ReadFile(Path("whole.mp4"));
  Put("cut.mp4", bytes.substr(0, bytes.size() / 2));
  Put("no_index.mp4", bytes.substr(0, 500));
  const Outcome run = Run("detect --adapt off cut.mp4 no_index.mp4 next.mp4 -o out");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(Lines(run.err), 2) << run.err;
  const std::size_t at = run.err.find("cut.mp4: stops at frame ");
  ASSERT_NE(at, std::string::npos) << run.err;
  const int frames = std::stoi(run.err.substr(at + 24));
  EXPECT_GT(frames, 20);
  EXPECT_NE(run.err.find("no_index.mp4: cannot be opened as video"), std::string::npos) << run.err;
  EXPECT_EQ(Names(Path("out")), (Strings{"cut.mkv", "next.mkv"}));
  const std::string kept = RawFrames(folder_, "out/cut.mkv", "gray");
  EXPECT_EQ(kept.size(), static_cast<std::size_t>(frames) * 176 * 144);
  ASSERT_EQ(Run("detect --adapt off whole.mp4 -o out").status, 0);
  const std::string all = RawFrames(folder_, "out/whole.mkv", "gray");
  EXPECT_TRUE(all.starts_with(kept));
  // A run that resumes keeps it, too, and does not call it done well, until it is made anew.
  const std::string resume = "detect --adapt off cut.mp4 next.mp4 -o out";
  for (const char* const more : {" --resume", " --resume --json r.json", " --resume -q"}) {
    const Outcome again = Run(resume + more);
    EXPECT_EQ(again.status, 1);
    EXPECT_EQ(again.err.find("cut.mp4: failed in the run before: stops at frame "), 10u)
        << again.err;
    EXPECT_EQ(again.summary.find("1 failed, 2 skipped, 0 of 2 done"), 0u) << again.summary;
  }
  Shell(folder_, "cp whole.mp4 cut.mp4");
  EXPECT_EQ(Run(resume + " --force").status, 0);
  EXPECT_EQ(Run(resume + " --resume").status, 0);
}

TEST_F(VideoProblemsTest, AnEmptyFileIsCalledEmpty) {
  Put("a.mp4", "");
  Put("b.y4m", "");
  const Outcome run = Run("detect a.mp4 b.y4m -o out");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err,
            "skinmask: a.mp4: is empty (a video is expected)\n"
            "skinmask: b.y4m: is empty (a video is expected)\n");
}

// The number that a message names is one that helps.
TEST_F(VideoProblemsTest, TheLimitOfPixelsIsThatOfFrames) {
  Make("a.mp4", 2);
  const std::string run = "detect --adapt off a.mp4 -o out --force --max-pixels ";
  const Outcome less = Run(run + "25343");
  EXPECT_NE(less.err.find("176 x 144 pixels, and the limit is 25343 pixels"), std::string::npos)
      << less.err;
  EXPECT_EQ(Run(run + "25344").status, 0);
}

// PNG has checksums, so that a bit that was changed is found in whatever bytes an encoder writes.
TEST_F(VideoProblemsTest, AnOverwrittenVideoKeepsWhatIsBefore) {
  Make("whole.mov", 20, "-c:v png");
  std::string bytes = ReadFile(Path("whole.mov"));
  ASSERT_EQ(Run("detect --adapt off whole.mov -o out").status, 0);
  const std::string all = RawFrames(folder_, "out/whole.mkv", "gray");
  bytes[static_cast<std::size_t>(Probe(Path("whole.mov")).pictures[12].position) + 500] ^= 1;
  Put("damaged.mov", bytes);
  const Outcome run =
      Run("detect --adapt off damaged.mov -o out --csv rows.csv --faces-csv faces.csv");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("damaged.mov: stops at frame 12: "), std::string::npos) << run.err;
  EXPECT_EQ(Lines(ReadFile(Path("rows.csv"))), 13);  // and a header
  EXPECT_TRUE(RawFrames(folder_, "out/damaged.mkv", "gray") ==
              all.substr(0, std::size_t{12} * 176 * 144));
}

TEST_F(VideoProblemsTest, AHoleThatFfmpegPassesOverIsOneLine) {
  Make("whole.gif", 20, "-c:v gif", "64x48");
  std::string bytes = ReadFile(Path("whole.gif"));
  Put("hole.gif", bytes.erase(bytes.size() / 2, bytes.size() / 20));
  const Outcome run = Run("detect --adapt off whole.gif hole.gif -o out");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(Lines(run.err), 1) << run.err;
  EXPECT_NE(run.err.find("hole.gif: stops at frame "), std::string::npos) << run.err;
}

TEST_F(VideoProblemsTest, AnInterruptLeavesNoHalfVideo) {
  Make("long.mp4", 20, kH264, "640x360");
  Shell(folder_, "ffmpeg -v error -stream_loop 200 -i long.mp4 -c copy longer.mp4");
  const Outcome run =
      Run("detect --adapt off long.mp4 longer.mp4 -o out --threads 1 --output mask,overlay --csv "
          "t.csv & pid=$!; "
          "while kill -0 $pid && [ ! -e '" +
          Path("out/long.mkv").string() +
          "' ]; do sleep 0.05; done; sleep 0.5; kill -INT $pid; wait $pid");
  EXPECT_EQ(run.status, 130) << run.err;
  EXPECT_EQ(Names(Path("out")), (Strings{"long.mkv", "long.overlay.mp4"}));
  EXPECT_EQ(Lines(ReadFile(Path("t.csv"))), 1 + 20);  // the rows of the whole one
}

TEST_F(VideoProblemsTest, WhatCannotBeDoneIsOneLine) {
  Make("a.mp4", 40);
  const Outcome codec = Run("detect --adapt off a.mp4 -o out --codec nonsense");
  EXPECT_EQ(codec.status, 2);
  EXPECT_EQ(Lines(codec.err), 1);
  EXPECT_NE(codec.err.find("nonsense"), std::string::npos);
  EXPECT_EQ(Run("detect --adapt off a.mp4 -o out --codec libx264").status, 0);
  EXPECT_EQ(Probe(Path("out/a.mkv")).codec, "h264");
  EXPECT_EQ(Run("detect --adapt off a.mp4 -o out --frames --codec ffv1").status, 2);
  // A disk that is full, as the program sees it.
  const Outcome full = Run("version >/dev/null; trap '' XFSZ; ulimit -f 2; '" SKINMASK_PROGRAM
                           "' detect --adapt off a.mp4 -o full --output overlay");
  EXPECT_EQ(full.status, 1);
  EXPECT_NE(full.err.find("cannot be written: File too large"), std::string::npos) << full.err;
  EXPECT_EQ(Names(Path("full")), Strings{});
}

// What Matroska does not tell of its pixels is not written there.
TEST_F(VideoProblemsTest, WhatCouldNotBeReadBackIsRefused) {
  Make("a.mp4", 3);
  const Outcome run = Run("detect --adapt off a.mp4 -o out --codec qtrle");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("files of this kind do not take qtrle"), std::string::npos) << run.err;
  EXPECT_EQ(Names(Path("out")), Strings{});
  EXPECT_EQ(Run("detect --adapt off a.mp4 -o a.mov --codec qtrle").status, 0);
  EXPECT_EQ(Run("detect --adapt off a.mov -o again").status, 0);
}

TEST_F(VideoProblemsTest, NamesThatFfmpegHasNotAreGuessed) {
  Make("a.mp4", 2);
  EXPECT_NE(Run("detect a.mp4 -o out --codec ffv2").err.find("(did you mean ffv1? "),
            std::string::npos);
  EXPECT_NE(Run("detect a.mp4 -o out.mkv --input-format rawvideo --size 8x8 --pixel-format yuv42op")
                .err.find("(did you mean yuv420p? "),
            std::string::npos);
}

TEST_F(VideoProblemsTest, FfmpegIsLoadedForVideosAlone) {
  Make("a.mp4", 3);
  Put("a.png", testing::Encode(".png", testing::Gradient(30, 20)));
  const std::string detect = "env LD_DEBUG=files '" SKINMASK_PROGRAM "' detect -v ";
  const std::string image = Shell(folder_, detect + "a.png -o out");
  const std::string video = Shell(folder_, detect + "a.mp4 -o out");
  EXPECT_EQ(image.find("libavcodec"), std::string::npos);
  EXPECT_NE(video.find("libavcodec"), std::string::npos);
  // Where it is not, or not whole, one line says so.
  for (const char* library : {"libavutil.so.57", "libavutil.so.58", "libavutil.so.59"})
    Put(std::string("broken/") + library, "");
  const std::string without = Shell(folder_, "env LD_LIBRARY_PATH=broken '" SKINMASK_PROGRAM
                                             "' detect -q a.mp4 a.png -o without || echo $?");
  EXPECT_EQ(Lines(without), 3) << without;  // the problem, what was done, the status
  EXPECT_NE(without.find("libavutil.so"), std::string::npos) << without;
  EXPECT_TRUE(without.ends_with("\n1\n")) << without;
  EXPECT_EQ(Names(Path("without")), (Strings{"a.png"}));
}

}  // namespace
}  // namespace skinmask
