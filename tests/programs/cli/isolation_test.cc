// A decoder that crashes, does not come back, or takes all memory costs its file and nothing else,
// and leaves no process. It is one of ours (support/bad_decoder.cc), which does so on any machine.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "skinmask/base/error.h"
#include "skinmask/media/image.h"
#include "skinmask/media/video.h"
#include "support/pictures.h"
#include "support/probe.h"
#include "support/video_program.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;
using testing::Encode;
using testing::Gradient;

class IsolationTest : public testing::ProgramTest {
 protected:
  void SetUp() override {
#ifdef SKINMASK_SANITIZED
    GTEST_SKIP() << "sanitizers want to be the first library";
#endif
    for (const char* const name : {"good/a.png", "good/m.webp", "good/z.tif"})
      Put(name, Encode(fs::path(name).extension().string(), Gradient(64, 48)));
    Put("good/n.jpg", Encode(".jpg", Gradient(64, 48)));
  }
  static inline const std::string kPreload = "LD_PRELOAD='" SKINMASK_BAD_DECODER "' ";

  // Of the width that tells the decoder what to do.
  void PutBad(const std::string& name, int width) const {
    Put(name, Encode(".webp", Gradient(width, 12)));
  }
  testing::Outcome RunBad(const std::string& arguments) const {
    const int raw = std::system(("cd '" + folder_.string() + "' && " + kPreload +
                                 "'" SKINMASK_PROGRAM "' " + arguments + " >.out 2>.err </dev/null")
                                    .c_str());
    testing::Outcome run{WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw),
                         ReadFile(Path(".out")), ReadFile(Path(".err"))};
    TakeSummary(run);
    return run;
  }
  // Processes that were started in the folder of this test and are still at work.
  int Left() const {
    int count = 0;
    std::error_code ignored;
    for (const auto& process : fs::directory_iterator("/proc", ignored))
      count += fs::read_symlink(process.path() / "cwd", ignored) == folder_;
    return count;
  }
  bool NoneIsLeft() const {
    for (int i = 0; i < 500 && Left() > 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return Left() == 0;
  }
  std::string LineOf(const testing::Outcome& run, const std::string& name) const {
    const std::size_t start = run.err.find("skinmask: in/" + name + ": ");
    if (start == std::string::npos) return "";
    return run.err.substr(start, run.err.find('\n', start) - start);
  }
};

TEST_F(IsolationTest, ABadFileCostsItselfAlone) {
  fs::copy(Path("good"), Path("in"));
  const std::pair<const char*, const char*> kBad[] = {{"b.webp", "SIGSEGV"},
                                                      {"c.webp", "SIGABRT"},
                                                      {"d.webp", "takes longer than 0.1 s"},
                                                      {"e.webp", "takes longer than 0.1 s"},
                                                      {"f.webp", "needs more memory than there is"},
                                                      {"g.webp", "said nothing more"},
                                                      {"h.webp", "is no image, or a damaged one"}};
  int width = 16;
  for (const auto& [name, line] : kBad) {
    PutBad(std::string("in/") + name, width);
    width += 2;
  }
  ASSERT_EQ(Run("detect good -o right --adapt off").status, 0);
  for (const char* const threads : {"1", "8"}) {
    const std::string out = std::string("out") + threads;
    const auto run =
        RunBad("detect in -o " + out + " --adapt off --max-seconds 0.1 --threads " + threads);
    EXPECT_EQ(run.status, 1);
    for (const auto& [name, line] : kBad)
      EXPECT_NE(LineOf(run, name).find(line), std::string::npos) << name << "\n" << run.err;
    EXPECT_EQ(testing::Lines(run.err), static_cast<int>(std::size(kBad))) << run.err;
    ASSERT_EQ(Names(Path(out)), Names(Path("right")));
    for (const std::string& name : Names(Path("right")))
      EXPECT_EQ(ReadFile(Path(out + "/" + name)), ReadFile(Path("right/" + name))) << name;
    EXPECT_TRUE(NoneIsLeft());
  }
}

