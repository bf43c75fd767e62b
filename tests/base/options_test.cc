#include "skinmask/base/options.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "skinmask/base/error.h"
#include "skinmask/detect/detector.h"
#include "skinmask/learn/fit.h"
#include "support/files.h"

namespace skinmask {
namespace {

enum class Shape { kRound, kSquare };
constexpr std::pair<Shape, std::string_view> kShapes[] = {{Shape::kRound, "round"},
                                                          {Shape::kSquare, "square"}};
constexpr std::pair<bool, std::string_view> kWhether[] = {{false, "never"}, {true, "always"}};

struct Inner {
  int count = 3;
};
struct Things {
  Shape shape = Shape::kRound;
  bool whether = false;
  std::optional<double> share{};
  std::filesystem::path file{};
  Inner inner;
};

const OptionTable<Things> kTable{
    Option("shape", &Things::shape, kShapes).Shown("shape", "Things", "round|square", "Which"),
    Option("whether", &Things::whether, kWhether).Shown("whether", "Things", "never|always", "If"),
    Option("share", &Things::share, OptionRange{0, 1, true, true})
        .Shown("share", "Things", "P", "How"),
    Option("file", &Things::file).Shown("file", "Things", "FILE", "Where"),
    {"inner.", &Things::inner,
     OptionTable<Inner>{Option("count", &Inner::count, 1, 9).Shown("count", "", "N", "Many")}}};

TEST(OptionTable, TextsLeadBack) {
  for (const auto& [name, text] : {std::pair("shape", "square"),
                                   {"whether", "always"},
                                   {"share", "0.25"},
                                   {"share", ""},
                                   {"file", "a/b"},
                                   {"count", "7"}}) {
    Things things;
    kTable.Set(things, name, text);
    EXPECT_EQ(kTable.Get(things, name), text) << name;
  }
  Things things;
  kTable.Set(things, "count", "7");
  EXPECT_EQ(things.inner.count, 7);
  EXPECT_EQ(kTable.rows().back().member, "inner.count");
}

TEST(OptionTable, WhatCannotBeIsNamed) {
  Things things;
  EXPECT_ERROR(kTable.Set(things, "shap", "round"),
               "option 'shap': is unknown (did you mean shape?");
  EXPECT_ERROR(kTable.Set(things, "shape", "squar"), "`shape`: 'squar' is unknown (did you mean");
  EXPECT_ERROR(kTable.Set(things, "whether", "on"), "`whether`: 'on' is unknown");
  EXPECT_ERROR(kTable.Set(things, "share", "1"), "`share`: '1' is no probability between 0 and 1");
  EXPECT_ERROR(kTable.Set(things, "share", "nan"), "`share`: 'nan' is no probability");
  EXPECT_ERROR(kTable.Set(things, "count", "1.5"), "`count`: '1.5' is no whole number from 1 to 9");
  DetectorOptions seconds;
  EXPECT_ERROR(DetectorTable().Set(seconds, "steady", "2"),
               "`steady`: '2' is no number from 0 to 1");
  EXPECT_NO_THROW(kTable.Validate(things, "thing"));
  things.inner.count = 0;
  EXPECT_ERROR(kTable.Validate(things, "thing"), "thing inner.count: 0 is out of range (1 to 9)");
}

TEST(OptionTable, DoorsHaveTheirOwnNamesInLines) {
  const auto shout = [](const std::string& name) { return "<" + name + ">"; };
  EXPECT_EQ(WithOptionNames("`share` 3: see `mask_name`", shout), "<share> 3: see <mask_name>");
  EXPECT_EQ(WithOptionNames("`a b`, `` and `", shout), "`a b`, `` and `");
  EXPECT_EQ(WithOptionNames("options: `share`: '1' (`count`)", shout),
            "options: <share>: '1' (<count>)");
  // Names of files are none.
  for (const std::string line : {"`share`.jpg: is no image", "a/`share` b.jpg: is no image",
                                 "a: is in a/`share`.tar", "a `share`: is no image"})
    EXPECT_EQ(WithOptionNames(line, shout), line);
}

TEST(OptionTable, WhatIsSetByItsNameIsAskedFor) {
  DetectorOptions options;
  EXPECT_FALSE(options.insist);
  DetectorTable().Set(options, "faces", "");
  EXPECT_FALSE(options.insist);
  DetectorTable().Set(options, "adapt", "auto");
  EXPECT_TRUE(options.insist);
  DetectorOptions named;
  DetectorTable().Set(named, "faces", "f.onnx");
  EXPECT_TRUE(named.insist);
}

// Users can set what they are shown, and are shown it once.
TEST(OptionTable, TablesOfTheLibrary) {
  for (const auto& [rows, defaults] :
       {std::pair<const std::vector<OptionRow>*, std::shared_ptr<void>>(
            &DetectorTable().rows(), std::make_shared<DetectorOptions>()),
        {&FitTable().rows(), std::make_shared<FitOptions>()}}) {
    std::set<std::string> names;
    for (const OptionRow& row : *rows) {
      if (row.name.empty()) continue;
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      EXPECT_FALSE(row.help.empty() || row.heading.empty() || row.value.empty()) << row.name;
      const std::string text = row.get(defaults.get());
      if (text.empty()) continue;
      EXPECT_NO_THROW(SetOption(row, defaults.get(), text)) << row.name;
      EXPECT_EQ(row.get(defaults.get()), text) << row.name;
    }
  }
}

}  // namespace
}  // namespace skinmask
