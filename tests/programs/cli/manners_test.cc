#include "skinmask/base/cpu.h"
#include "skinmask/model/model.h"
#include "support/pictures.h"
#include "support/program.h"

namespace skinmask {
namespace {

using testing::Encode;
using testing::Gradient;
using testing::Lines;
using testing::Outcome;

class MannersTest : public testing::ProgramTest {};

TEST_F(MannersTest, HelpEndsWithTwoExamplesOrMore) {
  for (const char* verb : {"sample", "train", "compare", "detect", "calibrate", "evaluate", "show",
                           "version", "help"}) {
    const Outcome run = Run(std::string(verb) + " --help");
    EXPECT_EQ(run.status, 0);
    const std::size_t examples = run.out.find("Examples:\n");
    ASSERT_NE(examples, std::string::npos);
    EXPECT_GE(Lines(run.out.substr(examples)), 3) << run.out.substr(examples);
  }
  EXPECT_EQ(Run("--help").status, 0);
}

TEST_F(MannersTest, UsageErrorsAreOneLineAndTwo) {
  for (const char* arguments :
       {"dance", "detect", "detect -o out", "detect --frobnicate a.png -o out", "detect a.png",
        "show a b", "--frobnicate", "detect a.png -o out --threads -1", "train --help-me"}) {
    const Outcome run = Run(arguments);
    EXPECT_EQ(run.status, 2) << arguments;
    EXPECT_EQ(run.out, "") << arguments;
    EXPECT_EQ(Lines(run.err), 1) << run.err;
    EXPECT_NE(run.err.find("--help"), std::string::npos) << run.err;
  }
}

TEST_F(MannersTest, ThingsOfTheWorldAreOneLineAndOne) {
  const std::string good = ReadFile(std::filesystem::path(SKINMASK_SOURCE) / "models/uci.json");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  Put("a.png", Encode(".png", Gradient(20, 10)));
  Put("file", "x");
  Put("truncated.json", good.substr(0, good.size() / 2));
  Put("nan.json", with("0.20753947040892526", "NaN"));
  Put("negative.json", with("1731.590963965319", "-1731.590963965319"));
  Put("asymmetric.json", with("1379.7205050245686", "1379.8"));
  Put("future.json", with("\"version\": 1", "\"version\": 9"));
  for (const char* arguments :
       {"detect absent.jpg -o out", "detect a.png -o file/out", "detect a.png -o file",
        "detect a.png -o /proc/none", "detect a.png -o out --model truncated.json",
        "detect a.png -o out --model nan.json", "detect a.png -o out --model negative.json",
        "detect a.png -o out --model asymmetric.json", "detect a.png -o out --model future.json",
        "detect a.png -o out --model absent.json", "show truncated.json",
        "evaluate --images absent --truth absent"}) {
    const Outcome run = Run(arguments);
    EXPECT_EQ(run.status, 1) << arguments << run.err;
    EXPECT_EQ(Lines(run.err), 1) << arguments << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_FALSE(std::filesystem::exists(Path("out/a.png"))) << arguments;
  }
}

TEST_F(MannersTest, AFullDiskLosesNothing) {
  Put("a.png", Encode(".png", Gradient(20, 10)));
  for (const char* arguments :
       {"show --json=/dev/full", "sample --images . --whole skin -o /dev/full"}) {
    const Outcome run = Run(arguments);
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.err.find("No space left"), std::string::npos) << run.err;
  }
  EXPECT_EQ(Run("show >/dev/full; true").status, 0);
}

TEST_F(MannersTest, ShowAndVersionSpeak) {
  const Outcome show = Run("show");
  EXPECT_EQ(show.status, 0);
  for (const char* part : {"qda", "BGR", "fixed", "uci 50859/194198 x3", "AUC"})
    EXPECT_NE(show.out.find(part), std::string::npos) << part;
  EXPECT_EQ(Run("show --json").out, DefaultModelJson());
  const Outcome version = Run("version");
  for (const char* part : {"skinmask 0.", "CPU targets", "OpenCV 4."})
    EXPECT_NE(version.out.find(part), std::string::npos) << part;
  const Outcome flag = Run("--version");
  EXPECT_EQ(flag.status, 0);
  EXPECT_EQ(flag.out, version.out);
}

// The record may be in the folder of the results, which the run makes.
TEST_F(MannersTest, ARecordCanBeInTheNewFolder) {
  Put("a.png", Encode(".png", Gradient(20, 10)));
  EXPECT_EQ(Run("detect a.png -o new --adapt off --json new/r.json").status, 0);
  EXPECT_TRUE(std::filesystem::exists(Path("new/r.json")));
  // A line that is refused leaves what a killed run has noted beside the record.
  Put("new/.skinmask-r.json.part", "kept");
  EXPECT_EQ(Run("detect a.png -o new --adapt off --json new/r.json").status, 1);
  EXPECT_TRUE(std::filesystem::exists(Path("new/.skinmask-r.json.part")));
  const Outcome missing = Run("show --json=none/r.json");
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(missing.err.starts_with("skinmask: none/r.json: ")) << missing.err;
}

// A wrong command line makes nothing.
TEST_F(MannersTest, AWrongLineMakesNoFolder) {
  Put("a.png", Encode(".png", Gradient(20, 10)));
  for (const char* wrong : {"--outlier .9", "--class-costs 0,1:1,0", "--adapt off --faces f.onnx",
                            "--depth 16", "--json=x.png"}) {
    EXPECT_EQ(Run(std::string("detect a.png -o new/folder ") + wrong).status, 2) << wrong;
    EXPECT_FALSE(std::filesystem::exists(Path("new"))) << wrong;
  }
}

// Of two folders the outputs are in folders of the names that the user gave, also of links.
TEST_F(MannersTest, FoldersKeepTheNamesThatTheyAreCalledBy) {
  for (const char* name : {"one/images/1.png", "two/images/1.png"})
    Put(name, Encode(".png", Gradient(20, 10)));
  std::filesystem::create_directory(Path("sets"));
  for (const auto& [link, to] : {std::pair("a", "../one/images"), {"b", "../two/images"}})
    std::filesystem::create_directory_symlink(to, Path(std::string("sets/") + link));
  EXPECT_EQ(Run("detect --adapt off sets/a sets/b/ -o m").status, 0);
  for (const char* made : {"m/a/1.png", "m/b/1.png"})
    EXPECT_TRUE(std::filesystem::exists(Path(made))) << made;
}

// The library's lines get the program's flags; lines about files do not.
TEST_F(MannersTest, LinesNameFlags) {
  Put("a.png", Encode(".png", Gradient(20, 10)));
  Put("cost of it.png", "");
  Put("max-f1.png", "");
  const auto line = [&](const std::string& arguments) { return Run(arguments).err; };
  EXPECT_EQ(line("detect 'cost of it.png' -o out").find("skinmask: cost of it.png: is empty"), 0u);
  EXPECT_EQ(line("detect max-f1.png -o out").find("skinmask: max-f1.png: is empty"), 0u);
  Put("a.json", "{}");
  EXPECT_EQ(line("show --json=a.json"), "skinmask: a.json: exists already (--force replaces it)\n");
  EXPECT_NE(line("show --json=a.png").find("is an image, a video or an archive by its name"),
            std::string::npos);
  EXPECT_NE(line("detect a.png -o out --seed-rect 0,0,99,9").find("--seed-rect 0,0,99,9: is not"),
            std::string::npos);
  for (const char* option : {"--label 'x'", "--ignore 'x'", "--mask-name 'x'", "--image-name 'x'"})
    EXPECT_EQ(line(std::string("evaluate --images . --truth . ") + option)
                  .find(std::string("skinmask evaluate: ") + option + ": "),
              0u)
        << option;
}

TEST_F(MannersTest, QuietIsQuietAndDashIsStandardInput) {
  Put("a.png", Encode(".png", Gradient(20, 10)));
  const Outcome run = Run("detect a.png -o out -q");
  EXPECT_EQ(run.out + run.err, "");
  Put("-", Encode(".png", Gradient(20, 10)));
  EXPECT_EQ(Run("detect - -o out").status, 1);  // standard input, which holds nothing
  EXPECT_EQ(Run("detect -o out ./-").status, 0);
  // Behind "--" are inputs alone, also where an input stands before it.
  Put("-x.png", Encode(".png", Gradient(20, 10)));
  const Outcome both = Run("detect a.png -o both -- -x.png");
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_TRUE(std::filesystem::exists(Path("both/-x.png")));
  EXPECT_EQ(Run("detect a.png -q -o more -q -- a.png").status, 0);
  // They are neither values of options nor of verbs without inputs.
  EXPECT_EQ(Run("detect a.png -o -- o2").status, 2);
  EXPECT_EQ(Run("detect a.png -o o2 --isolate -- none").status, 2);
  EXPECT_FALSE(std::filesystem::exists(Path("o2")));
  EXPECT_EQ(Run("evaluate --samples a.csv -- b.csv").status, 2);
  EXPECT_EQ(Run("detect a.png -o s3://bucket/masks").status, 2);  // no folder of that name
  EXPECT_FALSE(std::filesystem::exists(Path("s3:")));
}

TEST_F(MannersTest, TheProgramLoadsNoWindowsAndTheCoreNoCodecs) {
  const std::string command =
      std::string("ldd '") + SKINMASK_PROGRAM + "' >'" + Path("libs").string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string libraries = ReadFile(Path("libs"));
  EXPECT_NE(libraries.find("opencv_core"), std::string::npos);
  for (const char* late :
       {"Qt5", "highgui", "videoio", "gtk", "imgcodecs", "objdetect", "dnn", "gdal"})
    EXPECT_EQ(libraries.find(late), std::string::npos) << late;
}

TEST_F(MannersTest, TheTargetVariableIsObeyedOrRefused) {
  const std::string last = UsableTargets().back();
  setenv("SKINMASK_TARGET", last.c_str(), 1);
  const Outcome obeyed = Run("version");
  setenv("SKINMASK_TARGET", "MMX", 1);
  const Outcome refused = Run("version");
  unsetenv("SKINMASK_TARGET");
  EXPECT_NE(obeyed.out.find("in use: " + last), std::string::npos) << obeyed.out;
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("SKINMASK_TARGET: no CPU target 'MMX'"), std::string::npos);
}

}  // namespace
}  // namespace skinmask