// What a file left in its decoder is not the next one's failure.
TEST_F(IsolationTest, ADecoderThatDiesLaterCostsNothing) {
  fs::copy(Path("good"), Path("in"));
  PutBad("in/l.webp", 30);  // before m.webp
  ASSERT_EQ(Run("detect in -o right --adapt off --isolate none").status, 0);
  for (const char* const threads : {"1", "8"}) {
    const std::string out = std::string("out") + threads;
    const auto run = RunBad("detect in -o " + out + " --adapt off --threads " + threads);
    EXPECT_EQ(run.status, 0) << run.err;
    ASSERT_EQ(Names(Path(out)), Names(Path("right")));
    for (const std::string& name : Names(Path("right")))
      EXPECT_EQ(ReadFile(Path(out + "/" + name)), ReadFile(Path("right/" + name))) << name;
  }
}

TEST_F(IsolationTest, AFrameThatCannotBeIsNotTaken) {
  SKIP_WITHOUT_FFMPEG();
  const std::string frame = "FRAME\n" + std::string(46 * 34 * 3 / 2, '\x80');
  Put("in/a.y4m", "YUV4MPEG2 W46 H34 F25:1 C420jpeg\n" + frame + frame);
  const auto run = RunBad("detect in -o out --adapt off --isolate all");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(LineOf(run, "a.y4m").find("ended its decoder"), std::string::npos) << run.err;
}

TEST_F(IsolationTest, OfAllIsNotOfPlanes) {
  const auto run = Run("detect good -o out --adapt off --isolate all --pixels yuv");
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("one of them"), std::string::npos) << run.err;
}

TEST_F(IsolationTest, MasksOfTrainingAreIsolatedToo) {
  Put("images/a.png", Encode(".png", Gradient(16, 12)));
  Put("images/b.png", Encode(".png", Gradient(64, 48)));
  PutBad("masks/a.webp", 16);
  Put("masks/b.png", Encode(".png", cv::Mat(48, 64, CV_8UC1, cv::Scalar(255))));
  const auto run = RunBad("sample --images images --masks masks -o s.csv");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("masks/a.webp: crashed its decoder (SIGSEGV)"), std::string::npos)
      << run.err;
}

TEST_F(IsolationTest, NoProcessSurvivesTheProgram) {
  PutBad("in/hangs.webp", 20);
  for (const char* const signal : {"KILL", "TERM", "INT"}) {
    // The server, and the decoder.
    Put("run.sh",
        "decoders() { find /proc/[0-9]*/cwd -maxdepth 0 -lname \"$PWD\" -printf '%h/exe\\n' | "
        "xargs -r readlink | grep -c skinmask-decoders; }; " +
            kPreload +
            "'" SKINMASK_PROGRAM
            "' detect in -o out --force -q & pid=$!; "
            "until [ $(decoders) -ge 2 ]; do sleep 0.1; done; sleep 0.2; kill -" +
            std::string(signal) + " $pid; wait $pid; echo $? >status");
    std::system(("cd '" + folder_.string() + "' && bash run.sh >/dev/null 2>err").c_str());
    EXPECT_EQ(ReadFile(Path("status")), signal == std::string("KILL") ? "137\n" : "130\n")
        << ReadFile(Path("err"));
    EXPECT_TRUE(NoneIsLeft()) << signal;
  }
}

TEST_F(IsolationTest, PicturesAreTheSame) {
  for (const char* const extension : {".bmp", ".ppm", ".tif", ".webp", ".png", ".jpg"})
    Put(std::string("in/a") + extension + "/a" + extension, Encode(extension, Gradient(301, 203)));
  for (const char* const how : {"", "--scale 1/2"}) {
    ASSERT_EQ(Run(std::string("detect in -o none --force --isolate none ") + how).status, 0);
    ASSERT_EQ(Run(std::string("detect in -o all --force --isolate all ") + how).status, 0);
    ASSERT_EQ(Names(Path("all")), Names(Path("none")));
    for (const std::string& name : Names(Path("none")))
      EXPECT_EQ(ReadFile(Path("all/" + name)), ReadFile(Path("none/" + name))) << name;
  }
}

TEST_F(IsolationTest, MasksOf16BitsKeepThem) {
  DecodeOptions here{.keep_grey = true, .keep_depth = true}, isolated = here;
  here.isolation = Isolation{Isolate::kNone, 60};
  isolated.isolation = Isolation{Isolate::kAll, 60};
  for (const int type : {CV_16UC1, CV_16UC3})
    for (const char* const extension : {".png", ".tif"}) {
      cv::Mat mask(12, 16, type);
      cv::randu(mask, 0, 65536);
      const std::string bytes = Encode(extension, mask);
      for (const DecodeOptions& options : {here, isolated}) {
        const cv::Mat read = DecodeImage(bytes, "a", options);
        ASSERT_EQ(read.type(), type) << extension;
        EXPECT_EQ(cv::norm(read, mask, cv::NORM_INF), 0) << extension;
      }
    }
  EndDecoders();
}

