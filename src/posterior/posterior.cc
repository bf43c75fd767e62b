#include "skinmask/posterior.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "skinmask/cpu.h"

namespace skinmask {
namespace {

constexpr std::size_t kColors = std::size_t{1} << 24;
constexpr std::size_t kBlock = 256;  // colours that share r and g; pixels evaluated at a time

std::uint8_t ProbabilityByte(double log_odds) {
  return static_cast<std::uint8_t>(std::lround(255 * Logistic(log_odds)));
}

std::size_t ColorIndex(const std::uint8_t* bgr) {
  return static_cast<std::size_t>(bgr[0] | bgr[1] << 8 | bgr[2] << 16);
}

// z of up to kBlock pixels by the reference.
void ReferenceRow(const Reference& reference, const ColorSpace& space, const std::uint8_t* bgr,
                  std::size_t count, double* z) {
  std::array<std::int32_t, 3 * kBlock> carrier;
  CarrierRow(space, bgr, count, carrier.data());
  reference.LogOddsRow(carrier.data(), count, z);
}

}  // namespace

Posterior::Table Posterior::BuildTable(const Model& model) {
  Table table{Reference(model), &model.features.space(), std::vector<std::uint64_t>(kColors / 64),
              std::vector<std::uint8_t>(kColors)};
  const double threshold = Logit(model.decision.threshold);
  tbb::parallel_for(std::size_t{0}, kColors / kBlock, [&](std::size_t block) {
    std::array<std::uint8_t, 3 * kBlock> bgr;
    for (std::size_t b = 0; b < kBlock; ++b) {
      bgr[3 * b] = static_cast<std::uint8_t>(b);
      bgr[3 * b + 1] = static_cast<std::uint8_t>(block);
      bgr[3 * b + 2] = static_cast<std::uint8_t>(block >> 8);
    }
    std::array<double, kBlock> z;
    ReferenceRow(table.reference, *table.space, bgr.data(), kBlock, z.data());
    for (std::size_t b = 0; b < kBlock; ++b) {
      const std::size_t color = block * kBlock + b;
      table.probability[color] = ProbabilityByte(z[b]);
      table.mask[color / 64] |= std::uint64_t{z[b] > threshold} << (color % 64);
    }
  });
  return table;
}

Posterior::Posterior(const Model& model)
    : log_odds_threshold_((ObeyTargetVariable(), Logit(model.decision.threshold))),
      form_(Quadratic::CanFold(model) ? std::variant<Folded, Table>(Folded{Quadratic(model), CompiledQuadratic(Quadratic(model), log_odds_threshold_)})
                                      : std::variant<Folded, Table>(BuildTable(model))) {}

void Posterior::MaskRow(const std::uint8_t* bgr, std::size_t count,
                        std::uint8_t* mask) const noexcept {
  if (const auto* quadratic = std::get_if<Folded>(&form_)) {
    quadratic->compiled.MaskRow(bgr, count, mask);
  } else {
    const std::vector<std::uint64_t>& bits = std::get_if<Table>(&form_)->mask;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t color = ColorIndex(bgr + 3 * i);
      mask[i] = bits[color / 64] >> (color % 64) & 1 ? 255 : 0;
    }
  }
}

void Posterior::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                               std::uint8_t* probability) const noexcept {
  if (const auto* quadratic = std::get_if<Folded>(&form_)) {
    quadratic->compiled.ProbabilityRow(bgr, count, probability);
  } else {
    const std::vector<std::uint8_t>& bytes = std::get_if<Table>(&form_)->probability;
    for (std::size_t i = 0; i < count; ++i) probability[i] = bytes[ColorIndex(bgr + 3 * i)];
  }
}

void Posterior::LogOddsRow(const std::uint8_t* bgr, std::size_t count, float* z) const noexcept {
  if (const auto* quadratic = std::get_if<Folded>(&form_)) {
    for (std::size_t i = 0; i < count; ++i)
      z[i] = static_cast<float>(quadratic->log_odds(bgr + 3 * i));
  } else {
    const Table& table = *std::get_if<Table>(&form_);
    std::array<double, kBlock> exact;
    for (std::size_t done = 0; done < count; done += kBlock) {
      const std::size_t n = std::min(kBlock, count - done);
      ReferenceRow(table.reference, *table.space, bgr + 3 * done, n, exact.data());
      std::transform(exact.begin(), exact.begin() + static_cast<std::ptrdiff_t>(n), z + done,
                     [](double value) { return static_cast<float>(value); });
    }
  }
}

double Posterior::ErrorBound() const {
  const auto* quadratic = std::get_if<Folded>(&form_);
  return quadratic != nullptr ? quadratic->compiled.ErrorBound() : 0;
}

const char* Posterior::form() const {
  return std::holds_alternative<Folded>(form_) ? "quadratic" : "table";
}

}  // namespace skinmask
