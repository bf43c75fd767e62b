// Temporary folders and the research data.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "skinmask/base/file.h"

namespace skinmask::testing {

namespace fs = std::filesystem;

inline fs::path SamplesFolder() { return SKINMASK_SOURCE "/samples"; }

// The folder of research data beside the checkout; SKINMASK_DATA overrides it. Empty if absent.
inline fs::path DataFolder() {
  const char* given = std::getenv("SKINMASK_DATA");
  const fs::path folder = given ? given : SKINMASK_SOURCE "/../shared/data";
  return fs::exists(folder / "README.md") ? folder : fs::path();
}

#define SKIP_WITHOUT_DATA() \
  if (DataFolder().empty()) GTEST_SKIP() << "needs the research data in ../shared/data"

// A folder of its own for each test, removed at its end.
class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    std::string pattern = (fs::temp_directory_path() / "skinmask-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~FolderTest() override { fs::remove_all(folder_); }

  fs::path Path(const std::string& name) const { return folder_ / name; }
  fs::path Put(const std::string& name, std::string_view bytes) const {
    fs::create_directories(Path(name).parent_path());
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }
  // Names of all files below a folder, sorted, but for what a run leaves about its options.
  static std::vector<std::string> Names(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && entry.path().filename() != ".skinmask-options.jsonl")
        names.push_back(entry.path().lexically_relative(folder).string());
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
};

inline int Lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// Expects an Error whose text contains `part`.
#define EXPECT_ERROR(statement, part)                                           \
  try {                                                                         \
    statement;                                                                  \
    ADD_FAILURE() << "no error";                                                \
  } catch (const ::skinmask::Error& e) {                                        \
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what(); \
  }

}  // namespace skinmask::testing
