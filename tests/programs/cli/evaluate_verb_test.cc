#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>

#include "skinmask/base/file.h"
#include "skinmask/learn/evaluation.h"
#include "skinmask/media/image.h"
#include "support/pictures.h"
#include "support/program.h"
#include "support/world.h"

namespace skinmask {
namespace {

using nlohmann::json;
using testing::DataFolder;
using testing::Encode;
using testing::Gradient;
using testing::Lines;
using testing::Outcome;

cv::Mat HalfSkin() {
  cv::Mat mask(30, 40, CV_8UC1, cv::Scalar(0));
  mask.rowRange(0, 15) = 255;
  return mask;
}

class EvaluateTest : public testing::ProgramTest {
 protected:
  std::string photos_ = (testing::SamplesFolder() / "photos").string();
  std::string masks_ = (testing::SamplesFolder() / "masks").string();
  json Json(const std::string& arguments, int status = 0) {
    const Outcome run = Run("evaluate --adapt off --json " + arguments);
    EXPECT_EQ(run.status, status) << run.err;
    return json::parse(run.out);
  }
};

TEST_F(EvaluateTest, CountsAreThoseOfTheWrittenMasks) {
  ASSERT_EQ(
      Run("detect --adapt off " + photos_ + " -o out --output mask,overlay,cutout,probability")
          .status,
      0);
  const json direct = Json("--images " + photos_ + " --truth " + masks_);
  const json written = Json("--predicted out --truth " + masks_);
  Confusion recount;
  for (const char* name : {"astronaut.png", "grace_hopper.png"}) {
    const cv::Mat mask =
        cv::imread(Path(std::string("out/") + name).string(), cv::IMREAD_GRAYSCALE);
    const cv::Mat truth = cv::imread(masks_ + "/" + name, cv::IMREAD_GRAYSCALE);
    for (int y = 0; y < mask.rows; ++y)
      for (int x = 0; x < mask.cols; ++x)
        recount.Add(truth.at<std::uint8_t>(y, x) > 127, mask.at<std::uint8_t>(y, x) == 255);
  }
  for (const json& pooled : {direct["pooled"], written["pooled"]}) {
    EXPECT_EQ(pooled["tp"], recount.tp);
    EXPECT_EQ(pooled["fp"], recount.fp);
    EXPECT_EQ(pooled["fn"], recount.fn);
    EXPECT_EQ(pooled["tn"], recount.tn);
    EXPECT_DOUBLE_EQ(pooled["f1"], *recount.F1());
  }
  EXPECT_EQ(direct["images"].size(), 2u);
  EXPECT_EQ(direct["images"][0]["name"], "astronaut.png");
  EXPECT_DOUBLE_EQ(
      direct["mean_per_image"]["f1"].get<double>(),
      (direct["images"][0]["f1"].get<double>() + direct["images"][1]["f1"].get<double>()) / 2);
  EXPECT_TRUE(direct["pooled"]["auc"].is_number());
  EXPECT_TRUE(written["pooled"]["auc"].is_null());
}

TEST_F(EvaluateTest, PixelsAndTheirTableScoreAlike) {
  ASSERT_EQ(Run("sample --images " + photos_ + " --masks " + masks_ + " -o s.csv").status, 0);
  const json images = Json("--images " + photos_ + " --truth " + masks_)["pooled"];
  const json table = Json("--samples s.csv")["pooled"];
  for (const char* key : {"tp", "fp", "fn", "tn"}) EXPECT_EQ(images[key], table[key]);
  for (const char* key : {"auc", "average_precision", "brier"})
    EXPECT_NEAR(images[key].get<double>(), table[key].get<double>(), 1e-4) << key;
}

TEST_F(EvaluateTest, ZeroOverZeroIsNull) {
  const json report = Json("--images " + photos_ + " --whole non-skin --threshold 1");
  for (const char* key : {"precision", "recall", "f1", "iou", "auc", "average_precision"}) {
    EXPECT_TRUE(report["pooled"][key].is_null()) << key;
    EXPECT_TRUE(report["mean_per_image"][key].is_null()) << key;
  }
  EXPECT_EQ(report["pooled"]["specificity"], 1.0);
}

TEST_F(EvaluateTest, TablesWithoutPixelsAreALine) {
  for (const char* rows : {"", "skin,1,2,3,0,0\nnon-skin,3,4,5,0,0\n"}) {
    Put("s.csv", std::string("class,b,g,r,count,group\n") + rows);
    const Outcome run = Run("evaluate --samples s.csv");
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(Lines(run.err), 1) << run.err;
  }
  EXPECT_NE(Run("evaluate --samples s.csv").err.find("samples: hold no pixel"), std::string::npos);
}

// A model with costs counts its classes; 'hair' is none of them, and its pixels are negative.
TEST_F(EvaluateTest, PixelsOfOtherClassesAreToldWhereTheyAreLeftOut) {
  Put("s.csv", "class,b,g,r,count,group\nskin,120,150,220,9,0\nhair,3,4,5,7,0\n");
  const Outcome run = Run("evaluate --samples s.csv --class-costs 0,5:1,0");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(
      run.out.find("\n7 pixels of classes that the model does not have are left out of this "),
      std::string::npos)
      << run.out;
}

TEST_F(EvaluateTest, ATableWithoutThePositiveClassIsAWarning) {
  Put("s.csv", "class,b,g,r,count,group\nSkin,120,150,220,9,0\nnon-skin,3,4,5,7,0\n");
  const Outcome run = Run("evaluate --samples s.csv");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err.find("skinmask: warning: --samples: not one pixel is of 'skin'"), 0u)
      << run.err;
}

// A matrix of costs has the order of the classes, which is that of their names behind the positive.
TEST_F(EvaluateTest, CostsAreOfTheSameClasses) {
  const std::string skin = "skin,120,150,220\nskin,90,120,200\nskin,99,140,190\n",
                    hair = "hair,3,4,5\nhair,9,4,7\nhair,1,7,9\n";
  Put("a.csv", "class,b,g,r\n" + skin + hair + "wall,200,210,220\nwall,190,180,200\n");
  Put("b.csv", "class,b,g,r\n" + skin + hair + "fur,200,210,220\nfur,190,180,200\n");
  for (const char* name : {"a", "b"})
    ASSERT_EQ(
        Run(fmt::format("train --kind gaussian-nb --samples {0}.csv -o {0}.json", name)).status, 0);
  const std::string both = "evaluate --samples a.csv --model a.json --model b.json";
  EXPECT_EQ(Run(both).status, 0);
  const Outcome costs = Run(both + " --class-costs 0,1,5:1,0,1:1,1,0");
  EXPECT_EQ(costs.status, 1);
  EXPECT_EQ(Lines(costs.err), 1);
  EXPECT_NE(costs.err.find("b.json: has other classes than the other model, and --class-costs"),
            std::string::npos)
      << costs.err;
}

TEST_F(EvaluateTest, LabelsInvertAndIgnore) {
  cv::Mat picture = Gradient(40, 30), truth(30, 40, CV_8UC1, cv::Scalar(0));
  truth.colRange(0, 10) = 255;
  truth.colRange(30, 40) = 128;
  Put("i/a.png", Encode(".png", picture));
  Put("m/a_m.png", Encode(".png", truth));
  const std::string base = "--images i --truth m --mask-name '{stem}_m' --threshold 0 ";
  const auto counts = [&](const std::string& options) {
    const json p = Json(base + options)["pooled"];
    return std::pair<int, int>(p["tp"], p["fp"]);
  };
  EXPECT_EQ(counts(""), std::pair(600, 600));
  EXPECT_EQ(counts("--ignore 128"), std::pair(300, 600));
  EXPECT_EQ(counts("--invert --ignore 128"), std::pair(600, 300));
  EXPECT_EQ(counts("--label skin=128 --label non-skin=0 --ignore other"), std::pair(300, 600));
  const Outcome unlabelled = Run("evaluate " + base + "--label skin=255 --label non-skin=0");
  EXPECT_EQ(unlabelled.status, 1);
  EXPECT_NE(unlabelled.err.find("m/a_m.png: has a pixel of value 128"), std::string::npos);
  const Outcome nothing =
      Run("evaluate " + base + "--label skin=1 --label non-skin=2 --ignore other");
  EXPECT_EQ(nothing.status, 1);
  EXPECT_NE(nothing.err.find("marks no pixel that counts"), std::string::npos) << nothing.err;
  const Outcome no_skin = Run("evaluate " + base + "--label hair=255 --label non-skin=other");
  EXPECT_EQ(no_skin.status, 1);
  for (const char* twice : {"--whole skin --invert", "--label '1=255'", "--label 'a,b=other'"})
    EXPECT_EQ(Run("evaluate " + base + twice).status, 2) << twice;
  EXPECT_NE(no_skin.err.find("names no class 'skin'"), std::string::npos);
}

TEST_F(EvaluateTest, SizesThatDifferAreNamedAndTheRestIsJudged) {
  Put("i/a.png", Encode(".png", Gradient(40, 30)));
  Put("m/a.png", Encode(".png", Gradient(40, 31)));
  Put("i/b.png", Encode(".png", Gradient(40, 30)));
  Put("m/b.png", Encode(".png", HalfSkin()));
  const Outcome run = Run("evaluate --adapt off --images i --truth m");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err,
            "skinmask: i/a.png: is 40x30, but its mask m/a.png is 40x31 (the same size)\n");
  EXPECT_NE(run.out.find("(1 image)"), std::string::npos);
  Put("m/a.png", Encode(".png", Gradient(30, 40)));  // of a photograph as a camera stored it
  EXPECT_NE(Run("evaluate --adapt off --images i --truth m").err.find("30x40 (the same size, upri"),
            std::string::npos);
  Put("i/b.png", "");
  const Outcome none = Run("evaluate --adapt off --images i --truth m");
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.out, "");  // no table of nothing
  Put("page.html", "of an earlier run");
  EXPECT_EQ(Run("evaluate --adapt off --images i --truth m --report page.html --force").status, 1);
  EXPECT_EQ(ReadFile(Path("page.html")), "of an earlier run");
}