TEST_F(IsolationTest, DamageIsToldInTheSameWords) {
  const std::string whole = Encode(".tif", Gradient(64, 48));
  Put("in/a.tif", std::string_view(whole).substr(0, whole.size() / 2));
  Put("in/large.tif", Encode(".tif", Gradient(640, 480)));
  const auto none = Run("detect in -o none --max-pixels 10000 --isolate none");
  const auto all = Run("detect in -o all --max-pixels 10000 --isolate all");
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(all.status, 1);
  EXPECT_EQ(all.err, none.err);
}

// The library, in a process with threads.
TEST_F(IsolationTest, ThreadsOfALibraryHaveDecodersEach) {
  const std::string bytes = Encode(".tif", Gradient(64, 48));
  const cv::Mat right = DecodeImage(bytes, "a.tif");
  DecodeOptions options;
  options.isolation = Isolation{Isolate::kAll, 60};
  std::vector<std::thread> threads;
  std::atomic<int> same = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 5; ++j)
        same += cv::norm(DecodeImage(bytes, "a.tif", options), right, cv::NORM_INF) == 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, 20);
  EndDecoders();
  EXPECT_EQ(cv::norm(DecodeImage(bytes, "a.tif", options), right, cv::NORM_INF), 0);
  EndDecoders();
}

// What is said of a.tif where the system limits this process; no decoder is there before.
template <class Resource>
void ExpectLineUnderLimit(Resource resource, rlim_t limit, const std::string& line) {
  const std::string bytes = Encode(".tif", Gradient(64, 48));
  DecodeOptions options;
  options.isolation = Isolation{Isolate::kAll, 60};
  EndDecoders();
  rlimit before{};
  ASSERT_EQ(getrlimit(resource, &before), 0);
  const rlimit small{limit, before.rlim_max};
  ASSERT_EQ(setrlimit(resource, &small), 0);
  EXPECT_ERROR(DecodeImage(bytes, "a.tif", options), line);
  setrlimit(resource, &before);
  EndDecoders();
}

TEST_F(IsolationTest, ADecoderThatCannotBeStartedIsSaidOfThePicture) {
  ExpectLineUnderLimit(RLIMIT_NOFILE, 3, "a.tif: a decoder: cannot be spoken to: Too many open");
}

// A limit of the size of files is one of shared memory as well.
TEST_F(IsolationTest, MemoryThatCannotBeSharedIsToldAsSuch) {
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  ExpectLineUnderLimit(RLIMIT_FSIZE, 1000,
                       "a.tif: `isolate`: cannot share memory with a decoder: File too large");
  signal(SIGXFSZ, handler);
}

// Videos, whose decoders are the children of a server that is a child of this process.
class VideoIsolationTest : public testing::VideoProgramTest {
 protected:
  void SetUp() override {
#ifdef SKINMASK_SANITIZED
    GTEST_SKIP() << "sanitizers want to be the first library";
#endif
    SKIP_WITHOUT_FFMPEG();
  }
  void TearDown() override { EndDecoders(); }

  static VideoOpenOptions Isolated(double max_seconds = 60) {
    VideoOpenOptions options;
    options.isolation = Isolation{Isolate::kAll, max_seconds};
    return options;
  }
  // The process with a decoder at work: its parent is the server.
  static pid_t Decoder() {
    const auto parent = [](pid_t process) {
      std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
      std::string text;
      std::getline(stat, text);
      pid_t number = 0;
      // ") S 123"; nothing where the process has ended in between.
      if (const auto name_end = text.rfind(") "); name_end != text.npos)
        std::istringstream(text.substr(name_end + 4)) >> number;
      return number;
    };
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != name.npos) continue;
      const pid_t process = std::stoi(name);
      const pid_t server = parent(process);
      if (server > 1 && parent(server) == getpid()) return process;
    }
    ADD_FAILURE() << "there is no decoder";
    return -1;
  }
};

