// Files of strangers: none of them opens another file, asks an address, crashes or takes what the
// others need.
#include <gtest/gtest.h>

#include "support/clips.h"
#include "support/hostile.h"
#include "support/listener.h"
#include "support/program.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;
using testing::Encode;
using testing::Gradient;
using testing::Lines;
using testing::Outcome;

class HostileTest : public testing::ProgramTest {
 protected:
  // Good pictures of one colour, and the hostile files; a picture and a clip outside that they
  // name.
  int PutAll() {
    for (int i = 0; i < 3; ++i)
      Put("in/good" + std::to_string(i) + ".png", Encode(".png", Gradient(64, 48)));
    Put("outside/secret.png", Encode(".png", Gradient(64, 48)));
    const auto files = testing::HostileFiles(Path("outside/secret.png"));
    for (const auto& [name, bytes] : files) Put("in/" + name, bytes);
    return static_cast<int>(files.size());
  }
};

TEST_F(HostileTest, EachIsOneLineAndTheOthersAreDone) {
  const int hostile = PutAll();
  for (const char* sandbox : {"auto", "off"}) {
    const Outcome run =
        Run("detect in -o out --force --output mask,overlay --sandbox " + std::string(sandbox));
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(Lines(run.err), hostile) << run.err;
    EXPECT_EQ(Names(Path("out")).size(), 6u) << sandbox;
  }
}

TEST_F(HostileTest, NoAddressIsAsked) {
  const testing::Listener listener;
  const std::string address = listener.Address() + "/a";
  Put("in/a.jpg", testing::NitfOf("/vsicurl/" + address + ".png", 64, 48));
  Put("in/a.ts", testing::HlsOf(address + ".ts", 2, true));
  Put("in/b.mp4", testing::DashOf(address + ".mp4"));
  Put("in/c.mp4", "ffconcat version 1.0\nfile '" + address + ".mp4'\n");
  for (const char* sandbox : {"", " --sandbox off"}) {
    const Outcome run = Run("detect in " + address + " -o out" + sandbox);
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(Lines(run.err), 5) << run.err;
    EXPECT_NE(run.err.find("is an address"), std::string::npos) << run.err;
    EXPECT_FALSE(listener.WasCalled());
  }
  fs::create_directories(Path(listener.Address().erase(6, 1)));  // a path like any other
  Run("detect " + listener.Address() + " -o out --sandbox off");
  EXPECT_FALSE(listener.WasCalled());
}

TEST_F(HostileTest, NoPlaylistOpensALocalVideo) {
  SKIP_WITHOUT_FFMPEG();
  fs::create_directory(Path("outside"));
  testing::MakeOnce(folder_, testing::Scrolling("64x48") + "-frames:v 3 outside/v.ts",
                    {"outside/v.ts"});
  const std::string secret = Path("outside/v.ts");
  Put("in/a.ts", testing::HlsOf(secret, 1, true));
  Put("in/b.mp4", testing::HlsOf(secret, 1, true));
  Put("in/c.mkv", "ffconcat version 1.0\nfile '" + secret + "'\n");
  Put("in/d.mp4", testing::DashOf(secret));
  Put("in/e.ts", testing::TarOf("v.ts", ReadFile(secret)));
  Put("e.tar", testing::TarOf("v.ts", ReadFile(secret)));
  for (const char* sandbox : {"", " --sandbox off"}) {
    const Outcome run = Run("detect in e.tar -o out" + std::string(sandbox));
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(Lines(run.err), 6) << run.err;
    EXPECT_TRUE(Names(Path("out")).empty());
  }
}

TEST_F(HostileTest, TheLimitOfPixelsIsOfEveryFormat) {
  for (const char* extension : {".jpg", ".png", ".bmp", ".tiff", ".webp", ".ppm"})
    Put(std::string("in/a") + extension, Encode(extension, Gradient(64, 48)));
  const Outcome all = Run("detect in -o out --adapt off --max-pixels 3072");
  EXPECT_EQ(all.status, 0) << all.err;
  const Outcome none = Run("detect in -o none --adapt off --max-pixels 3071");
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(Lines(none.err), 6);
  EXPECT_NE(
      none.err.find("a.bmp: has 64 x 48 pixels, and the limit is 3071 pixels (--max-pixels takes"),
      std::string::npos)
      << none.err;
  EXPECT_EQ(Run("sample --images in --whole skin -o s.csv --max-pixels 3071").status, 1);
}