TEST_F(EvaluateTest, JpegMasksAreReadWithAWarningThatCounts) {
  cv::Mat truth(64, 64, CV_8UC1, cv::Scalar(0));
  cv::circle(truth, {30, 30}, 20, 255, -1);
  Put("i/a.png", Encode(".png", Gradient(64, 64)));
  Put("m/a.jpg", Encode(".jpg", truth));
  const Outcome run = Run("evaluate --adapt off --images i --truth m");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(Lines(run.err), 1);
  EXPECT_NE(run.err.find("in-between pixels in 1 mask,"), std::string::npos) << run.err;
  Put("t/a.png", Encode(".png", truth));
  EXPECT_EQ(Run("evaluate --predicted m --truth t").err.find("skinmask: warning: m/a.jpg: "), 0u);
  EXPECT_NE(Run("evaluate --predicted m --truth m").err.find("in 2 masks,"), std::string::npos);
}

TEST_F(EvaluateTest, AMissingPredictionIsNotPassedOver) {
  Put("p/a.png", Encode(".png", Gradient(40, 30)));
  Put("m/a.png", Encode(".png", Gradient(40, 30)));
  Put("m/b.png", Encode(".png", Gradient(40, 30)));
  const Outcome run = Run("evaluate --predicted p --truth m");
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.err.find("m/b.png: has no predicted mask in 'p'"), std::string::npos);
}

