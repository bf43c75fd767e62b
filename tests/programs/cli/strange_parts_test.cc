// Parts that were changed, or never were any.
#include <gtest/gtest.h>

#include "support/parts.h"

namespace skinmask {
namespace {

using nlohmann::ordered_json;
using testing::Encode;
using testing::Outcome;
using testing::PartsTest;

// Parts come from anywhere: they say what was asked for, and not where anything goes.
TEST_F(PartsTest, PartsGiveNoOrders) {
  PutPairs(3);
  const auto changed = [&](const std::string& file, const std::string& from,
                           const std::string& to) {
    std::string bytes = Bytes(file);
    EXPECT_NE(bytes.find(from), std::string::npos) << bytes.substr(0, 500);
    return Put("changed", bytes.replace(bytes.find(from), from.size(), to));
  };
  const auto refused = [&](const std::string& verb) {
    const Outcome run = Run(verb + " --partials changed");
    EXPECT_EQ(run.status, 1) << verb << run.out;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  };
  ASSERT_EQ(Run("sample --images i --masks m -o s.csv").status, 0);
  ASSERT_EQ(
      Run("compare --samples s.csv --folds 2 --kinds lda --spaces bgr --shard 1/1 --partial c")
          .status,
      0);
  const std::string options = "\"options\":{";
  for (const char* order : {"write", "partial", "report", "json"}) {
    changed("c", options, options + "\"" + order + "\":\"evil\",");
    refused("compare");
    EXPECT_FALSE(std::filesystem::exists(Path("evil"))) << order;
  }
  ASSERT_EQ(
      Run("evaluate --adapt off --max-f1 --images i --truth m --shard 1/1 --partial e").status, 0);
  changed("e", options, options + "\"report\":\"evil\",");
  refused("evaluate");
  changed("e", options,
          options + "\"image-name\":" + std::string(100000, '[') + std::string(100000, ']') + ",");
  refused("evaluate");
  changed("e", "\"keeps_scores\":true", "\"keeps_scores\":false");
  refused("evaluate");
  changed("e", "\"positive\":\"skin\"", "\"positive\":\"hair\"");
  refused("evaluate");
  EXPECT_EQ(Run("compare --partials c --write c --force").status, 2);
  EXPECT_EQ(Run("evaluate --images i --truth m --shard 1/1 --partial i/0.png --force").status, 2);
}

// What the parser would split, shorten or take for something else is no option either, and a value
// that looks like an option stays a value.
TEST_F(PartsTest, NamesOfOptionsInPartsHoldNoOtherOption) {
  PutPairs(3);
  ASSERT_EQ(Run("sample --images i --masks m -o s.csv").status, 0);
  const std::string evaluate = "evaluate --adapt off --images i --truth m ",
                    compare = "compare --samples s.csv --folds 2 --kinds lda --spaces BGR ";
  ASSERT_EQ(Run(compare + "--shard 1/1 --partial c").status, 0);
  ASSERT_EQ(Run(evaluate + "--max-f1 --shard 1/1 --partial e").status, 0);
  const auto refused = [&](const std::string& verb, const ordered_json& options) {
    ordered_json part = ordered_json::parse(Bytes(verb == "compare" ? "c" : "e"));
    part["options"].update(options);
    Put("changed", part.dump());
    const Outcome run = Run(verb + " --partials changed");
    EXPECT_EQ(run.status, 1) << verb << options << run.out;
    EXPECT_EQ(run.err.find("skinmask: changed: "), 0u) << verb << options << run.err;
    EXPECT_FALSE(std::filesystem::exists(Path("evil"))) << options;
  };
  for (const char* verb : {"compare", "evaluate"}) {
    for (const char* name :
         {"write=evil", "report=evil", "json=evil", "sandbox=off", "force=true", "force", "-force",
          "no-force", "forc", "Force", "q", "", " ", "images=i", "max-f1=true"})
      refused(verb, {{name, true}});
    refused(verb, {{"partial=evil", true}, {"shard=1/1", true}});
    refused(verb, {{"invert", "false"}});
    refused(verb, {{"label", ordered_json::array()}});
  }
  ordered_json part = ordered_json::parse(Bytes("e"));
  part["options"]["images"] = "--report=evil";
  Put("value", part.dump());
  EXPECT_EQ(Run("evaluate --partials value").status, 0);  // what is not read without a page
  EXPECT_FALSE(std::filesystem::exists(Path("evil")));
}

// A part says what is read where its own run was; not that it is the whole machine, or endless.
TEST_F(PartsTest, PartsNameFilesAndFolders) {
  PutPairs(2);
  ASSERT_EQ(Run("sample --images i --masks m -o s.csv").status, 0);
  ASSERT_EQ(Run("compare --samples s.csv --folds 2 --kinds lda --spaces BGR --shard 1/1 "
                "--partial c")
                .status,
            0);
  ASSERT_EQ(Run("evaluate --images i --truth m --shard 1/1 --partial e").status, 0);
  const auto changed = [&](const std::string& part, const std::string& name,
                           const ordered_json& value) {
    ordered_json json = ordered_json::parse(Bytes(part));
    json["options"][name] = value;
    Put("changed", json.dump());
    const Outcome run = Run((part == "c" ? "compare" : "evaluate --report r.html --force") +
                            std::string(" --partials changed"));
    EXPECT_EQ(run.status, 1) << name << value << run.out;
    EXPECT_EQ(run.err.find("skinmask: changed: names '"), 0u) << name << value << run.err;
  };
  for (const char* path : {"/", "/dev/zero", "/..", "/proc/self/root"}) {
    for (const char* name : {"images", "truth", "model", "faces", "seed-mask"})
      changed("e", name, path);
    changed("c", "samples", ordered_json::array({path}));
    changed("c", "models", ordered_json::array({path}));
  }
  const Outcome run = Run("evaluate --partials e --report r.html --force");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "skinmask: the parts name what the page shows: i, m\n");
  EXPECT_EQ(Run("evaluate -q --partials e --report r.html --force").err, "");
}

// However a part writes a path, the line shows where it leads.
TEST_F(PartsTest, PathsArePlainInTheLineThatTellsOfThem) {
  PutPairs(2);
  ASSERT_EQ(Run("evaluate --images i --truth m --shard 1/1 --partial e").status, 0);
  ordered_json json = ordered_json::parse(Bytes("e"));
  std::string around;
  for (int i = 0; i < 1200; ++i) around += "./";
  for (const char* name : {"images", "truth"})
    json["options"][name] = around + json["options"][name].get<std::string>();
  Put("changed", json.dump());
  const Outcome run = Run("evaluate --partials changed --report r.html");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "skinmask: the parts name what the page shows: i, m\n");
}

TEST_F(PartsTest, ADamagedPartIsRefused) {
  PutPairs(2);
  Parts("evaluate --adapt off --images i --truth m --max-f1", "--partial", 1);
  const std::string whole = Bytes("part1of1");
  const auto refused = [&](const std::string& bytes, const std::string& why) {
    Put("damaged", bytes);
    const Outcome run = Run("evaluate --partials damaged");
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
