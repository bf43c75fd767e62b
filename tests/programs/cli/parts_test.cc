// What is made of all parts is what one run makes, byte for byte.
#include "support/parts.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>

#include "skinmask/media/image.h"
#include "support/light.h"

namespace skinmask {
namespace {

using nlohmann::ordered_json;
using testing::Encode;
using testing::Outcome;
using testing::PartsTest;

TEST_F(PartsTest, TablesOfShardsAddUpToThatOfOneRun) {
  PutPairs(5);
  Put("m/2.png", Encode(".png", cv::Mat(60, 80, CV_8UC1, cv::Scalar(7))));
  const std::string pairs =
      "sample --images i --masks m --label skin=255 --label non-skin=0 "
      "--ignore 7";
  for (const std::string grouped : {"", " --ungrouped"}) {
    ASSERT_EQ(Run(pairs + grouped + " --force -o one.csv").status, 0);
    ASSERT_EQ(Run("train --samples one.csv -o one.json --force").status, 0);
    for (const int count : {3, 7}) {
      const auto files = Parts(pairs + grouped, "-o", count);
      const std::string all = fmt::format("{}", fmt::join(files, " "));
      ASSERT_EQ(Run("sample --force -o all.csv --samples " + all).status, 0);
      EXPECT_TRUE(Bytes("all.csv") == Bytes("one.csv")) << grouped << count;
      ASSERT_EQ(Run("train --force -o all.json --samples " + all).status, 0);
      EXPECT_EQ(Bytes("all.json"), Bytes("one.json"));
    }
  }
  EXPECT_EQ(Bytes("part7of7"), "class,b,g,r,count,group\n");  // no image
  EXPECT_EQ(Bytes("part3of7"), "class,b,g,r,count,group\n");  // one that counts for nothing
  EXPECT_EQ(Run("sample --samples part7of7 -o none.csv").status, 1);
}

TEST_F(PartsTest, EvaluationsOfShardsAddUpToThatOfOneRun) {
  PutPairs(3);
  const std::string pairs = "--images i --truth m ";
  ASSERT_EQ(Run("train --images i --masks m --kind mixture --components 2 -o mixture.json").status,
            0);
  ExpectEqual(pairs + "--model mixture.json", {2});
  PutPairs(5);
  ExpectEqual(pairs + "--adapt off", {3, 7});
  ExpectEqual(pairs + "--adapt off --model mixture.json --threshold 0.3", {3});
  ExpectEqual(pairs + "--seed-rect 15,20,12,12 --cost 1:3", {3});
  // Photographs with faces, of half their size.
  for (const std::string name : {"astronaut.png", "grace_hopper.jpg"}) {
    const std::string stem = name.substr(0, name.find('.')) + ".png";
    cv::Mat photo = ReadImage(testing::SamplesFolder() / "photos" / name);
    cv::Mat truth = cv::imread((testing::SamplesFolder() / "masks" / stem).string(), 0);
    cv::resize(photo, photo, photo.size() / 2, 0, 0, cv::INTER_AREA);
    cv::resize(truth, truth, photo.size(), 0, 0, cv::INTER_NEAREST);
    Put("photos/" + stem, Encode(".png", photo));
    Put("masks/" + stem, Encode(".png", truth));
  }
  ExpectEqual("--images photos --truth masks --max-f1", {2});
  for (const ordered_json& image : ordered_json::parse(Bytes("one.json"))["images"])
    EXPECT_EQ(image["adaptation"]["faces"].size(), 1u) << image;
}

// How images without a face were judged is told by the merge as by one run.
TEST_F(PartsTest, WhatWasAssumedOfAnImageIsKept) {
  cv::Mat grey(200, 200, CV_8UC3);
  for (int y = 0; y < grey.rows; ++y)
    for (int x = 0; x < grey.cols; ++x)
      grey.at<cv::Vec3b>(y, x) = cv::Vec3b::all(static_cast<std::uint8_t>(40 + y - y % 6 + x / 34));
  const cv::Mat pictures[] = {grey, testing::Wood({96, 120, 148}),
                              testing::Under(testing::RoundHand(), {1.3, 1, 0.55})};
  for (int i = 0; const cv::Mat& picture : pictures) {
    const std::string name = "/" + std::to_string(i++) + ".png";
    Put("i" + name, Encode(".png", picture));
    Put("m" + name, Encode(".png", cv::Mat(picture.size(), CV_8UC1, cv::Scalar(0))));
  }
  ExpectEqual("--images i --truth m", {2});
  const nlohmann::json one = nlohmann::json::parse(Bytes("one.json"));
  std::vector<std::string> told;
  for (const auto& image : one["images"])
    for (const char* const note : {"monochrome", "unclear", "cool"})
      if (image["adaptation"].contains(note)) told.push_back(note);
  EXPECT_EQ(told, (std::vector<std::string>{"monochrome", "unclear", "cool"}));
  const auto any_skin = [&](std::size_t i) {
    return one["images"][i]["adaptation"]["any_skin"].get<double>();
  };
  EXPECT_LT(any_skin(0), 0.1);
  EXPECT_GT(any_skin(2), 0.9);
  const std::string lines = Run("detect -v i -o o").out;
  for (const char* const note : {"taken as grey, since it has one hue", "taken in cool light",
                                 "no colours stand apart (no skin at the model's threshold)"})
    EXPECT_NE(lines.find(note), std::string::npos) << note << '\n' << lines;
}

// Of more images than there are blocks some are left out together, in parts as in one run. Most of
// the files hold nothing, which takes a tenth of the time: their places count all the same.
TEST_F(PartsTest, IntervalsOfManyImagesAreThoseOfTheirBlocks) {
  constexpr int kImages = 1030, kBlocks = 1024;
  cv::Mat truth(8, 8, CV_8UC1, cv::Scalar(0));
  truth.colRange(0, 4) = 255;
  const std::string mask = Encode(".png", truth);
  std::map<std::size_t, int> expected, pixels;  // of each block
  int read = 0;
  for (int i = 0; i < kImages; ++i) {
    const bool holds = i < 8 || i % 32 == 9 || i >= kImages - 8;
    cv::theRNG().state = static_cast<std::uint64_t>(i) + 1;
    cv::Mat picture(8, 8, CV_8UC3);
    cv::randn(picture, cv::Scalar(110, 120, 150), cv::Scalar(40, 40, 40));
    Put(fmt::format("i/{:04}.png", i), holds ? Encode(".png", picture) : "");
    Put(fmt::format("m/{:04}.png", i), mask);
    read += holds;
    if (holds) expected[static_cast<std::size_t>(i % kBlocks)] += 64;
  }
  ExpectEqual("--images i --truth m --adapt off", {3}, 1);
  const ordered_json whole = ordered_json::parse(Bytes("one.json"));
  EXPECT_EQ(whole["images"].size(), static_cast<std::size_t>(read));
  EXPECT_EQ(whole["intervals"]["pooled"]["auc"].size(), 2u);
  for (const char* name : {"part1of3", "part2of3", "part3of3"}) {
    const ordered_json part = ordered_json::parse(Bytes(name));
    for (const ordered_json& block : part["blocks"])
      for (const ordered_json& bin : block["reliability"])
        pixels[block["block"]] += bin[0].get<int>();
  }
  EXPECT_EQ(pixels, expected);
  EXPECT_EQ(pixels[5], 128);
  EXPECT_EQ(pixels[6], 64);
}

TEST_F(PartsTest, OneModelMayHaveManyPaths) {
  PutPairs(3);
  ASSERT_EQ(Run("train --images i --masks m -o own.json").status, 0);
  Put("copy/own.json", Bytes("own.json"));
  const std::string pairs = "evaluate --adapt off --images i --truth m --model ";
  ASSERT_EQ(Run(pairs + "own.json --json one.json").status, 0);
  ASSERT_EQ(Run(pairs + "own.json --shard 1/2 --partial 1").status, 0);
  ASSERT_EQ(Run(pairs + "copy/own.json --shard 2/2 --partial 2").status, 0);
  const Outcome run = Run(pairs + "own.json --json all.json --partials 1 2");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Bytes("all.json"), Bytes("one.json"));
}

TEST_F(PartsTest, RulesActAtTheMerge) {
  PutPairs(4);
  const std::string pairs = "--adapt off --images i --truth m ";
  for (const std::string rule : {"--max-f1", "--max-fpr 0.05", "--min-recall 0.9", "--cost 1:5"})
    ExpectEqual(pairs + rule, {3});
  // Those parts kept each image's scores, so another rule may act.
  ASSERT_EQ(Run("evaluate " + pairs + "--max-f1 --json one.json --force").status, 0);
  const std::string merge = "evaluate " + pairs + "--partials part1of3 part2of3 part3of3 ";
  ASSERT_EQ(Run(merge + "--max-f1 --json other.json").status, 0);
  EXPECT_EQ(Bytes("other.json"), Bytes("one.json"));
  const Outcome fixed = Run(merge + "--threshold 0.5");
  EXPECT_EQ(fixed.status, 1);
  EXPECT_NE(fixed.err.find("its option threshold is not given, and here"), std::string::npos)
      << fixed.err;
  ASSERT_EQ(Run("evaluate " + pairs + "--json one.json --force").status, 0);
  ASSERT_EQ(Run(merge + "--json none.json").status, 0);
  EXPECT_EQ(Bytes("none.json"), Bytes("one.json"));
  Parts("evaluate " + pairs, "--partial", 3);
  const Outcome none = Run(merge + "--max-f1");
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.err.find("part1of3: was made without a rule"), std::string::npos) << none.err;
  // A pipe is read once: by a merge without a rule.
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const Outcome pipe = Run("evaluate " + pairs + "--max-f1 --partials part1of3 pipe");
  EXPECT_EQ(pipe.status, 2);
  EXPECT_NE(pipe.err.find("--partials pipe: is no file"), std::string::npos) << pipe.err;
}

