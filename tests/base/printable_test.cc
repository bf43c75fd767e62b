#include "base/printable.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace skinmask {
namespace {

TEST(Printable, KeepsTextAndTakesOrdersAway) {
  const std::string text = "h\u00e4nde \u624b \U0001F590 a-z~.png";
  EXPECT_EQ(Printable(text), text);
  EXPECT_EQ(Printable("a\nb\rc"), "a b c");
  for (const char* order : {"\x1b", "\a", "\x7f", "\u0085", "\u009b", "\u061c", "\u200e", "\u200f",
                            "\u2028", "\u2029", "\u202a", "\u202e", "\u2066", "\u2069"})
    EXPECT_EQ(Printable("a" + std::string(order) + "b"), "a?b");
}

// Overlong forms, surrogates, what is beyond Unicode, and characters that are cut.
TEST(Printable, WhatIsNoUtf8IsShownAsSuch) {
  for (const char* bytes : {"\xC0\x9B", "\xE0\x82\x9B", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x9B",
                            "\xE2\x80", "\xFF"}) {
    const std::string shown = Printable(bytes);
    EXPECT_EQ(shown, std::string(shown.size(), '?')) << shown;
  }
}

TEST(Printable, LongTextKeepsItsEnds) {
  const std::string shown =
      Printable(std::string(500, 'a') + std::string(5'000'000, '-') + "end.png", 600);
  EXPECT_LE(shown.size(), 600u);
  EXPECT_EQ(Printable(shown, 600), shown);
  EXPECT_TRUE(shown.starts_with("aaa"));
  EXPECT_TRUE(shown.ends_with("end.png"));
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += "\u624b";
  EXPECT_LE(Printable(wide, 600).size(), 600u);
}

TEST(Printable, StartsHaveWholeCharacters) {
  const std::string text = "a\u624bb";  // of 1, 3 and 1 bytes
  for (const auto& [most, start] : {std::pair(0, ""), {1, "a"}, {3, "a"}, {4, "a\u624b"}})
    EXPECT_EQ(StartOf(text, static_cast<std::size_t>(most)), start);
  EXPECT_EQ(StartOf(text, 5), text);
  EXPECT_EQ(StartOf(text, 6), text);
}

}  // namespace
}  // namespace skinmask
