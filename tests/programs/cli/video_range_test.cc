// Parts of videos: --from and --to.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "skinmask/media/video.h"
#include "support/pictures.h"
#include "support/video_program.h"

namespace skinmask {
namespace {

using testing::kH264;
using testing::Lines;
using testing::Outcome;
using testing::RawFrames;
using testing::Shell;
using Strings = std::vector<std::string>;

constexpr char kClipSize[] = "112x80";  // small, since each part of each clip is a run
constexpr std::size_t kFramePixels = 112 * 80;

struct Container {
  std::string name, encode;
};

class VideoRanges : public testing::VideoProgramTest,
                    public ::testing::WithParamInterface<Container> {
 protected:
  // When each frame is shown after the first one.
  static std::vector<double> Times(const testing::ReadClip& clip) {
    std::vector<double> times;
    for (const std::int64_t pts : clip.pts)
      times.push_back(std::round(static_cast<double>(pts - clip.pts.front()) * clip.unit * 1e6) /
                      1e6);
    return times;
  }
};

TEST_P(VideoRanges, AreExactToTheFrame) {
  const std::string clip = GetParam().name;
  Make(clip, 75, GetParam().encode, kClipSize);
  struct Cut {
    std::string flags;
    double from, to;
  };
  const std::vector<Cut> cuts{{"--from 1 --to 2", 1, 2},
                              {"--from 0:0:1.534867 --to 00:01.6", 1.534867, 1.6},
                              {"--to 0.033366", 0, 0.033366},
                              {"--from 2.3", 2.3, 1e9},
                              {"--from 1.0010001 --to 9", 1.001, 1e9}};
  Strings folders;
  for (const Cut& cut : cuts) {
    const std::string folder = fmt::format("cut{}", folders.size());
    folders.push_back(folder);
    const Outcome run = Run("detect --adapt off " + clip + " -o " + folder + " --csv " + folder +
                            ".csv " + cut.flags);
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err.find("before 9 s") == std::string::npos, cut.to != 1e9 || cut.from == 2.3);
  }
  ASSERT_EQ(Run("detect --adapt off " + clip + " -o frames --from 40f --to 52f").status, 0);
  ASSERT_EQ(Run("detect --adapt off " + clip + " -o whole").status, 0);
  folders.insert(folders.end(), {"frames", "whole"});
  std::vector<testing::ClipToRead> outputs;
  for (const std::string& folder : folders)
    outputs.push_back({folder + "/" + clip.substr(0, clip.find('.')) + ".mkv", {"gray"}});
  outputs.push_back({clip, {}});
  const std::vector<testing::ReadClip> read = testing::ReadClips(folder_, outputs);
  const std::string& all = read[folders.size() - 1].frames[0];
  ASSERT_EQ(all.size(), 75 * kFramePixels);
  const std::vector<double> times = Times(read.back());
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const Cut& cut = cuts[i];
    const auto first = static_cast<std::size_t>(
        std::ranges::count_if(times, [&](double time) { return time < cut.from; }));
    const auto count = static_cast<std::size_t>(std::ranges::count_if(
        times, [&](double time) { return time >= cut.from && time < cut.to; }));
    EXPECT_TRUE(read[i].frames[0] == all.substr(first * kFramePixels, count * kFramePixels))
        << cut.flags;
    EXPECT_EQ(read[i].pts.at(0), 0) << cut.flags;
    const std::string table = ReadFile(Path(folders[i] + ".csv"));
    EXPECT_EQ(Lines(table), static_cast<int>(count) + 1);
    EXPECT_NE(table.find("\n" + std::to_string(first) + ","), std::string::npos) << cut.flags;
  }
  EXPECT_TRUE(read[cuts.size()].frames[0] == all.substr(40 * kFramePixels, 12 * kFramePixels));
}

INSTANTIATE_TEST_SUITE_P(
    Video, VideoRanges,
    ::testing::Values(
        Container{"h264.mp4", "-c:v libx264 -g 12 -bf 3 -pix_fmt yuv420p"},
        Container{"open.mkv", "-c:v libx264 -g 12 -bf 3 -x264-params open-gop=1 -pix_fmt yuv420p"},
        Container{"late.mp4", "-c:v libx264 -g 300 -pix_fmt yuv420p -output_ts_offset 5"},
        Container{"vp9.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 20"},
        Container{"mpeg4.avi", "-c:v mpeg4 -g 15"},
        Container{"mpeg2.ts", "-c:v mpeg2video -bf 2 -g 15"},
        Container{"intra.mov", "-c:v mjpeg -pix_fmt yuvj420p"}),
    [](const auto& instance) {
      return instance.param.name.substr(0, instance.param.name.find('.'));
    });

