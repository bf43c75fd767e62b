#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "skinmask/learn/fit.h"
#include "skinmask/model/reference.h"
#include "support/comparison.h"
#include "support/pictures.h"

namespace skinmask {
namespace {

using nlohmann::json;
using testing::CompareTest;
using testing::DataFolder;
using testing::Lines;
using testing::Outcome;

TEST_F(CompareTest, FiguresAreThoseOfTrainAndEvaluate) {
  Put("s.csv", FormatSamples(Table(rows_)));
  const json report = Json("compare --samples s.csv --kinds qda --spaces BGR --folds 3 --seed 4");
  EXPECT_EQ(report["units"], "groups");
  EXPECT_EQ(report["fold_of_group"].size(), 10u);
  const json& qda = report["models"][0];
  for (std::size_t fold = 1; fold <= 3; ++fold) {
    std::vector<SampleRow> training, held_out;
    for (const SampleRow& row : rows_)
      (report["fold_of_group"][std::to_string(row.group)] == fold ? held_out : training)
          .push_back(row);
    Put("training.csv", FormatSamples(Table(training)));
    Put("held_out.csv", FormatSamples(Table(held_out)));
    ASSERT_EQ(Run("train --force --samples training.csv -o m.json").status, 0);
    const json scores = Json("evaluate --model m.json --samples held_out.csv --max-f1");
    EXPECT_NEAR(qda["auc"]["folds"][fold - 1], scores["pooled"]["auc"], 1e-12);
    EXPECT_NEAR(qda["best_f1"]["folds"][fold - 1], scores["pooled"]["f1"], 1e-12);
    EXPECT_EQ(scores["decision"]["rule"], "max-f1");
  }
}

TEST_F(CompareTest, WritesWhatTrainingTheBestWould) {
  Put("s.csv", FormatSamples(Table(rows_)));
  const std::string compare =
      "compare --samples s.csv --kinds qda,lda,gaussian-nb --spaces BGR,HSV,Lab --cost 1:2 --write "
      "best.json --select log-loss";
  const json report = Json(compare);
  const json& best = report["models"][0];
  for (const json& other : report["models"])
    EXPECT_LE(best["log_loss"]["mean"], other["log_loss"]["mean"]);
  const std::string kind = best["kind"], space = best["space"];
  ASSERT_EQ(
      Run("train --samples s.csv --cost 1:2 -o m.json --kind " + kind + " --space " + space).status,
      0);
  json written = json::parse(ReadFile(Path("best.json"))),
       trained = json::parse(ReadFile(Path("m.json")));
  const std::string note = written["card"]["notes"]["compare"];
  EXPECT_EQ(note.find(kind + " " + space + ": best of 9 by log-loss"), 0u) << note;
  written["card"].erase("notes");
  trained["card"].erase("notes");
  EXPECT_EQ(written, trained);
  EXPECT_EQ(written["decision"]["rule"], "cost 1:2");
  EXPECT_EQ(Run(compare).status, 1);  // exists already
}

TEST_F(CompareTest, TheTableIsSortedAndNamesWhatCannotBeFitted) {
  std::vector<SampleRow> rows = rows_;
  for (SampleRow& row : rows) row.g = 10;
  Put("s.csv", FormatSamples(Table(rows)));
  const Outcome run =
      Run("compare --samples s.csv --kinds qda --spaces BGR,YCrCb --channels all --channels R");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out.find("10 groups in 5 folds, seed 0; sorted by auc\n"), 0u) << run.out;
  EXPECT_LT(run.out.find("qda BGR:R"), run.out.find("qda BGR  "));
  EXPECT_NE(run.out.find("covariance is singular"), std::string::npos) << run.out;
  const Outcome none = Run("compare --samples s.csv --kinds qda --spaces BGR --write best.json");
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(Lines(none.err), 1) << none.err;
  EXPECT_FALSE(std::filesystem::exists(Path("best.json")));
  Put("page.html", "of an earlier run");
  EXPECT_EQ(
      Run("compare --samples s.csv --kinds qda --spaces BGR --report page.html --force").status, 1);
  EXPECT_EQ(ReadFile(Path("page.html")), "of an earlier run");
  // What a given model scored is written, though there is no candidate to write.
  const Outcome given =
      Run("compare --samples s.csv --kinds qda --spaces BGR --models default --write best.json "
          "--json scores.json --report scores.html");
  EXPECT_EQ(given.status, 1);
  EXPECT_NE(given.err.find("none could be fitted"), std::string::npos) << given.err;
  EXPECT_EQ(json::parse(ReadFile(Path("scores.json")))["models"].size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(Path("scores.html")));
}

TEST_F(CompareTest, ImagesAreGroups) {
  const std::string folder = testing::SamplesFolder().string();
  const std::string pairs = " --images " + folder + "/photos --masks " + folder + "/masks";
  const json report = Json("compare --kinds lda --spaces rg --folds 2 --step 3" + pairs);
  EXPECT_EQ(report["unit_count"], 2);
  ASSERT_EQ(Run("sample --step 3 -o s.csv" + pairs).status, 0);
  json table = Json("compare --kinds lda --spaces rg --folds 2 --samples s.csv");
  EXPECT_EQ(report["models"][0]["auc"], table["models"][0]["auc"]);
  ASSERT_EQ(Run("sample --ungrouped --samples s.csv -o u.csv").status, 0);
  EXPECT_EQ(Json("compare --kinds lda --spaces rg --samples u.csv")["units"], "colours");
}

TEST_F(CompareTest, OnEcuTheFiguresAreThoseOfTrainAndEvaluate) {
  SKIP_WITHOUT_DATA();
  const std::string ecu = (DataFolder() / "ecu").string();
  ASSERT_EQ(Run("sample --step 16 -o s.csv --images " + ecu + "/images --masks " + ecu +
                "/masks --mask-name '{stem}_skin_{stem}'")
                .status,
            0);
  const json report = Json("compare --samples s.csv --kinds qda,histogram --spaces BGR,HSV");
  EXPECT_EQ(report["unit_count"], 101);
  const auto qda =
      std::ranges::find(report["models"], "qda BGR", [](const json& m) { return m["name"]; });
  const Samples samples = ReadSamples(Path("s.csv"));
  std::vector<SampleRow> training, held_out;
  for (const SampleRow& row : samples.rows())
    (report["fold_of_group"][std::to_string(row.group)] == 4 ? held_out : training).push_back(row);
  Put("training.csv", FormatSamples(Samples(samples.classes(), training)));
  Put("held_out.csv", FormatSamples(Samples(samples.classes(), held_out)));
  ASSERT_EQ(Run("train --samples training.csv -o m.json").status, 0);
  const json scores = Json("evaluate --model m.json --samples held_out.csv --max-f1");
  EXPECT_NEAR((*qda)["auc"]["folds"][3], scores["pooled"]["auc"], 1e-12);
  EXPECT_NEAR((*qda)["best_f1"]["folds"][3], scores["pooled"]["f1"], 1e-12);
}

// Three classes: which pixels are called what, by hand from the models of the folds.
class ClassesTest : public CompareTest {
 protected:
  static Samples Drawn() {
    std::vector<SampleRow> rows;
    Samples all;
    for (std::uint32_t group = 1; group <= 6; ++group) {
      const Samples drawn = testing::DrawSamples(3, group);
      for (SampleRow row : drawn.rows()) {
        if ((row.b + row.g) % 4 != 0) continue;
        row.group = group;
        rows.push_back(row);
      }
      all = drawn;
    }
    return Samples(all.classes(), rows);
  }
  // Adds what a model of the other rows calls the rows of one fold.
  void CallFold(const json& fold_of_group, int fold) {
    std::vector<SampleRow> training, held_out;
    for (const SampleRow& row : samples_.rows())
      (fold_of_group[std::to_string(row.group)] == fold ? held_out : training).push_back(row);
    const Model model = Fit(Samples(samples_.classes(), training), {});
    const Reference reference(model);
    for (const SampleRow& row : held_out) {
      const std::vector<double> p = reference.Posteriors(row.b, row.g, row.r);
      const std::string& called =
          model.classes[static_cast<std::size_t>(std::ranges::max_element(p) - p.begin())].name;
      const std::string& truth = samples_.classes()[row.class_index];
      called_[{truth, called}] += row.count;
      right_ += truth == called ? row.count : 0;
      total_ += row.count;
    }
  }

