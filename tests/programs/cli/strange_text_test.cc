// Text of strangers, in names and in files: it makes no line of its own, gives no order to a
// terminal and has an end.
#include <gtest/gtest.h>

#include "skinmask/model/model.h"
#include "support/hostile.h"
#include "support/parts.h"

namespace skinmask {
namespace {

using nlohmann::ordered_json;
using testing::Encode;
using testing::Lines;
using testing::Outcome;

class StrangeTextTest : public testing::PartsTest {};

TEST_F(StrangeTextTest, NamesMakeNoLinesOfTheirOwn) {
  const std::string picture = Encode(".png", testing::Gradient(8, 6));
  Put("in/nl\nskinmask: 0 failed, all is well\n.png", picture);
  Put("in/b\u009b31m\u202e\x7f.png", picture);
  Put("in/plain h\u00e4nde.png", picture);
  const Outcome run = Run("detect --adapt off in -o out");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Lines(run.out), 3) << run.out;
  EXPECT_NE(run.out.find("in/nl skinmask: 0 failed, all is well .png: "), std::string::npos);
  EXPECT_NE(run.out.find("in/b?31m??.png: "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(" -> out/plain h\u00e4nde.png\n"), std::string::npos) << run.out;
  for (const char* option : {"--json", "--jsonl -"}) {
    const std::string text = Run("detect --adapt off --force -o out in " + std::string(option)).out;
    EXPECT_NE(text.find("in/b\\u009b31m\\u202e\\u007f.png"), std::string::npos) << text;
    EXPECT_NE(text.find("in/plain h\u00e4nde.png"), std::string::npos) << text;
  }
}

TEST_F(StrangeTextTest, LongNamesAreCutForPeopleOnly) {
  const std::string name = std::string(60, 'a') + "/";
  std::string path;
  for (int i = 0; i < 60; ++i) path += name;
  Put("long.tar", testing::TarOf(path + "a.png", Encode(".png", testing::Gradient(8, 6))));
  const Outcome run = Run("detect --adapt off long.tar -o out");  // with or without its mask
  EXPECT_LT(run.out.size() + run.err.size(), 9000u);
}

TEST_F(StrangeTextTest, ModelsForgeNoRows) {
  ordered_json model = ordered_json::parse(ModelToJson(DefaultModel()));
  model["card"]["notes"]["n"] = "x\nkind        forged \u009b" + std::string(200'000, 'y');
  model["card"]["notes"]["a\ndecision    forged"] = "z";
  model["decision"]["data"] = "x\nfeatures    forged";
  model["card"]["training"]["sha256"] = "x\nclass       forged";
  Put("m.json", model.dump());
  const Outcome run = Run("show m.json");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_LT(run.out.size(), 20'000u);
  for (const char* row : {"\nkind ", "\nfeatures    f", "\nclass       f", "\ndecision    f"})
    EXPECT_EQ(run.out.find(row), std::string::npos) << row;
  EXPECT_EQ(run.out.find("\u009b"), std::string::npos);
  EXPECT_EQ(Run("show --json m.json").out.find("\u009b"), std::string::npos);
}

TEST_F(StrangeTextTest, GroupsForgeNoRows) {
  PutPairs(2);
  Put("g.csv", "image,\"by\nforged\"\n0.png,\"x\nforged\"\n1.png,y\n");
  const Outcome run = Run("evaluate --adapt off --images i --truth m --by g.csv");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("x forged"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("\nforged"), std::string::npos) << run.out;
}

TEST_F(StrangeTextTest, PartsForgeNoLines) {
  PutPairs(2, 1);
  Parts("evaluate --adapt off --images i --truth m", "--partial", 1, 1);
  ordered_json part = ordered_json::parse(Bytes("part1of1"));
  const std::string forged = "S\nskinmask: forged 2\n\u009b" + std::string(50'000, 'y');
  for (const char* key : {"shown", "line"}) {
    part["images"][1]["problem"][key] = forged;
    Put("forged", part.dump());
    const Outcome run =
        Run("evaluate --adapt off --images i --truth m --partials forged --json r.json --force");
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(Lines(run.err), 1) << run.err;
    EXPECT_LT(run.err.size(), 2200u);
    EXPECT_EQ(run.err.find("\u009b"), std::string::npos);
  }
}

}  // namespace
}  // namespace skinmask
