#include "skinmask/detect/adapt_options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>
#include <string>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/seed_finder.h"
#include "support/files.h"

namespace skinmask {
namespace {

using Names = std::set<std::string>;

// 'name value' of every option that the header gives a default.
Names InHeader() {
  const std::string text =
      ReadFile(std::filesystem::path(SKINMASK_SOURCE) / "include/skinmask/detect/adapt_options.h");
  const std::regex group("\\n  (\\w+Options) (\\w+);"), of_struct("struct (\\w+) \\{[^}]*\\};"),
      option("\\n  (?:int|double|bool) (\\w+) = ([^;]+);");
  Names names;
  for (std::sregex_iterator s(text.begin(), text.end(), of_struct), end; s != end; ++s) {
    const std::string body = s->str();
    std::string prefix = (*s)[1] == "HogOptions"     ? "hog."
                         : (*s)[1] == "YuNetOptions" ? "yunet."
                                                     : "";
    for (std::sregex_iterator g(text.begin(), text.end(), group); g != end; ++g)
      if ((*g)[1] == (*s)[1]) prefix = (*g)[2].str() + ".";
    for (std::sregex_iterator o(body.begin(), body.end(), option); o != end; ++o)
      names.insert(prefix + (*o)[1].str() + " " + (*o)[2].str());
  }
  return names;
}

Names InDocument() {
  const std::string text = ReadFile(std::filesystem::path(SKINMASK_SOURCE) / "docs/adaptation.md");
  const std::regex row("\\n\\| `([\\w.]+)` \\| ([^ ]+) \\|");
  Names names;
  for (std::sregex_iterator r(text.begin(), text.end(), row), end; r != end; ++r)
    names.insert((*r)[1].str() + " " + (*r)[2].str());
  return names;
}

TEST(AdaptOptions, TheDocumentHasEachWithItsDefault) {
  EXPECT_EQ(InHeader(), InDocument());
  EXPECT_EQ(InHeader().size(), 81u);
}

TEST(AdaptOptions, OutOfRangeAreErrorsThatNameThem) {
  EXPECT_NO_THROW(AdaptOptions().Validate());
  AdaptOptions options;
  options.fit.em_steps = -1;
  EXPECT_ERROR(options.Validate(),
               "adaptation option fit.em_steps: -1 is out of range (0 to 1000)");
  options = {};
  options.skin.trim_fraction = std::nan("");
  EXPECT_ERROR(options.Validate(), "adaptation option skin.trim_fraction: nan is out of range");
  options = {};
  options.image.fit.em_steps = -1;
  EXPECT_ERROR(options.Validate(), "adaptation option image.fit.em_steps: -1 is out of range");
  EXPECT_ERROR(HogFaceFinder({.max_enlargement = 0.5}),
               "adaptation option hog.max_enlargement: 0.5 is out of range (1 to 8)");
  EXPECT_ERROR(YuNetFaceFinder("x.onnx", {.min_score = 2}),
               "adaptation option yunet.min_score: 2 is out of range (0 to 1)");
}

}  // namespace
}  // namespace skinmask