class VideoRangeTest : public testing::VideoProgramTest {};

// After a seek in an open group of pictures, FFmpeg's decoder may keep the last frames of a file:
// such files are decoded from the start.
TEST_F(VideoRangeTest, PartsOfOpenGroupsEndWithTheLastFrame) {
  constexpr int kFrames = 100;
  for (const char* const group : {"keyint=12:bframes=3", "keyint=4:bframes=2"}) {
    Make("a.mkv", kFrames,
         fmt::format("-c:v libx264 -x264-params open-gop=1:{} -pix_fmt yuv420p", group));
    for (int from = 80; from < kFrames; ++from) {
      VideoClip clip(Path("a.mkv").string(), {},
                     {VideoTimeFromText(fmt::format("{}f", from)), std::nullopt});
      int frames = 0;
      while (clip.Read()) ++frames;
      EXPECT_EQ(frames, kFrames - from) << group;
    }
  }
}

// Files whose packets are not the frames in their order: hidden pictures of VP8, parts that overlap
// in time after a join, and joined open groups, of which pictures are not shown.
TEST_F(VideoRangeTest, NumbersAreThoseOfTheWholeVideo) {
  const std::string source = testing::Scrolling("160x120", "25");
  const std::string vp8 = source +
                          "-frames:v 150 -c:v libvpx -auto-alt-ref 1 -lag-in-frames 25 -b:v 200k "
                          "-g 60 -arnr-maxframes 7 -arnr-strength 5 -threads 1";
  testing::MakeOnce(
      folder_, vp8 + " -pass 1 -f null - && ffmpeg -v error -y " + vp8 + " -pass 2 hidden.webm",
      {"hidden.webm"});
  const auto join = [&](const std::string& codec, const std::string& first,
                        const std::string& second, const std::string& gap,
                        const std::string& name) {
    testing::MakeOnce(
        folder_,
        fmt::format(
            "{}-frames:v 200 -c:v libx264 {} -pix_fmt yuv420p whole.mkv && ffmpeg -v error "
            "-y -i whole.mkv {} -c copy one.mkv && ffmpeg -v error -y {} -i whole.mkv -c "
            "copy -avoid_negative_ts make_zero two.mkv; printf \"file 'one.mkv'\n{}file "
            "'two.mkv'\n\" >list.txt && ffmpeg -v error -y -f concat -safe 0 -i list.txt -c "
            "copy {}",
            source, codec, first, second, gap, name),
        {name});
  };
  join("-g 50", "-t 3", "-ss 4.2", "", "overlap.mkv");
  join("-g 30 -bf 3 -x264-params open-gop=1", "-t 2.9", "-ss 4", "duration 4\\n", "open.mkv");
  for (const std::string name : {"hidden.webm", "overlap.mkv", "open.mkv"}) {
    ASSERT_EQ(Run("detect --adapt off " + name + " -o out --force --csv all.csv --force").status,
              0);
    const std::string all = ReadFile(Path("all.csv"));
    const int from = Lines(all) - 12;
    ASSERT_GT(from, 90) << name;
    ASSERT_EQ(Run(fmt::format("detect --adapt off {} -o out --force --csv part.csv --from {}f",
                              name, from))
                  .status,
              0);
    const std::string part = ReadFile(Path("part.csv"));
    EXPECT_EQ(Lines(part), 12) << name;
    EXPECT_EQ(part.substr(part.find('\n')), all.substr(all.find(fmt::format("\n{},", from))))
        << name;
  }
}

