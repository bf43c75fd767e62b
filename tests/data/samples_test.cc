#include "skinmask/data/samples.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "skinmask/base/error.h"
#include "skinmask/data/color_counter.h"
#include "support/colors.h"
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
       {"1\t2\t3\t1\r\n4\t5\t6\t2\r\n4\t5\t6\t2\r\n", "1 2 3 1\n4 5 6 2\n4 5 6 2",
        "1,2,3,1\n4,5,6,2\n4,5,6,2\n\n\r\n \n", "B G R label\n1 2 3 1\n4 5 6 2\n4 5 6 2\n",
        "b,g,r,class\r\n1,2,3,1\r\n4,5,6,2\r\n4,5,6,2\r\n\r\n",
        "R\tG\tB\tLabel\n3\t2\t1\t1\n6\t5\t4\t2\n6\t5\t4\t2\n",
        "\xEF\xBB\xBF"
        "1  2   3 1\n 4 5 6 2 \n4 , 5,6 ,2\n"})
    EXPECT_EQ(FormatSamples(Parse(text)), kTwoRows) << text;
}

TEST(Samples, CountAndGroupMayBeAbsent) {
  EXPECT_EQ(FormatSamples(Parse("class,b,g,r\nskin,1,2,3\nnon-skin,4,5,6\nnon-skin,4,5,6\n")),
            kTwoRows);
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
  using namespace std::string_literals;
  for (const std::string& text : {"\xff\xfe"
                                  "c\0l\0"s,
                                  "\x1f\x8b\x08\0\0"s})
    EXPECT_ERROR(Parse(text), "t.csv: is no text of UTF-8");
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

// Random pixels of few colours in four classes, one too many for the counters below, as rows of the
// canonical order: a map's.
struct Pixels {
  static constexpr std::size_t kCount = 20000, kClasses = 3;
  std::vector<std::uint8_t> bgr = std::vector<std::uint8_t>(3 * kCount), classes;

  explicit Pixels(std::uint64_t seed) : classes(kCount) {
    Random random(seed);
    for (std::uint8_t& v : bgr) v = random.Byte() & 0x87;
    // Half of the pixels of a row, and 3 stands for no class.
    for (std::size_t i = 0; i < kCount; ++i)
      classes[i] = static_cast<std::uint8_t>(random.Next() % (i < kCount / 2 ? 4 : 3));
  }
  void CountTo(std::map<std::array<int, 4>, std::uint64_t>& map, std::size_t step = 1) const {
    for (std::size_t i = 0; i < kCount; i += step)
      if (classes[i] < kClasses) ++map[{classes[i], bgr[3 * i], bgr[3 * i + 1], bgr[3 * i + 2]}];
  }
};

void ExpectRows(const std::vector<SampleRow>& rows,
                const std::map<std::array<int, 4>, std::uint64_t>& expected, std::uint32_t group) {
  ASSERT_EQ(rows.size(), expected.size());
  auto at = expected.begin();
  for (const SampleRow& row : rows) {
    EXPECT_EQ((std::array<int, 4>{row.class_index, row.b, row.g, row.r}), at->first);
    EXPECT_EQ(row.count, at++->second);
    EXPECT_EQ(row.group, group);
  }
}

// More runs than are merged, with groups and without.
TEST(Samples, RowsInNoOrderAddUpAsInAMap) {
  for (const std::uint32_t groups : {1u, 5u}) {
    Random random(groups);
    std::map<std::array<std::uint32_t, 5>, std::uint64_t> counts;
    std::vector<SampleRow> rows;
    for (int i = 0; i < 20000; ++i) {
      const auto some = [&](std::uint64_t n) {
        return static_cast<std::uint8_t>(random.Next() % n);
      };
      rows.push_back(
          {some(groups), some(3), some(256), some(7), some(256), std::uint64_t{1} + some(9)});
      const SampleRow& r = rows.back();
      counts[{r.group, r.class_index, r.b, r.g, r.r}] += r.count;
    }
    const Samples samples({"a", "b", "c"}, rows);
    ASSERT_EQ(samples.rows().size(), counts.size());
    auto expected = counts.begin();
    for (const SampleRow& r : samples.rows()) {
      EXPECT_EQ((std::array<std::uint32_t, 5>{r.group, r.class_index, r.b, r.g, r.r}),
                expected->first);
      EXPECT_EQ(r.count, expected++->second);
    }
  }
}

TEST(ColorCounter, AgreesWithAMap) {
  const Pixels pixels(3);
  ColorCounter counter(Pixels::kClasses);
  for (const std::size_t step : {1, 3}) {
    std::map<std::array<int, 4>, std::uint64_t> expected;
    pixels.CountTo(expected, step);
    counter.CountRow(pixels.bgr.data(), pixels.classes.data(), Pixels::kCount, step);
    ExpectRows(counter.Flush(5), expected, 5);
  }
  EXPECT_TRUE(counter.Flush(0).empty());
}

TEST(ColorCounter, HoldsCountsOfAnySize) {
  const std::vector<std::uint8_t> bgr(3 * 1000, 7), classes(1000, 1);
  ColorCounter counter(2);
  for (const std::size_t count : {255, 256, 257, 510, 511, 1000}) {
    counter.CountRow(bgr.data(), classes.data(), count);
    ExpectRows(counter.Flush(1), {{{1, 7, 7, 7}, count}}, 1);
  }
}

TEST(ColorCounter, SeveralAddUpToOne) {
  std::vector<ColorCounter> counters;
  std::vector<ColorCounter*> each;
  std::map<std::array<int, 4>, std::uint64_t> expected;
  for (int i = 0; i < 3; ++i) counters.emplace_back(Pixels::kClasses);
  for (ColorCounter& counter : counters) {
    const Pixels pixels(each.size());
    std::map<std::array<int, 4>, std::uint64_t> once;
    pixels.CountTo(once);
    for (const auto& [color, count] : once) expected[color] += 100 * count;
    for (int times = 0; times < 100; ++times)
      counter.CountRow(pixels.bgr.data(), pixels.classes.data(), Pixels::kCount);
    each.push_back(&counter);
  }
  ExpectRows(ColorCounter::FlushAll(each), expected, 0);
  EXPECT_TRUE(ColorCounter::FlushAll(each).empty());
}

TEST(Samples, NamesOfClassesAreUtf8) {
  EXPECT_TRUE(IsClassName("br\xc3\xbbl\xc3\xa9"));
  EXPECT_FALSE(IsClassName("br\xfbl\xe9"));  // which JSON could not give back
}

TEST(Samples, HaveAtMostSoManyClasses) {
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back("c" + std::to_string(i));
  EXPECT_ERROR(Samples(names, {{0, 256, 1, 2, 3, 1}}), "have 300 classes (255 at most)");
  std::string table = "class,b,g,r\n";
  for (const std::string& name : names) table += name + ",1,2,3\n";
  EXPECT_ERROR(Parse(table),
               "t.csv:257: 'c255,1,2,3' is not understood (class 'c255': is one too many");
}

TEST(Samples, HaveClassesOfDifferentNamesThatCsvCanHold) {
  const std::vector<SampleRow> rows{{0, 0, 1, 2, 3, 1}, {0, 1, 4, 5, 6, 1}};
  EXPECT_ERROR(Samples({"skin", "skin"}, rows), "samples: class 'skin' stands twice");
  for (const char* const name : {"", "a,b", "7"})
    EXPECT_ERROR(Samples({"skin", name}, rows), "is no name for a class");
}

TEST(Samples, RefusesTotalsBeyondExactSums) {
  const std::uint64_t most = Samples::kMaxTotal;
  EXPECT_EQ(Samples({"a"}, {{0, 0, 1, 2, 3, most}}).Total(), most);
  EXPECT_ERROR(Samples({"a"}, {{0, 0, 1, 2, 3, most}, {0, 0, 1, 2, 3, 1}}), "exact sums end there");
  EXPECT_ERROR(Samples({"a"}, {{0, 0, 1, 2, 3, most}, {0, 0, 1, 2, 4, 1}}), "exact sums end there");
}

TEST(Samples, RefusesWhatBelongsToNoClass) {
  EXPECT_ERROR(Samples({"a", "b"}, {{0, 2, 1, 2, 3, 1}}), "samples: have a row of class 2 of 2");
  const std::uint8_t bgr[3] = {}, index = 0;
  EXPECT_ERROR(ColorCounter(1).CountRow(bgr, &index, 1, 0), "`step` 0");
}

}  // namespace
}  // namespace skinmask
