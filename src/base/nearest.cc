#include "base/nearest.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/parse.h"

namespace skinmask {
namespace {

// Without leading dashes, in lower case.
std::string Plain(std::string_view text) {
  return LowerCase(text.substr(std::min(text.find_first_not_of('-'), text.size())));
}

// The Damerau-Levenshtein distance, restricted: no substring is edited twice.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                          d[i - 1][j - 1] + static_cast<std::size_t>(a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::size_t Cost(const std::string& text, const std::string& word) {
  if (std::ranges::is_permutation(text, word)) return 0;
  const bool ends_it = ('-' + word).ends_with('-' + text);
  if (ends_it || (text.size() >= 3 && word.starts_with(text))) return 1;
  return Distance(text, word);
}

}  // namespace

std::string Nearest(std::string_view text, const std::vector<std::string>& words) {
  const std::string plain = Plain(text);
  // A single letter is near every other one. Long texts are skipped because the distance takes time
  // proportional to the product of the lengths.
  if (plain.size() < 2 || plain.size() > 100) return {};
  std::string nearest;
  std::size_t least = (plain.size() + 2) / 3 + 1;
  for (const std::string& word : words) {
    const std::string other = Plain(word);
    if (other.size() < 2) continue;
    const std::size_t cost = Cost(plain, other);
    if (cost >= least) continue;
    least = cost;
    nearest = word;
  }
  return nearest;
}

std::string DidYouMean(std::string_view text, const std::vector<std::string>& words) {
  const std::string nearest = Nearest(text, words);
  return nearest.empty() ? nearest : "did you mean " + nearest + "? ";
}

std::string UnknownAmong(std::string_view text, const std::vector<std::string>& words) {
  return fmt::format("is unknown ({}there are: {})", DidYouMean(text, words),
                     fmt::join(words, " "));
}

}  // namespace skinmask
