#include "skinmask/base/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <new>
#include <stdexcept>

#include "skinmask/base/error.h"
#include "skinmask/base/problem.h"
#include "support/files.h"

namespace skinmask {
namespace {

using FileTest = testing::FolderTest;

TEST_F(FileTest, WritesWholeFilesAndNothingBeside) {
  const std::string bytes("a\0b\n", 4);
  WriteFile(Path("f"), bytes, IfExists::kFail);
  EXPECT_EQ(ReadFile(Path("f")), bytes);
  EXPECT_EQ(Names(folder_), std::vector<std::string>{"f"});
}

TEST_F(FileTest, ReplacesOnlyWhenTold) {
  Put("f", "old");
  EXPECT_ERROR(WriteFile(Path("f"), "new", IfExists::kFail),
               "f: exists already (`overwrite` replaces it)");
  EXPECT_EQ(ReadFile(Path("f")), "old");
  WriteFile(Path("f"), "new", IfExists::kReplace);
  EXPECT_EQ(ReadFile(Path("f")), "new");
}

// However two writers of one file take turns: the first to finish it has it.
TEST_F(FileTest, NobodyIsReplacedMeanwhile) {
  UnfinishedFile first(Path("f")), second(Path("f"));
  std::ofstream(first.path()) << "first";
  std::ofstream(second.path()) << "second";
  first.Rename(IfExists::kFail);
  EXPECT_ERROR(second.Rename(IfExists::kFail), "f: exists already (`overwrite` replaces it)");
  EXPECT_EQ(ReadFile(Path("f")), "first");
  second.Rename(IfExists::kReplace);
  EXPECT_EQ(ReadFile(Path("f")), "second");
}

// Links and ways around are of no account; what is not there yet has an identity, too.
TEST_F(FileTest, AnIdentityIsThatOfTheFile) {
  Put("a/b/f", "x");
  std::filesystem::create_directory_symlink("a", Path("link"));
  std::filesystem::create_symlink("b/f", Path("a/g"));
  for (const char* same : {"a/../a/b/f", "link/b/f", "a/g", "link/g"})
    EXPECT_EQ(FileIdentity(Path(same)), FileIdentity(Path("a/b/f"))) << same;
  EXPECT_EQ(FolderIdentity(Path("link/b/")), FolderIdentity(Path("a/b")));
  EXPECT_EQ(FileIdentity(Path("link/new/f")), FileIdentity(Path("a/new/f")));
  EXPECT_NE(FileIdentity(Path("a/new/f")), FileIdentity(Path("a/b/f")));
  EXPECT_NE(FileIdentity(Path("a/f")), FileIdentity(Path("a/b/f")));
}

TEST_F(FileTest, ALinkStaysAndItsTargetIsWritten) {
  Put("target", "old");
  std::filesystem::create_symlink("target", Path("link"));
  WriteFile(Path("link"), "new", IfExists::kReplace);
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  EXPECT_EQ(ReadFile(Path("target")), "new");
  // A target that does not exist yet is made, by way of two links.
  std::filesystem::create_directory(Path("d"));
  std::filesystem::create_symlink("d/other", Path("first"));
  std::filesystem::create_symlink(Path("absent"), Path("d/other"));
  for (const char* const text : {"made", "again"}) {
    WriteFile(Path("first"), text, *text == 'm' ? IfExists::kFail : IfExists::kReplace);
    EXPECT_TRUE(std::filesystem::is_symlink(Path("first")));
    EXPECT_EQ(ReadFile(Path("absent")), text);
  }
  EXPECT_EQ(FileIdentity(Path("first")), FileIdentity(Path("absent")));
  std::filesystem::create_symlink("round", Path("round"));
  std::filesystem::create_symlink("no/such/file", Path("lost"));
  EXPECT_ERROR(RequireWritable(Path("round"), IfExists::kReplace), "a link that leads nowhere");
  EXPECT_ERROR(RequireWritable(Path("lost"), IfExists::kReplace), "its folder does not exist");
}

TEST_F(FileTest, NamesWhatIsWrong) {
  EXPECT_ERROR(ReadFile(Path("absent")), "absent: cannot be read: No such file");
  EXPECT_ERROR(ReadFile(folder_), "is a folder");
  EXPECT_ERROR(WriteFile(Path("no/such/f"), "x", IfExists::kFail), "its folder does not exist");
  EXPECT_ERROR(WriteFile(folder_, "x", IfExists::kReplace), "is a folder");
  EXPECT_ERROR(WriteFile("/dev/full", "x", IfExists::kFail),
               "/dev/full: cannot be written: No space left");
}

// As for a service whose user may not search the folder that it was started in.
TEST_F(FileTest, ACurrentFolderThatMayNotBeSearchedIsALine) {
  if (geteuid() != 0) GTEST_SKIP() << "root gives the rights away";
  const auto refused = [&] {
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
    if (chdir(folder_.c_str()) != 0 || setuid(65534) != 0) return 2;
    try {
      RequireWritable("m.json", IfExists::kFail);
    } catch (const Error& e) {
      return std::string_view(e.what()).find("m.json: cannot be written") == 0 ? 0 : 3;
    }
    return 1;
  };
  EXPECT_EXIT(_exit(refused()), ::testing::ExitedWithCode(0), "");
}

TEST(Problem, ALackOfMemoryNamesTheInputInWords) {
  const std::string line = "a.png: needs more memory than there is";
  EXPECT_EQ(Problem("a.png", std::bad_alloc()).line, line);
  EXPECT_EQ(Problem("a.png", std::runtime_error("OpenCV(4.6.0) ./modules/core/src/alloc.cpp:73: "
                                                "error: (-4:Insufficient memory) Failed to "
                                                "allocate 805306368 bytes in function 'x'\n"))
                .line,
            line);
}

TEST_F(FileTest, ADeviceIsNoFile) {
  EXPECT_ERROR(ReadFile("/dev/zero"), "/dev/zero: is a device (a file or a pipe is expected)");
  EXPECT_EQ(ReadFile("/dev/null"), "");
}

TEST_F(FileTest, ReadsWhatHasNoSize) {
  for (const std::size_t most : {10, 5000})
    EXPECT_ERROR(ReadFile("/proc/self/smaps", {.most = most}), "is larger than");
  EXPECT_ERROR(ReadFile("/proc/self/status", {.most = 10}), "is larger than");
  EXPECT_NE(ReadFile("/proc/self/status").find("Name:"), std::string::npos);
}

}  // namespace
}  // namespace skinmask