TEST_F(PartsTest, MasksAndClassesAddUp) {
  PutPairs(4);
  ASSERT_EQ(Run("detect --adapt off i -o p").status, 0);
  ExpectEqual("--predicted p --truth m", {3, 5});
  for (int i = 0; i < 4; ++i) {
    cv::Mat mask = cv::imread(Path(fmt::format("m/{}.png", i)).string(), cv::IMREAD_GRAYSCALE);
    mask.rowRange(0, 15) = 9;
    Put(fmt::format("m/{}.png", i), Encode(".png", mask));
  }
  const std::string labels = " --label skin=255 --label non-skin=0 --label hair=9";
  ASSERT_EQ(Run("train --images i --masks m -o three.json" + labels).status, 0);
  ExpectEqual("--images i --truth m --adapt off --model three.json" + labels, {3});
  ExpectEqual("--images i --truth m --adapt off --class-costs 0,5:1,0" + labels, {3});
}

TEST_F(PartsTest, FailuresOfAllPartsAreThoseOfOneRun) {
  PutPairs(6, 2);
  Put("i/4.png", "no picture either");
  Put("i/notes.txt", "");
  Put("i/alone.png", Encode(".png", cv::Mat(8, 8, CV_8UC3, cv::Scalar(1, 2, 3))));
  ExpectEqual("--images i --truth m --adapt off", {2, 9}, 1);
  const ordered_json record = ordered_json::parse(Bytes("merged.json"));
  EXPECT_EQ(record["failed"].size(), 3u);
  EXPECT_EQ(record["skipped"].size(), 1u);
  const std::string merge =
      "evaluate --images i --truth m --adapt off --partials part1of2 part2of2 --max-failures ";
  EXPECT_EQ(Run(merge + "3").status, 0);
  EXPECT_EQ(Run(merge + "2").status, 1);
  // An archive that cannot be read is more than one input, also at the merge.
  Put("all/bad.tar", "no archive");
  ASSERT_EQ(std::system(fmt::format("cd '{0}' && for k in 0 1 3; do mkdir -p t && cp i/$k.png "
                                    "t/$k.png && cp m/$k.png t/$k.mask.png; done && "
                                    "tar -C t -cf all/good.tar .",
                                    folder_.string())
                            .c_str()),
            0);
  const std::string archives = "evaluate --images all --adapt off --max-failures 9 ";
  const Outcome one = Run(archives);
  EXPECT_EQ(one.status, 1);
  for (const char* const part : {"1", "2"})
    EXPECT_EQ(Run(archives + "--shard " + part + "/2 --partial t" + part).status, 1);
  const Outcome merged = Run(archives + "--partials t1 t2");
  EXPECT_EQ(merged.status, 1);
  EXPECT_EQ(merged.out, one.out);
  const auto counts = [](const Outcome& run) {
    return run.summary.substr(0, run.summary.find(" in "));
  };
  EXPECT_EQ(counts(merged), counts(one));
}