  const Samples samples_ = Drawn();
  std::map<std::pair<std::string, std::string>, std::uint64_t> called_;
  std::uint64_t right_ = 0, total_ = 0;
};

TEST_F(ClassesTest, EveryClassHasItsAccuracyWhereFoldsAreHeldOut) {
  Put("s.csv", FormatSamples(samples_));
  const std::string compare = "compare --samples s.csv --kinds qda --spaces BGR --folds 2";
  const json report = Json(compare);
  const json& classes = report["models"][0]["pooled"]["classes"];
  ASSERT_EQ(classes["classes"].size(), 3u);
  for (const int fold : {1, 2}) CallFold(report["fold_of_group"], fold);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const std::string truth = classes["classes"][i], called = classes["classes"][j];
      EXPECT_EQ(classes["counts"][i][j], (called_[{truth, called}])) << truth << " " << called;
    }
  EXPECT_DOUBLE_EQ(classes["accuracy"], static_cast<double>(right_) / static_cast<double>(total_));
  const std::string table = Run(compare).out;
  EXPECT_NE(table.find("Accuracy, of all held-out pixels"), std::string::npos) << table;
  EXPECT_FALSE(report["models"][0].contains("classes"));
}

// A model that knows another class instead of one of the table: each value stands below its class.
TEST_F(ClassesTest, ClassesOfSeveralModelsStandInColumnsOfTheirNames) {
  const std::string table = FormatSamples(samples_), renamed = samples_.classes()[1];
  std::string other = table;
  for (std::size_t at = 0; (at = other.find(renamed + ',', at)) != std::string::npos;)
    other.replace(at, renamed.size(), "another");
  Put("s.csv", table);
  Put("other.csv", other);
  ASSERT_EQ(Run("train --samples other.csv -o other.json").status, 0);
  const std::string compare =
      "compare --samples s.csv --kinds qda --spaces BGR --folds 2 --models other.json";
  const json models = Json(compare)["models"];
  const std::string text = Run(compare).out;
  std::istringstream lines(text.substr(text.find("Accuracy, of all")));
  std::string line, word;
  std::getline(lines, line);
  std::getline(lines, line);
  std::getline(lines, line);
  std::istringstream head(line);
  std::vector<std::string> columns;
  while (head >> word) columns.push_back(word);
  ASSERT_EQ(columns.size(), 5u) << text;  // all, three classes, and another
  for (const json& model : models) {
    const json& classes = model["pooled"]["classes"];
    std::getline(lines, line);
    std::istringstream row(line.substr(24));
    std::vector<std::string> values;
    while (row >> word) values.push_back(word);
    ASSERT_EQ(values.size(), columns.size()) << line;
    EXPECT_EQ(values[0] == "-", line.starts_with("other")) << line;
    for (std::size_t i = 1; i < columns.size(); ++i) {
      const auto& names = classes["classes"];
      const auto k = std::ranges::find(names, json(columns[i])) - names.begin();
      const bool is_known = k < static_cast<std::ptrdiff_t>(names.size());
      const json recall = is_known ? classes["recall"][static_cast<std::size_t>(k)] : json();
      EXPECT_EQ(values[i] == "-", recall.is_null()) << line;
      if (!recall.is_null()) {
        EXPECT_NEAR(std::stod(values[i]), recall.get<double>(), 1e-6) << line;
      }
    }
  }
}

