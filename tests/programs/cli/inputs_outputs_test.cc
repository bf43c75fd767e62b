// Where detect takes its inputs from, and where it puts its outputs.
#include <sys/stat.h>

#include "skinmask/media/image.h"
#include "support/pictures.h"
#include "support/probe.h"
#include "support/video_program.h"

namespace skinmask {
namespace {

using testing::Encode;
using testing::Gradient;
using testing::Lines;
using testing::Outcome;
namespace fs = testing::fs;
using Strings = std::vector<std::string>;

class InputsOutputsTest : public testing::ProgramTest {
 protected:
  InputsOutputsTest() {
    Put("a.jpg", Encode(".jpg", Gradient(64, 48)));
    Put("all/00/x.png", Encode(".png", Gradient(64, 48)));
    Put("all/00/sub/y.png", Encode(".png", Gradient(32, 48)));
    Put("all/01/x.png", Encode(".png", Gradient(16, 48)));
  }
  // A piece of bash, in which $S is the program.
  Outcome Bash(const std::string& script) const {
    Put(".script", "S='" SKINMASK_PROGRAM "'\n" + script);
    const int raw =
        std::system(("cd '" + folder_.string() + "' && bash .script >.out 2>.err").c_str());
    Outcome run{WEXITSTATUS(raw), ReadFile(Path(".out")), ReadFile(Path(".err"))};
    testing::TakeSummary(run);
    return run;
  }
};

TEST_F(InputsOutputsTest, APipeGivesTheBytesOfTheFile) {
  ASSERT_EQ(Run("detect a.jpg -o out").status, 0);
  const std::string mask = ReadFile(Path("out/a.png"));
  for (const char* script : {"cat a.jpg | $S detect - -o -", "$S detect - -o - < a.jpg",
                             "$S detect /dev/stdin -o - < a.jpg", "$S detect <(cat a.jpg) -o -",
                             "$S detect a.jpg -o /dev/stdout | cat",
                             "mkfifo p; (sleep 0.1; cat a.jpg > p) & $S detect p -o -",
                             "(head -c 7 a.jpg; sleep 0.3; tail -c +8 a.jpg) | $S detect - -o -",
                             "cat a.jpg | $S detect - --sandbox off -o -",
                             "$S detect a.jpg -q -o >(cat >late); wait $!; cat late"}) {
    const Outcome run = Bash(script);
    EXPECT_EQ(run.status, 0) << script << "\n" << run.err;
    EXPECT_EQ(run.err, "") << script;
    EXPECT_TRUE(run.out == mask) << script << ": " << run.out.size() << " bytes";
  }
  // Appended to what is there, not over it.
  EXPECT_TRUE(Bash("echo -n before > f; $S detect a.jpg -o - >> f; cat f").out == "before" + mask);
  EXPECT_TRUE(Bash("$S detect a.jpg -o - --resume").out == mask);  // nothing is there yet
  // Into a folder it is called stdin.
  EXPECT_EQ(Bash("$S detect - -o m < a.jpg").status, 0);
  EXPECT_TRUE(ReadFile(Path("m/stdin.png")) == mask);
}

TEST_F(InputsOutputsTest, StandardInputThatHoldsNothingIsOneLine) {
  for (const char* script : {"$S detect - -o - </dev/null", "true | $S detect - -o -",
                             "echo no image at all, and no video | $S detect - -o -"}) {
    const Outcome run = Bash(script);
    EXPECT_EQ(run.status, 1) << script;
    EXPECT_EQ(testing::Lines(run.err), 1) << script << "\n" << run.err;
    EXPECT_EQ(run.out, "");
  }
  EXPECT_EQ(Bash("$S detect - --files-from - -o - </dev/null").status, 2);
  EXPECT_EQ(Bash("$S detect a.jpg -o - --json").status, 2);
}

TEST_F(InputsOutputsTest, AFileForOneInput) {
  ASSERT_EQ(Run("detect a.jpg -o out").status, 0);
  ASSERT_EQ(Run("detect a.jpg -o made/no.png").status, 1);  // no folder is made for it
  ASSERT_EQ(Run("detect a.jpg -o one.png").status, 0);
  EXPECT_TRUE(ReadFile(Path("one.png")) == ReadFile(Path("out/a.png")));
  EXPECT_EQ(Run("detect a.jpg -o one.png").status, 1);  // exists
  EXPECT_EQ(Run("detect a.jpg -o one.png --force").status, 0);
  const Outcome again = Run("detect a.jpg -o one.png --resume");
  EXPECT_EQ(again.summary.substr(0, 32), "0 failed, 1 skipped, 0 of 1 done");
  // A folder of such a name stays one.
  fs::create_directory(Path("odd.png"));
  EXPECT_EQ(Run("detect a.jpg -o odd.png").status, 0);
  EXPECT_TRUE(fs::exists(Path("odd.png/a.png")));
  const auto refused = [&](const std::string& arguments, int status, const char* part) {
    const Outcome run = Run("detect " + arguments);
    EXPECT_EQ(run.status, status) << arguments;
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
    EXPECT_EQ(testing::Lines(run.err), 1) << run.err;
  };
  refused("a.jpg all -o two.png", 2, "takes one image, video or archive");
  refused("all -o two.png", 1, "takes one image, video or archive, and there are 3");
  refused("a.jpg -o - --output mask,overlay", 2, "takes one kind of output");
  refused("v.mp4 -o - --frames", 2, "takes one kind of output");
  refused("a.jpg -o two.png --output mask,overlay", 2, "takes one kind of output");
  refused("v.mp4 -o two.mkv --frames", 2, "takes one kind of output");
  refused("a.jpg -o two.jpeg", 2, "would change the pixels of mask");
  refused("a.jpg -o two.mkv", 2, "is a video by its name");
  refused("a.jpg -o a.png/b.png", 1, "folder does not exist");
  refused("all/00/x.png -o all/00/x.png --force", 1, "is an input");
  EXPECT_FALSE(fs::exists(Path("two.png")));
}

TEST_F(InputsOutputsTest, SeveralFoldersKeepTheirNames) {
  EXPECT_EQ(Run("detect all/00 all/01/ -o m").status, 0);
  EXPECT_EQ(Names(Path("m")), (Strings{"00/sub/y.png", "00/x.png", "01/x.png"}));
  EXPECT_EQ(Run("detect all/00 a.jpg -o one").status, 0);
  EXPECT_EQ(Names(Path("one")), (Strings{"a.png", "sub/y.png", "x.png"}));
  EXPECT_EQ(Bash("cd all/00 && $S detect . ../01 -o ../../dots").status, 0);
  EXPECT_EQ(Names(Path("dots")), (Strings{"00/sub/y.png", "00/x.png", "01/x.png"}));
}

TEST_F(InputsOutputsTest, ListsKeepTheirFolders) {
  Put("list",
      "\xEF\xBB\xBF"
      "all/00/x.png\n\nall/01/x.png\n" +
          Path("a.jpg").string() + "\n");
  EXPECT_EQ(Run("detect --files-from list -o m").status, 0);
  const std::string absolute = Path("a.png").relative_path().string();
  Strings expected{"all/00/x.png", "all/01/x.png", absolute};
  std::ranges::sort(expected);
  EXPECT_EQ(Names(Path("m")), expected);
  EXPECT_EQ(Bash("find all -name '*.png' -print0 | $S detect --files-from - -o n").status, 0);
  EXPECT_EQ(Names(Path("n")), (Strings{"all/00/sub/y.png", "all/00/x.png", "all/01/x.png"}));
  EXPECT_EQ(Bash("cd all && echo ../a.jpg | $S detect --files-from - -o ../up").status, 0);
  EXPECT_EQ(Names(Path("up")), (Strings{"a.png"}));
  EXPECT_EQ(Bash("$S detect --files-from - -o x </dev/null").status, 1);
  const Outcome image = Run("detect --files-from a.jpg -o y");
  EXPECT_EQ(image.status, 1);
  EXPECT_EQ(Lines(image.err), 1) << image.err;
  EXPECT_NE(image.err.find("a.jpg: is no list of paths"), std::string::npos) << image.err;
  // Each of its letters would be an input: '.' the working folder, '/' all files.
  for (const char* const encoding : {"UTF-16", "UTF-16BE"}) {
    const Outcome wide = Bash("printf '\\357\\273\\277a.jpg\\r\\n' | iconv -f UTF-8 -t " +
                              std::string(encoding) + " > wide; $S detect --files-from wide -o y");
    EXPECT_EQ(wide.status, 1);
    EXPECT_EQ(Lines(wide.err), 1) << wide.err;
    EXPECT_NE(wide.err.find("wide: is UTF-16"), std::string::npos) << wide.err;
  }
  EXPECT_FALSE(std::filesystem::exists(Path("y")));
  EXPECT_EQ(Run("detect -o x").status, 2);
}

TEST_F(InputsOutputsTest, TablesGoToStandardOutput) {
  const std::string sample = "sample --images all/00 --whole skin -q";
  ASSERT_EQ(Run(sample + " -o s.csv").status, 0);
  const auto table = Run(sample + " -o -");
  EXPECT_EQ(table.status, 0);
  EXPECT_EQ(table.out, ReadFile(Path("s.csv")));
  EXPECT_FALSE(fs::exists(Path("-")));
  EXPECT_EQ(Run(sample + " -o - --json").status, 2);
}

TEST_F(InputsOutputsTest, StillPicturesAreImagesWhateverTheyAreCalled) {
  const fs::path formats = fs::path(SKINMASK_SOURCE) / "tests/fixtures/formats";
  for (const char* name : {"gradient.avif", "gradient.gif", "gradient.jxl"}) {
    fs::copy_file(formats / name, Path("unnamed"), fs::copy_options::overwrite_existing);
    EXPECT_EQ(Run("detect unnamed -o still --force").status, 0) << name;
    EXPECT_EQ(Bash("cat unnamed | $S detect - -o piped.png --force").status, 0) << name;
    EXPECT_TRUE(ReadFile(Path("piped.png")) == ReadFile(Path("still/unnamed.png"))) << name;
  }
}

TEST_F(InputsOutputsTest, PatternsChoose) {
  Put("all/00/x.txt", "");
  Put("all/00/_old/z.png", Encode(".png", Gradient(8, 8)));
  const auto chosen = [&](const std::string& options) {
    fs::remove_all(Path("m"));
    const Outcome run = Run("detect all -o m " + options);
    EXPECT_EQ(run.status, 0) << run.err;
    return Names(Path("m"));
  };
  EXPECT_EQ(chosen("--exclude ./00/"), (Strings{"01/x.png"}));
  EXPECT_EQ(chosen("--exclude '_*' --exclude y.png"), (Strings{"00/x.png", "01/x.png"}));
  EXPECT_EQ(chosen("--include 'y.*'"), (Strings{"00/sub/y.png"}));
  EXPECT_EQ(chosen("--include '00/*' --exclude '00/_old'"), (Strings{"00/sub/y.png", "00/x.png"}));
  EXPECT_EQ(Run("detect all -o m2 --include '*.png'").summary.find("0 failed, 0 skipped"), 0u);
  EXPECT_EQ(Run("detect all -o m3").summary.find("0 failed, 1 skipped"), 0u);
  const Outcome none = Run("detect none -o m4 --include '*.png'");
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.err.find("none: cannot be read: No such file"), std::string::npos) << none.err;
}

TEST_F(InputsOutputsTest, AddressesSayHowToFetchThem) {
  for (const char* address : {"http://127.0.0.1:9/a.jpg", "https://example.org/a.mp4"}) {
    const Outcome run = Run("detect " + std::string(address) + " -o out");
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.err.find("curl"), std::string::npos) << run.err;
  }
}