TEST_F(PartsTest, NamesThatAreNoUtf8StayThoseOfTheirFiles) {
  PutPairs(2);
  for (const char* folder : {"i", "m"})
    for (const auto& [from, to] : {std::pair("0.png", "\xe8.png"), {"1.png", "\xe9.png"}})
      std::filesystem::rename(Path(folder) / from, Path(folder) / to);
  Put("g.csv", "image,camera\n\xe8.png,phone\n\xe9.png,reflex\n");
  Put("i/\xe7.txt", "");
  ExpectEqual("--images i --truth m --adapt off --by g.csv", {2});
  EXPECT_EQ(ordered_json::parse(Bytes("merged.json"))["images"][1]["groups"][0], "reflex");
  Put("i/\xfe.png", "no picture");
  Put("m/\xfe.png", Encode(".png", cv::Mat(8, 8, CV_8UC1, cv::Scalar(255))));
  ExpectEqual("--images i --truth m --adapt off", {2}, 1);
}

TEST_F(PartsTest, ComparisonsOfShardsAddUpToThatOfOneRun) {
  PutPairs(4);
  ASSERT_EQ(Run("sample --images i --masks m --step 4 -o s.csv").status, 0);
  ASSERT_EQ(Run("train --samples s.csv -o own.json").status, 0);
  const std::string compare =
      "compare --samples s.csv --folds 2 --kinds lda,qda --spaces BGR,rg --models own.json "
      "default ";
  ASSERT_EQ(Run(compare + "--json one.json --write best.json --take simplest").status, 0);
  const auto without_seconds = [&](const std::string& file) {
    ordered_json json = ordered_json::parse(Bytes(file));
    for (ordered_json& model : json["models"]) model.erase("fit_seconds");
    return json.dump();
  };
  for (const int count : {1, 3, 8}) {
    const auto files = Parts(compare, "--partial", count);
    const Outcome merged = Run(fmt::format(
        "{}--json merged.json --force --write merged-best.json --take simplest --partials {}",
        compare, fmt::join(files, " ")));
    ASSERT_EQ(merged.status, 0) << merged.err;
    EXPECT_EQ(without_seconds("merged.json"), without_seconds("one.json"));
    EXPECT_EQ(Bytes("merged-best.json"), Bytes("best.json"));
  }
  const std::pair<const char*, const char*> refusals[] = {
      {"part1of3 part2of3", "part 3 of 3: is missing"},
      {"part1of3 part2of3 part2of3", "part2of3: is part 2 of 3, and so is part2of3"},
      {"part1of3 part2of8", "part2of8: does not belong to part1of3: it is one of 8 parts"},
      {"own.json", "own.json: is no part"}};
  for (const auto& [parts, line] : refusals) {
    const Outcome run = Run(compare + "--partials " + parts);
    EXPECT_EQ(run.status, 1);
    EXPECT_NE(run.err.find(line), std::string::npos) << run.err;
  }
  EXPECT_EQ(Run(compare + "--shard 1/2").status, 2);
  EXPECT_EQ(Run(compare + "--shard 1/2 --partials part1of3").status, 2);
  EXPECT_NE(Run(compare + "--seed 3 --partials part1of3")
                .err.find("part1of3: was made with other options: its option seed is not given, "
                          "and here \"3\""),
            std::string::npos);
  ordered_json part = ordered_json::parse(Bytes("part1of1"));
  part["models"][0]["folds"][0]["tp"] = -1;
  Put("damaged", part.dump());
  EXPECT_NE(Run(compare + "--partials damaged").err.find("models[0].folds[0].tp is not a whole"),
            std::string::npos);
  ASSERT_EQ(Run("sample --images i --masks m --step 5 -o s.csv --force").status, 0);
  EXPECT_NE(Run(compare + "--partials part1of1").err.find("part1of1: was made of other data"),
            std::string::npos);
}

