// What is taken of a HEIC or AVIF: one coded image, or one grid of them. Good files are put
// together here from the coded image of a fixture; libheif itself is the oracle of how the boxes
// that turn a picture are understood, since it sees those of a single image.
#include <opencv2/imgproc.hpp>

#include "skinmask/base/error.h"
#include "skinmask/media/image.h"
#include "support/files.h"
#include "support/heif_files.h"

namespace skinmask {
namespace {

using testing::HeifBox;
using testing::HeifBoxIn;
using testing::HeifFile;
using testing::HeifFullBox;
using testing::HeifGrid;
using testing::HeifItem;
using testing::HeifNumber;
using testing::HeifSize;

constexpr int kWidth = 64, kHeight = 48;

class HeifItemsTest : public ::testing::Test {
 protected:
  HeifItemsTest() {
    const std::string file =
        ReadFile(std::filesystem::path(SKINMASK_SOURCE) / "tests/fixtures/formats/gradient.avif");
    const std::string data = HeifBoxIn(file, "mdat");
    tile_ = {1, "av01", {HeifBoxIn(file, "av1C"), HeifBoxIn(file, "colr"), Size()}, data.substr(8)};
  }
  static std::string Size() { return HeifSize(kWidth, kHeight); }

  HeifFile Single(const std::vector<std::string>& turns = {}) const {
    HeifFile file{"avif", {tile_}};
    file.items[0].properties.insert(file.items[0].properties.end(), turns.begin(), turns.end());
    return file;
  }
  // Of two by two tiles, of which the last column and row are cut off by the size.
  HeifFile Grid(std::size_t width = 100, std::size_t height = 90,
                const std::vector<std::string>& turns = {}) const {
    HeifFile file{"avif", {}, 9};
    for (std::size_t id = 1; id <= 4; ++id) {
      file.items.push_back(tile_);
      file.items.back().id = id;
    }
    HeifItem grid{
        9, "grid", {HeifSize(width, height)}, HeifGrid(2, 2, width, height), {1, 2, 3, 4}};
    grid.properties.insert(grid.properties.end(), turns.begin(), turns.end());
    file.items.push_back(grid);
    return file;
  }

  static cv::Mat Picture(const HeifFile& file) { return DecodeImage(file.Bytes(), "x"); }

