// Parts that were changed, or never were any.
#include <gtest/gtest.h>

#include "support/parts.h"

namespace skinmask {
namespace {

using nlohmann::ordered_json;
using testing::Encode;
using testing::Outcome;
using testing::PartsTest;

// Parts come from anywhere: where anything goes, and what is read, the command line alone says.
TEST_F(PartsTest, PartsGiveNoOrders) {
  PutPairs(3);
  ASSERT_EQ(Run("sample --images i --masks m -o s.csv").status, 0);
  const std::string evaluate = "evaluate --adapt off --max-f1 --images i --truth m ",
                    compare = "compare --samples s.csv --folds 2 --kinds lda --spaces BGR ";
  ASSERT_EQ(Run(compare + "--shard 1/1 --partial c").status, 0);
  ASSERT_EQ(Run(evaluate + "--shard 1/1 --partial e").status, 0);
  const auto refused = [&](const std::string& verb, const std::string& pointer,
                           const ordered_json& value) {
    ordered_json part = ordered_json::parse(Bytes(verb == compare ? "c" : "e"));
    part[ordered_json::json_pointer(pointer)] = value;
    Put("changed", part.dump());
    const Outcome run = Run(verb + "--partials changed --force --json evil");
    EXPECT_EQ(run.status, 1) << verb << pointer << run.out;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_FALSE(std::filesystem::exists(Path("evil"))) << pointer;
  };
  for (const std::string& verb : {evaluate, compare}) {
    for (const char* order : {"write", "partial", "report", "json", "no-option", "force=true", ""})
      refused(verb, std::string("/options/") + order, "evil");
    refused(verb, "/options/invert", true);
    refused(verb, "/options/label", ordered_json::array());
    refused(verb, "/options/images", "/");
  }
  refused(evaluate, "/keeps_scores", false);
  refused(evaluate, "/positive", "hair");
  EXPECT_EQ(Run(compare + "--partials c --write c --force").status, 2);
  EXPECT_EQ(Run("evaluate --images i --truth m --shard 1/1 --partial i/0.png --force").status, 2);
}

TEST_F(PartsTest, ADamagedPartIsRefused) {
  PutPairs(2);
  Parts("evaluate --adapt off --images i --truth m --max-f1", "--partial", 1);
  const std::string whole = Bytes("part1of1");
  const auto refused = [&](const std::string& bytes, const std::string& why) {
    Put("damaged", bytes);
    const Outcome run =
        Run("evaluate --adapt off --images i --truth m --max-f1 --partials damaged");
    EXPECT_EQ(run.status, 1) << why << run.out;
    EXPECT_EQ(run.err.find("skinmask: damaged: "), 0u) << why << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  };
  for (const std::size_t size : {whole.size() / 100, whole.size() / 2, whole.size() - 3})
    refused(whole.substr(0, size), "cut");
  const auto changed = [&](const std::string& pointer, const ordered_json& value) {
    ordered_json part = ordered_json::parse(whole);
    part[ordered_json::json_pointer(pointer)] = value;
    refused(part.dump(), pointer + " " + value.dump());
  };
  changed("/images/0/tp", -1);
  changed("/images/0/tp", 1ull << 50);
  changed("/images/0/tp", 5);
  changed("/images/0/auc", nullptr);
  changed("/images/0/auc", 1.5);
  changed("/images/0/brier", "0.1");
  changed("/images/0/scores", "////");
  changed("/images/0/scores", "");
  changed("/images", ordered_json::array());
  changed("/size", 1ull << 62);
  changed("/shard", {0, 1});
  changed("/shard", {1, 1ull << 62});
  changed("/scores/bins", "AAAA");
  changed("/scores/bins", "*");
  changed("/scores/squared_error", "-1");
  changed("/scores/squared_error", "9999999999999999999999999999999999");
  changed("/drawn/0", {1, 2, 3, 256, true});
  changed("/options", {{"images", "i"}, {"no-option", "1"}});
  changed("/options", {{"samples", "s.csv"}});
  changed("/options", {{"images", 7}});
  changed("/finder", 7);
  std::string number = whole;
  number.replace(number.find("\"auc\":") + 6, 1, "1e999,\"x\":0");
  refused(number, "infinite");
}

}  // namespace
}  // namespace skinmask