// Thirteen images, of which the first `masked` have a mask.
class MissingMasksTest : public EvaluateTest {
 protected:
  void PutImages(int masked) {
    for (int i = 0; i < 13; ++i) {
      const std::string name = std::string("/") + static_cast<char>('a' + i);
      Put("i" + name + ".jpg", Encode(".jpg", Gradient(40, 30)));
      if (i < masked) Put("m" + name + "_skin.png", Encode(".png", HalfSkin()));
    }
  }
  std::string pairs_ = "--images i --truth m --mask-name '{stem}_skin' ";
};

TEST_F(MissingMasksTest, TenAreNamedWithTheirFilesAndTheRestIsCounted) {
  PutImages(1);
  const Outcome run = Run("evaluate --adapt off " + pairs_);
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(Lines(run.err), 11) << run.err;
  EXPECT_EQ(run.err.find(
                "skinmask: i/b.jpg: has no mask 'm/b_skin.*' (--image-name and --mask-name say how "
                "images and masks are called)\n"),
            0u)
      << run.err;
  EXPECT_NE(run.err.find("skinmask: m: holds no mask for 2 more images\n"), std::string::npos)
      << run.err;
  EXPECT_NE(run.out.find("(1 image)"), std::string::npos);
  const json failed = Json(pairs_, 1)["failed"];  // all of them
  ASSERT_EQ(failed.size(), 12u);
  EXPECT_EQ(failed[11]["input"], "i/m.jpg");
  EXPECT_EQ(failed[11]["reason"],
            "has no mask 'm/m_skin.*' (--image-name and --mask-name say how images and masks are "
            "called)");
}

