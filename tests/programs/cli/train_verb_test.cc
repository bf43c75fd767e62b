#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "skinmask/learn/evaluation.h"
#include "skinmask/learn/fit.h"
#include "skinmask/model/posterior.h"
#include "support/clips.h"
#include "support/pictures.h"
#include "support/program.h"
#include "support/world.h"

namespace skinmask {
namespace {

using testing::DrawSamples;
using testing::Lines;
using testing::Outcome;

class TrainTest : public testing::ProgramTest {
 protected:
  void PutSamples(const std::string& name, std::size_t classes = 2) {
    Put(name, FormatSamples(DrawSamples(classes)));
  }
  std::string Train(const std::string& options, const std::string& output) {
    const Outcome run = Run("train " + options + " -o " + output);
    EXPECT_EQ(run.status, 0) << run.err;
    return ReadFile(Path(output));
  }
};

TEST_F(TrainTest, ShardsOrderAndThreadsGiveTheSameBytes) {
  // A UCI-like file, one line a pixel, shuffled into three shards.
  testing::Random random(4);
  std::vector<std::string> lines;
  const Samples samples = DrawSamples(2);
  for (const SampleRow& row : samples.rows())
    for (std::uint64_t i = 0; i < row.count; ++i)
      lines.push_back(std::to_string(row.b) + "\t" + std::to_string(row.g) + "\t" +
                      std::to_string(row.r) + "\t" +
                      (samples.classes()[row.class_index] == "skin" ? "1" : "2") + "\r\n");
  std::string whole, shards[3];
  for (const std::string& line : lines) whole += line;
  for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.Next() % i]);
  for (std::size_t i = 0; i < lines.size(); ++i) shards[i % 3] += lines[i];
  Put("whole.txt", whole);
  for (int i = 0; i < 3; ++i) Put("s" + std::to_string(i) + ".txt", shards[i]);
  EXPECT_EQ(Run("sample --samples s2.txt s0.txt s1.txt -o merged.csv").status, 0);
  for (const std::string kind :
       {"qda", "lda --space rg", "qda --shrinkage auto", "gaussian-nb --space Lab --max-f1"}) {
    const std::string options = "--force --kind " + kind + " --samples ";
    const std::string expected = Train(options + "whole.txt --threads 1", "m.json");
    EXPECT_EQ(Train(options + "s1.txt s0.txt s2.txt --threads 2", "m.json"), expected);
    EXPECT_EQ(Train(options + "merged.csv", "m.json"), expected);
  }
}

// The table is a pipe, which is closed when it has been read. A killed program would have the same
// status, but only an orderly end says how long it took.
TEST_F(TrainTest, TablesComeThroughPipes) {
  PutSamples("s.csv");
  const std::string model = Train("--samples s.csv", "m.json");
  const Outcome run = Run("sample --samples s.csv -o - -q | '" SKINMASK_PROGRAM
                          "' train --samples - -o piped.json && true");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(ReadFile(Path("piped.json")), model);
  const Outcome calibrated =
      Run("train --samples s.csv --calibrate - -o calibrated.json < s.csv && true");
  EXPECT_EQ(calibrated.status, 0) << calibrated.err;
}

