// `skinmask live` as a user starts it, without a window and without a camera.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "skinmask/media/image.h"
#include "support/clips.h"
#include "support/listener.h"
#include "support/probe.h"
#include "support/program.h"

namespace skinmask {
namespace {

using testing::Lines;
using testing::Outcome;
using testing::Probe;
using testing::Scrolling;
using testing::Shell;

class LiveProgramTest : public testing::ProgramTest {
 protected:
  void MakeClip(int frames = 40) const {
    testing::MakeOnce(folder_,
                      fmt::format("{}-frames:v {} -c:v libx264 -pix_fmt yuv420p -color_range tv "
                                  "clip.mp4",
                                  Scrolling("320x240", "25"), frames),
                      {"clip.mp4"});
  }
  std::vector<std::vector<std::string>> Csv(const std::string& name) const {
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(ReadFile(Path(name)));
    for (std::string line, cell; std::getline(lines, line);) {
      rows.emplace_back();
      for (std::istringstream cells(line); std::getline(cells, cell, ',');)
        rows.back().push_back(cell);
    }
    return rows;
  }
};

TEST_F(LiveProgramTest, HelpAndList) {
  const Outcome help = Run("live --adapt off --help");
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(Lines(help.out.substr(help.out.find("Examples:\n"))), 3);
  EXPECT_NE(Run("--help").out.find("  live "), std::string::npos);
}

// OpenCV's videoio, which brings some 200 libraries, comes with the first camera.
TEST_F(LiveProgramTest, WithoutACameraItLoadsNothingOfCameras) {
  const std::string libraries = Shell(folder_, "ldd '" SKINMASK_PROGRAM "-live'");
  EXPECT_NE(libraries.find("opencv_core"), std::string::npos);
  for (const char* late : {"videoio", "imgcodecs", "gdal", "avformat"})
    EXPECT_EQ(libraries.find(late), std::string::npos) << late;
}

TEST_F(LiveProgramTest, AnEmptyPipeIsSaid) {
  SKIP_WITHOUT_FFMPEG();
  Put("run", ": | '" SKINMASK_PROGRAM "' live - --headless 2>err");
  EXPECT_NE(std::system(("cd '" + folder_.string() + "' && sh run").c_str()), 0);
  EXPECT_EQ(ReadFile(Path("err")), "skinmask: /dev/stdin: is empty (a video is expected)\n");
}

// By a pipe come the frames of the file, with a container or by their description.
TEST_F(LiveProgramTest, APipeIsASource) {
  SKIP_WITHOUT_FFMPEG();
  MakeClip(12);
  const std::string live = "'" SKINMASK_PROGRAM "' live --headless --fast --adapt off --csv ";
  const std::string pipe = "ffmpeg -v error -i clip.mp4 -f ";
  Shell(folder_, live + "file.csv clip.mp4");
  Shell(folder_, pipe + "yuv4mpegpipe - | " + live + "y4m.csv -");
  Shell(folder_, pipe + "rawvideo -pix_fmt yuv420p - | " + live +
                     "raw.csv - --input-format rawvideo --size 320x240 --pixel-format yuv420p");
  const auto file = Csv("file.csv");
  ASSERT_EQ(file.size(), 13u);
  for (const char* other : {"y4m.csv", "raw.csv"}) {
    const auto rows = Csv(other);
    ASSERT_EQ(rows.size(), file.size()) << other;
    for (std::size_t i = 1; i < rows.size(); ++i)
      for (const std::size_t column : {0, 2, 3, 4, 5, 6, 7})  // seconds are those of arrival
        EXPECT_EQ(rows[i][column], file[i][column]) << other << " " << i;
  }
  EXPECT_EQ(Run("live - --headless --input-format rawvideo").status, 2);
  // /dev/null. What an earlier run wrote stays.
  Put("a.csv", "of an earlier run");
  EXPECT_EQ(Run("live - --headless --force --csv a.csv").status, 1);
  EXPECT_EQ(ReadFile(Path("a.csv")), "of an earlier run");
}

// Otherwise it would go on for as long as the camera does, for nobody.
TEST_F(LiveProgramTest, EndsWhereNobodyCanReadWhatItTells) {
  SKIP_WITHOUT_FFMPEG();
  MakeClip(30);
  const Outcome full = Run("live clip.mp4 --headless --adapt off --csv /dev/full");
  EXPECT_EQ(full.status, 1);
  EXPECT_NE(full.err.find("/dev/full: cannot be written: No space left"), std::string::npos)
      << full.err;
  EXPECT_TRUE(full.out.starts_with("1 frame")) << full.out;
}

TEST_F(LiveProgramTest, WithoutItsProgramThereIsALine) {
  std::filesystem::copy_file(SKINMASK_PROGRAM, Path("skinmask"));
  const std::string command =
      "cd '" + folder_.string() + "' && ./skinmask live 0 2>err; echo $? >status";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(ReadFile(Path("status")), "1\n");
  EXPECT_EQ(Lines(ReadFile(Path("err"))), 1);
  EXPECT_NE(ReadFile(Path("err")).find("libexec/skinmask/skinmask-live"), std::string::npos);
}

TEST_F(LiveProgramTest, UsageErrorsAreOneLineAndTwo) {
  for (const char* arguments :
       {"live", "live --adapt off 0 --size 12", "live 0 --size 0x5", "live 0 --track 1,2",
        "live --adapt off 0 --view sideways", "live 0 --format MJ", "live a.mp4 --size 640x480",
        "live --adapt off 0 --fast", "live a.mp4 --wait 5", "live 0 --frames -1",
        "live 0 --headless --record a.xyz", "live 0 --headless --record a",
        "live 0 --headless --record ''", "live 0 --headless --view mask",
        "live 0 --headless --background blur", "live 0 --headless --draw faces --csv a.csv",
        "live 0 --headless --record a.mkv -o out", "live 0 --prior 1 --headless", "live 0 1"}) {
    const Outcome run = Run(arguments);
    EXPECT_EQ(run.status, 2) << arguments << run.err;
    EXPECT_EQ(Lines(run.err), 1) << arguments << run.err;
    EXPECT_NE(run.err.find("--help"), std::string::npos) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

TEST_F(LiveProgramTest, WhatIsNotThereIsOneLine) {
  SKIP_WITHOUT_FFMPEG();
  MakeClip(5);
  Put("text.mp4", "no video");
  const std::string discard = "videotestsrc ! fakesink";
  for (const auto& [arguments, part] : std::vector<std::pair<std::string, std::string>>{
           {"live --adapt off 97 --headless", "there is no such camera ("},
           {"live --adapt off /dev/null --headless", "is no camera ("},
           {"live --adapt off absent.mp4 --headless", "absent.mp4"},
           {"live --adapt off text.mp4 --headless", "text.mp4"},
           {"live --adapt off http://127.0.0.1:9/x --headless", "http://127.0.0.1:9/x"},
           {"live --adapt off 'nonsense ! appsink' --headless", "nonsense"},
           {"live --adapt off '" + discard + "' --headless", "appsink"},
           {"live --adapt off 'videotestsrc ! video/x-raw,format=RGBA ! appsink' --headless",
            "stops"},
           {"live --adapt off 'videotestsrc ! videoconvert ! appsink caps=video/x-raw,format=RGB' "
            "--headless",
            "has an appsink for what is not read (BGR"},
           {"live --adapt off clip.mp4 --headless --csv absent/a.csv", "folder does not exist"},
           {"live --adapt off clip.mp4 --headless --model absent.json", "absent.json"}}) {
    const Outcome run = Run(arguments);
    EXPECT_EQ(run.status, 1) << arguments << run.err;
    EXPECT_EQ(Lines(run.err), 1) << arguments << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << arguments << run.err;
  }
}

// Nothing resumes what it records: what is whole is the table.
TEST_F(LiveProgramTest, AFullDiskLeavesTheWholeRows) {
  SKIP_WITHOUT_FFMPEG();
  MakeClip(80);
  const std::string live = "'" SKINMASK_PROGRAM "' live clip.mp4 --headless --fast --adapt off ";
  Shell(folder_, live + "--csv all.csv");
  Shell(folder_, "ulimit -f 8; ! " + live + "--csv a.csv >/dev/null 2>err");
  EXPECT_NE(ReadFile(Path("err")).find("a.csv: cannot be written: File too large"),
            std::string::npos)
      << ReadFile(Path("err"));
  EXPECT_EQ(Names(folder_), (std::vector<std::string>{"a.csv", "all.csv", "clip.mp4", "err"}));
  EXPECT_TRUE(ReadFile(Path("a.csv")).ends_with('\n'));
  const auto rows = Csv("a.csv"), all = Csv("all.csv");
  ASSERT_GT(rows.size(), 10u);
  ASSERT_LT(rows.size(), all.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const std::size_t column : {0, 1, 2, 3, 10, 17})  // not how long it took
      EXPECT_EQ(rows[i][column], all[i][column]) << i;
}

// Of a picture on its side, whose pixels are as high as they were wide.
TEST_F(LiveProgramTest, RecordingsKeepTheShapeOfPixels) {
  SKIP_WITHOUT_FFMPEG();
  for (const auto& [clip, aspect] : {std::pair("square.mp4", "1"), {"wide.mp4", "4/3"}}) {
    std::string scrolling = Scrolling("320x240", "25");
    scrolling.pop_back();
    testing::MakeOnce(folder_,
                      fmt::format("{},setsar={} -frames:v 3 -c:v libx264 -pix_fmt yuv420p {}",
                                  scrolling, aspect, clip),
                      {clip});
  }
  Put("turned.mp4", testing::Turned(ReadFile(Path("wide.mp4")), 90));
  for (const auto& [clip, aspect] :
       {std::pair("square", "1/1"), {"wide", "4/3"}, {"turned", "3/4"}}) {
    const std::string run =
        fmt::format("live {0}.mp4 --headless --fast --adapt off --record {0}.out.mp4", clip);
    ASSERT_EQ(Run(run).status, 0) << run;
    EXPECT_EQ(Probe(Path(fmt::format("{}.out.mp4", clip))).pixel_aspect, aspect);
  }
}

TEST_F(LiveProgramTest, WhatCameBeforeTheDamageIsTold) {
  SKIP_WITHOUT_FFMPEG();
  MakeClip(40);
  Shell(folder_, "ffmpeg -v error -i clip.mp4 -c copy whole.mkv");
  const std::string whole = ReadFile(Path("whole.mkv"));
  Put("cut.mkv", whole.substr(0, 2 * whole.size() / 3));
  const Outcome run = Run("live cut.mkv --headless --fast --adapt off --csv a.csv --json=a.json");
  EXPECT_EQ(run.status, 1);
  const auto json = nlohmann::json::parse(ReadFile(Path("a.json")));
  EXPECT_GT(json["frames"], 0);
  EXPECT_EQ(json["frames"], Lines(ReadFile(Path("a.csv"))) - 1);
  EXPECT_EQ(run.err, "skinmask: " + json["failed"].get<std::string>() + "\n");
  ASSERT_EQ(Run("live whole.mkv --headless --fast --adapt off --json=b.json").status, 0);
  EXPECT_FALSE(nlohmann::json::parse(ReadFile(Path("b.json"))).contains("failed"));
}

// How long it waits at most is in the line; that it does end is what CTest's time limit is for.
TEST_F(LiveProgramTest, WhatIsSilentIsOneLineThatSaysHowLong) {
  const std::vector<std::string> sources{
      fmt::format("udp://127.0.0.1:{}", testing::SilentPort()),
      fmt::format("udpsrc port={} ! image/jpeg ! appsink", testing::SilentPort())};
  SKIP_WITHOUT_FFMPEG();
  std::string both;  // at a time, since each waits
  for (std::size_t i = 0; i < sources.size(); ++i)
    both +=
        fmt::format(" ('" SKINMASK_PROGRAM "' live '{}' --headless 2>err{}; echo $? >status{}) &",
                    sources[i], i, i);
  Shell(folder_, both + " wait");
  for (std::size_t i = 0; i < sources.size(); ++i) {
    EXPECT_EQ(ReadFile(Path(fmt::format("status{}", i))), "1\n");
    const std::string line = ReadFile(Path(fmt::format("err{}", i)));
    EXPECT_EQ(Lines(line), 1) << line;
    EXPECT_NE(line.find(" came within "), std::string::npos) << line;
  }
}

TEST_F(LiveProgramTest, WithoutAScreenThereIsALine) {
  SKIP_WITHOUT_FFMPEG();
  MakeClip(5);
  const auto with = [&](const std::string& display) {
    const std::string command = "cd '" + folder_.string() + "' && env -u QT_QPA_PLATFORM " +
                                display +
                                " '" SKINMASK_PROGRAM "' live clip.mp4 2>err >out; echo $? >status";
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(ReadFile(Path("status")), "1\n") << display;
    EXPECT_EQ(Lines(ReadFile(Path("err"))), 1) << ReadFile(Path("err"));
    EXPECT_NE(ReadFile(Path("err")).find("--headless"), std::string::npos);
  };
  with("-u DISPLAY");
  with("DISPLAY=:6543");
  with("DISPLAY=nonsense");
  EXPECT_EQ(Run("live --adapt off clip.mp4 --headless --fast").status, 0);
}

// A photograph that stands still: after some frames the model is the face's, and nearer to the
// truth.
TEST_F(LiveProgramTest, TheModelAdaptsToFaces) {
  SKIP_WITHOUT_FFMPEG();
  const std::filesystem::path samples = testing::SamplesFolder();
  testing::MakeOnce(folder_,
                    "-framerate 25 -i '" + (samples / "photos/astronaut.png").string() +
                        "' -vf loop=loop=-1:size=1 -frames:v 8 -c:v ffv1 -pix_fmt bgr0 clip.mkv",
                    {"clip.mkv"});
  cv::Mat truth;
  cv::extractChannel(ReadImage(samples / "masks/astronaut.png"), truth, 0);
  const auto f1 = [&](const std::string& flags) {
    const Outcome run =
        Run("live clip.mkv --headless --fast --force --record m.mkv --view mask --json=a.json " +
            flags);
    EXPECT_EQ(run.status, 0) << run.err;
    std::string masks = testing::RawFrames(folder_, "m.mkv", "gray");
    EXPECT_EQ(masks.size(), 8 * truth.total());
    const cv::Mat last(truth.size(), CV_8UC1, masks.data() + 7 * truth.total());
    return 2. * cv::countNonZero(last & (truth > 127)) /
           (cv::countNonZero(last) + cv::countNonZero(truth > 127));
  };
  const double global = f1("--adapt off");
  EXPECT_FALSE(nlohmann::json::parse(ReadFile(Path("a.json")))["stages"].contains("adapt"));
  EXPECT_GT(f1("--adapt faces"), global + 0.1);
  EXPECT_EQ(nlohmann::json::parse(ReadFile(Path("a.json")))["frames"], 8);
  EXPECT_TRUE(nlohmann::json::parse(ReadFile(Path("a.json")))["stages"].contains("adapt"));
  const Outcome lost = Run("live clip.mkv --headless --faces nowhere");
  EXPECT_EQ(lost.status, 1);
  EXPECT_EQ(Lines(lost.err), 1) << lost.err;
}

// A face of a tenth of the frame's height.
TEST_F(LiveProgramTest, SmallFacesAreFoundAsInPhotographs) {
  SKIP_WITHOUT_FFMPEG();
  testing::MakeOnce(folder_,
                    "-framerate 25 -i '" +
                        (testing::SamplesFolder() / "photos/astronaut.png").string() +
                        "' -vf scale=180:180,pad=640:480:200:200:0x406080,loop=loop=-1:size=1 "
                        "-frames:v 8 -c:v ffv1 -pix_fmt bgr0 small.mkv",
                    {"small.mkv"});
  ASSERT_EQ(Run("live small.mkv --headless --fast --csv a.csv").status, 0);
  EXPECT_EQ(Csv("a.csv").back()[17], "1");
}

TEST_F(LiveProgramTest, AFileLeavesEveryFrame) {
  SKIP_WITHOUT_FFMPEG();
  MakeClip();
  const Outcome run =
      Run("live --adapt off clip.mp4 --headless --fast --csv a.csv --record a.mkv --view mask "
          "--json=a.json");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("40 frames"), std::string::npos) << run.out;
  const auto rows = Csv("a.csv");
  ASSERT_EQ(rows.size(), 41u);
  EXPECT_EQ(rows[0][1], "seconds");
  EXPECT_NEAR(std::stod(rows[40][1]), 39 / 25.0, 1e-3);
  const auto json = nlohmann::json::parse(ReadFile(Path("a.json")));
  EXPECT_EQ(json["frames"], 40);
  EXPECT_EQ(json["dropped"], 0);
  EXPECT_EQ(Probe(Path("a.mkv")).rate, "25/1");  // the file's
  // The recorded masks are lossless: their share of white is the table's skin.
  const std::string masks = testing::RawFrames(folder_, "a.mkv", "gray");
  ASSERT_EQ(masks.size(), 40u * 320 * 240);
  for (std::size_t i = 0; i < 40; ++i) {
    const auto begin = masks.begin() + static_cast<std::ptrdiff_t>(i * 320 * 240);
    const auto white = std::count(begin, begin + 320 * 240, static_cast<char>(255));
    const auto black = std::count(begin, begin + 320 * 240, static_cast<char>(0));
    EXPECT_EQ(white + black, 320 * 240);
    EXPECT_NEAR(static_cast<double>(white) / (320 * 240), std::stod(rows[i + 1][2]), 1e-6);
  }
}

TEST_F(LiveProgramTest, LimitsEndTheRunAndNothingIsOverwritten) {
  SKIP_WITHOUT_FFMPEG();
  MakeClip();
  EXPECT_EQ(Run("live --adapt off clip.mp4 --headless --fast --frames 7 --csv a.csv").status, 0);
  EXPECT_EQ(Csv("a.csv").size(), 8u);
  const std::string before = ReadFile(Path("a.csv"));
  const Outcome again = Run("live --adapt off clip.mp4 --headless --fast --csv a.csv");
  EXPECT_EQ(again.status, 1);
  EXPECT_NE(again.err.find("--force"), std::string::npos);
  EXPECT_EQ(ReadFile(Path("a.csv")), before);
  const Outcome timed =
      Run("live --adapt off 'videotestsrc is-live=true ! "
          "video/x-raw,width=320,height=240,framerate=30/1 ! "
          "videoconvert ! "
          "appsink' --headless --seconds 1 --stats");
  EXPECT_EQ(timed.status, 0) << timed.err;
  EXPECT_GE(Lines(timed.out), 1);
}

// The clip's ellipse moves and turns; another rests. Skin-coloured on green.
TEST_F(LiveProgramTest, TrackFollowsOneOfTwo) {
  SKIP_WITHOUT_FFMPEG();
  std::string frames;
  const int w = 320, h = 240, count = 30;
  for (int i = 0; i < count; ++i) {
    const double cx = 60 + 3 * i, cy = 70, angle = i * 4 * 3.14159265358979 / 180;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        const double dx = x - cx, dy = y - cy;
        const double u = (dx * std::cos(angle) + dy * std::sin(angle)) / 40;
        const double v = (dy * std::cos(angle) - dx * std::sin(angle)) / 20;
        const bool resting = std::pow((x - 220) / 60.0, 2) + std::pow((y - 190) / 30.0, 2) <= 1;
        frames += u * u + v * v <= 1 || resting ? std::string("\x78\x96\xd2", 3)
                                                : std::string("\x30\xa0\x20", 3);
      }
  }
  Put("frames.raw", frames);
  Shell(folder_,
        "ffmpeg -v error -f rawvideo -pix_fmt bgr24 -s 320x240 -r 25 -i frames.raw -c:v ffv1 "
        "-pix_fmt bgr0 clip.mkv");
  const Outcome run =
      Run("live --adapt off clip.mkv --headless --fast --track 10,30,100,80 --csv a.csv --record "
          "a.mp4");
  EXPECT_EQ(run.status, 0) << run.err;
  const auto rows = Csv("a.csv");
  ASSERT_EQ(rows.size(), 1u + count);
  for (int i = 0; i < count; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i) + 1];
    EXPECT_NEAR(std::stod(row[3]), 60 + 3 * i, 0.5) << i;
    EXPECT_NEAR(std::stod(row[4]), 70, 0.5) << i;
    const double off = std::fmod(std::abs(std::stod(row[7]) - 4 * i), 180);
    EXPECT_LT(std::min(off, 180 - off), 0.5) << i;
  }
}