TEST_F(MissingMasksTest, WhereNoneHasOneItIsOneLine) {
  PutImages(1);
  const Outcome run = Run("evaluate --adapt off --images i --truth m --mask-name '{stem}.png'");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err,
            "skinmask: i: holds no image with a mask: of 'i/a.jpg' there is no 'm/a.png' "
            "(--image-name and --mask-name say how images and masks are called)\n");
}

TEST_F(MissingMasksTest, TheyMayBeAllowed) {
  PutImages(4);
  const Outcome run = Run("evaluate --adapt off --allow-missing " + pairs_);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(run.out.ends_with("\n9 of 13 images have no mask and are left out\n")) << run.out;
  const json allowed = Json("--allow-missing " + pairs_);
  EXPECT_EQ(allowed["images_without_mask"], 9);
  // What is judged is what is judged without them.
  for (char name = 'e'; name <= 'm'; ++name)
    std::filesystem::remove(Path(std::string("i/") + name + ".jpg"));
  const json rest = Json(pairs_);
  EXPECT_EQ(rest["images_without_mask"], 0);
  EXPECT_EQ(allowed["pooled"], rest["pooled"]);
  EXPECT_EQ(allowed["images"], rest["images"]);
  EXPECT_EQ(Run("evaluate --adapt off --allow-missing " + pairs_).out.find("have no mask"),
            std::string::npos);
}

TEST_F(MissingMasksTest, FoldersThatChangedPlacesAreOneLine) {
  for (int i = 0; i < 12; ++i) {
    const std::string name = std::to_string(i);
    Put("truth/" + name + "_skin.png", Encode(".png", Gradient(40, 30)));
    Put("same/" + name + ".png", Encode(".png", Gradient(40, 30)));
    Put("in/" + name + ".jpg", Encode(".jpg", Gradient(40, 30)));
  }
  ASSERT_EQ(Run("detect in -o out --output mask,overlay --adapt off").status, 0);
  for (const std::string wrong : {"--predicted truth --truth out --mask-name '{stem}_skin'",
                                  "--predicted same --truth out"}) {
    const Outcome run = Run("evaluate " + wrong);
    EXPECT_EQ(run.status, 1) << wrong;
    EXPECT_EQ(Lines(run.err), 1) << run.err;
    EXPECT_NE(run.err.find("holds true masks and 'out' predicted ones, as it seems (--predicted "
                           "and --truth the other way round)"),
              std::string::npos)
        << run.err;
  }
  for (const std::string right :
       {"--predicted out --truth truth --mask-name '{stem}_skin'", "--predicted out --truth same"})
    EXPECT_EQ(Run("evaluate " + right).status, 0) << right;
}