// A part has the masks, rows and pictures that the whole video has there, although they depend on
// the frames before.
TEST_F(VideoRangeTest, AdaptedPartsAreAsInTheWholeVideo) {
  constexpr int kFrames = 30;
  Make("a.mp4", kFrames);
  const auto detect = [&](const std::string& folder, const std::string& flags) {
    return Run("detect a.mp4 --output mask,probability -o " + folder + " --csv " + folder +
               ".csv " + flags);
  };
  const auto rows = [&](const std::string& folder) { return ReadFile(Path(folder + ".csv")); };
  ASSERT_EQ(detect("all", "").status, 0);
  const std::string all = rows("all");
  const std::size_t whole = RawFrames(folder_, "all/a.mkv", "gray").size() / kFrames;
  bool seek_differs = false;
  for (const int from : {1, 7, 13, 22}) {
    const std::string part = fmt::format("part{}", from);
    const Outcome run = detect(part, fmt::format("--from {}f --to {}f", from, from + 4));
    ASSERT_EQ(run.status, 0) << run.err;
    for (const std::string name : {"a.mkv", "a.probability.mkv"})
      EXPECT_TRUE(RawFrames(folder_, "all/" + name, "gray").substr(from * whole, 4 * whole) ==
                  RawFrames(folder_, part + "/" + name, "gray"))
          << name << " from " << from;
    const std::string csv = rows(part);
    EXPECT_NE(all.find(csv.substr(csv.find('\n'))), std::string::npos) << csv;
    ASSERT_EQ(
        detect("seek", fmt::format("--force --seek --from {}f --to {}f", from, from + 4)).status,
        0);
    seek_differs |= RawFrames(folder_, "seek/a.probability.mkv", "gray") !=
                    RawFrames(folder_, part + "/a.probability.mkv", "gray");
  }
  EXPECT_TRUE(seek_differs);  // otherwise nothing depends on earlier frames, and nothing is tested
}

TEST_F(VideoRangeTest, SoughtPartsAreVideosOfTheirOwn) {
  Make("a.mkv", 20, "-c:v ffv1 -g 1");
  testing::MakeOnce(folder_, " -i a.mkv -vf trim=start_frame=8,setpts=PTS-STARTPTS -c:v ffv1 b.mkv",
                    {"b.mkv"});
  ASSERT_EQ(Run("detect a.mkv -o a --seek --from 8f").status, 0);
  ASSERT_EQ(Run("detect b.mkv -o b").status, 0);
  EXPECT_TRUE(RawFrames(folder_, "a/a.mkv", "gray") == RawFrames(folder_, "b/b.mkv", "gray"));
}

// Images of parts complete each other, but not if adaptation begins with the part.
TEST_F(VideoRangeTest, AdaptedImagesAreOfOneBeginning) {
  Make("a.mp4", 12);
  const std::string detect = "detect a.mp4 --frames -o ";
  ASSERT_EQ(Run(detect + "all").status, 0);
  ASSERT_EQ(Run(detect + "part --from 3f --to 5f --json r.json").status, 0);
  EXPECT_EQ(Run(detect + "part --from 1f --to 7f --resume").status, 0);
  EXPECT_EQ(Run(detect + "part --from 6f --resume").status, 0);
  EXPECT_EQ(Names(Path("part")).size(), 11u);
  for (const std::string& name : Names(Path("part")))
    EXPECT_TRUE(ReadFile(Path("all/" + name)) == ReadFile(Path("part/" + name))) << name;
  ASSERT_EQ(Run(detect + "sought --seek --from 3f --to 5f").status, 0);
  EXPECT_EQ(Run(detect + "sought --seek --from 3f --to 7f --resume").status, 0);
  for (const auto& [flags, other] :
       {std::pair{"--seek --from 1f", "another --from"}, {"--from 3f", "another --seek"}}) {
    const Outcome run = Run(detect + "sought --resume --to 7f " + flags);
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.err.find(other), std::string::npos) << run.err;
  }
  EXPECT_EQ(Names(Path("sought")).size(), 4u);
}

// From a pipe nothing can be sought; the frames are the same.
TEST_F(VideoRangeTest, PipesAreReadFromTheStart) {
  Make("a.mkv", 40, std::string(kH264) + " -g 10");
  ASSERT_EQ(Run("detect --adapt off a.mkv -o file --from 1 --to 1.2").status, 0);
  Shell(folder_, "mkfifo p.mkv; cat a.mkv >p.mkv 2>/dev/null &");
  const Outcome run = Run("detect --adapt off p.mkv -o pipe --from 1 --to 1.2");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(RawFrames(folder_, "file/a.mkv", "gray") == RawFrames(folder_, "pipe/p.mkv", "gray"));
}

