// The files of ../shared/data/hostile, which once crashed the program, showed its memory, or took
// minutes or gigabytes, among good photographs and videos.
#include <gtest/gtest.h>

#include "support/clips.h"
#include "support/program.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;
using testing::DataFolder;
using testing::Lines;
using testing::Outcome;

#ifdef SKINMASK_SANITIZED
constexpr char kLimits[] = "";  // sanitizers reserve terabytes
#else
// Address space in kB, CPU seconds: what a run takes is less than a fifth of these. Without the
// bounds one file alone takes more.
constexpr char kLimits[] = "ulimit -v 6000000; ulimit -t 120; ";
#endif

class HostileDataTest : public testing::ProgramTest {
 protected:
  static fs::path Hostile() { return DataFolder() / "hostile"; }

  // Like Run(), within the limits and with what freed and new memory holds.
  Outcome RunLimited(const std::string& arguments, int perturb) const {
    const std::string command =
        "cd '" + folder_.string() + "' && " + kLimits +
        "MALLOC_PERTURB_=" + std::to_string(perturb) + " '" SKINMASK_PROGRAM "' " + arguments +
        " 2>'" + Path(".err").string() + "' >'" + Path(".out").string() + "' </dev/null";
    const int raw = std::system(command.c_str());
    Outcome run{WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw), ReadFile(Path(".out")),
                ReadFile(Path(".err"))};
    testing::TakeSummary(run);
    return run;
  }

  void PutGood(const std::string& folder) const {
    fs::create_directories(Path(folder));
    const fs::path photographs = DataFolder() / "ecu/images";
    const std::vector<std::string> names = Names(photographs);
    for (std::size_t i = 0; i < 20; ++i)
      fs::create_symlink(fs::absolute(photographs / names.at(i)), Path(folder + "/" + names[i]));
    if (!fs::exists(Path("clip.mp4")))
      testing::MakeOnce(folder_, testing::Scrolling("160x120") + "-frames:v 20 clip.mp4",
                        {"clip.mp4"});
    for (const char* const name : {"/clip-a.mp4", "/clip-b.mp4"})
      fs::copy_file(Path("clip.mp4"), Path(folder + name));
  }
};

#define SKIP_WITHOUT_HOSTILE() \
  SKIP_WITHOUT_DATA();         \
  if (!fs::exists(Hostile())) GTEST_SKIP() << "needs ../shared/data/hostile"

TEST_F(HostileDataTest, EachIsALineAndTheOthersAreAsAlone) {
  SKIP_WITHOUT_HOSTILE();
  SKIP_WITHOUT_FFMPEG();
  PutGood("good");
  PutGood("in");
  std::vector<std::string> refused;
  for (const std::string& name : Names(Hostile())) {
    if (name.ends_with(".md") || name.ends_with(".onnx")) continue;
    if (name == "m.jxl") continue;  // A whole picture, which takes its decoder ten seconds.
    fs::copy_file(Hostile() / name, Path("in/" + name));
    if (name != "heap.heic") refused.push_back(name);  // Its picture is whole (SECURITY.md).
  }
  const std::string outputs = " --output mask,cutout --adapt off --audio none --threads 2";
  ASSERT_EQ(RunLimited("detect good -o alone" + outputs, 0).status, 0);
  int perturb = 85;
  for (const std::string out : {"auto", "all"}) {
    const Outcome run = RunLimited("detect in -o " + out + outputs + " --isolate " + out, perturb);
    perturb = 170;
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(Lines(run.err), static_cast<int>(refused.size())) << run.err;
    for (const std::string& name : refused)
      EXPECT_NE(run.err.find("skinmask: in/" + name + ": "), std::string::npos) << name;
    for (const std::string& name : Names(Path("alone")))
      EXPECT_TRUE(ReadFile(Path("alone/" + name)) == ReadFile(Path(out + "/" + name))) << name;
    ASSERT_EQ(Names(Path(out)), Names(Path("auto")));
    for (const std::string& name : Names(Path(out)))
      EXPECT_TRUE(ReadFile(Path(out + "/" + name)) == ReadFile(Path("auto/" + name))) << name;
  }
}

TEST_F(HostileDataTest, ANetworkIsALine) {
  SKIP_WITHOUT_HOSTILE();
  fs::create_directory(Path("in"));
  const Outcome run =
      RunLimited("detect in -o out --faces '" + (Hostile() / "min.onnx").string() + "'", 0);
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(Lines(run.err), 1) << run.err;
  EXPECT_NE(run.err.find("min.onnx: is not a YuNet face detector"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace skinmask