  HeifItem tile_;
};

bool AreEqual(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && cv::norm(a, b, cv::NORM_INF) == 0;
}

#define SKIP_WITHOUT_HEIF()                                                 \
  try {                                                                     \
    Picture(Single());                                                      \
  } catch (const Error& e) {                                                \
    if (std::string(e.what()).find("without libheif") != std::string::npos) \
      GTEST_SKIP() << "this build has no libheif";                          \
    throw;                                                                  \
  }

TEST_F(HeifItemsTest, AnImageAndAGridOfItAreTaken) {
  SKIP_WITHOUT_HEIF();
  const cv::Mat tile = Picture(Single());
  ASSERT_EQ(tile.size(), cv::Size(kWidth, kHeight));
  cv::Mat all;
  cv::repeat(tile, 2, 2, all);
  EXPECT_TRUE(AreEqual(Picture(Grid()), all(cv::Rect(0, 0, 100, 90))));
  EXPECT_TRUE(AreEqual(Picture(Grid(128, 96)), all));
}

// A grid of one tile is turned as the tile alone.
TEST_F(HeifItemsTest, AGridIsTurnedAsLibheifTurnsAnImage) {
  SKIP_WITHOUT_HEIF();
  std::vector<std::vector<std::string>> all;
  for (const char c : {'\0', '\1', '\2', '\3'}) all.push_back({HeifBox("irot", {c})});
  for (const char c : {'\0', '\1'}) {
    all.push_back({HeifBox("imir", {c})});
    all.push_back({HeifBox("irot", "\1"), HeifBox("imir", {c})});
    all.push_back({HeifBox("imir", {c}), HeifBox("irot", "\3")});
  }
  const auto clap = [](std::size_t width, std::size_t height, int right, int down) {
    std::string numbers;
    for (const std::size_t n :
         {width, height, static_cast<std::size_t>(right), static_cast<std::size_t>(down)})
      numbers += HeifNumber(n, 4) + HeifNumber(1, 4);
    return HeifBox("clap", numbers);
  };
  // By even numbers from the left and the top: libheif 1.23 crops before it converts the colours,
  // and from odd ones on pixels would share chroma with other neighbours.
  all.push_back({clap(32, 20, 0, 0)});
  all.push_back({clap(32, 20, 6, -8)});
  all.push_back({clap(31, 21, 0, 0)});
  all.push_back({clap(1, 1, -31, 23)});
  all.push_back({clap(40, 24, 4, 2), HeifBox("irot", "\1")});
  for (std::size_t i = 0; i < all.size(); ++i) {
    HeifFile grid{"avif", {tile_}, 9};
    grid.items.push_back({9, "grid", {Size()}, HeifGrid(1, 1, kWidth, kHeight), {1}});
    auto& properties = grid.items[1].properties;
    properties.insert(properties.end(), all[i].begin(), all[i].end());
    const cv::Mat ours = Picture(grid), theirs = Picture(Single(all[i]));
    EXPECT_TRUE(AreEqual(ours, theirs)) << i << ": " << ours.size() << ", not " << theirs.size();
  }
}

TEST_F(HeifItemsTest, WhatIsDerivedFromItselfOrNothingIsRefused) {
  SKIP_WITHOUT_HEIF();
  const auto expect = [](const HeifFile& file, const char* problem) {
    EXPECT_ERROR(Picture(file), problem);
  };
  HeifFile file = Grid();
  file.items[4].parts = {1, 2, 9, 4};
  expect(file, "item of another kind");
  file.items[4].parts = {1, 2, 77, 4};
  expect(file, "is missing");
  file.items[4].parts = {1, 2, 3};
  expect(file, "has not all its tiles");
  file.items[4].parts = {};
  expect(file, "has not all its tiles");
  file = Grid();
  file.items[3] = {4, "grid", {Size()}, HeifGrid(1, 1, kWidth, kHeight), {1}};
  expect(file, "item of another kind");
  for (const char* const type : {"iden", "iovl", "tmap", "jpeg", "grpl"}) {
    file = Single();
    file.items[0].type = type;
    file.items[0].parts = {1};
    expect(file, "item of another kind");
  }
  file = Single();
  file.primary = 3;
  expect(file, "is missing");
}

TEST_F(HeifItemsTest, SizesThatDoNotFitAreRefused) {
  SKIP_WITHOUT_HEIF();
  for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>{129, 96},
                                      {128, 97},
                                      {64, 96},
                                      {128, 48},
                                      {1, 1},
                                      {4000000000, 4000000000}})
    EXPECT_THROW(Picture(Grid(width, height)), Error) << width << " x " << height;
  HeifFile file = Grid();
  file.items[1].properties.back() = HeifSize(kWidth, kHeight - 1);
  EXPECT_ERROR(Picture(file), "of several sizes");
  file = Grid();
  file.items[4].properties[0] = HeifSize(100, 91);
  EXPECT_ERROR(Picture(file), "another size than its header says");
  for (HeifFile each : {Single(), Grid()}) {  // all headers agree, and the coded data do not
    for (HeifItem& item : each.items)
      if (item.type == "av01") item.properties.back() = HeifSize(kWidth - 8, kHeight);
    EXPECT_THROW(Picture(each), Error);
  }
}

TEST_F(HeifItemsTest, ExtentsOutsideTheFileAreRefused) {
  SKIP_WITHOUT_HEIF();
  for (const std::size_t length : {std::size_t{1}, std::size_t{1} << 20, std::size_t{0xF0000000}})
    for (HeifFile file : {Single(), Grid()}) {
      file.items.back().data += "";
      file.past_the_end = length + (file.items.size() > 1 ? file.items[0].data.size() * 5 : 0);
      EXPECT_ERROR(Picture(file), "are missing");
    }
}

TEST_F(HeifItemsTest, ItemsAreBounded) {
  SKIP_WITHOUT_HEIF();
  const auto with = [&](std::size_t count, const std::string& type) {
    HeifFile file = Single();
    for (std::size_t i = 0; i < count; ++i) file.items.push_back({2 + i, type, {}, "x"});
    return file;
  };
  EXPECT_TRUE(AreEqual(Picture(with(64, "Exif")), Picture(Single())));
  EXPECT_ERROR(Picture(with(65, "Exif")), "more than 64 items about the picture");
  EXPECT_TRUE(AreEqual(Picture(with(4000, "av01")), Picture(Single())));
  EXPECT_ERROR(Picture(with(5001, "av01")), "more than 5000 items");
}

// Of the coded image itself the decoder judges; all before it is ours.
TEST_F(HeifItemsTest, DamageAnywhereIsAnErrorOrAPicture) {
  SKIP_WITHOUT_HEIF();
  for (const std::string& whole : {Single().Bytes(), Grid().Bytes()}) {
    const std::size_t headers = whole.rfind("mdat");
    for (std::size_t size = 0; size < whole.size(); size += size < headers ? 1 : 97)
      EXPECT_THROW(DecodeImage(whole.substr(0, size), "x"), Error) << size;
    for (std::size_t at = 0; at < headers; ++at)
      for (const unsigned change : {0x01u, 0x80u, 0xFFu}) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ change);
        try {
          EXPECT_FALSE(DecodeImage(bytes, "x", {.max_pixels = 1 << 16}).empty());
        } catch (const Error&) {
        }
      }
  }
}

}  // namespace
}  // namespace skinmask