void ExpectSameFrame(const VideoFrame& isolated, const VideoFrame& here) {
  EXPECT_EQ(isolated.layout,
            here.layout == VideoFrame::Layout::kOther ? VideoFrame::Layout::kBgr : here.layout);
  EXPECT_EQ(isolated.size, here.size);
  EXPECT_EQ(isolated.pts, here.pts);
  EXPECT_EQ(isolated.index, here.index);
  EXPECT_EQ(isolated.seconds, here.seconds);
  EXPECT_EQ(isolated.rotation, here.rotation);
  EXPECT_EQ(isolated.mirrored, here.mirrored);
  EXPECT_EQ(cv::norm(isolated.Bgr(), here.Bgr(), cv::NORM_INF), 0);
}

TEST_F(VideoIsolationTest, FramesAreTheSame) {
  const std::array<const char*, 3> clips[] = {
      {"a.mp4", "-c:v libx264 -bf 2 -pix_fmt yuv420p -colorspace bt709", "176x144"},
      {"full.mkv", "-c:v libx264 -pix_fmt yuvj420p", "150x94"},
      {"ten.mkv", "-c:v libx264 -pix_fmt yuv420p10le", "176x144"},
      {"m.avi", "-c:v mjpeg -pix_fmt yuvj422p", "151x93"},
      {"n.nut", "-c:v rawvideo -pix_fmt nv12", "150x93"},
      {"y.avi", "-c:v rawvideo -pix_fmt yuyv422", "150x93"},
      {"b.avi", "-c:v rawvideo -pix_fmt bgr24", "151x93"},
      {"l.mkv", "-c:v ffv1 -pix_fmt bgr0", "151x93"}};
  for (const auto& [name, encode, size] : clips) {
    Make(name, 6, encode, size);
    if (std::string(name) == "a.mp4") Put(name, testing::Turned(ReadFile(Path(name)), 90));
    VideoReader here(Path(name).string()), isolated(Path(name).string(), Isolated());
    EXPECT_EQ(isolated.info().size, here.info().size);
    EXPECT_EQ(isolated.info().rate.Value(), here.info().rate.Value());
    EXPECT_EQ(isolated.info().time_base.Value(), here.info().time_base.Value());
    EXPECT_EQ(isolated.info().frames, here.info().frames);
    EXPECT_EQ(isolated.info().seconds, here.info().seconds);
    EXPECT_EQ(isolated.info().rotation, here.info().rotation);
    EXPECT_EQ(isolated.info().codec, here.info().codec);
    for (int i = 0; i < 6; ++i) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(i));
      const auto a = isolated.Read(), b = here.Read();
      ASSERT_TRUE(a && b);
      ExpectSameFrame(*a, *b);
    }
    EXPECT_FALSE(isolated.Read());
  }
}

TEST_F(VideoIsolationTest, PartsAreSoughtThere) {
  Make("a.mp4", 60, "-c:v libx264 -g 10 -pix_fmt yuv420p");
  const VideoRange range{VideoTimeFromText("43f"), VideoTimeFromText("46f")};
  VideoClip here(Path("a.mp4").string(), {}, range),
      isolated(Path("a.mp4").string(), Isolated(), range);
  for (int i = 43; i < 46; ++i) {
    const auto a = isolated.Read(), b = here.Read();
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->index, i);
    ExpectSameFrame(*a, *b);
  }
  EXPECT_FALSE(isolated.Read());
}

TEST_F(VideoIsolationTest, WhatIsWrongIsSaidInTheSameWords) {
  Make("whole.mkv", 30);
  const std::string whole = ReadFile(Path("whole.mkv"));
  Put("in/cut.mkv", std::string_view(whole).substr(0, whole.size() / 2));
  Put("in/text.mp4", "no video at all");
  fs::copy(Path("whole.mkv"), Path("in/whole.mkv"));
  const auto none = Run("detect in -o none --adapt off --isolate none");
  const auto all = Run("detect in -o all --adapt off --isolate all");
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(all.status, 1);
  EXPECT_EQ(all.err, none.err);
  ASSERT_EQ(Names(Path("all")), Names(Path("none")));
  for (const std::string& name : Names(Path("none")))
    EXPECT_EQ(ReadFile(Path("all/" + name)), ReadFile(Path("none/" + name))) << name;
  EXPECT_ERROR(VideoReader("none.mp4", Isolated()), "none.mp4: cannot be opened as video: No such");
}