// What lies in a part of a file that is not asked for does no harm.
TEST_F(VideoRangeTest, DamageElsewhereIsNotMet) {
  Make("a.mp4", 60, "-c:v libx264 -g 10 -pix_fmt yuv420p -movflags +faststart");
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o whole --from 45f --to 50f").status, 0);
  std::string bytes = ReadFile(Path("a.mp4"));
  for (std::size_t i = bytes.size() * 4 / 10; i < bytes.size() * 4 / 10 + 300; ++i)
    bytes[i] = static_cast<char>(i * i * 7 + 13 * i);
  Put("damaged/a.mp4", bytes);
  EXPECT_EQ(Run("detect --adapt off damaged/a.mp4 -o all").status, 1);
  const Outcome run = Run("detect --adapt off damaged/a.mp4 -o out --from 45f --to 50f");
  EXPECT_EQ(run.status, 0) << run.err;
  const Outcome adapted = Run("detect damaged/a.mp4 -o adapted --from 45f --to 50f");
  EXPECT_EQ(adapted.status, 1);
  EXPECT_NE(adapted.err.find("before the part (--seek begins there"), std::string::npos)
      << adapted.err;
  EXPECT_EQ(Run("detect damaged/a.mp4 -o adapted --seek --from 45f --to 50f").status, 0);
  EXPECT_TRUE(RawFrames(folder_, "whole/a.mkv", "gray") == RawFrames(folder_, "out/a.mkv", "gray"));
}

TEST_F(VideoRangeTest, WhatIsNotInTheVideoIsALine) {
  Make("a.mp4", 30, "-c:v libx264 -pix_fmt yuv420p", "64x48");
  const auto expect = [&](const std::string& arguments, int status, const std::string& line) {
    const Outcome run = Run("detect --adapt off " + arguments);
    EXPECT_EQ(run.status, status) << arguments;
    EXPECT_EQ(Lines(run.err), 1) << arguments << "\n" << run.err;
    EXPECT_NE(run.err.find(line), std::string::npos) << arguments << "\n" << run.err;
  };
  expect("a.mp4 -o out --from 5", 1, "a.mp4: ends before 5 s: its last frame, number 29, is at");
  expect("a.mp4 -o out --from 30f", 1, "a.mp4: ends before frame 30: its last frame, number 29");
  expect("a.mp4 -o out --seek", 2, "--seek is for --from");
  const Outcome adapted = Run("detect a.mp4 -o out --from 30f");
  EXPECT_EQ(adapted.status, 1);
  EXPECT_NE(adapted.err.find("a.mp4: ends before frame 30: its last"), std::string::npos)
      << adapted.err;
  EXPECT_EQ(Names(Path("out")), Strings{});
  expect("a.mp4 -o out1 --to 5", 0, "warning: a.mp4: ends at 1.001 s, before 5 s");
  expect("a.mp4 -o out2 --to 31f", 0, "warning: a.mp4: ends after 30 frames, before frame 31");
  EXPECT_EQ(Run("detect --adapt off a.mp4 -o out3 --to 30f").err, "");
  EXPECT_EQ(Run("detect --adapt off a.mp4 -o out4 --to 1.001").err, "");
  expect("a.mp4 -o out --from -5", 2, "--from: time '-5': lies before the start");
  for (const std::string bad : {"abc", "1:2:3:4", "1:75", "1.5:00", "1e3", "f", "12.f"})
    expect("a.mp4 -o out --to " + bad, 2, "(seconds as 12.5");
  expect("a.mp4 -o out --from 2 --to 1", 2, "--from 2 and --to 1 leave no frame");
  expect("a.mp4 -o out --to 0", 2, "--to 0 leaves no frame");
  expect("a.mp4 -o out --frames=10-20", 2, "--frames takes no value (see");
}

// A part that ends by a frame's number needs nothing of what follows it.
TEST_F(VideoRangeTest, APartInFramesDoesNotReadTheNextFrame) {
  Put("cut.bgr", std::string(3 * 64 * 48 * 10 + 100, 'x'));  // ten frames, and a piece of another
  const std::string detect =
      "detect cut.bgr --input-format rawvideo --size 64x48 --pixel-format bgr24 --adapt off ";
  EXPECT_EQ(Run(detect + "-o part --to 10f").status, 0);
  EXPECT_EQ(Run(detect + "-o whole").status, 1);
}

}  // namespace
}  // namespace skinmask