TEST_F(ClassesTest, EveryClassHasItsRecallWhereAModelIsJudged) {
  Put("s.csv", FormatSamples(samples_));
  ASSERT_EQ(Run("train --samples s.csv -o m.json").status, 0);
  const json judged = Json("evaluate --samples s.csv --model m.json")["classes"];
  for (std::size_t i = 0; i < 3; ++i) {
    const auto k = std::ranges::find(samples_.classes(), judged["classes"][i].get<std::string>()) -
                   samples_.classes().begin();
    EXPECT_DOUBLE_EQ(judged["recall"][i],
                     judged["counts"][i][i].get<double>() /
                         static_cast<double>(samples_.Total(static_cast<std::size_t>(k))));
  }
}

// Of the counts and the costs; and no classes cost less by other costs than by their own.
TEST_F(ClassesTest, CostsOfTheTrainedModelAreThoseThatAreCounted) {
  Put("s.csv", FormatSamples(samples_));
  ASSERT_EQ(Run("train --samples s.csv -o m.json --class-costs 0,1,9:4,0,2:1,9,0").status, 0);
  const std::string evaluate = "evaluate --samples s.csv --model m.json";
  const json own = Json(evaluate)["classes"];
  const json even = Json(evaluate + " --class-costs 0,1,1:1,0,1:1,1,0")["classes"];
  EXPECT_EQ(own["costs"], json({{0, 1, 9}, {4, 0, 2}, {1, 9, 0}}));
  const auto cost_of = [&](const json& counts) {
    double cost = 0, all = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        cost += own["costs"][i][j].get<double>() * counts[i][j].get<double>();
        all += counts[i][j].get<double>();
      }
    return cost / all;
  };
  EXPECT_DOUBLE_EQ(own["mean_cost"], cost_of(own["counts"]));
  EXPECT_LT(own["mean_cost"], cost_of(even["counts"]));
  EXPECT_DOUBLE_EQ(even["mean_cost"], 1 - even["accuracy"].get<double>());
  EXPECT_EQ(Run(evaluate + " --class-costs 0,1:1,0").status, 2);
  EXPECT_EQ(Run(evaluate + " --class-costs 0,1,1").status, 2);
}