class PipedVideoTest : public InputsOutputsTest {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_FFMPEG();
    testing::MakeOnce(
        folder_,
        fmt::format(
            "{}-frames:v {} -c:v ffv1 -pix_fmt yuv420p v.mkv && ffmpeg -v error -y -i v.mkv "
            "v.y4m -f rawvideo -pix_fmt yuv420p v.raw "
            "-vf \"select='not(between(n,1,2))'\" -fps_mode vfr gap.mkv",
            testing::Scrolling("160x120"), kFrames),
        {"v.mkv", "v.y4m", "v.raw", "gap.mkv"});
  }
  static constexpr int kFrames = 6;  // more than a pipe holds
};

// FFmpeg cannot go back to the frames, once it knows where they are.
TEST_F(PipedVideoTest, AnMp4WithItsIndexAtTheEndIsTold) {
  testing::MakeOnce(
      folder_,
      testing::Scrolling("320x240") + "-frames:v 30 -c:v mjpeg -q:v 2 -pix_fmt yuvj420p v.mp4",
      {"v.mp4"});
  const Outcome run = Bash("cat v.mp4 | $S detect - -o piped");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("an MP4 in a pipe has to begin with its index"), std::string::npos)
      << run.err;
}

// By whatever pipe frames come and go, masks are those of the file: of all inputs with adaptation,
// which takes most of the time, and of all outputs without.
TEST_F(PipedVideoTest, PipesGiveTheFramesOfTheFile) {
  ASSERT_EQ(Run("detect v.mkv -o adapted").status, 0);
  ASSERT_EQ(Run("detect v.mkv -o out --adapt off").status, 0);
  const std::string y4m = "cat v.y4m | ", raw_output = " --output-format rawvideo";
  const std::string described =
      "cat v.raw | $S detect - --input-format rawvideo --size 160x120 --pixel-format yuv420p "
      "--rate 30000/1001 -o -";
  const Strings scripts{y4m + "$S detect - -o -" + raw_output,
                        described + raw_output,
                        "cat v.mkv | $S detect - -o -",
                        y4m + "$S detect - -o - --adapt off",
                        y4m + "$S detect - -o - --output-format matroska --adapt off",
                        "$S detect v.mkv -o - --adapt off" + raw_output,
                        "$S detect <(cat v.mkv) -o - --adapt off"};
  constexpr std::size_t kAdapted = 3;
  std::vector<testing::ClipToRead> to_read{{"adapted/v.mkv", {"gray"}}, {"out/v.mkv", {"gray"}}};
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    const std::string file = std::to_string(i);
    const Outcome run = Bash("set -o pipefail; " + scripts[i] + " | cat >" + file);
    EXPECT_EQ(run.status, 0) << scripts[i] << "\n" << run.err;
    EXPECT_EQ(run.err, "") << scripts[i];
    if (!scripts[i].ends_with(raw_output)) to_read.push_back({file, {"gray"}});
  }
  const std::vector<testing::ReadClip> read = testing::ReadClips(folder_, to_read);
  EXPECT_EQ(read[0].frames[0].size(), std::size_t{kFrames} * 160 * 120);
  for (std::size_t i = 0, next = 2; i < scripts.size(); ++i) {
    const bool is_raw = scripts[i].ends_with(raw_output);
    const std::string masks =
        is_raw ? ReadFile(Path(std::to_string(i))) : read[next].frames.front();
    EXPECT_TRUE(masks == read[i < kAdapted ? 0 : 1].frames[0])
        << scripts[i] << ": " << masks.size() << " bytes";
    if (is_raw) continue;
    EXPECT_EQ(read[next++].frame_time, "1001/30000") << scripts[i];
  }
  EXPECT_FALSE(read[0].frames[0] == read[1].frames[0]);
  EXPECT_EQ(Bash("set -o pipefail; " + y4m +
                 "$S detect - -o - --output overlay --adapt off | cat >overlay")
                .status,
            0);
  EXPECT_EQ(testing::Probe(Path("overlay")).pix_fmt, "yuv420p");
}

