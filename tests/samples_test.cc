#include "skinmask/samples.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "skinmask/error.h"
#include "support/files.h"
#include "support/world.h"

namespace skinmask {
namespace {

using testing::DrawSamples;
using testing::Random;

Samples Parse(std::string_view text) { return ParseSamples(text, "t.csv"); }


void ExpectEqual(const Samples& a, const Samples& b) {
  EXPECT_EQ(a.classes(), b.classes());
  EXPECT_EQ(FormatSamples(a), FormatSamples(b));
}

const char kTwoRows[] =
    "class,b,g,r,count,group\n"
    "non-skin,4,5,6,2,0\n"
    "skin,1,2,3,1,0\n";

TEST(Samples, ReadsEveryFormOfTheUciFile) {
  for (const char* text :
       {"1\t2\t3\t1\r\n4\t5\t6\t2\r\n4\t5\t6\t2\r\n", "1 2 3 1\n4 5 6 2\n4 5 6 2", "1,2,3,1\n4,5,6,2\n4,5,6,2\n\n\r\n \n",
        "B G R label\n1 2 3 1\n4 5 6 2\n4 5 6 2\n", "b,g,r,class\r\n1,2,3,1\r\n4,5,6,2\r\n4,5,6,2\r\n\r\n",
        "R\tG\tB\tLabel\n3\t2\t1\t1\n6\t5\t4\t2\n6\t5\t4\t2\n", "\xEF\xBB\xBF" "1  2   3 1\n 4 5 6 2 \n4 , 5,6 ,2\n"})
    EXPECT_EQ(FormatSamples(Parse(text)), kTwoRows) << text;
}

TEST(Samples, CountAndGroupMayBeAbsent) {
  EXPECT_EQ(FormatSamples(Parse("class,b,g,r\nskin,1,2,3\nnon-skin,4,5,6\nnon-skin,4,5,6\n")), kTwoRows);
  EXPECT_EQ(FormatSamples(Parse("class,b,g,r,group\nhair,1,2,3,7\n")),
            "class,b,g,r,count,group\nhair,1,2,3,1,7\n");
  EXPECT_TRUE(Parse("class,b,g,r,count\nskin,1,2,3,0\n").rows().empty());
}

TEST(Samples, NamesFileLineAndContentOfWhatItCannotRead) {
  const std::pair<const char*, const char*> cases[] = {
      {"1 2 3 1\n1 2 256 1\n", "t.csv:2: '1 2 256 1' is not understood (r is a whole number"},
      {"1 2 3 1\n\n1 2 3 1\n", "t.csv:2: ''"},
      {"1 2 3\n", "4 columns are expected"},
      {"1 2 3 4 5\n", "4 columns are expected"},
      {"1 2 3 3\n", "label 1 for skin, 2 for non-skin"},
      {"1 2 -3 1\n", "r is a whole number from 0 to 255"},
      {"1 2 3.5 1\n", "r is a whole number"},
      {"1;2;3;1\n", "is not understood"},
      {"red,green,blue,class\n1,2,3,1\n", "t.csv:1: 'red,green,blue,class'"},
      {"class,b,g\nskin,1,2\n", "a header names class"},
      {"class,b,g,r,b\nskin,1,2,3,4\n", "a header names class"},
      {"class,b,g,r,count\nskin,1,2,3,-1\n", "count is a whole number"},
      {"class,b,g,r,count\nskin,1,2,3,99999999999999999999\n", "count is a whole number"},
      {"class,b,g,r,count,group\nskin,1,2,3,1,x\n", "group is a whole number"},
      {"class,b,g,r,count,group\nskin,1,2,3,1\n", "6 columns are expected"},
      {"class,b,g,r\n,1,2,3\n", "the class is a name"},
      {"class,b,g,r\n\"skin\",1,2,3\n", "the class is a name"},
      {"", "is empty"},
      {"\n", "is empty"},
  };
  for (const auto& [text, message] : cases) EXPECT_ERROR(Parse(text), message);
}

TEST(Samples, LongAndBinaryLinesStayOneShortLine) {
  try {
    Parse("1 2 3 1\n" + std::string(5000, 'x') + "\x01\n");
    FAIL();
  } catch (const Error& e) {
    EXPECT_LT(std::string(e.what()).size(), 300u);
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
  }
}

TEST(Samples, TextRoundTrips) {
  const Samples samples = DrawSamples(3);
  ExpectEqual(Parse(FormatSamples(samples)), samples);
}

TEST(Samples, OrderAndSplitDoNotMatter) {
  const Samples samples = DrawSamples(3);
  std::vector<SampleRow> rows = samples.rows();
  Random random(7);
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.Next() % i]);
  // Shuffled rows, with class names met in another order.
  SampleCounter shuffled;
  for (const char* name : {"skin", "hair", "non-skin"}) shuffled.ClassIndex(name);
  for (SampleRow row : rows) {
    row.class_index = shuffled.ClassIndex(samples.classes()[row.class_index]);
    shuffled.Add(row);
  }
  ExpectEqual(std::move(shuffled).Finish(), samples);
  // Three shards, added up.
  SampleCounter merged;
  for (std::size_t shard = 0; shard < 3; ++shard) {
    std::vector<SampleRow> part;
    for (std::size_t i = shard; i < rows.size(); i += 3) part.push_back(rows[i]);
    merged.Add(Samples(samples.classes(), part));
  }
  ExpectEqual(std::move(merged).Finish(), samples);
}

TEST(ColorCounter, AgreesWithAMap) {
  Random random(3);
  constexpr std::size_t kPixels = 20000;
  std::vector<std::uint8_t> bgr(3 * kPixels), classes(kPixels);
  for (std::uint8_t& v : bgr) v = random.Byte() & 0x87;
  for (std::uint8_t& c : classes) c = static_cast<std::uint8_t>(random.Next() % 4);  // 3: no class
  ColorCounter counter(3);
  for (const std::size_t step : {1, 3}) {
    std::map<std::array<int, 4>, std::uint64_t> expected;
    for (std::size_t i = 0; i < kPixels; i += step)
      if (classes[i] < 3) ++expected[{classes[i], bgr[3 * i], bgr[3 * i + 1], bgr[3 * i + 2]}];
    counter.CountRow(bgr.data(), classes.data(), kPixels, step);
    const std::vector<SampleRow> rows = counter.Flush(5);
    ASSERT_EQ(rows.size(), expected.size());
    auto at = expected.begin();  // a map's order is the canonical one
    for (const SampleRow& row : rows) {
      EXPECT_EQ((std::array<int, 4>{row.class_index, row.b, row.g, row.r}), at->first);
      EXPECT_EQ(row.count, at++->second);
      EXPECT_EQ(row.group, 5u);
    }
  }
  EXPECT_TRUE(counter.Flush(0).empty());
  EXPECT_FALSE(counter.IsFullFor(UINT32_MAX));
  counter.CountRow(bgr.data(), classes.data(), 1);
  EXPECT_TRUE(counter.IsFullFor(UINT32_MAX));
}

TEST(Samples, RefusesTotalsBeyondExactSums) {
  const std::uint64_t most = Samples::kMaxTotal;
  EXPECT_EQ(Samples({"a"}, {{0, 0, 1, 2, 3, most}}).Total(), most);
  EXPECT_ERROR(Samples({"a"}, {{0, 0, 1, 2, 3, most}, {0, 0, 1, 2, 3, 1}}), "exact sums end there");
}

}  // namespace
}  // namespace skinmask
