// What a damaged picture leaves undecoded is never what memory held before: runs whose allocator
// fills memory with different bytes give the same outputs and lines.
#include <map>
#include <opencv2/imgcodecs.hpp>

#include "support/pictures.h"
#include "support/program.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;
using testing::Encode;
using testing::Gradient;
using testing::Outcome;

class MemoryTest : public testing::ProgramTest {
 protected:
  // The file, cut at some places, and with some bytes changed.
  void PutMutants(const std::string& name, const std::string& bytes) const {
    constexpr std::size_t kCuts = 5, kFlips = 12;
    Put("in/whole-" + name, bytes);
    for (std::size_t i = 1; i < kCuts; ++i)
      Put("in/cut-" + std::to_string(i) + "-" + name, bytes.substr(0, bytes.size() * i / kCuts));
    for (std::size_t i = 0; i < kFlips; ++i) {
      std::string changed = bytes;
      changed[(bytes.size() - 1) * (i * 37 % kFlips) / kFlips + i % 5 % bytes.size()] ^=
          static_cast<char>(1u << i % 8);
      Put("in/flip-" + std::to_string(i) + "-" + name, changed);
    }
  }

  void PutTiffs() const {
    cv::Mat deep;
    Gradient(42, 64).convertTo(deep, CV_16UC3, 255);
    for (const int compression : {1, 5, 7, 8, 32773, 32946})
      for (const auto& [bits, image] : {std::pair("8", Gradient(42, 64)), {"16", deep}}) {
        if (compression == 7 && image.depth() != CV_8U) continue;
        PutMutants("tiff" + std::to_string(compression) + "-" + bits + ".tif",
                   Encode(".tif", image, {cv::IMWRITE_TIFF_COMPRESSION, compression}));
      }
  }

  // A TIFF of 16 bits whose strips of 252 bytes are a byte and a run of 258: more than fits.
  static std::string LongRuns() {
    constexpr std::uint16_t kRows = 64;
    std::string file("II*\0\x12\0\0\0", 8);
    file += std::string("\x78\x01\x63\x18\x05\0\0\0\0\0", 10);
    const auto number = [](std::uint32_t value, int bytes) {
      std::string text;
      for (; bytes > 0; --bytes, value >>= 8) text += static_cast<char>(value);
      return text;
    };
    const std::uint32_t data = 8 + 10 + 2 + 10 * 12 + 4;
    const auto entry = [&](std::uint32_t tag, std::uint32_t type, std::uint32_t count,
                           std::uint32_t value) {
      return number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4);
    };
    file += number(10, 2) + entry(256, 3, 1, 42) + entry(257, 3, 1, kRows) +
            entry(258, 3, 3, data) + entry(259, 3, 1, 8) + entry(262, 3, 1, 2) +
            entry(273, 4, kRows, data + 6) + entry(277, 3, 1, 3) + entry(278, 3, 1, 1) +
            entry(279, 4, kRows, data + 6 + 4 * kRows) + entry(284, 3, 1, 1) + number(0, 4);
    for (int i = 0; i < 3; ++i) file += number(16, 2);
    for (int i = 0; i < kRows; ++i) file += number(8, 4);
    for (int i = 0; i < kRows; ++i) file += number(8, 4);
    return file;
  }

  // All of a run whose memory holds `filler`: outputs by name, and what it said.
  std::map<std::string, std::string> RunWith(int filler) const {
    const std::string out = "out-" + std::to_string(filler);
    ::setenv("GLIBC_TUNABLES",
             ("glibc.malloc.tcache_count=0:glibc.malloc.perturb=" + std::to_string(filler)).c_str(),
             1);
    const Outcome run = Run("detect in -o " + out +
                            " --output cutout --adapt off --threads 1 --max-pixels 1000000 -q");
    ::unsetenv("GLIBC_TUNABLES");
    EXPECT_EQ(run.status, 1);
    std::map<std::string, std::string> all{{"", run.err}};
    for (const std::string& name : Names(Path(out))) all[name] = ReadFile(Path(out + "/" + name));
    return all;
  }
};

TEST_F(MemoryTest, IsInNoOutput) {
#ifdef SKINMASK_SANITIZED
  GTEST_SKIP() << "sanitizers have an allocator of their own";
#endif
  const fs::path source = SKINMASK_SOURCE;
  for (const auto& entry : fs::directory_iterator(source / "tests/fixtures/formats"))
    if (const std::string kind = entry.path().extension(); kind != ".c" && kind != ".sh")
      PutMutants(entry.path().filename(), ReadFile(entry.path()));
  for (const char* kind : {".png", ".bmp", ".ppm", ".webp", ".jpg"})
    PutMutants(std::string("gradient") + kind, Encode(kind, Gradient(42, 64)));
  PutTiffs();
  PutMutants("long-runs.tif", LongRuns());
  const auto one = RunWith(1), other = RunWith(170);
  EXPECT_GT(one.size(), 100u);
  EXPECT_EQ(one.size(), other.size());
  for (const auto& [name, bytes] : one) {
    const auto found = other.find(name);
    EXPECT_TRUE(found != other.end() && found->second == bytes) << "differs: " << name;
  }
}

}  // namespace
}  // namespace skinmask