TEST_F(PipedVideoTest, TimesThatAreLostAreTold) {
  for (const auto& [words, lines] : {std::pair("gap.mkv -o a.y4m", 1),
                                     {"gap.mkv -o a.h264", 1},
                                     {"gap.mkv -o a.mxf", 1},
                                     {"v.mkv -o b.h264", 0},
                                     {"gap.mkv -o - --output-format rawvideo", 1},
                                     {"gap.mkv -o - --output-format matroska", 0},
                                     {"v.mkv -o b.y4m", 0}}) {
    const Outcome run = Run(std::string("detect --adapt off ") + words);
    EXPECT_EQ(run.status, 0) << words;
    EXPECT_EQ(testing::Lines(run.err), lines) << run.err;
    EXPECT_EQ(run.err.find("not evenly spaced") != std::string::npos, lines > 0) << run.err;
  }
}

TEST_F(PipedVideoTest, AFileForOneVideo) {
  const std::string detect = "detect --adapt off v.mkv -o ";
  ASSERT_EQ(Run(detect + "out").status, 0);
  EXPECT_EQ(Run(detect + "one.mkv").status, 0);
  EXPECT_TRUE(ReadFile(Path("one.mkv")) == ReadFile(Path("out/v.mkv")));
  EXPECT_EQ(Run(detect + "overlay.mp4 --output overlay").status, 0);
  EXPECT_EQ(Run(detect + "one.y4m").status, 0);
  const std::vector<testing::ReadClip> read =
      testing::ReadClips(folder_, {{"out/v.mkv", {"gray"}}, {"one.y4m", {"gray"}}});
  EXPECT_EQ(read[0].frames[0].size(), std::size_t{kFrames} * 160 * 120);
  EXPECT_TRUE(read[1].frames[0] == read[0].frames[0]);
}

