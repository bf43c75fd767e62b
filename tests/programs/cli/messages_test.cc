// Commands that are not meant as they stand: one line that says what would be right, and the status
// of a wrong command line before anything is done.
#include <nlohmann/json.hpp>

#include "support/pictures.h"
#include "support/program.h"

namespace skinmask {
namespace {

using testing::Encode;
using testing::Gradient;
using testing::Lines;
using testing::Outcome;

class MessagesTest : public testing::ProgramTest {
 protected:
  void Expect(const std::string& arguments, int status, const std::string& part) const {
    const Outcome run = Run(arguments);
    EXPECT_EQ(run.status, status) << arguments << run.err;
    EXPECT_EQ(run.out, "") << arguments;
    EXPECT_EQ(Lines(run.err), 1) << arguments << ": " << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << arguments << ": " << run.err;
  }
  void ExpectUsage(const std::string& arguments, const std::string& part) const {
    Expect(arguments, 2, part);
  }
};

TEST_F(MessagesTest, HelpIsOneWordAway) {
  const Outcome alone = Run("");
  EXPECT_EQ(alone.status, 2);
  EXPECT_EQ(alone.out, "");
  const Outcome help = Run("--help");
  EXPECT_EQ(alone.err, help.out);
  EXPECT_EQ(Run("help").out, help.out);
  for (const char* verb : {"sample", "train", "compare", "detect", "live", "calibrate", "evaluate",
                           "show", "version", "help"}) {
    const Outcome by_option = Run(std::string(verb) + " --help");
    const Outcome by_verb = Run(std::string("help ") + verb);
    EXPECT_EQ(by_verb.status, 0) << by_verb.err;
    EXPECT_EQ(by_verb.out, by_option.out);
    EXPECT_EQ(by_option.out.find(std::string("Usage: skinmask ") + verb + " "),
              by_option.out.find("Usage:"))
        << by_option.out;
  }
  for (const char* flag : {"-V", "--version"}) EXPECT_EQ(Run(flag).out, Run("version").out);
  ExpectUsage("help detct", "there is no verb 'detct', did you mean detect?");
}

TEST_F(MessagesTest, SlipsAreGuessed) {
  Put("a.png", Encode(".png", Gradient(20, 10)));
  Put("s.csv", "class,b,g,r\nskin,1,2,3\n");
  ExpectUsage("detct a.png -o out",
              "skinmask: there is no verb 'detct', did you mean detect? (see");
  ExpectUsage("a.png -o out", "there is no verb 'a.png', but a file of that name (detect makes");
  ExpectUsage("detect a.png -o out --treshold 0.4",
              "skinmask detect: there is no option --treshold, did you mean --threshold? (see");
  ExpectUsage("detect a.png --treshold=0.4", "--treshold, did you mean --threshold?");
  ExpectUsage("detect a.png -o out --frobnicate", "there is no option --frobnicate (see");
  ExpectUsage("--verison", "there is no option --verison, did you mean --version?");
  ExpectUsage("train --samples s.csv -o m.json --space RGB",
              "colour space 'RGB': is unknown (did you mean BGR? there are: BGR YCrCb");
  ExpectUsage("train --samples s.csv -o m.json --kind logistics", "(did you mean logistic? there");
  ExpectUsage("detect a.png -o out --output overlai", "(did you mean overlay? there are: mask");
  ExpectUsage("detect a.png -o out --adapt face",
              "--adapt: 'face' is unknown (did you mean faces? there are: auto faces off)");
  ExpectUsage("detect a.png -o out --output overlay --audio cpoy",
              "--audio: 'cpoy' is unknown (did you mean copy? there are: copy none)");
  ExpectUsage("detect a.png -o - --output-format y5m", "(did you mean y4m? there are: y4m raw");
  ExpectUsage("detect - -o - --input-format rawvide", "(did you mean rawvideo?");
  ExpectUsage("compare --samples s.csv --models defalt",
              "--models defalt: is no file (did you mean default?)");
  ExpectUsage("--threshold 0.4 detect a.png -o out",
              "skinmask detect: there is no option --threshold before the verb (see");
  ExpectUsage("detect a.png -o out --adapt off --adapt auto", "--adapt is given 2 times (once)");
  ExpectUsage("evaluate --samples s.csv --model a.json --model b.json --json --json=x.json",
              "--json is given 2 times (once)");
  ExpectUsage("sample --samples - - -o a.csv", "--samples names standard input twice");
  ExpectUsage("detect a.png -o out --threshold", "skinmask detect: --threshold needs P (see");
  ExpectUsage("show a b", "'b' is one word too many");
  EXPECT_FALSE(std::filesystem::exists(Path("out")));
}

TEST_F(MessagesTest, WordsThatWereTakenForInputs) {
  Put("in/a.png", Encode(".png", Gradient(20, 10)));
  std::filesystem::create_directory(Path("results"));
  ExpectUsage("detect in -o out --output mask overlay",
              "'overlay' is no file; kinds of output are joined by commas (--output mask,overlay)");
  ExpectUsage("detect in -o out --json scores", "--json 'scores' is no file that ends in .json");
  ExpectUsage("detect in -o out --json results", "--json 'results' is a folder; results go to");
  ExpectUsage("show --json scores", "--json 'scores' is no file that ends in .json");
  ExpectUsage("calibrate --json p1 -o c.json", "--json 'p1' is no file that ends in .json");
  const std::string own = Run("show --json").out;
  Put("own.json", own);
  ExpectUsage("show --json own.json --force", "--json own.json: is a model or a part (--json=- ");
  EXPECT_EQ(ReadFile(Path("own.json")), own);
  for (int time = 0; time < 2; ++time)  // nothing is ambiguous where the input is named
    EXPECT_EQ(Run("show own.json --json copy.json --force").status, 0);
  ExpectUsage("detect in/a.png -o b.jpeg", "would change the pixels of mask");
  ExpectUsage("detect in/a.png -o in/a.JPG", "would change the pixels of mask");
  EXPECT_FALSE(std::filesystem::exists(Path("out")));
  // What may be meant is taken so.
  std::filesystem::create_directory(Path("overlay"));
  Put("overlay/b.png", Encode(".png", Gradient(20, 10)));
  EXPECT_EQ(Run("detect in -o out --output mask overlay --adapt off").status, 0);
  EXPECT_EQ(Run("detect --json in -o out2 --adapt off").status, 0);
  EXPECT_EQ(Run("detect --json in overlay -o out3 --adapt off").status, 0);
  std::filesystem::create_directory(Path("folder.jpg"));
  EXPECT_EQ(Run("detect in -o folder.jpg --adapt off").status, 0);
}

TEST_F(MessagesTest, FilesThatAreSomethingElse) {
  Put("in/a.png", Encode(".png", Gradient(20, 10)));
  Put("b.jpg", Encode(".jpg", Gradient(20, 10)));
  Put("text.json", "a model\n");
  Expect("detect in -o out --model b.jpg", 1,
         "b.jpg: is a JPEG image (a model is JSON, which `skinmask train` writes)");
  Expect("show in/a.png", 1, "in/a.png: is a PNG image (a model is JSON");
  Expect("show --picture p.png --beside b.jpg", 1, "b.jpg: is a JPEG image (a model is JSON");
  Put("s.csv", "class,b,g,r\nskin,1,2,3\nskin,9,2,3\nrest,1,2,99\nrest,7,3,80\n");
  Expect("compare --samples s.csv --kinds none --models b.jpg", 1,
         "b.jpg: is a JPEG image (a model is JSON");
  Expect("show text.json", 1, "text.json: is not JSON, as a model is");
  for (const char* verb : {"evaluate --images in --whole skin", "compare --samples s.csv"})
    ExpectUsage(std::string(verb) + " --report r.txt",
                "--report: 'r.txt' is no name of a page (FILE.html)");
  ExpectUsage("show --picture p.jpg",
              "--picture: 'p.jpg' is no name of a picture (FILE.png or FILE.svg)");
  std::filesystem::create_directory(Path("out"));
  Expect("evaluate --images in --whole skin --json out", 1, "out: ");
  Put("photos.tar.gz", "\x1f\x8b\x08 and so on");
  Expect("detect photos.tar.gz -o out", 1, "photos.tar.gz: is compressed (archives are read as");
  Put("wide/a.pgm", "P5 20000 1 255\n" + std::string(20000, 'x'));
  Expect("detect wide -o out --adapt off --output overlay --format webp", 1,
         "out/a.overlay.webp: WebP: has sides of at most 16383");
}

TEST_F(MessagesTest, StandardOutputTakesNoModelAndNoPage) {
  ExpectUsage("train --samples s.csv -o -", "-o: standard output does not take a model");
  ExpectUsage("train --samples s.csv -o /dev/stdout", "-o: standard output does not take a model");
  ExpectUsage("evaluate --samples s.csv --report -", "standard output does not take a page");
  ExpectUsage("sample --simulate s.json -o t.csv --bayes -", "does not take a model");
}

TEST_F(MessagesTest, TwoOutputsAreTwoFiles) {
  ExpectUsage("evaluate --samples s.csv --report x --picture x", "are the same file, x");
  ExpectUsage("show --json=x --picture x", "are the same file, x");
}

// --force does not replace a photograph that is named by mistake.
TEST_F(MessagesTest, ImagesAndVideosAreNotReplacedByText) {
  Put("s.csv", "class,b,g,r\nskin,1,2,3\n");
  for (const std::string name : {"a.jpg", "b.MP4", "c.tar"}) {
    Put(name, "pixels");
    for (const std::string arguments :
         {"train --samples s.csv --force -o ", "calibrate s.csv --force -o ",
          "compare --samples s.csv --force --write ", "compare --samples s.csv --force --partial ",
          "sample --samples s.csv --force -o ",
          "sample --simulate s.csv --force -o t.csv --bayes "})
      Expect(arguments + name, 1,
             name + ": is an image, a video or an archive by its name, and is not replaced");
    EXPECT_EQ(ReadFile(Path(name)), "pixels");
  }
}

TEST_F(MessagesTest, EmptyTextsAreNoValues) {
  Put("in/a.png", Encode(".png", Gradient(20, 10)));
  Put("s.csv", "class,b,g,r\nskin,1,2,3\nskin,9,2,3\nrest,1,2,99\nrest,7,3,80\n");
  for (const std::string option :
       {"--threshold", "--prior",     "--outlier",      "--abstain",    "--seed-rect",
        "--csv",       "--faces-csv", "--jsonl",        "--files-from", "--codec",
        "--size",      "--rate",      "--pixel-format", "--include",    "--exclude",
        "--output",    "--adapt",     "--max-failures", "--json",       "--model"})
    ExpectUsage("detect in -o out " + option + "=", option + ": is empty (");
  for (const std::string option :
       {"--rate", "--prior", "--iterations", "--calibrate", "--validation-images"})
    ExpectUsage("train --samples s.csv -o m.json " + option + " ''", option + ": is empty (");
  for (const std::string option : {"--partial", "--report", "--picture", "--title", "--whole",
                                   "--predicted", "--model", "--cost", "--json"})
    ExpectUsage("evaluate --samples s.csv " + option + "=", option + ": is empty (");
  for (const char* words :
       {"detect in -o ''", "detect '' -o out", "train --samples s.csv -o ''",
        "sample --samples s.csv -o ''", "compare --samples s.csv --write ''",
        "compare --samples s.csv --report ''", "show ''", "show --picture ''",
        "evaluate --samples s.csv --json ''", "sample --simulate s.json -o t.csv --bayes ''",
        "live 0 -o ''", "help ''"})
    ExpectUsage(words, ": is empty (");
  ExpectUsage("detect --csv= in -o out", "--csv: is empty (FILE is wanted)");
  ExpectUsage("detect in -o out --refine on", "--refine: 'on' is unknown");
  ExpectUsage("train --samples s.csv -o m.json --prior 0.2 --prior 0.3",
              "--prior 0.2: is of no class (one number, or NAME=P for every class)");
}

// CLI11 takes --quiet=no for its opposite.
TEST_F(MessagesTest, WhatTakesNoValueIsGivenNone) {
  Put("in/a.png", Encode(".png", Gradient(20, 10)));
  for (const std::string flag : {"-q", "--resume", "--frames", "--require-face"})
    ExpectUsage("detect in -o out " + flag + "=true",
                "skinmask detect: " + flag + " takes no value (see");
  for (const std::string value : {"", "maybe", "false"})
    ExpectUsage("detect in -o out --force=" + value, "--force takes no value");
  EXPECT_FALSE(std::filesystem::exists(Path("out")));
  EXPECT_EQ(Run("detect -o out -- in/a.png --force=x").status, 1);  // an input that does not exist
  Put("quiet=x.png", Encode(".png", Gradient(20, 10)));
  EXPECT_EQ(Run("detect quiet=x.png -o out2 --adapt off").status, 0);
}

TEST_F(MessagesTest, NumbersAreToldByWhatTheyAreToBe) {
  Put("s.csv", "class,b,g,r\nskin,1,2,3\nskin,9,2,3\nrest,1,2,99\nrest,7,3,80\n");
  ExpectUsage("sample --simulate s.json -o t.csv --observations 1e3",
              "--observations: '1e3' is no whole number from 1 to 10000000");
  ExpectUsage("compare --samples s.csv --folds 1e1",
              "--folds: '1e1' is no whole number from 2 to 65536");
  ExpectUsage("sample --simulate s.json -o t.csv --seed 0x10",
              "--seed: 0x10 is no whole number from 0 to 2^64 - 1");
  ExpectUsage("compare --samples s.csv --folds 0x10", "--folds: '0x10' is no whole number");
  ExpectUsage("compare --samples s.csv --folds 0001", "--folds: '1' is no whole number");
  ExpectUsage("detect s -o out --max-seconds nan",
              "--max-seconds: 'nan' is no number from 0.01 to");
}

// Elsewhere - is standard output.
TEST_F(MessagesTest, JsonGoesToStandardOutputByItself) {
  Put("s.csv", "class,b,g,r\nskin,1,2,3\nskin,9,2,3\nrest,1,2,99\nrest,7,3,80\n");
  for (const char* words :
       {"evaluate --samples s.csv --json -", "show --json -", "calibrate p --json - -o c.json"})
    ExpectUsage(words, "'-' is one word too many (--json alone writes to standard output)");
  ExpectUsage("train --samples s.csv -o m.json - 3", "'-' is one word too many (see");
}

// What a stranger called his file is no option.
TEST_F(MessagesTest, NamesOfFilesAreShownAsTheyAre) {
  Put("in/`threshold`.jpg", "no image");
  for (const std::string folder : {"in", "in/*"}) {
    const Outcome run = Run("detect " + folder + " -o out --force --jsonl r.jsonl");
    EXPECT_TRUE(run.err.starts_with("skinmask: in/`threshold`.jpg: is no image")) << run.err;
  }
  EXPECT_NE(Run("detect -o out '`threshold`.jpg'").err.find("skinmask: `threshold`.jpg: "),
            std::string::npos);
}

// docs/cli.md, 'Options that need others'.
TEST_F(MessagesTest, OptionsThatAnotherMakesVoid) {
  Put("in/a.png", Encode(".png", Gradient(20, 10)));
  Put("s.csv", "class,b,g,r\nskin,1,2,3\nskin,9,2,3\nrest,1,2,99\nrest,7,3,80\n");
  const std::pair<const char*, const char*> cases[] = {
      {"detect in -o out --refine off --adapt off", "--refine is of adapted images"},
      {"detect in -o out --refine off --output classes", "--refine is of adapted images"},
      {"detect in -o out --require-face --adapt off", "--require-face is of adapted images"},
      {"detect in -o out --require-face --output classes", "--require-face is of adapted images"},
      {"detect in -o out --min-component 0 --adapt faces", "--min-component is of images that are"},
      {"detect in -o out --min-component 0 --output classes",
       "--min-component is of adapted images"},
      {"detect in/a.png -o out --codec ffv1", "--codec is for videos"},
      {"detect v.mp4 -o out --codec libx246",
       "is no video encoder that FFmpeg has here (did you mean libx264?"},
      {"detect in/a.png -o out --frames", "--frames is for videos"},
      {"detect in/a.png -o out --quality 9", "--quality is of JPEG, WebP and videos with a codec"},
      {"detect v.mp4 -o out --quality 9", "--quality is of JPEG, WebP and videos with a codec"},
      {"detect v.mp4 -o out --quality 9 --output overlay --frames", "--quality is of JPEG"},
      {"detect in -o out --quality 9", "--quality is of JPEG, WebP and videos with a codec"},
      {"detect v.mp4 -o out --output overlay --format webp", "--format is of pictures"},
      {"detect in -o out --require-face --min-component 0.5", "with --require-face these have no"},
      {"detect in -o out --require-face --seed-rect 1,1,9,9", "and a seed is given"},
      {"live v.mp4 --headless --track", "--track is of pictures and of --csv"},
      {"live v.mp4 --headless --adapt off --draw faces --record r.mkv", "--draw faces shows"},
      {"detect in -o out --max-seconds 1 --isolate none", "--max-seconds limits decoders in"},
      {"detect v.mp4 -o out --max-seconds 1", "which videos have with --isolate all alone"},
      {"detect in -o out --input-format rawvideo --size 7x7 --pixel-format gray",
       "--input-format is of files and pipes that are named"},
      {"detect in/a.png -o - --output-format rawvideo", "--output-format is for videos"},
      {"detect in/a.png -o out --from 1", "--from is for videos"},
      {"detect in -o out --min-component 0 --seed-rect 1,1,9,9",
       "--min-component is of images without a face and a seed"},
      {"detect in -o out --resume --force", "--force replaces what exists"},
      {"evaluate --images in --whole skin --adapt off --refine off", "--refine is of adapted"},
      {"evaluate --samples s.csv --refine off", "--refine needs --images"},
      {"evaluate --samples s.csv --require-face", "--require-face needs --images"},
      {"evaluate --samples s.csv --min-component 0", "--min-component needs --images"},
      {"detect in -o out --steady 1 --adapt off", "--steady is of adapted images"},
      {"detect in -o out --output overlay --draw faces --adapt off", "--draw faces shows"},
      {"detect in -o out --output overlay,classes --draw ellipse,faces", "--draw faces shows"},
      {"detect in -o out --output overlay --draw faces --seed-rect 1,1,9,9", "--draw faces shows"},
      {"detect in -o out --steady 1 --output classes", "--steady is of adapted images"},
      {"detect in/a.png -o out --include '*.png'", "--include: picks files of folders"},
      {"detect in -o out --scale 1/2 --pixels yuv", "--pixels yuv classifies pixels as they are"},
      {"evaluate --predicted in --truth in --refine off", "--refine needs --images"},
      {"evaluate --samples s.csv --max-pixels 9", "--max-pixels is for images"},
      {"evaluate --samples s.csv --isolate none", "--isolate is for images"},
      {"evaluate --samples s.csv --max-seconds 9", "--max-seconds is for images"},
      {"evaluate --samples s.csv --max-failures 1%", "--max-failures is for images"},
      {"evaluate --samples s.csv --allow-missing", "--allow-missing is of masks"},
      {"evaluate --images in --whole skin --allow-missing", "--allow-missing is of masks"},
      {"sample --samples s.csv -o t.csv --step 2", "--step is for images"},
      {"sample --samples s.csv -o t.csv --max-pixels 9", "--max-pixels is for images"},
      {"sample --simulate s.json -o t.csv --isolate all", "--isolate is for images"},
      {"evaluate --samples s.csv --image-name {stem}", "--image-name says how masks are read"},
      {"evaluate --samples s.csv --whole skin", "--whole needs --images"},
      {"sample --simulate s.json -o t.csv --invert", "--invert says how masks are read"},
      {"train --samples s.csv -o m.json --mask-name {stem}", "--mask-name says how masks are read"},
      {"compare --samples s.csv --take best", "--take is for the model of --write"},
      {"compare --samples s.csv --step 2", "--step is for images"},
      {"compare --samples s.csv --max-pixels 9", "--max-pixels is for images"},
      {"compare --samples s.csv --kinds mixture:2,logistic --shrinkage 0.1",
       "--shrinkage is of qda, lda, and --kinds is mixture,logistic"},
      {"compare --samples s.csv --kinds histogram --covariance unbiased",
       "--covariance is of qda, lda, gaussian-nb"},
      {"train --samples s.csv -o m.json --max-pixels 9", "--max-pixels is for images"},
      {"train --samples s.csv -o m.json --max-failures 1", "--max-failures is for images"},
      {"train --samples s.csv -o m.json --kind logistic --covariance mle", "--covariance is of"},
      {"train --samples s.csv -o m.json --kind gaussian-nb --shrinkage 0.1", "--shrinkage is of"},
      {"train --samples s.csv -o m.json --components 2",
       "--components is of mixture, and --kind is qda"},
      {"train --samples s.csv -o m.json --kind histgram --bins 8", "did you mean histogram?"},
      {"train --samples s.csv -o m.json --kind mixture --components 600", "600: is more than"},
      {"train --samples s.csv -o m.json --class-costs 0,1:5,1", "is no square table of costs"},
      {"train --samples s.csv -o m.json --seed 3", "--seed is of mixture, and --kind is qda"},
      {"train --samples s.csv -o m.json --features linear", "--features is of logistic"},
      {"train --samples s.csv -o m.json --ridge 1", "--ridge is of logistic"},
      {"train --samples s.csv -o m.json --solver sgd", "--solver is of logistic"},
      {"train --samples s.csv -o m.json --rate 1", "--rate is of logistic"},
      {"train --samples s.csv -o m.json --kind logistic --rate 1", "newton takes no rate"},
      {"train --samples s.csv -o m.json --iterations 3", "--iterations is of logistic, mixture"},
      {"train --samples s.csv -o m.json --tolerance 1", "--tolerance is of logistic, mixture"},
      {"train --samples s.csv -o m.json --bins 8", "--bins is of histogram-nb, histogram"},
      {"train --samples s.csv -o m.json --kind mixture --components 3,4",
       "--components 3,4: has two numbers without a class"},
      {"train --samples s.csv -o m.json --prior skin=0.25,skin=0.25,rest=0.5",
       "names class skin twice"},
      {"train --samples s.csv -o m.json --prior 1e-17",
       "is too small: the other classes' would be 1"},
      {"train --samples s.csv -o m.json --smoothing 8", "--smoothing is of histogram-nb, "},
  };
  for (const auto& [arguments, part] : cases) ExpectUsage(arguments, part);
  for (const char* written : {"out", "m.json", "t.csv"})
    EXPECT_FALSE(std::filesystem::exists(Path(written))) << written;
}

TEST_F(MessagesTest, PriorsAndCostsThatTheModelCannotHave) {
  Put("in/a.png", Encode(".png", Gradient(20, 10)));
  const std::string costs = " --class-costs 0,1,3:2,0,4:2,3,0";
  const std::string nine = "--class-costs: 9 costs of calling one of 2 classes another (2 rows";
  ExpectUsage("detect in -o out --output classes" + costs, nine);
  ExpectUsage("evaluate --images in --whole skin" + costs, nine);
  ExpectUsage("detect in -o out --prior 1e-300", "prior 1e-300: is too small: the other classes'");
}

// The same options where they do something.
TEST_F(MessagesTest, OptionsThatCountArePassed) {
  Put("list", "in/a.png\n");
  Put("in/a.png", Encode(".png", Gradient(60, 40)));
  for (const char* arguments :
       {"detect in -o 1 --refine off --adapt off --seed-rect 1,1,9,9",
        "detect in -o 2 --codec ffv1", "detect in -o 3 --resume --force --json=a.json",
        "detect in -o 6 --output overlay --draw ellipse --adapt off",
        "detect in -o 4 --refine off --steady 1", "detect in/a.png -o 7 --steady 0",
        "detect --files-from list -o 5 --quality 9 --output overlay",
        "sample --images in --whole skin --step 2 --max-pixels 9999 --isolate all -o s.csv"})
    EXPECT_EQ(Run(arguments).status, 0) << arguments << Run(arguments).err;
  const std::string table = (testing::SamplesFolder() / "labelled-pixels.csv").string();
  for (const char* arguments :
       {"--kind mixture --components 2 --seed 3 --iterations 9", "--kind histogram --bins 8",
        "--kind logistic --ridge 1 --solver gradient --rate 0.5 --iterations 9 --tolerance 1",
        "--kind lda --shrinkage auto --covariance unbiased"})
    EXPECT_EQ(Run("train --force -o m.json --samples " + table + " " + arguments).status, 0)
        << arguments;
  EXPECT_EQ(Run("compare --kinds mixture:2,lda --spaces rg --folds 2 --shrinkage 0,0.1 "
                "--covariance unbiased "
                "--samples " +
                table)
                .status,
            0);
}

}  // namespace
}  // namespace skinmask