// Of a clip of one colour of skin on green, without loss.
TEST_F(LiveProgramTest, ColoursAreMeasuredAndNothingIsDrawnThatNobodyAskedFor) {
  SKIP_WITHOUT_FFMPEG();
  const auto is_skin = [](int x, int y) {
    return std::pow((x - 80) / 50.0, 2) + std::pow((y - 60) / 30.0, 2) <= 1;
  };
  std::string frame;
  int left = 0;  // of the ellipse, where three pixels are left out at its border
  for (int y = 0; y < 120; ++y)
    for (int x = 0; x < 160; ++x) {
      frame += is_skin(x, y) ? std::string("\x78\x96\xd2", 3) : std::string("\x30\xa0\x20", 3);
      left += is_skin(x - 3, y - 3) && is_skin(x + 3, y - 3) && is_skin(x - 3, y + 3) &&
              is_skin(x + 3, y + 3);
    }
  Put("frames.raw", frame + frame + frame);
  Shell(folder_,
        "ffmpeg -v error -f rawvideo -pix_fmt bgr24 -s 160x120 -r 25 -i frames.raw -c:v ffv1 "
        "-pix_fmt bgr0 clip.mkv");
  const std::string live = "live --adapt off clip.mkv --headless --fast --force ";
  ASSERT_EQ(Run(live + "--csv a.csv --faces-csv f.csv --erode 3 --record a.mkv").status, 0);
  ASSERT_EQ(Run(live + "--record b.mkv --draw ellipse --json=b.json").status, 0);
  const auto rows = Csv("a.csv");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(
      ReadFile(Path("a.csv")).substr(0, ReadFile(Path("a.csv")).find('\n')),
      "frame,seconds,skin_fraction,x,y,semi_major,semi_minor,angle_degrees,latency_ms,captured,"
      "measured_pixels,mean_red,mean_green,mean_blue,sd_red,sd_green,sd_blue,faces,any_skin");
  EXPECT_EQ(Lines(ReadFile(Path("f.csv"))), 1);
  EXPECT_TRUE(
      ReadFile(Path("f.csv"))
          .starts_with("frame,seconds,captured,face,x,y,width,height,tilt_degrees,pixels,"));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][9], "");
    EXPECT_EQ(rows[i][10], std::to_string(left));
    const std::vector<std::string> colors(rows[i].begin() + 11, rows[i].begin() + 17);
    EXPECT_EQ(colors, (std::vector<std::string>{"210.000000", "150.000000", "120.000000",
                                                "0.000000", "0.000000", "0.000000"}));
  }
  EXPECT_FALSE(nlohmann::json::parse(ReadFile(Path("b.json")))["stages"].contains("measure"));
  const std::string plain = testing::RawFrames(folder_, "a.mkv", "bgr24"),
                    drawn = testing::RawFrames(folder_, "b.mkv", "bgr24");
  const auto at = [](const std::string& frames, int x, int y) {
    return frames.substr(static_cast<std::size_t>(3 * (160 * y + x)), 3);
  };
  EXPECT_EQ(at(plain, 80, 60), "\x78\x96\xd2");
  EXPECT_NE(at(drawn, 80, 60), at(plain, 80, 60));
  EXPECT_EQ(Run("live clip.mkv --headless --erode 3").status, 2);
  EXPECT_EQ(Run("live clip.mkv --headless --csv - --faces-csv -").status, 2);
}