// What names tell is a mistake of usage; where a name tells nothing, the run finds it.
TEST_F(PipedVideoTest, AFileOfAnotherKindIsRefused) {
  std::filesystem::copy_file(Path("v.mkv"), Path("unnamed"));
  testing::Shell(folder_, "ffmpeg -v error -i v.mkv many.gif");
  Put("a.png", testing::Encode(".png", testing::Gradient(60, 40)));
  for (const auto& [words, status] : {std::pair("v.mkv -o one.png", 2),
                                      {"a.png -o one.mkv", 2},
                                      {"a.png -o one.tar", 2},
                                      {"v.mkv -o one.tar", 2},
                                      {"a.tar -o one.png", 2},
                                      {"a.tar -o one.mkv", 2},
                                      {"unnamed -o one.png", 1}}) {
    const Outcome run = Run(std::string("detect ") + words);
    EXPECT_EQ(run.status, status) << words;
    EXPECT_NE(run.err.find("by its name, and "), std::string::npos) << run.err;
  }
  const Outcome run = Bash("$S detect - -o one.mkv < many.gif");
  EXPECT_NE(run.err.find("/dev/stdin is read as an image"), std::string::npos) << run.err;
}

// Frames replace neither an input nor the seed mask in their folder.
TEST_F(PipedVideoTest, FramesReplaceNoInput) {
  const std::string precious = Encode(".png", Gradient(160, 120));
  Put("o/v/000000.png", precious);
  for (const char* given : {"o/v/000000.png", "--seed-mask o/v/000000.png"}) {
    const Outcome run = Bash(std::string("$S detect v.mkv -o o --frames --force ") + given);
    EXPECT_EQ(run.status, 1) << given;
    EXPECT_NE(run.err.find("o/v: holds an input, which a frame"), std::string::npos) << run.err;
    EXPECT_TRUE(ReadFile(Path("o/v/000000.png")) == precious) << given;
  }
}