// Masks of three labels and more may be maps of probabilities, so they are read.
TEST_F(EvaluateTest, MasksWithoutSkinAreAWarning) {
  cv::Mat labels(30, 40, CV_8UC1, cv::Scalar(0));
  labels.rowRange(0, 10) = 1;
  labels.rowRange(10, 15) = 2;
  Put("i/a.png", Encode(".png", Gradient(40, 30)));
  for (const char* mask : {"m/a.png", "i/a.mask.png"}) Put(mask, Encode(".png", labels));
  const std::string line = "not one pixel of these masks is skin";
  const std::string tar = "cd '" + folder_.string() + "' && tar -C i -cf p.tar .";
  ASSERT_EQ(std::system(tar.c_str()), 0);
  const Outcome run = Run("evaluate --adapt off --images i --truth i --mask-name '{stem}.mask'");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(Lines(run.err), 2) << run.err;
  EXPECT_NE(run.err.find("600 in-between pixels in 1 mask"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("warning: i: " + line), std::string::npos) << run.err;
  for (const std::string truth : {"", " --truth p.tar", " --truth ./p.tar"})
    EXPECT_NE(Run("evaluate --adapt off --images p.tar" + truth).err.find("p.tar: " + line),
              std::string::npos)
        << truth;
  for (const char* right : {"--truth m --label skin=1 --label non-skin=other", "--whole non-skin"})
    EXPECT_EQ(Run(std::string("evaluate --adapt off --images i ") + right).err.find(line),
              std::string::npos)
        << right;
}

TEST_F(EvaluateTest, AHintSaysThatMasksLookInverted) {
  const std::string pairs = "--images " + photos_ + " --truth " + masks_;
  const Outcome run = Run("evaluate --adapt off --invert " + pairs);
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(Lines(run.err), 1) << run.err;
  EXPECT_NE(run.err.find("masks look inverted"), std::string::npos) << run.err;
  ASSERT_EQ(Run("detect --adapt off " + photos_ + " -o out").status, 0);
  const std::string predicted = "--predicted out --truth " + masks_;
  for (const std::string& right :
       {pairs, predicted, pairs + " --max-f1", pairs + " --threshold 0"}) {
    EXPECT_EQ(Run("evaluate --adapt off " + right).err, "") << right;
    EXPECT_EQ(Json(right)["masks_look_inverted"], false) << right;
  }
  EXPECT_NE(Run("evaluate --invert " + predicted).err.find("or the predicted ones, look inverted"),
            std::string::npos);
  std::filesystem::create_directory(Path("none"));
  for (const auto& mask : std::filesystem::directory_iterator(Path("out")))
    if (mask.path().extension() == ".png")
      Put("none/" + mask.path().filename().string(),
          Encode(".png", cv::Mat::zeros(DecodeImage(ReadFile(mask.path()), "").size(), CV_8UC1)));
  EXPECT_NE(Run("evaluate --predicted none --truth " + masks_)
                .err.find("warning: none: not one pixel that counts is skin in these masks"),
            std::string::npos);
  for (const std::string& wrong : {pairs, predicted, pairs + " --max-f1"})
    EXPECT_EQ(Json(wrong + " --invert")["masks_look_inverted"], true) << wrong;
}

// Each set of the research data, as its masks are and inverted.
TEST_F(EvaluateTest, TheHintIsRightOnEverySet) {
  SKIP_WITHOUT_DATA();
  const std::string data = DataFolder().string();
  const std::string sets[] = {
      "ecu/images --truth " + data + "/ecu/masks --mask-name '{stem}_skin_{stem}'",
      "hgr/images --truth " + data + "/hgr/masks --invert",
      "groups/images --truth " + data + "/groups/masks",
      "faceparts/images --truth " + data +
          "/faceparts/masks --label skin=255,255,0 --label "
          "skin=0,255,255 --label non-skin=other"};
  for (const std::string& set : sets) {
    // A tenth of its images, as links.
    const std::string images = set.substr(0, set.find(' '));
    std::filesystem::create_directories(Path(images));
    const std::vector<std::string> names = Names(data + "/" + images);
    for (std::size_t i = 0; i < names.size(); i += 10)
      std::filesystem::create_symlink(data + "/" + images + "/" + names[i],
                                      Path(images + "/" + names[i]));
    std::string inverted = set + " --invert";
    if (const std::size_t at = set.find(" --invert"); at != set.npos) inverted = set.substr(0, at);
    const json right = Json("--images " + set);
    EXPECT_EQ(right["images"].size(), (names.size() + 9) / 10) << set;
    EXPECT_EQ(right["masks_look_inverted"], false) << set;
    EXPECT_EQ(Json("--images " + inverted)["masks_look_inverted"], true) << set;
  }
}

TEST_F(EvaluateTest, WrongCombinationsAreUsageErrors) {
  for (const char* arguments :
       {"", "--images x", "--truth x", "--predicted x", "--images x --predicted y --truth z",
        "--samples s --images x --truth y", "--predicted x --truth y --threshold 0.5",
        "--samples s --invert", "--samples s --label a=1", "--predicted x --truth y --whole a",
        "--images x --truth y --whole skin"}) {
    const Outcome run = Run(std::string("evaluate ") + arguments);
    EXPECT_EQ(run.status, 2) << arguments;
    EXPECT_EQ(Lines(run.err), 1) << run.err;
  }
}

TEST_F(EvaluateTest, WithoutAnInputEveryOneIsNamed) {
  for (const char* arguments : {"", "--truth x", "--samples s --images x"}) {
    const Outcome run = Run(std::string("evaluate ") + arguments);
    EXPECT_EQ(run.status, 2) << arguments;
    for (const char* input : {"--images (", "--predicted (", "--samples ", "--partials"})
      EXPECT_NE(run.err.find(input), std::string::npos) << run.err;
  }
}

}  // namespace
}  // namespace skinmask