// By name, and by descriptor.
TEST_F(VideoIsolationTest, PipesAreReadThere) {
  Make("a.mkv", 12);
  for (const char* const isolate : {"none", "all"}) {
    const std::string to = std::string(" --adapt off --isolate ") + isolate + " -o " + isolate;
    testing::Shell(folder_, "mkfifo p.mkv; cat a.mkv >p.mkv & '" SKINMASK_PROGRAM "' detect p.mkv" +
                                to + "; rm p.mkv");
    testing::Shell(folder_, "cat a.mkv | '" SKINMASK_PROGRAM
                            "' detect - --output-format rawvideo --adapt off"
                            " --isolate " +
                                std::string(isolate) + " -o - >" + isolate + "/raw");
    testing::Shell(folder_, "'" SKINMASK_PROGRAM
                            "' detect - --output-format rawvideo --adapt off --isolate " +
                                std::string(isolate) + " -o - <a.mkv >" + isolate + "/file");
  }
  for (const char* const name : {"p.mkv", "raw", "file"}) {
    EXPECT_EQ(ReadFile(Path(std::string("all/") + name)),
              ReadFile(Path(std::string("none/") + name)));
    EXPECT_GT(ReadFile(Path(std::string("all/") + name)).size(), 100u) << name;
  }
}

TEST_F(VideoIsolationTest, ACrashIsTheVideosFailure) {
  Make("a.mkv", 12);
  VideoReader reader(Path("a.mkv").string(), Isolated());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(reader.Read());
  const std::optional<VideoFrame> kept = reader.Read();
  const cv::Mat before = kept->Bgr().clone();
  kill(Decoder(), SIGSEGV);
  EXPECT_ERROR(reader.Read(), "a.mkv: stops at frame 4: crashed its decoder (SIGSEGV)");
  EXPECT_EQ(cv::norm(kept->Bgr(), before, cv::NORM_INF), 0);
  EXPECT_ERROR(reader.Read(), "a.mkv: stops at frame 4: ");
  VideoReader next(Path("a.mkv").string(), Isolated());
  EXPECT_TRUE(next.Read());
}

TEST_F(VideoIsolationTest, ACrashIsNamedWhereEndedChildrenAreIgnored) {
  Make("a.mkv", 12);
  const auto handler = signal(SIGCHLD, SIG_IGN);
  {
    VideoReader reader(Path("a.mkv").string(), Isolated());
    ASSERT_TRUE(reader.Read());
    kill(Decoder(), SIGSEGV);
    EXPECT_ERROR(reader.Read(), "a.mkv: stops at frame 1: crashed its decoder (SIGSEGV)");
  }
  EndDecoders();
  signal(SIGCHLD, handler);
}

TEST_F(VideoIsolationTest, ADecoderThatDoesNotComeBackIsEnded) {
  Make("a.mkv", 12);
  VideoReader reader(Path("a.mkv").string(), Isolated(0.05));
  ASSERT_TRUE(reader.Read());
  kill(Decoder(), SIGSTOP);
  EXPECT_ERROR(reader.Read(), "a.mkv: stops at frame 1: takes longer than 0.05 s to decode");
}

TEST_F(VideoIsolationTest, AStopEndsTheWait) {
  Make("a.mkv", 12);
  std::atomic<bool> stop = false;
  VideoOpenOptions options = Isolated();
  options.stop = &stop;
  VideoReader reader(Path("a.mkv").string(), options);
  ASSERT_TRUE(reader.Read());
  kill(Decoder(), SIGSTOP);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  EXPECT_FALSE(reader.Read());
  later.join();
}

// To copy it would read the file in the program itself.
TEST_F(VideoIsolationTest, SoundIsLeftOutAndSaid) {
  Make("a.mkv", 12, testing::kDefaultEncode, "176x144", "sine=duration=0.4");
  const auto run = Run("detect a.mkv -o out --adapt off --output overlay --isolate all");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("its sound is left out"), std::string::npos) << run.err;
  const testing::Probed overlay = testing::Probe(Path("out/a.overlay.mp4"));
  EXPECT_EQ(overlay.pictures.size(), 12u);
  EXPECT_TRUE(overlay.sound.empty());
  const auto silent =
      Run("detect a.mkv -o out2 --adapt off --output overlay --isolate all --audio none");
  EXPECT_EQ(silent.err, "");
}

}  // namespace
}  // namespace skinmask