// In the folds as in all pixels, accuracy is of the classes that are called.
TEST_F(CompareTest, AccuracyOfTwoClassesIsByTheirCosts) {
  const std::string table = (testing::SamplesFolder() / "labelled-pixels.csv").string();
  ASSERT_EQ(Run("train -o plain.json --samples " + table).status, 0);
  ASSERT_EQ(Run("train -o costs.json --class-costs 0,50:1,0 --samples " + table).status, 0);
  const auto judged = [&](const std::string& model) {
    return Json("compare --kinds none --folds 2 --select accuracy --models " + model +
                " --samples " + table)["models"][0];
  };
  const json with_costs = judged("costs.json");
  const auto folds = with_costs["accuracy"]["folds"].get<std::vector<double>>();
  const double all = with_costs["pooled"]["classes"]["accuracy"];
  EXPECT_GE(all, std::ranges::min(folds));
  EXPECT_LE(all, std::ranges::max(folds));
  const auto without = judged("plain.json")["accuracy"]["folds"].get<std::vector<double>>();
  for (std::size_t i = 0; i < folds.size(); ++i) EXPECT_LT(folds[i], without[i]);
}

TEST_F(CompareTest, ErrorsAreOneLineWithTheRightStatus) {
  Put("s.csv", FormatSamples(Table(rows_)));
  const std::pair<const char*, std::pair<int, const char*>> cases[] = {
      {"", {2, "give either --samples, or --images"}},
      {"--samples s.csv --kinds forest", {2, "model kind 'forest'"}},
      {"--samples s.csv --kinds histogram:300",
       {2, "model kind 'histogram:300': needs a number from 2 to 256, not '300'"}},
      {"--samples s.csv --kinds mixture:0", {2, "needs a number from 1 to 64, not '0'"}},
      {"--samples s.csv --seed -1", {2, "--seed: -1 is no whole number from 0"}},
      {"--samples s.csv --spaces CIE", {2, "colour space 'CIE'"}},
      {"--samples s.csv --channels Cr --spaces BGR", {2, "channels 'Cr'"}},
      {"--samples s.csv --shrinkage 2", {2, "--shrinkage 2: is out of range"}},
      {"--samples s.csv --folds 1", {2, "--folds"}},
      {"--samples s.csv --select luck", {2, "--select"}},
      {"--samples s.csv --max-f1", {2, "is for the model of --write"}},
      {"--samples s.csv --folds 11",
       {1, "11 folds: do not fit samples of 10 groups (--folds takes from 2 to as many)"}},
      {"--samples s.csv --write s.csv", {2, "are the same file"}},
      {"--samples s.html --report s.html", {2, "are the same file"}},
      {"--samples s.csv --report r.html --json=r.html", {2, "are the same file"}},
      {"--samples s.csv --report -", {2, "standard output does not take a page"}},
      {"--samples s.csv --partial -", {2, "standard output does not take a part"}},
      {"--samples s.csv --kinds none", {2, "--kinds none needs --models"}},
      {"--samples s.csv --kinds none --models default --write m.json", {2, "none has none"}},
      {"--samples s.csv --kinds none --models default --spaces Lab",
       {2, "--spaces is of candidates, and --kinds none has none"}},
      {"--samples s.csv --take simplest", {2, "--take is for the model of --write"}},
      {"--samples s.csv --models absent.json", {1, "absent.json"}},
      {"--samples s.csv --models s.csv", {1, "s.csv"}},
      {"--samples s.csv --positive non-skin --models default",
       {1, "default: finds 'skin', not 'non-skin'"}},
  };
  for (const auto& [arguments, expected] : cases) {
    const Outcome run = Run(std::string("compare ") + arguments);
    EXPECT_EQ(run.status, expected.first) << arguments << run.err;
    EXPECT_EQ(Lines(run.err), 1) << run.err;
    EXPECT_NE(run.err.find(expected.second), std::string::npos) << run.err;
  }
}

