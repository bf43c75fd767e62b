// What `compare` recommends, models that it judges as they are, and its page.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/comparison.h"

namespace skinmask {
namespace {

using nlohmann::json;
using testing::CompareTest;
using testing::Outcome;

TEST_F(CompareTest, TheSimplestWithinOneStandardErrorIsNamed) {
  Put("s.csv", FormatSamples(Table(rows_)));
  const std::string compare =
      "compare --samples s.csv --kinds qda,gaussian-nb,logistic,histogram --spaces BGR,Lab";
  const Outcome run = Run(compare + " --json=c.json");
  ASSERT_EQ(run.status, 0) << run.err;
  const json report = json::parse(ReadFile(Path("c.json")));
  const json &choice = report["choice"], &models = report["models"];
  EXPECT_EQ(choice["best"], models[0]["name"]);
  EXPECT_DOUBLE_EQ(choice["limit"], models[0]["auc"]["mean"].get<double>() -
                                        models[0]["auc"]["standard_error"].get<double>());
  int within = 0, fewest = 1 << 30;
  for (const json& m : models) {
    const json& d = m["difference"];
    EXPECT_NEAR(d["mean"], m["auc"]["mean"].get<double>() - models[0]["auc"]["mean"].get<double>(),
                1e-12);
    EXPECT_NEAR(d["interval"][0].get<double>() + d["interval"][1].get<double>(),
                2 * d["mean"].get<double>(), 1e-12);
    EXPECT_EQ(m["within_one_standard_error"],
              -d["mean"].get<double>() <= d["standard_error"].get<double>() + 1e-9)
        << m["name"];
    if (!m["within_one_standard_error"]) continue;
    ++within;
    fewest = std::min(fewest, m["parameters"].get<int>());
  }
  EXPECT_EQ(choice["within"], within);
  EXPECT_EQ(choice["parameters"], fewest);
  const std::string table = run.out, simplest = choice["simplest"];
  EXPECT_EQ(std::ranges::count(table, '*'), within + (within > 1 ? 1 : 0)) << table;
  EXPECT_NE(table.find("\nTake " + simplest + ": "), std::string::npos) << table;
  // --take writes it.
  ASSERT_EQ(Run(compare + " --write best.json --take simplest").status, 0);
  const json written = json::parse(ReadFile(Path("best.json")));
  EXPECT_EQ(written["card"]["notes"]["compare"].get<std::string>().find(simplest + ": simplest of"),
            0u);
}

TEST_F(CompareTest, GivenModelsStandBesideTheTrained) {
  Put("s.csv", FormatSamples(Table(rows_)));
  ASSERT_EQ(Run("train --samples s.csv --kind lda --threshold 0.8 -o mine.json").status, 0);
  const std::string compare = "compare --samples s.csv --folds 3 --kinds qda --spaces BGR";
  const json report = Json(compare + " --models mine.json default"), without = Json(compare);
  ASSERT_EQ(report["models"].size(), 3u);
  const auto row = [&](const std::string& name) {
    return *std::ranges::find_if(report["models"],
                                 [&](const json& m) { return m["name"] == name; });
  };
  EXPECT_EQ(row("qda BGR")["auc"], without["models"][0]["auc"]);
  EXPECT_EQ(row("qda BGR")["given"], false);
  EXPECT_EQ(row("mine.json")["given"], true);
  EXPECT_EQ(row("mine.json")["kind"], "lda");
  EXPECT_TRUE(row("default")["fit_seconds"].is_null());
  // Each fold as evaluate has it.
  for (std::size_t fold = 1; fold <= 3; ++fold) {
    std::vector<SampleRow> held_out;
    for (const SampleRow& r : rows_)
      if (report["fold_of_group"][std::to_string(r.group)] == fold) held_out.push_back(r);
    Put("held_out.csv", FormatSamples(Table(held_out)));
    for (const std::string name : {"mine.json", "default"}) {
      const std::string model = name == "default" ? "" : " --model " + name;
      const json scores = Json("evaluate --samples held_out.csv --threshold 0.5" + model);
      EXPECT_EQ(row(name)["auc"]["folds"][fold - 1], scores["pooled"]["auc"]) << name;
    }
  }
  const json alone =
      Json("compare --samples s.csv --kinds none --models default mine.json default");
  EXPECT_EQ(alone["models"].size(), 2u);
  // What is written is trained.
  ASSERT_EQ(Run("compare --samples s.csv --kinds lda --spaces rg --models mine.json --write w.json")
                .status,
            0);
  EXPECT_EQ(json::parse(ReadFile(Path("w.json")))["features"]["space"], "rg");
}

TEST_F(CompareTest, TheReportHoldsTheJson) {
  Put("s.csv", FormatSamples(Table(rows_)));
  ASSERT_EQ(Run("compare --samples s.csv --kinds qda,lda --json=c.json --report c.html").status, 0);
  const std::string html = ReadFile(Path("c.html")),
                    start = "<script type=\"application/json\" id=\"comparison\">";
  const std::size_t from = html.find(start) + start.size();
  ASSERT_NE(html.find(start), std::string::npos);
  const json shown = json::parse(html.substr(from, html.find("</script>", from) - from)),
             written = json::parse(ReadFile(Path("c.json")));
  EXPECT_EQ(shown["models"].size(), 12u);
  for (const auto& [key, value] : shown.items()) EXPECT_EQ(written[key], value) << key;
  EXPECT_EQ(html.find("http://"), std::string::npos);
}

}  // namespace
}  // namespace skinmask
