#include "skinmask/base/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest.h"
#include "base/parse.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

bool IsWithin(double number, const OptionRange& range) {  // false for a NaN
  return (range.above ? number > range.least : number >= range.least) &&
         (range.below ? number < range.most : number <= range.most);
}

// Describes the range, for the message about a number outside of it.
std::string TextOf(const OptionRow& row) {
  const auto [least, most, above, below] = *row.range;
  if (row.value == "P" && least == 0 && most == 1 && above == below)
    return below ? "probability between 0 and 1" : "probability from 0 to 1";
  std::string text = row.kind == OptionRow::Kind::kWhole ? "whole number " : "number ";
  text += fmt::format("{} {}", above ? "above" : "from", least);
  if (std::isinf(most)) return above ? text : text + " up";
  return text + fmt::format("{} {}", below ? " and below" : above ? " and up to" : " to", most);
}

}  // namespace

double OptionNumber(const OptionRow& row, const std::string& text) {
  const auto number = ParseNumber<double>(text);
  const bool whole =
      row.kind != OptionRow::Kind::kWhole || (number && std::floor(*number) == *number);
  if (number && std::isfinite(*number) && whole && IsWithin(*number, *row.range)) return *number;
  throw Error("`" + row.name + "`", fmt::format("'{}' is no {}", text, TextOf(row)));
}

std::size_t OptionWord(const OptionRow& row, const std::string& text) {
  const auto found = std::ranges::find(row.words, text);
  if (found == row.words.end())
    throw Error("`" + row.name + "`", fmt::format("'{}' {}", text, UnknownAmong(text, row.words)));
  return static_cast<std::size_t>(found - row.words.begin());
}

std::string OptionText(double number) { return fmt::format("{}", number); }

std::string WithOptionNames(std::string_view line,
                            const std::function<std::string(const std::string&)>& spell) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_-0123456789";
  const std::size_t subject = line.find(": ") == line.npos ? 0 : line.find(": ");
  const auto is_among = [&](std::size_t at, std::string_view ends) {
    return at >= line.size() || ends.find(line[at]) != ends.npos;
  };
  std::string text;
  for (std::size_t at = 0; at < line.size();) {
    const bool begins = line[at] == '`' && (at == 0 || (at > subject && is_among(at - 1, " (")));
    const std::size_t end = begins ? line.find_first_not_of(kLetters, at + 1) : line.npos;
    if (end != line.npos && end > at + 1 && line[end] == '`' && is_among(end + 1, " ),:;=")) {
      text += spell(std::string(line.substr(at + 1, end - at - 1)));
      at = end + 1;
    } else {
      text += line[at++];
    }
  }
  return text;
}

void SetOption(const OptionRow& row, void* options, const std::string& text) {
  row.set(row, options, text);
}

const OptionRow& FindOption(const std::vector<OptionRow>& rows, std::string_view name) {
  std::vector<std::string> names;
  for (const OptionRow& row : rows) {
    if (!name.empty() && row.name == name) return row;
    if (!row.name.empty()) names.push_back(row.name);
  }
  throw Error(fmt::format("option '{}'", name), UnknownAmong(name, names));
}

void ValidateOptions(const std::vector<OptionRow>& rows, const void* options,
                     std::string_view what) {
  for (const OptionRow& row : rows) {
    if (!row.range) continue;
    const std::string text = row.get(options);
    if (text.empty() || IsWithin(ParseNumber<double>(text).value_or(NAN), *row.range)) continue;
    const auto& [least, most, above, below] = *row.range;
    const std::string ends = above || below ? fmt::format("{} {}, {} {}", above ? "above" : "from",
                                                          least, below ? "below" : "to", most)
                                            : fmt::format("{} to {}", least, most);
    throw Error(fmt::format("{} {}", what, row.member),
                fmt::format("{} is out of range ({})", text, ends));
  }
}

}  // namespace skinmask
