// Archives: GNU tar, which every Debian has, is the oracle.
#include "media/tar.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "media/archive.h"
#include "skinmask/base/error.h"
#include "support/files.h"

namespace skinmask {
namespace {

class TarTest : public testing::FolderTest {
 protected:
  // Runs a command in the test's folder.
  bool Shell(const std::string& command) const {
    return std::system(("cd '" + folder_.string() + "' && " + command).c_str()) == 0;
  }
  static std::string All(TarReader& reader) {
    return reader.Read([](std::string_view) { return true; });
  }
  std::map<std::string, std::string> Contents(const std::string& name) const {
    std::map<std::string, std::string> contents;
    TarReader reader(Path(name));
    while (const auto entry = reader.Next()) contents[entry->name] = All(reader);
    return contents;
  }
  std::optional<ArchivedFile> First(const std::string& name) const {
    TarReader reader(Path(name));
    return NextFile(reader);
  }
  // Three files, one of many blocks and one with a name that takes a header of its own.
  std::map<std::string, std::string> PutFiles() const {
    std::string large(300000, 'x');
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * i >> 7);
    const std::map<std::string, std::string> files{
        {"a.jpg", large}, {"empty.txt", ""}, {fmt::format("{:n<180}\xC3\xA4.png", ""), "bytes"}};
    for (const auto& [name, bytes] : files) Put("in/" + name, bytes);
    return files;
  }
};

TEST_F(TarTest, ReadsWhatGnuTarWritesInAnyForm) {
  const auto files = PutFiles();
  for (const char* form : {"gnu", "posix", "ustar"}) {
    SCOPED_TRACE(form);
    const std::string names = form == std::string("ustar") ? "a.jpg empty.txt" : "*";
    ASSERT_TRUE(Shell(std::string("tar -C in --format=") + form + " -cf a.tar $(cd in && ls " +
                      names + ")"));
    for (const auto& [name, bytes] : Contents("a.tar")) EXPECT_EQ(files.at(name), bytes) << name;
    EXPECT_EQ(Contents("a.tar").size(), form == std::string("ustar") ? 2u : 3u);
  }
}

// What LabelledPairs relies on when it reads images in any order.
TEST_F(TarTest, OffsetsLeadToTheData) {
  const auto files = PutFiles();
  for (const char* form : {"gnu", "posix"}) {
    ASSERT_TRUE(Shell(std::string("tar -C in --format=") + form + " -cf a.tar ."));
    const std::string archive = ReadFile(Path("a.tar"));
    TarReader reader(Path("a.tar"));
    int found = 0;
    while (const auto entry = reader.Next()) {
      if (entry->type != TarEntry::Type::kFile) continue;
      ++found;
      EXPECT_EQ(archive.substr(entry->offset, entry->size), files.at(entry->name.substr(2)));
    }
    EXPECT_EQ(found, 3) << form;
  }
}

TEST_F(TarTest, GnuTarReadsWhatIsWritten) {
  const auto files = PutFiles();
  TarWriter writer(Path("w.tar"), IfExists::kFail);
  for (const auto& [name, bytes] : files) writer.Add("deep/" + name, bytes);
  EXPECT_FALSE(std::filesystem::exists(Path("w.tar")));
  writer.Finish();
  ASSERT_TRUE(Shell("mkdir out && tar -C out -xf w.tar 2>problems && test ! -s problems"));
  for (const auto& [name, bytes] : files) EXPECT_EQ(ReadFile(Path("out/deep/" + name)), bytes);
  EXPECT_EQ(Contents("w.tar").size(), files.size());
  EXPECT_EQ(ReadFile(Path("w.tar")).size() % 512, 0u);
}

TEST_F(TarTest, AnUnfinishedOneLeavesNothing) {
  { TarWriter(Path("w.tar"), IfExists::kFail).Add("a", std::string(1 << 20, 'a')); }
  EXPECT_TRUE(Names(folder_).empty());
}

// At every length: what is left is an error, or all that there was.
TEST_F(TarTest, TruncatedOnesAreErrors) {
  Put("in/a.jpg", std::string(700, 'a'));
  Put("in/b.jpg", "b");
  ASSERT_TRUE(Shell("tar -C in --format=gnu -cf a.tar a.jpg b.jpg"));
  const std::string whole = ReadFile(Path("a.tar"));
  const std::size_t end = 512 + 1024 + 512 + 512;  // headers, and data in blocks
  for (const std::size_t size : {0, 1, 511, 512, 513, 1211, 1212, 1535, 1536, 1537, 2047, 2048,
                                 2049, 2559, static_cast<int>(end)}) {
    Put("cut.tar", whole.substr(0, size));
    SCOPED_TRACE(size);
    EXPECT_ERROR(Contents("cut.tar"), "cut.tar: ");
  }
  Put("cut.tar", whole.substr(0, end + 512));  // one block of zeros is a mark
  EXPECT_EQ(Contents("cut.tar").size(), 2u);
}

// In the header of the second file.
TEST_F(TarTest, ADamagedHeaderIsAnError) {
  PutFiles();
  ASSERT_TRUE(Shell("tar -C in -cf a.tar empty.txt a.jpg"));
  std::string bytes = ReadFile(Path("a.tar"));
  bytes[512 + 100] ^= 1;  // of the mode
  Put("b.tar", bytes);
  TarReader reader(Path("b.tar"));
  EXPECT_EQ(reader.Next()->name, "empty.txt");
  EXPECT_ERROR(reader.Next(), "b.tar: is no tar archive, or one that is damaged");
}

TEST_F(TarTest, OtherFilesAreNone) {
  Put("a.tar", std::string(5000, 'x'));
  EXPECT_ERROR(Contents("a.tar"), "is no tar archive");
  PutFiles();
  ASSERT_TRUE(Shell("tar -C in -czf z.tar ."));
  EXPECT_ERROR(Contents("z.tar"), "is compressed");
}

// Two archives in one file would lose the second; zeros are what tar programs pad with.
TEST_F(TarTest, WhatFollowsTheEndIsAnError) {
  Put("in/a.jpg", "a");
  ASSERT_TRUE(Shell("tar -C in -cf a.tar a.jpg && cat a.tar a.tar >two.tar"));
  EXPECT_ERROR(Contents("two.tar"), "goes on after the mark of its end");
  const std::string whole = ReadFile(Path("a.tar"));
  Put("junk.tar", whole + std::string(200000, '\0') + "x");
  EXPECT_ERROR(Contents("junk.tar"), "goes on after the mark of its end");
  Put("junk.tar", whole.substr(0, 2048) + "x");
  EXPECT_ERROR(Contents("junk.tar"), "goes on after the mark of its end");
  Put("padded.tar", whole + std::string(200000, '\0'));
  EXPECT_EQ(Contents("padded.tar").size(), 1u);
}

TEST_F(TarTest, SparseFilesAreToldOf) {
  ASSERT_TRUE(Shell("mkdir in && truncate -s 1M in/a.jpg && echo b >in/b.jpg"));
  for (const char* form : {"gnu", "posix"})
    for (const char* order : {"a.jpg b.jpg", "b.jpg a.jpg"}) {
      ASSERT_TRUE(Shell(std::string("tar -C in -S --format=") + form + " -cf a.tar " + order));
      TarReader reader(Path("a.tar"));
      std::map<std::string, TarEntry::Type> types;
      while (const auto entry = reader.Next()) types[entry->name] = entry->type;
      EXPECT_EQ(types["a.jpg"], TarEntry::Type::kSparse);
      EXPECT_EQ(types["b.jpg"], TarEntry::Type::kFile);
    }
}

TEST_F(TarTest, KeysEndAtTheFirstDotOfTheName) {
  for (const char* name : {"d.x/a.seg.png", "b", ".c", "e.jpg"}) Put(std::string("in/") + name, "");
  ASSERT_TRUE(Shell("tar -C in -cf a.tar ./d.x b .c e.jpg"));
  TarReader reader(Path("a.tar"));
  std::map<std::string, std::string> extensions;
  while (const auto file = NextFile(reader)) extensions[file->key] = file->extension;
  EXPECT_EQ(extensions, (std::map<std::string, std::string>{
                            {"d.x/a", "seg.png"}, {"b", ""}, {"", "c"}, {"e", "jpg"}}));
}

TEST_F(TarTest, EntriesThatLeadOutAreErrors) {
  Put("in/a.jpg", "a");
  for (const char* change : {"s,^,../,", "s,^,/tmp/,", "s,^,x/../../,"}) {
    ASSERT_TRUE(Shell(std::string("tar -P -C in --transform='") + change + "' -cf a.tar a.jpg"));
    EXPECT_ERROR(First("a.tar"), "leads out of it");
  }
}

TEST_F(TarTest, NamesThatNoFileCanHaveAreErrors) {
  std::string deep;
  for (int i = 0; i < 2500; ++i) deep += "a/";
  TarWriter writer(Path("w.tar"), IfExists::kFail);
  writer.Add(deep + "x.png", "x");
  writer.Finish();
  EXPECT_ERROR(First("w.tar"), "a name of 5005 bytes (at most 4096)");
}

}  // namespace
}  // namespace skinmask
