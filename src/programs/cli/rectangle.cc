#include "programs/cli/rectangle.h"

#include <algorithm>

#include "base/parse.h"

namespace skinmask::cli {
namespace {

constexpr int kMaxSide = 1 << 24;  // sums of two stay whole numbers

// `count` numbers from 0; empty where the text is anything else.
std::vector<int> Numbers(std::string_view text, char separator, std::size_t count) {
  const auto numbers = ParseNumbers<int>(text, separator);
  const auto good = [](int n) { return n >= 0 && n <= kMaxSide; };
  if (!numbers || numbers->size() != count || !std::ranges::all_of(*numbers, good)) return {};
  return *numbers;
}

}  // namespace

std::optional<cv::Rect> ParseRectangle(std::string_view text) {
  const std::vector<int> n = Numbers(text, ',', 4);
  if (n.empty() || n[2] == 0 || n[3] == 0) return std::nullopt;
  return cv::Rect(n[0], n[1], n[2], n[3]);
}

std::optional<cv::Size> ParseSize(std::string_view text) {
  const std::vector<int> n = Numbers(text, 'x', 2);
  if (n.empty() || n[0] == 0 || n[1] == 0) return std::nullopt;
  return cv::Size(n[0], n[1]);
}

}  // namespace skinmask::cli