TEST_F(LiveProgramTest, PicturesOfAnotherSizeAreToldWhereTheyAreRecorded) {
  SKIP_WITHOUT_FFMPEG();
  const std::string part = "videotestsrc is-live=true num-buffers=15 ! video/x-raw,format=BGR,";
  for (const std::string record : {"--record a.mkv", "--record b.mp4 --view mask"}) {
    const Outcome outcome =
        Run("live --adapt off 'concat name=c ! appsink " + part + "width=64,height=48 ! c. " +
            part + "width=32,height=24 ! c.' --headless " + record);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("pictures are 32x24 now, 64x48 before"), std::string::npos)
        << outcome.err;
  }
}

TEST_F(LiveProgramTest, ColorsOfAnotherMatrixAreNotTakenForBt601) {
  const Outcome outcome = Run(
      "live --adapt off 'videotestsrc num-buffers=2 ! video/x-raw,format=NV12,width=64,height=48,"
      "colorimetry=(string)bt2020 ! appsink' --headless");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("neither BT.601's nor BT.709's"), std::string::npos) << outcome.err;
}

TEST_F(LiveProgramTest, ASourceWithoutAPictureIsAnError) {
  const Outcome outcome = Run("live --adapt off 'videotestsrc num-buffers=0 ! appsink' --headless");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("ended before its first picture"), std::string::npos) << outcome.err;
}