TEST_F(CompareTest, EvaluateChoosesOnWhatItEvaluates) {
  Put("s.csv", FormatSamples(Table(rows_)));
  ASSERT_EQ(Run("train --samples s.csv --max-fpr 0.05 -o m.json").status, 0);
  const json own = Json("evaluate --samples s.csv --model m.json");
  EXPECT_EQ(own["decision"]["rule"], "max-fpr 0.05");
  EXPECT_EQ(own["decision"]["data"], "training samples");
  EXPECT_GE(own["pooled"]["specificity"], 0.95);
  const json chosen = Json("evaluate --samples s.csv --model m.json --min-recall 0.99");
  EXPECT_EQ(chosen["decision"]["rule"], "min-recall 0.99");
  EXPECT_EQ(chosen["decision"]["data"], "the evaluated data");
  EXPECT_GE(chosen["pooled"]["recall"], 0.99);
  const std::string threshold =
      std::to_string(chosen["decision"]["threshold"].get<double>() + 1e-3);
  EXPECT_LT(
      Json("evaluate --samples s.csv --model m.json --threshold " + threshold)["pooled"]["recall"],
      chosen["pooled"]["recall"]);
  const std::string folder = testing::SamplesFolder().string();
  const json images =
      Json("evaluate --max-fpr 0.1 --images " + folder + "/photos --truth " + folder + "/masks");
  EXPECT_GE(images["pooled"]["specificity"], 0.9);
  EXPECT_NE(
      Run("evaluate --samples s.csv --max-f1").out.find("(max-f1, chosen on the evaluated data)"),
      std::string::npos);
  for (const char* wrong : {"--max-f1 --cost 1:1", "--max-fpr 0.1 --min-recall 0.9",
                            "--threshold 0.1 --max-fpr 0.5", "--cost 1", "--cost 1:x", "--cost 0:1",
                            "--cost 1:-1", "--cost :", "--max-fpr 2", "--min-recall x"}) {
    const Outcome run = Run(std::string("evaluate --samples s.csv ") + wrong);
    EXPECT_EQ(run.status, 2) << wrong;
    EXPECT_EQ(Lines(run.err), 1) << run.err;
  }
  const Outcome none = Run("evaluate --whole non-skin --max-f1 --images " + folder + "/photos");
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.err.find("max-f1: no pixel of the positive class in the evaluated data"),
            std::string::npos)
      << none.err;
}

}  // namespace
}  // namespace skinmask
