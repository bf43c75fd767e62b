// evaluate --by: scores of groups of images.
#include <gtest/gtest.h>

#include "skinmask/data/tone.h"
#include "support/parts.h"

namespace skinmask {
namespace {

using nlohmann::json;
using testing::Encode;
using testing::Outcome;
using testing::PartsTest;

class GroupsTest : public PartsTest {
 protected:
  // Images of plain skin beside grey; the last one has none.
  void PutTones(const std::vector<cv::Scalar>& skins) {
    for (std::size_t i = 0; i <= skins.size(); ++i) {
      cv::Mat picture(40, 40, CV_8UC3, cv::Scalar(128, 128, 128)), truth(40, 40, CV_8UC1, 0.);
      if (i < skins.size()) {
        picture.colRange(0, 15) = skins[i];
        truth.colRange(0, 15) = 255;
      }
      const std::string name = fmt::format("/{:02}.png", i);
      Put("i" + name, Encode(".png", picture));
      Put("m" + name, Encode(".png", truth));
    }
  }
  json Evaluated(const std::string& options, int status = 0) {
    const Outcome run = Run("evaluate --adapt off --images i --truth m --json " + options);
    EXPECT_EQ(run.status, status) << run.err;
    error_ = run.err;
    return json::parse(run.out);
  }
  std::string error_;
};

TEST_F(GroupsTest, ImagesAreInTheGroupOfTheirTrueSkin) {
  const std::vector<cv::Scalar> skins{{0xe4, 0xed, 0xf6}, {0x56, 0x7e, 0xa0}, {0x34, 0x41, 0x60}};
  PutTones(skins);
  const json report = Evaluated("--by tone");
  ASSERT_EQ(report["groups"].size(), 2u);
  const json &ita = report["groups"][0], &monk = report["groups"][1];
  EXPECT_EQ(ita["by"], "tone by ITA");
  EXPECT_EQ(monk["by"], "tone by Monk");
  EXPECT_EQ(ita["groups"].size(), 6u);
  EXPECT_EQ(monk["groups"].size(), 10u);
  const int tones[] = {1, 6, 8};
  for (std::size_t i = 0; i < 3; ++i) {
    const json& image = report["images"][i];
    const auto byte = [&](int c) { return static_cast<std::uint8_t>(skins[i][c]); };
    const Lab lab = LabOfSrgb(byte(0), byte(1), byte(2));
    EXPECT_NEAR(image["tone"]["lab"][0].get<double>(), lab.l, 0.02);
    EXPECT_NEAR(image["tone"]["ita"].get<double>(), ItaDegrees(lab), 0.1);
    EXPECT_EQ(image["tone"]["monk"], tones[i]);
    EXPECT_EQ(image["groups"][0], ItaClasses()[ItaClass(ItaDegrees(lab))]);
    EXPECT_EQ(image["groups"][1], std::to_string(tones[i]));
    EXPECT_EQ(monk["groups"][tones[i] - 1]["images"], 1);
    EXPECT_EQ(monk["groups"][tones[i] - 1]["tp"], image["tp"]);
  }
  EXPECT_TRUE(report["images"][3]["tone"].is_null());
  EXPECT_TRUE(report["images"][3]["groups"][0].is_null());
  EXPECT_EQ(ita["images_in_none"], 1);
  const Outcome run = Run("evaluate --adapt off --images i --truth m --by tone");
  for (const char* words :
       {"\ntone by ITA ", "\ntone by Monk ", "1 image in no group: no true skin",
        "recall: too few data to compare", "light fools any angle"})
    EXPECT_NE(run.out.find(words), std::string::npos) << words << run.out;
  EXPECT_FALSE(Evaluated("").contains("groups"));
}

TEST_F(GroupsTest, TablesDivideImages) {
  PutTones(std::vector<cv::Scalar>(3, {120, 150, 210}));
  Put("cams.csv",
      "\xEF\xBB\xBFimage,camera, \"light, or none\"\r\n03.png, b ,\r\n00.png,a,\"a "
      "\"\"lamp\"\"\"\r\n"
      "01.png,b,\t\"sun\"\r\n02.png,a,sun\r\n\r\n");
  const json report = Evaluated("--by cams.csv --by tone");
  EXPECT_EQ(error_, "");
  ASSERT_EQ(report["groups"].size(), 4u);
  const json &camera = report["groups"][0], &light = report["groups"][1];
  EXPECT_EQ(camera["by"], "camera");
  EXPECT_EQ(camera["source"], "cams.csv");
  EXPECT_EQ(camera["groups"][0]["name"], "a");
  EXPECT_EQ(camera["groups"][0]["images"], 2);
  EXPECT_EQ(camera["groups"][0]["pixels"], 3200);
  EXPECT_EQ(light["by"], "light, or none");
  EXPECT_EQ(light["groups"][0]["name"], "a \"lamp\"");
  EXPECT_EQ(light["images_in_none"], 1);
  EXPECT_EQ(report["images"][0]["groups"][1], "a \"lamp\"");
  const json images = report["images"];
  EXPECT_EQ(camera["groups"][0]["fp"].get<int>(),
            images[0]["fp"].get<int>() + images[2]["fp"].get<int>());
  ASSERT_EQ(Run("detect --adapt off i -o p").status, 0);
  const Outcome masks = Run("evaluate --predicted p --truth m --by cams.csv");
  EXPECT_EQ(masks.status, 0) << masks.err;
  EXPECT_NE(masks.out.find("\ncamera "), std::string::npos) << masks.out;
}

TEST_F(GroupsTest, WhatDoesNotFitIsTold) {
  PutTones(std::vector<cv::Scalar>(2, {120, 150, 210}));
  Put("t.csv", "image,camera\n00.png,a\n01.png,b\nother.png,c\nelse.png,c\n");
  EXPECT_EQ(Evaluated("--by t.csv")["groups"][0]["groups"].size(), 2u);
  EXPECT_EQ(error_,
            "skinmask: warning: t.csv: has no row for 1 of 3 images, which are in no group (the "
            "first is '02.png')\n"
            "skinmask: warning: t.csv: has 2 rows of images that were not judged (the first is "
            "'else.png')\n");
  Put("t.csv", "image,camera\n00,a\n");
  EXPECT_EQ(Evaluated("--by t.csv --max-failures 9", 1)["groups"][0]["images_in_none"], 3);
  EXPECT_EQ(error_,
            "skinmask: t.csv: names none of the 3 images (in the column image, as "
            "'00.png')\n");
  std::string many = "image,n\n";
  for (int i = 0; i < 101; ++i) many += fmt::format("{}.png,{}\n", i, i);
  const std::pair<std::string, std::string> refusals[] = {
      {"", "t.csv: is empty (a header image,COLUMN,... is expected)"},
      {"\n \n", "t.csv: is empty"},
      {"name,camera\n00.png,a\n", "t.csv:1: begins with 'name', not with 'image'"},
      {std::string("\x89PNG\r\n\x1a\n\0\0", 10), "t.csv:1: begins with '?PNG', not with 'image'"},
      {"image\n00.png\n", "t.csv:1: names no column beside image"},
      {"image,a,a\n00.png,1,2\n", "t.csv:1: has the column 'a' twice"},
      {"image,a,\n00.png,1,2\n", "t.csv:1: has a column without a name"},
      {"image,a\n", "t.csv: has a header, but no row"},
      {"image,a\n00.png\n", "t.csv:2: has not as many cells as the header (it has 1; 2 "},
      {"image,a\n00.png,1,2\n", "t.csv:2: has not as many cells as the header (it has 3; 2 "},
      {"image,a\n,1\n", "t.csv:2: names no image"},
      {"image,a\n00.png,1\n01.png,1\n00.png,2\n", "t.csv:4: names the image '00.png', as a line"},
      {"image,a\n00.png,\"1\n", "t.csv:2: has a quote that nothing closes"},
      {"image,a\n00.png,\"1\"2\n", "t.csv:2: has text behind a quote that closes"},
      {"image,a\n00.png," + std::string(101, 'x') + "\n", "t.csv:2: has a value of more than 100"},
      {"image" + std::string(40, ','), "t.csv:1: has more than 32 columns"},
      {many, "t.csv:102: is where the column 'n' has more than 100 values"}};
  for (const auto& [text, line] : refusals) {
    Put("t.csv", text);
    const Outcome run = Run("evaluate --adapt off --images i --truth m --by t.csv");
    EXPECT_EQ(run.status, 1) << line;
    EXPECT_EQ(run.err.find("skinmask: " + line), 0u) << run.err << line;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_EQ(run.out, "");
  }
  const std::pair<const char*, const char*> usage[] = {
      {"--images i --truth m --by camera", "'camera' is neither tone nor a table (FILE.csv)"},
      {"--predicted i --truth m --by tone", "--by tone looks at photographs"},
      {"--samples s.csv --by tone", "--by groups images, and tables are read"},
      {"--images i --truth m --by t.csv --json=t.csv --force", "are the same file"}};
  for (const auto& [options, line] : usage) {
    const Outcome run = Run(std::string("evaluate ") + options);
    EXPECT_EQ(run.status, 2) << options;
    EXPECT_NE(run.err.find(line), std::string::npos) << run.err;
  }
  EXPECT_EQ(Run("evaluate --images i --truth m --by none.csv").status, 1);
}

TEST_F(GroupsTest, PartsAddUpToOneRun) {
  PutPairs(6, 4);
  Put("t.csv", "image,camera\n0.png,a\n1.png,b\n2.png,a\n4.png,a\n");
  const std::string pairs = "--adapt off --images i --truth m ";
  ExpectEqual(pairs + "--by tone --by t.csv", {3, 8}, 1);
  ExpectEqual(pairs + "--by tone --max-f1", {2}, 1);
  // Other groupings at the merge: those of one run that is given them.
  const std::string parts = " --force --json merged.json --partials part1of2 part2of2 --by ",
                    merge = "evaluate --max-f1 " + pairs + parts;
  for (const std::string by : {"t.csv", "tone"}) {
    ASSERT_EQ(Run("evaluate --force --max-f1 --json one.json " + pairs + "--by " + by).status, 1);
    ASSERT_EQ(Run(merge + by).status, 1);
    EXPECT_EQ(Bytes("merged.json"), Bytes("one.json")) << by;
  }
  Parts("evaluate " + pairs, "--partial", 2, 1);
  const std::string without_rule = "evaluate " + pairs + parts;
  EXPECT_EQ(Run(without_rule + "t.csv").status, 1);
  const Outcome none = Run(without_rule + "tone");
  EXPECT_NE(none.err.find("part1of2: was made without tones"), std::string::npos) << none.err;
  const Outcome mixed = Run(without_rule + "none.csv");
  EXPECT_NE(mixed.err.find("none.csv: "), std::string::npos) << mixed.err;
}

TEST_F(GroupsTest, AChangedToneIsRefused) {
  PutTones({{120, 150, 210}});
  Parts("evaluate --adapt off --images i --truth m --by tone", "--partial", 1);
  const nlohmann::ordered_json whole = nlohmann::ordered_json::parse(Bytes("part1of1"));
  for (const json& tone : {json(), json{1, 2}, json{1, 2, 1e9}, json{101, 0, 0}, json("light")}) {
    nlohmann::ordered_json part = whole;
    part["images"][0]["tone"] = tone;
    Put("damaged", part.dump());
    const Outcome run =
        Run("evaluate --adapt off --images i --truth m --by tone --partials damaged");
    EXPECT_EQ(run.status, 1) << tone;
    EXPECT_EQ(run.err.find("skinmask: damaged: images[0].tone"), 0u) << run.err;
  }
  nlohmann::ordered_json part = whole;
  part["keeps_tones"] = false;
  Put("damaged", part.dump());
  EXPECT_EQ(Run("evaluate --adapt off --images i --truth m --by tone --partials damaged").status,
            1);
}

}  // namespace
}  // namespace skinmask