// As for `detect --resume`: the values of options are compared, not how they are written.
TEST_F(PartsTest, OptionsMayBeSpeltOtherwise) {
  PutPairs(3);
  const std::string pairs = "evaluate --images i --truth m ";
  ASSERT_EQ(Run(pairs + "--abstain 0.2,0.8 --min-component 0.004 --json one.json").status, 0);
  ASSERT_EQ(Run(pairs + "--abstain .2,0.80 --min-component .004 --shard 1/2 --partial 1").status,
            0);
  ASSERT_EQ(Run(pairs + "--abstain .2,.8 --min-component 4e-3 --adapt auto --shard 2/2 --partial 2")
                .status,
            0);
  const Outcome run =
      Run(pairs + "--abstain 0.2,0.8 --min-component 0.004 --partials 1 2 --json all.json");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Bytes("all.json"), Bytes("one.json"));
  EXPECT_NE(Run(pairs + "--abstain 0.2,0.8 --partials 1 2")
                .err.find("its option min-component is \"0.004\", and here not given"),
            std::string::npos);
  // Of a model that finds no skin, --adapt auto insists on what is not done by default.
  ASSERT_EQ(Run("train --images i --masks m --label wall=255 --label rest=0 --positive wall "
                "-o wall.json")
                .status,
            0);
  const std::string walls = pairs + "--label wall=255 --label rest=0 --model wall.json ";
  ASSERT_EQ(Run(walls + "--shard 1/1 --partial 3").status, 0);
  EXPECT_NE(Run(walls + "--adapt auto --partials 3")
                .err.find("its option adapt is not given, and here \"auto\""),
            std::string::npos);
}

