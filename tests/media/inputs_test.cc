#include "skinmask/media/inputs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "skinmask/base/error.h"
#include "skinmask/media/mask_pairs.h"
#include "skinmask/media/output_paths.h"
#include "support/files.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

class MediaTest : public testing::FolderTest {
 protected:
  std::vector<std::string> problems_;
  ProblemSink sink_ = [this](const Problem& problem) { problems_.push_back(problem.line); };
  ListOptions list_{.problem = sink_};

  std::vector<std::string> Pairs(const char* images, const char* masks, const char* mask_name,
                                 const char* image_name = "{stem}", bool predicted = false) {
    problems_.clear();
    std::vector<std::string> result;
    for (const MaskPair& pair :
         PairMasks(Path(images), NamePattern(image_name, "image name"), Path(masks),
                   NamePattern(mask_name, "mask name"),
                   {predicted, {".overlay.png", ".probability.png", ".cutout.png"}}, list_)
             .pairs)
      result.push_back(pair.image.relative.string() + " " +
                       pair.mask.lexically_relative(folder_).string());
    return result;
  }
};

using Strings = std::vector<std::string>;

TEST_F(MediaTest, ListsFoldersRecursivelyAndSorted) {
  for (const char* name :
       {"p/b.JPG", "p/a.png", "p/sub/c.tif", "p/note.txt", "p/out/a.png", "q.bmp"})
    Put(name, "x");
  list_.excluded = Path("p/out");
  Strings relative;
  const InputList files = ListInputs({Path("p"), Path("q.bmp"), Path("p/a.png")}, list_);
  for (const InputFile file : files) relative.push_back(file.relative.string());
  EXPECT_EQ(relative, (Strings{"a.png", "b.JPG", "sub/c.tif", "q.bmp"}));
  EXPECT_TRUE(problems_.empty());
  // Links to files count, links to folders and pipes do not.
  fs::create_symlink("a.png", Path("p/link.png"));
  fs::create_symlink("loop.png", Path("p/loop.png"));
  fs::create_directory_symlink("..", Path("p/up"));
  ASSERT_EQ(mkfifo(Path("p/pipe.png").c_str(), 0600), 0);
  Strings reasons;
  list_.passed_over = [&](const fs::path& file, const std::string& reason) {
    reasons.push_back(file.filename().string() + " " + reason.substr(0, 13));
  };
  EXPECT_EQ(ListInputs({Path("p")}, list_).size(), 5u);
  std::ranges::sort(reasons);
  EXPECT_EQ(reasons, (Strings{"note.txt is no image o", "pipe.png is a pipe, a "}));
  EXPECT_TRUE(problems_.empty());
  fs::create_directory(Path("none"));
  EXPECT_TRUE(ListInputs({Path("none")}, list_).empty());
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_NE(problems_[0].find("none: holds no image"), std::string::npos);
}

TEST(NamePattern, FindsStems) {
  const NamePattern twice("{stem}_skin_{stem}", "mask name");
  EXPECT_EQ(twice.Expand("12"), "12_skin_12");
  EXPECT_EQ(twice.StemOf("12_skin_12.png"), "12");
  EXPECT_EQ(twice.StemOf("12_skin_13.png"), "");
  EXPECT_EQ(twice.StemOf("_skin_.png"), "");
  EXPECT_EQ(NamePattern("m-{stem}.bmp", "").StemOf("m-a.b.bmp"), "a.b");
  EXPECT_EQ(NamePattern("m-{stem}.bmp", "").StemOf("m-a.b.png"), "");
  EXPECT_ERROR(NamePattern("mask", "mask name"), "mask name 'mask': has no {stem}");
}

TEST_F(MediaTest, PairsMasksByNameInMirroredFolders) {
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

TEST_F(MediaTest, ImagesAndMasksMayShareAFolder) {
  for (const char* name : {"d/1.jpg", "d/1_mask.png", "d/2.jpg", "d/7_image.jpg", "d/7_mask.jpg"})
    Put(name, "x");
  EXPECT_EQ(Pairs("d", "d", "{stem}_mask"), (Strings{"1.jpg d/1_mask.png"}));
  EXPECT_EQ(problems_.size(), 3u);  // 2, 7_image and 7_mask
  EXPECT_EQ(Pairs("d", "d", "{stem}_mask", "{stem}_image"), (Strings{"7_image.jpg d/7_mask.jpg"}));
  EXPECT_TRUE(problems_.empty());
}

TEST_F(MediaTest, PredictedMasksPassOverOtherOutputsAndMissNone) {
  for (const char* name : {"p/1.png", "p/1.overlay.png", "p/1.probability.png", "p/1.cutout.png",
                           "p/2.jpg.png", "p/2.png.png", "t/1.png", "t/2.png", "t/3.png"})
    Put(name, "x");
  EXPECT_EQ(Pairs("p", "t", "{stem}", "{stem}", true),
            (Strings{"1.png t/1.png", "2.jpg.png t/2.png", "2.png.png t/2.png"}));
  ASSERT_EQ(problems_.size(), 1u);
  EXPECT_NE(problems_[0].find("t/3.png: has no predicted mask"), std::string::npos);
}

constexpr OutputSuffix kMask{".png", ".mkv"}, kOverlay{".overlay.png", ".overlay.mp4"},
    kProbability{".probability.png", ".probability.mkv"};

Strings Paths(const Strings& relative, std::vector<OutputSuffix> outputs = {kMask}) {
  InputList inputs;
  for (const fs::path path : relative)
    inputs.Add(inputs.AddRoot("in" / path.parent_path(), path.parent_path()),
               path.filename().string(), Media::kImage);
  Strings all;
  const ProblemSink sink = [&](const Problem& problem) { all.push_back("! " + problem.line); };
  const OutputPaths paths(inputs, std::move(outputs), sink);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (const fs::path& path : paths[i]) all.push_back(path.string());
  return all;
}

TEST(OutputPaths, KeepTheRelativePathAndNeverCollide) {
  EXPECT_EQ(Paths({"a/b.jpg", "c.tar.png"}), (Strings{"a/b.png", "c.tar.png"}));
  EXPECT_EQ(Paths({"b.jpg", "b.png", "c.jpg"}), (Strings{"b.jpg.png", "b.png.png", "c.png"}));
  EXPECT_EQ(Paths({"b.jpg", "b.png", "b.jpg.bmp"}),
            (Strings{"b.jpg.png", "b.png.png", "b.jpg.bmp.png"}));
  EXPECT_EQ(Paths({"b.jpg", "b.probability.jpg"}, {kMask, kProbability}),
            (Strings{"b.jpg.png", "b.jpg.probability.png", "b.probability.jpg.png",
                     "b.probability.jpg.probability.png"}));
  EXPECT_EQ(Paths({"b.jpg", "b.png"}, {kMask, kOverlay, kProbability}).size(), 6u);
  // A mask may not be called as a folder that other masks need.
  EXPECT_EQ(Paths({"b.jpg", "b.png/c.jpg"}), (Strings{"b.jpg.png", "b.png/c.png"}));
  EXPECT_EQ(Paths({"b.jpg", "b.jpg"}),
            (Strings{"! in/b.jpg: would have the output 'b.jpg.png' of 'in/b.jpg' (run them apart)",
                     "b.jpg.png"}));
}

}  // namespace
}  // namespace skinmask