TEST_F(LiveProgramTest, FramesOfAStreamHaveTheTimeOfTheirCapture) {
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  const double before = now();
  ASSERT_EQ(Run("live --adapt off 'videotestsrc is-live=true ! video/x-raw,format=BGR,width=64,"
                "height=48,framerate=30/1 ! appsink' --headless --frames 5 --csv a.csv")
                .status,
            0);
  const auto rows = Csv("a.csv");
  ASSERT_EQ(rows.size(), 6u);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_GE(std::stod(rows[i][9]), before - .01);
    EXPECT_LE(std::stod(rows[i][9]), now() + .01);
    EXPECT_NEAR(std::stod(rows[i][9]) - std::stod(rows[1][9]), std::stod(rows[i][1]), 2e-4);
  }
}

// As of `timeout`, which signals its child, and then all of its group.
TEST_F(LiveProgramTest, TwoSignalsAtOnceAreOne) {
  SKIP_WITHOUT_FFMPEG();
  MakeClip();
  Put("run", "set -m; mkdir $1; '" SKINMASK_PROGRAM
             "' live clip.mp4 --headless --stats --record $1/a.mp4 2>$1/err >$1/out & p=$!; "
             "while kill -0 $p && [ ! -s $1/out ]; do sleep 0.05; done; "
             "kill -TERM $p; kill -TERM $p; wait $p; echo $? >$1/status");
  Shell(folder_, "bash run 0 & bash run 1 & wait");
  for (const std::string time : {"0", "1"})
    EXPECT_TRUE(std::filesystem::exists(Path(time + "/a.mp4"))) << ReadFile(Path(time + "/status"));
}