TEST_F(PartsTest, DataOfAComparisonMayLieAnywhere) {
  PutPairs(2);
  ASSERT_EQ(Run("sample --images i --masks m --step 4 -o s.csv").status, 0);
  Put("elsewhere/t.csv", Bytes("s.csv"));
  const std::string kinds = " --folds 2 --kinds lda --spaces BGR --partial ";
  ASSERT_EQ(Run("compare --samples ./s.csv --shard 1/2" + kinds + "1").status, 0);
  ASSERT_EQ(Run("compare --samples elsewhere/t.csv --shrinkage 0.0 --channels all --shard 2/2" +
                kinds + "2")
                .status,
            0);
  const Outcome run =
      Run("compare --samples s.csv --folds 2 --kinds lda --spaces BGR --partials 1 2");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(Run("compare --samples s.csv --folds 2 --kinds lda --spaces BGR --shrinkage 0.5 "
                "--partials 1 2")
                .err.find("its option shrinkage is [\"0\"], and here [\"0.5\"]"),
            std::string::npos);
}

TEST_F(PartsTest, WhatDoesNotBelongTogetherIsRefused) {
  PutPairs(3);
  const std::string pairs = "--adapt off --images i --truth m ";
  ASSERT_EQ(Run("train --images i --masks m -o own.json").status, 0);
  Parts("evaluate " + pairs, "--partial", 3);
  const auto part = [&](const std::string& options, const std::string& file) {
    ASSERT_EQ(Run("evaluate " + options + " --partial " + file).status, 0);
  };
  part(pairs + "--shard 2/4", "of4");
  part(pairs + "--shard 2/3 --threshold 0.3", "threshold");
  part(pairs + "--shard 2/3 --model own.json", "model");
  part(pairs + "--shard 2/3 --class-costs 0,2:1,0", "costs");
  PutPairs(5);
  part(pairs + "--shard 2/3", "data");
  std::string other = Bytes("part2of3");
  const std::string version = "\"version\":\"";
  other.replace(other.find(version) + version.size(), 1, "9");
  Put("version", other);
  const std::pair<const char*, const char*> refusals[] = {
      {"part1of3 part3of3", "part 2 of 3: is missing (2 of 3 are there)"},
      {"part1of3 part2of3 part2of3", "part2of3: is part 2 of 3, and so is part2of3"},
      {"part1of3 of4 part3of3", "of4: does not belong to part1of3: it is one of 4 parts"},
      {"part1of3 threshold part3of3", "its option threshold is \"0.3\", and there not given"},
      {"part1of3 model part3of3",
       "model: does not belong to part1of3: it was made with another model"},
      {"costs part1of3 part3of3", "costs: was made with other options: its option class-costs is"},
      {"part1of3 data part3of3", "data: does not belong to part1of3: it is of other data"},
      {"part1of3 version part3of3", "version: was made by skinmask 9"},
      {"--model own.json --partials part1of3 part2of3 part3of3",
       "part1of3: was made with another model"},
      {"part1of3 i/0.png", "i/0.png: is not JSON, as a part of an evaluation is"},
      {"part1of3 own.json", "own.json: is no part"},
      {"nothing", "nothing: "}};
  for (const auto& [files, line] : refusals) {
    const Outcome run =
        Run("evaluate " + pairs + (files[0] == '-' ? "" : "--partials ") + std::string(files));
    EXPECT_EQ(run.status, 1) << files;
    EXPECT_NE(run.err.find(line), std::string::npos) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_EQ(run.out, "");
  }
  for (const char* wrong :
       {"--shard 1/2 --images i --truth m", "--images i --truth m --partials part1of3 --shard 1/2",
        "--partials part1of3", "--shard 1/2 --images i --truth m --partial p --json",
        "--shard 3/2 --images i --truth m --partial p", "--samples s.csv --partial p"})
    EXPECT_EQ(Run(std::string("evaluate ") + wrong).status, 2) << wrong;
}

}  // namespace
}  // namespace skinmask
