// How a model file names itself.
#pragma once

#include <cstdint>
#include <string_view>

namespace skinmask {

constexpr std::string_view kModelFormat = "skinmask-model";
constexpr std::uint64_t kModelVersion = 1;
// Histograms of as many bins as there may be (Histogram::kMaxBins), each of some hundred pixels,
// have 12 to 16 bytes for each.
constexpr std::uint64_t kMaxModelBytes = std::uint64_t{1} << 30;

}  // namespace skinmask