// A picture of a camera cannot be made again.
TEST_F(LiveProgramTest, AnAlmostFullDiskEndsARecordingThatPlays) {
  SKIP_WITHOUT_FFMPEG();
  const auto status_with = [&](const std::string& command) {
    Put("run", "mkdir disk && mount -t tmpfs -o size=24m none disk || exit 9\n" + command);
    return WEXITSTATUS(
        std::system(("cd '" + folder_.string() + "' && unshare -rm sh run").c_str()));
  };
  if (status_with("") != 0) GTEST_SKIP() << "needs user namespaces";
  std::filesystem::remove(Path("disk"));
  testing::MakeOnce(folder_,
                    "-f lavfi -i nullsrc=s=640x480:r=25,geq=random\\(1\\)*255:128:128 "
                    "-frames:v 20 -c:v ffv1 few.mkv && "
                    "ffmpeg -v error -y -stream_loop 4 -i few.mkv -c copy noise.mkv",
                    {"noise.mkv"});
  EXPECT_EQ(status_with("'" SKINMASK_PROGRAM
                        "' live noise.mkv --headless --fast --adapt off --view overlay "
                        "--record disk/a.mkv 2>err; status=$?; cp disk/* .; exit $status"),
            1);
  const std::string error = ReadFile(Path("err"));
  const std::size_t frames = Probe(Path("a.mkv")).pictures.size();
  EXPECT_GT(frames, 0u);
  EXPECT_LT(frames, 100u);
  EXPECT_NE(error.find(fmt::format("a.mkv: the recording ends after {} frames", frames)),
            std::string::npos)
      << error;
  EXPECT_EQ(Shell(folder_, "ffmpeg -v error -i a.mkv -f null -"), "");
}