TEST_F(HostileTest, APipeWithoutAWriterIsSaid) {
  Put("good.png", Encode(".png", Gradient(64, 48)));
  // At a time, since each waits. Of the last somebody comes late.
  testing::Shell(
      folder_, "mkfifo a.png b.mkv late.png; S='" SKINMASK_PROGRAM
               "'; for pipe in a.png b.mkv; do ($S detect $pipe good.png -o $pipe.out --adapt off "
               "2>$pipe.err >/dev/null; echo $? >$pipe.status) & done; "
               "$S detect late.png -o out --adapt off & sleep 0.3; cat good.png >late.png; wait");
  for (const std::string pipe : {"a.png", "b.mkv"}) {
    const std::string line = ReadFile(Path(pipe + ".err"));
    EXPECT_EQ(ReadFile(Path(pipe + ".status")), "1\n");
    EXPECT_EQ(Lines(line), 2) << line;  // and the summary
    EXPECT_NE(line.find(pipe + ": is a pipe that nobody writes to"), std::string::npos) << line;
    EXPECT_EQ(Names(Path(pipe + ".out")), (std::vector<std::string>{"good.png"}));
  }
  EXPECT_EQ(Names(Path("out")).size(), 1u);
}

TEST_F(HostileTest, AVideoMayComeThroughAPipeAndASilentOneEndsByAnInterrupt) {
  SKIP_WITHOUT_FFMPEG();
  testing::MakeOnce(folder_, testing::Scrolling("64x48") + "-frames:v 9 v.mpg", {"v.mpg"});
  testing::Shell(folder_, "mkfifo p.mpg; cat v.mpg >p.mpg & '" SKINMASK_PROGRAM
                          "' detect p.mpg v.mpg -o out --adapt off -q");
  EXPECT_EQ(ReadFile(Path("out/p.mkv")) == ReadFile(Path("out/v.mkv")), true);
  // What was written keeps the demuxer waiting for more; the first interrupt ends it.
  testing::Shell(folder_, "mkfifo s.mpg; exec 3<>s.mpg; head -c 2000 v.mpg >&3; '" SKINMASK_PROGRAM
                          "' detect s.mpg -o out --adapt off 2>err & pid=$!; " +
                              testing::kUntilItTakesInterrupts +
                              "sleep 0.5; kill -INT $pid; wait $pid; test $? = 130");
  EXPECT_NE(ReadFile(Path("err")).find("(interrupted)"), std::string::npos);
}

// libjxl tells of these bits in a line of its own, without the name of the file.
TEST_F(HostileTest, WhatLibrariesPrintIsNoLine) {
#ifdef SKINMASK_SANITIZED
  GTEST_SKIP() << "with sanitizers, what libraries print is shown";
#endif
  Put("a.jxl", std::string("\xFF\x0A\x44\x00\x27\xB7", 6));
  const Outcome run = Run("detect a.jxl -o out");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(Lines(run.err), 1) << run.err;
  EXPECT_TRUE(run.err.starts_with("skinmask: a.jxl: ")) << run.err;
}

TEST_F(HostileTest, MessagesAreShortAndGiveNoOrders) {
  const std::string model = ReadFile(SKINMASK_SOURCE "/models/uci.json");
  const std::size_t at = model.find("\"prior\": ") + 9;
  Put("long.json", model.substr(0, at) + std::string(1 << 20, '7') + model.substr(at));
  Put("in/\x1b]0;title\a\x1b[31m\xC2\x9B\xC0\x9B\xE2\x80\xAE.png", "");
  const Outcome run = Run("detect in -o out --model long.json");
  EXPECT_EQ(run.status, 1);
  EXPECT_LT(run.err.size(), 2000u);
  Put("in/\x1b[32m.png", Encode(".png", Gradient(64, 48)));
  const Outcome named = Run("detect in -o out -v --adapt off");
  EXPECT_EQ((named.out + named.err).find_first_of("\x1b\a"), std::string::npos) << named.err;
  EXPECT_EQ((named.out + named.err).find("\xC2\x9B"), std::string::npos) << named.err;
  EXPECT_NE(named.out.find("?[32m.png"), std::string::npos) << named.out;
  Put("long.csv", "class,b,g,r\n" + std::string(10 << 20, 'x') + ",1,2,3\nskin,1,2,3\n");
  const Outcome csv = Run("train --samples long.csv -o m.json");
  EXPECT_EQ(csv.status, 1);
  EXPECT_LT(csv.err.size(), 2000u);
}

}  // namespace
}  // namespace skinmask
