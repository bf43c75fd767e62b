#include "base/json.h"

#include <gtest/gtest.h>

#include "support/files.h"

namespace skinmask {
namespace {

std::string ObjectOf(std::size_t members) {
  std::string text = "{";
  for (std::size_t i = 0; i < members; ++i) text += fmt::format("{}\"{}\":0", i ? "," : "", i);
  return text + "}";
}

// Each key of an object is compared with all before it, so a megabyte of them took seconds.
TEST(Json, ObjectsHaveFewMembers) {
  EXPECT_EQ(ParseObject(ObjectOf(1000), "f", "a model").size(), 1000u);
  EXPECT_ERROR(ParseObject(ObjectOf(1001), "f", "a model"), "f: has an object of 1001 members");
  EXPECT_ERROR(ParseObject("{\"a\":[[" + ObjectOf(300'000) + "]]}", "f", "a model"), "members");
  // Of one object, not of all; and what stands in quotes counts for nothing.
  std::string many = "{\"a\":[{}";
  for (int i = 0; i < 2000; ++i) many += R"(,{"b":":::,,,\\\":{{{","c":{"d":0}})";
  EXPECT_EQ(ParseObject(many + "]}", "f", "a model")["a"].size(), 2001u);
}

TEST(Json, AByteOfZeroIsNoEnd) {
  EXPECT_EQ(ParseObject("{} ", "f", "a model").size(), 0u);
  EXPECT_ERROR(ParseObject(std::string_view("{}\0 and more", 12), "f", "a model"),
               "f: is not JSON: it has a byte of 0");
}

TEST(Json, ValuesAreCountedBeforeTheyTakeMemory) {
  std::string text = R"({"a":[0)";
  for (int i = 1; i < 100; ++i) text += ",\"\"";
  text += "]}";
  EXPECT_EQ(ParseObject(text, "f", "a model", 101)["a"].size(), 100u);
  EXPECT_ERROR(ParseObject(text, "f", "a model", 100), "f: holds 101 values (a model has 100 at");
}

TEST(Json, NamesStandOnceInAnObject) {
  const auto parse = [](const char* text) { return ParseObject(text, "f", "a model"); };
  EXPECT_ERROR(parse(R"({"a":1,"b":[{"c":":"}],"a" : 2})"), "f: has 'a' twice in an object");
  EXPECT_ERROR(parse(R"({"o":{"":1,"x":{"y":0},"":2}})"), "f: has '' twice");
  EXPECT_ERROR(parse(R"({"a":1,"\u0061":2})"), "f: has 'a' twice");
  EXPECT_ERROR(parse(R"({"\"":1,"\"":2})"), "twice");
  EXPECT_EQ(parse(R"({"a":{"a":[{"a":1},{"a":2}]},"b":"a","A":":a"})").size(), 3u);
  EXPECT_ERROR(parse(R"({"\q":1,"\q":2})"), "f: ");
}

// Time in proportion to the text, also if the name that is last read is as long as half of it.
TEST(Json, ALongNameIsReadOnce) {
  std::string text = "{\"" + std::string(4'000'000, 'k') + "\":[[:]";
  for (int i = 0; i < 1'000'000; ++i) text += ",[:]";
  EXPECT_ERROR(ParseObject(text + "]}", "f", "a model"), "f: is not JSON: parse error");
}

TEST(Json, WhatIsNestedTooDeeplyIsRefused) {
  const auto nested = [](std::size_t levels) {
    return "{\"a\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
  };
  EXPECT_NO_THROW(ParseObject(nested(64), "f", "a model"));
  for (const std::size_t levels : {65, 66, 300'000})
    EXPECT_ERROR(ParseObject(nested(levels), "f", "a model"), "nested too deeply");
}

TEST(Json, ItemsKnowTheirPlace) {
  const Json json = ParseObject(R"({"a":{"b":[1,[2,"3"]]}})", "f", "a model");
  const JsonNode root(json, "f", "");
  std::size_t count = 0;
  for (const JsonNode& item : root["a"]["b"].Items()) count += item.json().size();
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(root["a"]["b"].Items()[1].Items()[0].Count(), 2u);
  EXPECT_ERROR(root["a"]["b"].Items()[1].Items()[1].Count(), "f: a.b[1][1] is not a whole number");
}

TEST(Json, WholeNumbersMayHaveAPoint) {
  const auto count = [](const std::string& number) {
    const Json json = ParseObject("{\"a\":" + number + "}", "f", "a model");
    return JsonNode(json, "f", "")["a"].Count();
  };
  EXPECT_EQ(count("1.0"), 1u);
  EXPECT_EQ(count("0.0"), 0u);
  EXPECT_EQ(count("2e3"), 2000u);
  EXPECT_EQ(count("18446744073709551615"), 18446744073709551615u);
  for (const char* other : {"1.5", "-1.0", "9007199254740992.0", "1e300", "true", "\"1\""})
    EXPECT_ERROR(count(other), "f: a is not a whole number from 0");
}

// It is the same text to whoever parses it, and harmless to a terminal.
TEST(Json, TextHoldsNoOrders) {
  const std::string name = "h\u00e4nde \u624b\x7f\u009b31m\u202e\u2028.png";
  const std::string text = JsonText({{"input", name}}, 2);
  EXPECT_EQ(text, "{\n  \"input\": \"h\u00e4nde \u624b\\u007f\\u009b31m\\u202e\\u2028.png\"\n}");
  EXPECT_EQ(Json::parse(text)["input"], name);
}

}  // namespace
}  // namespace skinmask
