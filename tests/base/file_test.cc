#include "skinmask/base/file.h"

#include <gtest/gtest.h>

#include "skinmask/base/error.h"
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

TEST_F(FileTest, ALinkStaysAndItsTargetIsWritten) {
  Put("target", "old");
  std::filesystem::create_symlink("target", Path("link"));
  WriteFile(Path("link"), "new", IfExists::kReplace);
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  EXPECT_EQ(ReadFile(Path("target")), "new");
}

TEST_F(FileTest, NamesWhatIsWrong) {
  EXPECT_ERROR(ReadFile(Path("absent")), "absent: cannot be read: No such file");
  EXPECT_ERROR(ReadFile(folder_), "is a folder");
  EXPECT_ERROR(WriteFile(Path("no/such/f"), "x", IfExists::kFail), "its folder does not exist");
  EXPECT_ERROR(WriteFile(folder_, "x", IfExists::kReplace), "is a folder");
  EXPECT_ERROR(WriteFile("/dev/full", "x", IfExists::kFail),
               "/dev/full: cannot be written: No space left");
}

TEST_F(FileTest, ADeviceIsNoFile) {
  EXPECT_ERROR(ReadFile("/dev/zero"), "/dev/zero: is a device (a file or a pipe is expected)");
  EXPECT_EQ(ReadFile("/dev/null"), "");
}

TEST_F(FileTest, ReadsWhatHasNoSize) {
  EXPECT_NE(ReadFile("/proc/self/status").find("Name:"), std::string::npos);
}

}  // namespace
}  // namespace skinmask
