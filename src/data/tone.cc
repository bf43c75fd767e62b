#include "skinmask/data/tone.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace skinmask {
namespace {

// The matrix from linear sRGB (columns r, g, b) to XYZ under D65 (IEC 61966-2-1). Each row is
// divided by its sum, which is the row's value for white, so that greys have no chroma at all.
constexpr std::array<std::array<double, 3>, 3> kXyz{{{0.4124564, 0.3575761, 0.1804375},
                                                     {0.2126729, 0.7151522, 0.0721750},
                                                     {0.0193339, 0.1191920, 0.9503041}}};

std::array<double, 256> LinearValues() {
  std::array<double, 256> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = static_cast<double>(i) / 255;
    values[i] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  }
  return values;
}

// The function f of CIELAB (CIE 1976): a cube root, and linear near black.
double Lightness(double t) {
  constexpr double kEdge = 6. / 29;
  return t > kEdge * kEdge * kEdge ? std::cbrt(t) : t / (3 * kEdge * kEdge) + 4. / 29;
}

// The number of histogram bins for each unit of l, a and b.
constexpr double kPerUnit = 64;

void Count(std::vector<std::uint32_t>& bins, double value, double low, double high) {
  if (bins.empty()) bins.resize(static_cast<std::size_t>((high - low) * kPerUnit));
  const auto bin = static_cast<std::size_t>(std::max(0., (value - low) * kPerUnit));
  ++bins[std::min(bin, bins.size() - 1)];
}

// The middle of the bin in which the cumulative count reaches half of the total.
double MedianOf(const std::vector<std::uint32_t>& bins, double low) {
  const auto all = std::accumulate(bins.begin(), bins.end(), std::uint64_t{0});
  std::uint64_t reached = 0;
  std::size_t bin = 0;
  while (2 * (reached += bins[bin]) < all) ++bin;
  return low + (static_cast<double>(bin) + 0.5) / kPerUnit;
}

constexpr double kLowest = -128, kHighest = 128;  // of a and b

constexpr std::array<std::string_view, 6> kItaClasses{"very light", "light", "intermediate",
                                                      "tan",        "brown", "dark"};
constexpr std::array<double, 5> kItaEdges{55, 41, 28, 10, -30};

// As published at skintone.google, 0xRRGGBB.
constexpr std::array<std::uint32_t, kMonkTones> kMonk{0xf6ede4, 0xf3e7db, 0xf7ead0, 0xeadaba,
                                                      0xd7bd96, 0xa07e56, 0x825c43, 0x604134,
                                                      0x3a312a, 0x292420};

}  // namespace

Lab LabOfSrgb(std::uint8_t b, std::uint8_t g, std::uint8_t r) {
  static const std::array<double, 256> linear = LinearValues();
  std::array<double, 3> f{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& [of_r, of_g, of_b] = kXyz[i];
    f[i] =
        Lightness((of_r * linear[r] + of_g * linear[g] + of_b * linear[b]) / (of_r + of_g + of_b));
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

void MedianLab::Add(const Lab& lab) {
  Count(l_, lab.l, 0, 100);
  Count(a_, lab.a, kLowest, kHighest);
  Count(b_, lab.b, kLowest, kHighest);
}

std::optional<Lab> MedianLab::Median() const {
  if (l_.empty()) return std::nullopt;
  return Lab{MedianOf(l_, 0), MedianOf(a_, kLowest), MedianOf(b_, kLowest)};
}

double ItaDegrees(const Lab& lab) { return std::atan2(lab.l - 50, lab.b) * 180 / std::numbers::pi; }

std::span<const std::string_view> ItaClasses() { return kItaClasses; }

std::size_t ItaClass(double degrees) {
  const auto below = [&](double edge) { return degrees <= edge; };
  return static_cast<std::size_t>(std::ranges::count_if(kItaEdges, below));
}

int NearestMonkTone(const Lab& lab) {
  const auto distance = [&](std::uint32_t rgb) {
    const Lab tone = LabOfSrgb(static_cast<std::uint8_t>(rgb), static_cast<std::uint8_t>(rgb >> 8),
                               static_cast<std::uint8_t>(rgb >> 16));
    return std::hypot(lab.l - tone.l, lab.a - tone.a, lab.b - tone.b);
  };
  const auto nearest = std::ranges::min_element(kMonk, {}, distance);
  return static_cast<int>(nearest - kMonk.begin()) + 1;
}

}  // namespace skinmask
