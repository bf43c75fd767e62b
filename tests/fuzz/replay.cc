// In place of libFuzzer: runs a target on every file of a folder. Usage: fuzz_NAME FOLDER
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "skinmask/base/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]), 2;
  int files = 0, failed = 0;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1], absent)) {
    const std::string bytes = skinmask::ReadFile(entry.path());
    ++files;
    try {
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s: %s\n", entry.path().c_str(), e.what());
      ++failed;
    }
  }
  std::printf("%d files, %d failed\n", files, failed);
  return files > 0 && failed == 0 ? 0 : 1;
}
