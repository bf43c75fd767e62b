#include "media/mask_pairs.h"

#include <gtest/gtest.h>

#include "media/tar.h"
#include "skinmask/base/error.h"
#include "support/files.h"

namespace skinmask {
namespace {

using Strings = std::vector<std::string>;

class MaskPairsTest : public testing::FolderTest {
 protected:
  std::vector<std::string> problems_;
  ProblemSink sink_ = [this](const Problem& problem) { problems_.push_back(problem.line); };
  ListOptions list_{.problem = sink_};

  std::vector<std::string> Pairs(const char* images, const char* masks, const char* mask_name,
                                 const char* image_name = "{stem}", bool predicted = false) {
    problems_.clear();
    std::vector<std::string> result;
    Archives archives;
    for (const MaskPair& pair :
         PairMasks(Path(images), NamePattern(image_name, "image name"), Path(masks),
                   NamePattern(mask_name, "mask name"),
                   {predicted, {".overlay.png", ".probability.png", ".cutout.png"}}, list_,
                   archives)
             .pairs)
      result.push_back(pair.image.relative.string() + " " +
                       pair.mask.lexically_relative(folder_).string());
    return result;
  }
};

TEST(NamePattern, FindsStems) {
  const NamePattern twice("{stem}_skin_{stem}", "mask name");
  EXPECT_EQ(twice.Expand("12"), "12_skin_12");
  EXPECT_EQ(twice.StemOf("12_skin_12.png"), "12");
  EXPECT_EQ(twice.StemOf("12_skin_13.png"), "");
  EXPECT_EQ(twice.StemOf("_skin_.png"), "");
  EXPECT_EQ(NamePattern("m-{stem}.bmp", "").StemOf("m-a.b.bmp"), "a.b");
  EXPECT_EQ(NamePattern("m-{stem}.bmp", "").StemOf("m-a.b.png"), "");
  EXPECT_ERROR(NamePattern("mask", "mask name"), "mask name 'mask': has no {stem}");
  EXPECT_ERROR(NamePattern("gt/{stem}", "mask name"), "mask name 'gt/{stem}': has a slash");
}

TEST_F(MaskPairsTest, PairsMasksByNameInMirroredFolders) {
  for (const char* name : {"i/1.jpg", "i/s/1.jpg", "i/2.jpg", "m/1.png", "m/s/1.bmp", "m/3.png"})
    Put(name, "x");
  EXPECT_EQ(Pairs("i", "m", "{stem}"), (Strings{"1.jpg m/1.png", "s/1.jpg m/s/1.bmp"}));
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_NE(problems_[0].find("i/2.jpg: has no mask"), std::string::npos);
  Put("m/1.bmp", "x");
  EXPECT_EQ(Pairs("i", "m", "{stem}"), (Strings{"s/1.jpg m/s/1.bmp"}));
  EXPECT_EQ(Pairs("i", "m", "{stem}.png"), (Strings{"1.jpg m/1.png"}));
  EXPECT_ERROR(Pairs("absent", "m", "{stem}"), "absent: is no folder");
}

TEST_F(MaskPairsTest, ImagesAndMasksMayShareAFolder) {
  for (const char* name : {"d/1.jpg", "d/1_mask.png", "d/2.jpg", "d/7_image.jpg", "d/7_mask.jpg"})
    Put(name, "x");
  EXPECT_EQ(Pairs("d", "d", "{stem}_mask"), (Strings{"1.jpg d/1_mask.png"}));
  EXPECT_EQ(problems_.size(), 3u);  // 2, 7_image and 7_mask
  EXPECT_EQ(Pairs("d", "d", "{stem}_mask", "{stem}_image"), (Strings{"7_image.jpg d/7_mask.jpg"}));
  EXPECT_TRUE(problems_.empty());
}

// Either of x.jpg and x.png may be the photograph, so neither is taken for it.
TEST_F(MaskPairsTest, TwoFilesMayNotBeEachOthersMask) {
  for (const char* name : {"d/1.jpg", "d/1.png"}) Put(name, "x");
  EXPECT_ERROR(Pairs("d", "d", "{stem}"), "d: holds no other image with a mask");
  ASSERT_EQ(problems_.size(), 2u);
  EXPECT_NE(problems_[0].find("d/1.jpg: may be the photograph or"), std::string::npos)
      << problems_[0];
  EXPECT_NE(problems_[0].find("{stem}.jpg if it is the"), std::string::npos) << problems_[0];
  EXPECT_EQ(Pairs("d", "d", "{stem}", "{stem}.jpg"), (Strings{"1.jpg d/1.png"}));
  EXPECT_EQ(Pairs("d", "d", "{stem}.png"), (Strings{"1.jpg d/1.png"}));
  EXPECT_TRUE(problems_.empty());
}

TEST_F(MaskPairsTest, ATrueMaskHasOnePrediction) {
  for (const char* name : {"p/1.bmp", "p/1.png", "p/2.png", "t/1.png", "t/2.png"}) Put(name, "x");
  EXPECT_EQ(Pairs("p", "t", "{stem}", "{stem}", true), (Strings{"2.png t/2.png"}));
  ASSERT_EQ(problems_.size(), 2u);
  EXPECT_NE(problems_[1].find("p/1.png: is one of 2 predictions of"), std::string::npos);
  // What was left of a run with another photograph of that name.
  Put("p/2.jpg.png", "x");
  EXPECT_ERROR(Pairs("p", "t", "{stem}", "{stem}", true), "p: holds no other image with a mask");
  EXPECT_EQ(problems_.size(), 4u);
}

// One empty mask serves all photographs without skin.
TEST_F(MaskPairsTest, TrueMasksMayBeLinksToOneFile) {
  for (const char* name : {"p/1.png", "p/2.png", "empty.png"}) Put(name, "x");
  std::filesystem::create_directory(Path("t"));
  for (const char* name : {"1.png", "2.png"})
    std::filesystem::create_symlink("../empty.png", Path("t") / name);
  EXPECT_EQ(Pairs("p", "t", "{stem}", "{stem}", true).size(), 2u);
  EXPECT_TRUE(problems_.empty());
}

TEST_F(MaskPairsTest, TwoTrueMasksAreNoSwappedFolders) {
  for (const char* name : {"p/1.png", "p/2.png", "t/1.png", "t/1.bmp"}) Put(name, "x");
  EXPECT_ERROR(Pairs("p", "t", "{stem}", "{stem}", true), "p: holds no other image with a mask");
  ASSERT_EQ(problems_.size(), 2u);
  EXPECT_NE(problems_[0].find("p/1.png: has two masks"), std::string::npos) << problems_[0];
}

TEST_F(MaskPairsTest, ADamagedArchiveIsReportedOnce) {
  {
    TarWriter writer(Path("whole.tar"), IfExists::kFail);
    for (const char* name : {"1.jpg", "1_mask.png", "2.jpg"}) writer.Add(name, "x");
    writer.Finish();
  }
  constexpr std::size_t kTwoEntries = 2048;  // each is a header and a block of data
  Put("d/cut.tar", ReadFile(Path("whole.tar")).substr(0, kTwoEntries));
  for (const char* name : {"d/3.jpg", "d/3_mask.png"}) Put(name, "x");
  EXPECT_EQ(Pairs("d", "d", "{stem}_mask"), (Strings{"3.jpg d/3_mask.png"}));
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_NE(problems_[0].find("d/cut.tar: ends too early"), std::string::npos);
}

TEST_F(MaskPairsTest, PredictedMasksPassOverOtherOutputsAndMissNone) {
  for (const char* name : {"p/1.png", "p/1.overlay.png", "p/1.probability.png", "p/1.cutout.png",
                           "p/2.jpg.png", "p/2.png.png", "t/1.png", "t/2.png", "t/3.png"})
    Put(name, "x");
  EXPECT_EQ(Pairs("p", "t", "{stem}", "{stem}", true),
            (Strings{"1.png t/1.png", "2.jpg.png t/2.png", "2.png.png t/2.png"}));
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_NE(problems_[0].find("t/3.png: has no predicted mask"), std::string::npos);
  for (const char* name : {"{stem}.probability", "{stem}.probability.png"})
    EXPECT_EQ(Pairs("p", "t", "{stem}", name, true), (Strings{"1.probability.png t/1.png"}));
}

// What was predicted may be the truth, under the same name or another.
TEST_F(MaskPairsTest, APredictedMaskMayBeTheTrueOne) {
  for (const char* name : {"t/1.png", "t/2.png"}) Put(name, "x");
  EXPECT_EQ(Pairs("t", "t", "{stem}", "{stem}", true), (Strings{"1.png t/1.png", "2.png t/2.png"}));
  std::filesystem::create_directory(Path("l"));
  for (const char* name : {"1.png", "2.png"})
    std::filesystem::create_symlink(Path("t") / name, Path("l") / name);
  EXPECT_EQ(Pairs("l", "t", "{stem}", "{stem}", true), (Strings{"1.png t/1.png", "2.png t/2.png"}));
  EXPECT_TRUE(problems_.empty());
  EXPECT_ERROR(Pairs("t", "t", "{stem}"), "t: holds no image with a mask");
}

}  // namespace
}  // namespace skinmask