TEST_F(TrainTest, ASignalEndsTheFit) {
  PutSamples("s.csv");
  for (const std::string solver : {"sgd", "gradient --rate 1e-9"}) {
    testing::Shell(folder_, "rm -f p && mkfifo p && timeout -s KILL 60 sh -c '\"" SKINMASK_PROGRAM
                            "\" train --samples p -o m.json -v --kind logistic --solver " +
                                solver +
                                " --iterations 1000000000 --tolerance 0 2>err & cat s.csv >p;"
                                " while readlink /proc/$!/fd/* | grep -q /p$; do :; done;"
                                " kill -INT $!; wait $!; echo $? >status'");
    EXPECT_EQ(ReadFile(Path("status")), "130\n");
    EXPECT_NE(ReadFile(Path("err")).find("took"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(Path("m.json")));
  }
}

TEST_F(TrainTest, PairsAreTheSamplesOfTheirPixels) {
  const std::string photos = (testing::SamplesFolder() / "photos").string();
  const std::string masks = (testing::SamplesFolder() / "masks").string();
  const std::string pairs = "--images " + photos + " --masks " + masks;
  EXPECT_EQ(Run("sample " + pairs + " -o s.csv").status, 0);
  EXPECT_EQ(Train(pairs, "a.json"), Train("--samples s.csv", "b.json"));
  const Samples samples = ReadSamples(Path("s.csv"));
  EXPECT_EQ(samples.Total(), 512u * 600 + 512 * 512);
  EXPECT_EQ(samples.rows().back().group, 2u);
  EXPECT_EQ(Run("sample " + pairs + " --step 4 --ungrouped -o t.csv").status, 0);
  EXPECT_EQ(ReadSamples(Path("t.csv")).Total(), 128u * 150 + 128 * 128);
  EXPECT_EQ(ReadSamples(Path("t.csv")).rows().back().group, 0u);
}

TEST_F(TrainTest, TheCardHoldsTheTablesDigest) {
  PutSamples("s.csv");
  const auto card =
      nlohmann::json::parse(Train("--samples s.csv --card licence=CC0", "m.json"))["card"];
  EXPECT_EQ(Run("sample --samples s.csv --ungrouped -o canonical.csv").status, 0);
  const std::string command =
      "sha256sum '" + Path("canonical.csv").string() + "' >'" + Path("sum").string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(card["training"]["sha256"], ReadFile(Path("sum")).substr(0, 64));
  EXPECT_EQ(card["notes"]["licence"], "CC0");
  EXPECT_EQ(card["training"]["counts"]["skin"], 3000);
}

TEST_F(TrainTest, MaxF1IsTheBestThreshold) {
  PutSamples("s.csv");
  const Model model = ModelFromJson(Train("--samples s.csv --max-f1", "m.json"), "m");
  EXPECT_EQ(model.decision.rule, "max-f1");
  const Samples samples = ReadSamples(Path("s.csv"));
  const auto f1 = [&](double threshold) {
    Model other = model;
    other.decision.threshold = threshold;
    return *EvaluateSamples(samples, other).counts.F1();
  };
  const Outcome run = Run("evaluate --samples s.csv --model m.json --json");
  const double best = nlohmann::json::parse(run.out)["pooled"]["f1"];
  EXPECT_EQ(f1(model.decision.threshold), best);
  for (double t = 0.05; t < 1; t += 0.05) EXPECT_LE(f1(t), best + 1e-9) << t;
  EXPECT_NEAR(*model.card.scores.back().f1, best, 1e-6);
}

TEST_F(TrainTest, MaxF1OfSeparableClassesFindsThem) {
  Put("s.csv",
      "class,b,g,r\nskin,0,0,200\nskin,9,1,210\nskin,3,8,205\nskin,1,2,190\n"
      "non-skin,200,0,0\nnon-skin,210,3,9\nnon-skin,207,8,1\nnon-skin,190,2,4\n");
  const Model model = ModelFromJson(Train("--samples s.csv --max-f1", "m.json"), "m");
  EXPECT_EQ(*model.card.scores.back().f1, 1);
  EXPECT_DOUBLE_EQ(model.decision.threshold, 0.5);  // log-odds 0 divides them
}

TEST_F(TrainTest, ManyClassesAndGivenPriors) {
  PutSamples("s.csv", 3);
  const Model model = ModelFromJson(
      Train("--samples s.csv --prior skin=0.5 --prior hair=0.25 --prior non-skin=0.25", "m.json"),
      "m");
  EXPECT_EQ(model.classes.size(), 3u);
  EXPECT_EQ(model.positive().prior, 0.5);
  EXPECT_EQ(ModelFromJson(Train("--samples s.csv --positive hair --prior 0.1", "n.json"), "n")
                .positive()
                .name,
            "hair");
}

// The boundary of one channel, where the mask changes as `show` says.
TEST_F(TrainTest, ShowTellsTheBoundaryOfOneChannel) {
  PutSamples("s.csv");
  Train("--samples s.csv --kind lda --channels R", "lda.json");
  const std::string shown = Run("show lda.json").out, start = "\nboundary   R > ";
  EXPECT_NE(shown.find("\ndelta      c "), std::string::npos) << shown;
  EXPECT_NE(shown.find("\nlog-odds of skin = c + b'f + f'A f"), std::string::npos) << shown;
  const std::size_t at = shown.find(start);
  ASSERT_NE(at, std::string::npos) << shown;
  const double boundary = std::stod(shown.substr(at + start.size()));
  const Posterior posterior(ReadModel(Path("lda.json")));
  for (int r = 0; r < 256; ++r) {
    const std::uint8_t bgr[3] = {0, 0, static_cast<std::uint8_t>(r)};
    std::uint8_t mask;
    posterior.MaskRow(bgr, 1, &mask);
    EXPECT_EQ(mask == 255, r > boundary) << r;
  }
  // A boundary may lie where no pixel is.
  EXPECT_EQ(shown.find("(R goes from"), std::string::npos) << shown;
  Train("--samples s.csv --kind lda --channels R --threshold 1e-90", "far.json");
  EXPECT_NE(Run("show far.json").out.find("\n           (R goes from 0 to 255)\n"),
            std::string::npos);
  for (const char* const kind : {"lda", "qda", "logistic"})
    for (const auto& [threshold, which] : {std::pair("0", "every"), std::pair("1", "no")}) {
      Train(fmt::format("--samples s.csv --channels R --kind {} --threshold {} --force", kind,
                        threshold),
            "end.json");
      EXPECT_NE(Run("show end.json")
                    .out.find(fmt::format("\nboundary   none: {} value is skin\n", which)),
                std::string::npos)
          << kind << threshold;
    }
  Train("--samples s.csv --kind histogram", "histogram.json");
  EXPECT_EQ(Run("show histogram.json").out.find("log-odds of skin"), std::string::npos);
}

TEST_F(TrainTest, DrawsBeyondTheRangeAreAWarning) {
  const std::string parameters = ReadFile(SKINMASK_SOURCE "/samples/teaching/channel.json");
  nlohmann::json changed = nlohmann::json::parse(parameters);
  for (nlohmann::json& one : changed["classes"]) one["mean"] = nlohmann::json::array({2});
  Put("edge.json", changed.dump());
  for (const char* bayes : {"", " --bayes b.json"}) {
    const Outcome run = Run(std::string("sample --simulate edge.json -o s.csv --force") + bayes);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_NE(run.err.find("% of what was drawn was outside of 0 to 255"), std::string::npos)
        << run.err;
  }
}

// Parameters of a simulation were estimated of nothing.
TEST_F(TrainTest, ShowTellsNoTrainingWhereThereWasNone) {
  ASSERT_EQ(Run("sample --simulate " SKINMASK_SOURCE
                "/samples/teaching/channel.json -o s.csv --bayes b.json")
                .status,
            0);
  const std::string shown = Run("show b.json").out;
  EXPECT_NE(shown.find("qda, a full covariance per class\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("\nclass       skin, prior 0.400000\n"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("trained on"), std::string::npos) << shown;
  Train("--samples s.csv --channels R", "m.json");
  const std::string trained = Run("show m.json").out;
  for (const char* part : {"(maximum likelihood)", " pixels, prior ", "\ntrained on  SHA-256 "})
    EXPECT_NE(trained.find(part), std::string::npos) << part << trained;
}

// log P(class | colour) of the samples does not depend on where the threshold comes from.
TEST_F(TrainTest, TheCardHasTheLikelihoodOfTheSamplesBesideValidation) {
  PutSamples("s.csv");
  const std::string folder = testing::SamplesFolder().string();
  const Model plain = ModelFromJson(Train("--samples s.csv", "m.json"), "m");
  for (const std::string rule : {"", " --max-f1"}) {
    const Model model =
        ModelFromJson(Train("--samples s.csv --validation-name V --validation-images " + folder +
                                "/photos --validation-masks " + folder + "/masks --force" + rule,
                            "v.json"),
                      "v");
    const CardScore &own = model.card.scores.at(0), &before = plain.card.scores.at(0);
    EXPECT_EQ(own.data, "training samples");
    EXPECT_EQ(own.log_likelihood, before.log_likelihood);
    EXPECT_EQ(own.f1, before.f1);
    EXPECT_EQ(model.card.scores.back().data, "V");
    const Outcome slash = Run("train --samples s.csv --force -o v.json --validation-images " +
                              folder + "/photos/ --validation-masks " + folder + "/masks" + rule);
    EXPECT_NE(slash.err.find(" on photos\n"), std::string::npos) << slash.err;
    EXPECT_FALSE(model.card.scores.back().log_likelihood.has_value());
    EXPECT_NE(Run("show v.json").out.find("\nlikelihood  log P(class | colour) of training"),
              std::string::npos);
  }
}

TEST_F(TrainTest, FewerGaussiansThanAskedForAreAWarning) {
  Put("s.csv", "class,b,g,r\nskin,1,2,3\nskin,9,2,30\nrest,1,20,99\nrest,7,3,80\nrest,9,9,9\n");
  const Outcome run = Run("train --samples s.csv --kind mixture --components 3 -o m.json");
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(run.err.starts_with(
      "skinmask: warning: class 'skin': has 2 Gaussians instead of 3, because no more got pixels\n"
      "mixture in BGR"))
      << run.err;
}

TEST_F(TrainTest, ErrorsAreOneLineWithTheRightStatus) {
  PutSamples("s.csv");
  Put("bad.csv", "1 2 3 1\n1 2 3 9\n");
  Put("flat.csv", "class,b,g,r\nskin,1,2,3\nskin,1,2,3\nnon-skin,3,4,5\n");
  const std::pair<const char*, std::pair<int, const char*>> cases[] = {
      {"--samples bad.csv -o m.json", {1, "bad.csv:2: '1 2 3 9' is not understood"}},
      {"--samples absent.csv -o m.json", {1, "absent.csv: cannot be read"}},
      {"--samples flat.csv -o m.json", {1, "class 'skin': 2 samples do not span"}},
      {"--samples flat.csv -o m.json", {1, "singular, B and G and R never vary"}},
      {"--samples flat.csv -o m.json --kind lda", {1, "the classes: the samples do not span"}},
      {"--samples s.csv -o m.json --positive cat", {1, "; --positive names the one to find)"}},
      {"--samples s.csv -o no/such/m.json", {1, "no/such/m.json: cannot be written"}},
      {"--samples s.csv -o s.csv", {2, "are the same file"}},
      {"--samples s.csv", {2, "-o is required"}},
      {"-o m.json", {2, "give either --samples, or --images"}},
      {"--images . -o m.json", {2, "--images needs either --masks or --whole"}},
      {"--samples s.csv -o m.json --kind forest", {2, "model kind 'forest': is unknown"}},
      {"--samples s.csv -o m.json --space CIE", {2, "colour space 'CIE': is unknown"}},
      {"--samples s.csv -o m.json --channels R,R", {2, "twice"}},
      {"--samples s.csv -o m.json --shrinkage 7", {2, "--shrinkage 7: is out of range"}},
      {"--samples s.csv -o m.json --card a=b --card a=c", {2, "--card 'a' is given twice"}},
      {"--samples s.csv -o m.json --prior 7", {2, "--prior 7: is out of range"}},
      {"--samples s.csv -o m.json --prior skin=1.5,non-skin=-0.5",
       {2, "--prior skin=1.5: is out of range"}},
      {"--samples s.csv -o m.json --threshold 0.1 --max-f1", {2, "excludes"}},
      {"--images . --masks . --label skin -o m.json", {2, "--label 'skin'"}},
      {"--samples s.csv -o m.json --prior skin=0.5 --prior non-skin=0.4", {2, "sum to 0.9"}},
      {"--samples s.csv -o m.json --validation-name x", {2, "needs --validation-images"}},
      {"--samples s.csv -o m.json --json=no/such.json", {1, "no/such.json: cannot be written"}},
      {"--images . --masks . --mask-name x -o m.json", {2, "has no {stem}"}},
      // Found before any image is read.
      {"--samples bad.csv --calibrate none.csv -o m.json", {1, "none.csv: does not exist"}},
      {"--samples bad.csv --validation-images none --validation-masks . -o m.json",
       {1, "none: does not exist"}},
      {"--samples s.csv --calibrate . -o m.json", {2, "--calibrate-masks names the folder"}},
  };
  for (const auto& [arguments, expected] : cases) {
    const Outcome run = Run(std::string("train ") + arguments);
    EXPECT_EQ(run.status, expected.first) << arguments << run.err;
    EXPECT_EQ(Lines(run.err), 1) << run.err;
    EXPECT_NE(run.err.find(expected.second), std::string::npos) << run.err;
    EXPECT_FALSE(std::filesystem::exists(Path("m.json"))) << arguments;
  }
}

}  // namespace
}  // namespace skinmask
