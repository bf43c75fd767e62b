#include "model/table.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <array>
#include <cmath>

#include "skinmask/base/logistic.h"

namespace skinmask {
namespace {

constexpr std::size_t kBlues = 256;  // colours that share red and green; pixels evaluated at a time

}  // namespace

std::uint8_t ProbabilityByte(double log_odds) {
  // Beyond this, 255 P is within 0.49 of an end: most colours need no exp.
  constexpr double kFar = 6.26;
  if (log_odds > kFar) return 255;
  if (log_odds < -kFar) return 0;
  return static_cast<std::uint8_t>(std::lround(255 * Logistic(log_odds)));
}

Posterior::Table::Table(const Model& model, const PosteriorOptions& options)
    : reference_(model), threshold_(Logit(model.decision.threshold)) {
  if (DensityCount(model) > kMaxDensitiesOfTable) {
    memo_.emplace();
    return;
  }
  if (options.expected_pixels < kColors) return;
  if (options.mask) bits_.resize(kColors / 32);
  if (options.probability) bytes_.resize(kColors + kBytePadding);
  // Isolated: a thread that waits here must not begin other work, which may wait for this table.
  if (built())
    tbb::this_task_arena::isolate([this] {
      tbb::parallel_for(std::size_t{0}, kColors / kBlues, [this](std::size_t i) { FillRow(i); });
    });
}

void Posterior::Table::FillRow(std::size_t red_green) {
  std::array<std::uint8_t, 3 * kBlues> bgr;
  for (std::size_t b = 0; b < kBlues; ++b) {
    bgr[3 * b] = static_cast<std::uint8_t>(b);
    bgr[3 * b + 1] = static_cast<std::uint8_t>(red_green);
    bgr[3 * b + 2] = static_cast<std::uint8_t>(red_green >> 8);
  }
  std::array<double, kBlues> z;
  reference_.LogOddsRow(bgr.data(), kBlues, z.data());
  const std::size_t first = red_green * kBlues;
  for (std::size_t b = 0; b < kBlues; ++b) {
    if (!bits_.empty()) bits_[(first + b) / 32] |= std::uint32_t{z[b] > threshold_} << (b % 32);
    if (!bytes_.empty()) bytes_[first + b] = ProbabilityByte(z[b]);
  }
}

}  // namespace skinmask
