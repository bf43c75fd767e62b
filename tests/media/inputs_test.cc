#include "skinmask/media/inputs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cctype>
#include <clocale>

#include "support/files.h"
#include "support/unprivileged.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

class InputsTest : public testing::FolderTest {
 protected:
  std::vector<std::string> problems_;
  ProblemSink sink_ = [this](const Problem& problem) { problems_.push_back(problem.line); };
  ListOptions list_{.problem = sink_};
};

using Strings = std::vector<std::string>;

TEST_F(InputsTest, ListsFoldersRecursivelyAndSorted) {
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
  EXPECT_TRUE(problems_[0].ends_with("none: holds no image")) << problems_[0];
  list_.include = {"nothing"};
  EXPECT_TRUE(ListInputs({Path("p")}, list_).empty());
  ASSERT_EQ(problems_.size(), 2u);
  EXPECT_TRUE(problems_[1].ends_with("p: holds no image that the patterns take")) << problems_[1];
}

TEST_F(InputsTest, APatternWithASlashIsOfAPath) {
  for (const char* name : {"p/a.png", "p/s/a.png"}) Put(name, "x");
  list_.include = {"a.png"};
  EXPECT_EQ(ListInputs({Path("p")}, list_).size(), 2u);
  list_.include = {"./a.png"};
  const InputList top = ListInputs({Path("p")}, list_);
  ASSERT_EQ(top.size(), 1u);
  EXPECT_EQ(top.Relative(0), "a.png");
}

// However many failures are allowed: a folder is more than one of them.
TEST_F(InputsTest, AFolderThatHoldsNothingIsNotTolerable) {
  fs::create_directory(Path("none"));
  bool tolerable = true;
  list_.problem = [&](const Problem& problem) { tolerable = problem.tolerable; };
  ListInputs({Path("none")}, list_);
  EXPECT_FALSE(tolerable);
  tolerable = true;
  Put("p/a.png", "x");
  Put("p/shut/b.png", "x");
  ASSERT_EQ(chmod(Path("p/shut").c_str(), 0), 0);
  EXPECT_TRUE(testing::SaysUnprivileged(
      [&] { return ListInputs({Path("p")}, list_).size() == 1 && !tolerable; }));
  ASSERT_EQ(chmod(Path("p/shut").c_str(), 0700), 0);
}

// Python takes on the locale of its user. In Turkish the small letter of I has no dot, and is no i.
TEST_F(InputsTest, ExtensionsMeanTheSameInTurkish) {
  // Compiled once for all runs, as clips are made, if it can be kept.
  const std::string kept = SKINMASK_TEST_CLIPS "/locales";
  const std::string made =
      "cd '" + folder_.string() + "' && kept='" + kept +
      "' && { cp -r \"$kept/tr_TR.UTF-8\" . || "
      "{ localedef -i tr_TR -f UTF-8 ./tr_TR.UTF-8; mkdir -p \"$kept\" && "
      "cp -r tr_TR.UTF-8 \"$kept/$$\" && mv -T \"$kept/$$\" \"$kept/tr_TR.UTF-8\" || "
      "rm -rf \"$kept/$$\"; }; test -e tr_TR.UTF-8/LC_CTYPE; } >/dev/null 2>&1";
  if (std::system(made.c_str()) != 0) GTEST_SKIP() << "needs the sources of locales";
  ::setenv("LOCPATH", folder_.c_str(), 1);
  const char* const turkish = std::setlocale(LC_CTYPE, "tr_TR.UTF-8");
  for (const char* name : {"a.TIFF", "a.TIF", "a.GIF", "a.AVIF", "a.HEIC"})
    EXPECT_TRUE(NamedMedia(name).image) << name;
  for (const char* name : {"a.AVI", "a.IVF", "a.f4v", "a.m2t"})
    EXPECT_TRUE(NamedMedia(name).video) << name;
  const bool taken = turkish && std::tolower('I') != 'i';
  std::setlocale(LC_CTYPE, "C");
  ::unsetenv("LOCPATH");
  EXPECT_TRUE(taken);  // so that the lines above say something
}

}  // namespace
}  // namespace skinmask