TEST_F(LiveProgramTest, InterruptedRecordingsPlay) {
  SKIP_WITHOUT_FFMPEG();
  MakeClip();
  Shell(folder_, "ffmpeg -v error -stream_loop 50 -i clip.mp4 -c copy long.mp4");
  // Job control, so that the shell does not start it with interrupts ignored. The first line of
  // --stats comes a second after the first frame.
  Put("run", "set -m; '" SKINMASK_PROGRAM
             "' live long.mp4 --headless --stats --record a.mp4 --csv a.csv 2>err >out & p=$!; "
             "while kill -0 $p && [ ! -s out ]; do sleep 0.05; done; "
             "ls >meanwhile; kill -HUP $p; wait $p; echo $? >status");
  EXPECT_EQ(std::system(("cd '" + folder_.string() + "' && bash run").c_str()), 0);
  EXPECT_EQ(ReadFile(Path("status")), "130\n");
  EXPECT_EQ(ReadFile(Path("meanwhile")).find("a.mp4"), std::string::npos);
  const std::size_t rows = Csv("a.csv").size() - 1;
  EXPECT_GT(rows, 0u);
  EXPECT_EQ(Probe(Path("a.mp4")).pictures.size(), rows);
  EXPECT_EQ(Shell(folder_, "ffmpeg -v error -i a.mp4 -f null -"), "");
}

}  // namespace
}  // namespace skinmask