TEST_F(PipedVideoTest, RawVideoThatIsWronglyDescribedIsOneLine) {
  const auto refused = [&](const std::string& options, int status, const char* part) {
    const Outcome run = Bash("head -c 100000 /dev/zero | $S detect - -o - " + options);
    EXPECT_EQ(run.status, status) << options;
    EXPECT_EQ(testing::Lines(run.err), 1) << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
  };
  const std::string raw = "--input-format rawvideo ";
  refused(raw, 2, "needs --size");
  refused(raw + "--size 0x0 --pixel-format gray", 2, "--size '0x0' is not WIDTHxHEIGHT");
  refused("--size 10x10", 2, "--input-format");
  refused(raw + "--size 10x10 --pixel-format magenta", 2, "magenta");
  refused(raw + "--size 10x10 --pixel-format vaapi", 2, "graphics card");
  refused(raw + "--size 10x10 --pixel-format nv20le", 2, "cannot be converted by FFmpeg");
  refused(raw + "--size 10x10 --pixel-format nv12 --rate 0", 2, "--rate");
  refused(raw + "--size 100000x100000 --pixel-format nv12", 1, "limit");
  refused(raw + "--size 300x200 --pixel-format bgr24", 1, "stdin");  // less than one frame
  refused("--output-format y4m", 1, "stdin");                        // zeros are no video
  for (const char* output : {"out", "masks.mkv", "masks.tar"}) {
    const Outcome packed = Bash(std::string("gzip -c v.mkv | $S detect - -o ") + output);
    EXPECT_NE(packed.err.find("is compressed (archives are read as"), std::string::npos)
        << packed.err;
  }
}

}  // namespace
}  // namespace skinmask
