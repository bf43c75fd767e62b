#include "learn/expectation_rows.h"

#include <numbers>

#include "learn/score_bins.h"
#include "skinmask/model/mixture.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/doubles-inl.h"
#include "base/moment_lanes-inl.h"

#ifndef SKINMASK_EXPECTATION_ROWS_ONCE
#define SKINMASK_EXPECTATION_ROWS_ONCE
namespace skinmask {
namespace {

constexpr std::size_t kSums = PointPlanes::kSums, kPoints = PointPlanes::kBlock;

using Block = PointPlanes::Block;
using Lanes = PointPlanes::Lanes;

// The sums of a part of the points.
struct PartSums {
  std::array<std::array<Lanes, 10>, CompiledMixture::kMaxComponents> components{};
  Lanes log_likelihood{};
};

}  // namespace
}  // namespace skinmask
#endif

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

HWY_INLINE Doubles LogDensity(const WhitenedComponent& c, Doubles f0, Doubles f1, Doubles f2) {
  const Doubles d0 = hn::Sub(f0, Double(c.mean[0])), d1 = hn::Sub(f1, Double(c.mean[1])),
                d2 = hn::Sub(f2, Double(c.mean[2]));
  const auto& w = c.whitening;
  const Doubles w0 = hn::Mul(Double(w[0]), d0);
  const Doubles w1 = hn::Add(hn::Mul(Double(w[1]), d0), hn::Mul(Double(w[2]), d1));
  const Doubles w2 = hn::Add(hn::Add(hn::Mul(Double(w[3]), d0), hn::Mul(Double(w[4]), d1)),
                             hn::Mul(Double(w[5]), d2));
  return hn::Sub(Double(c.constant),
                 hn::Add(hn::Add(hn::Mul(w0, w0), hn::Mul(w1, w1)), hn::Mul(w2, w2)));
}

// Each component's share of the weight of the block of points that begins at `i`, and each point's
// contribution to the log-likelihood. used[k] is false if component k has no share in any point of
// the block.
void BlockShares(const PointPlanes& points, std::size_t i, const WhitenedComponent* components,
                 std::size_t count, Block* shares, bool* used, Block& log_likelihoods) {
  constexpr double kLeast = -60;
  for (std::size_t at = 0; at < kPoints; at += kDoubleLanes) {
    const Doubles f0 = LoadAt(&points.f[0][i + at]), f1 = LoadAt(&points.f[1][i + at]),
                  f2 = LoadAt(&points.f[2][i + at]), weight = LoadAt(&points.weight[i + at]);
    Doubles greatest = Double(-1e300);
    for (std::size_t k = 0; k < count; ++k) {
      const Doubles u = LogDensity(components[k], f0, f1, f2);
      StoreAt(u, &shares[k][at]);
      greatest = hn::Max(greatest, u);
    }
    Doubles sum = Double(0);
    for (std::size_t k = 0; k < count; ++k) {
      const Doubles u = hn::Sub(LoadAt(&shares[k][at]), greatest);
      const auto counts = hn::Gt(u, Double(kLeast));
      Doubles power = Double(0);
      if (!hn::AllFalse(DoubleTag(), counts)) {
        power = hn::IfThenElseZero(counts, Exp2(u));
        sum = hn::Add(sum, power);
        used[k] = true;
      }
      StoreAt(power, &shares[k][at]);
    }
    StoreAt(hn::Mul(weight, hn::Add(hn::Mul(greatest, Double(std::numbers::ln2)), Log(sum))),
            &log_likelihoods[at]);
    const Doubles factor = hn::Div(weight, sum);
    for (std::size_t k = 0; k < count; ++k)
      if (used[k]) StoreAt(hn::Mul(LoadAt(&shares[k][at]), factor), &shares[k][at]);
  }
}

void AddMoments(const PointPlanes& points, std::size_t i, const Block& shares,
                std::array<Lanes, 10>& of_component) {
  for (std::size_t lane = 0; lane < kSums; lane += kDoubleLanes) {
    // Initialised by its members, because GCC compiles an implicit constructor without the options
    // of NEON.
    MomentLanes<Doubles> sums{};
    sums.ForEach(of_component, lane, [](Doubles& sum, const double* at) { sum = LoadAt(at); });
    for (std::size_t at = lane; at < kPoints; at += kSums)
      sums.Add(LoadAt(&shares[at]), LoadAt(&points.f[0][i + at]), LoadAt(&points.f[1][i + at]),
               LoadAt(&points.f[2][i + at]));
    sums.ForEach(of_component, lane, [](Doubles& sum, double* at) { StoreAt(sum, at); });
  }
}

// Points first .. last - 1, whole blocks.
void AddPart(const PointPlanes& points, const WhitenedComponent* components, std::size_t count,
             std::size_t first, std::size_t last, PartSums& sums) {
  Block shares[CompiledMixture::kMaxComponents], log_likelihoods;
  for (std::size_t i = first; i < last; i += kPoints) {
    bool used[CompiledMixture::kMaxComponents] = {};
    BlockShares(points, i, components, count, shares, used, log_likelihoods);
    for (std::size_t k = 0; k < count; ++k)
      if (used[k]) AddMoments(points, i, shares[k], sums.components[k]);
    for (std::size_t at = 0; at < kPoints; at += kDoubleLanes) {
      double* const sum = &sums.log_likelihood[at % kSums];
      StoreAt(hn::Add(LoadAt(sum), LoadAt(&log_likelihoods[at])), sum);
    }
  }
}

void Softmax(std::span<Block> scores, Block& log_sum) {
  for (std::size_t at = 0; at < kPoints; at += kDoubleLanes) {
    Doubles greatest = LoadAt(&scores[0][at]);
    for (const Block& score : scores.subspan(1)) greatest = hn::Max(greatest, LoadAt(&score[at]));
    Doubles sum = Double(0);
    for (Block& score : scores) {
      const Doubles power =
          Exp2(hn::Mul(hn::Sub(LoadAt(&score[at]), greatest), Double(std::numbers::log2e)));
      StoreAt(power, &score[at]);
      sum = hn::Add(sum, power);
    }
    for (Block& power : scores) StoreAt(hn::Div(LoadAt(&power[at]), sum), &power[at]);
    StoreAt(hn::Add(greatest, Log(sum)), &log_sum[at]);
  }
}

// With e = exp(-|z|), which cannot overflow, and m = z of the positive class, -z of the others:
//   |P - truth| = (m < 0 ? 1 : e) / (1 + e),   -log P(truth) = log(1 + e) - min(m, 0).
void Losses(const double* z, const double* truth, std::size_t count, double* squared_error,
            double* log_loss) {
  for (std::size_t i = 0; i < count; i += kDoubleLanes) {
    // NaN, which a model with absurd parameters gives, counts as the greatest error.
    const Doubles product = hn::Mul(LoadAt(z + i), LoadAt(truth + i));
    const Doubles m = hn::IfThenElse(hn::Eq(product, product), product, Double(-1e300));
    const Doubles e = Exp2(hn::Mul(hn::Abs(m), Double(-std::numbers::log2e)));
    const Doubles whole = hn::Add(Double(1), e);
    const Doubles error = hn::Div(hn::IfThenElse(hn::Lt(m, Double(0)), Double(1), e), whole);
    const Doubles loss = hn::Sub(Log(whole), hn::Min(m, Double(0)));
    StoreAt(Rounded(hn::Mul(hn::Mul(error, error), Double(kFixedPoint))), squared_error + i);
    StoreAt(Rounded(hn::Mul(hn::Min(loss, Double(kMaxMagnitude)), Double(kFixedPoint))),
            log_loss + i);
  }
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {

Expectation& Expectation::operator+=(const Expectation& other) {
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += other.sums[k];
  log_likelihood += other.log_likelihood;
  return *this;
}

Expectation EStep(const PointPlanes& points, std::span<const WhitenedComponent> components) {
  const std::vector<ComponentSums> zeros(components.size(), ComponentSums::Zero());
  return SumOverBlocks(points, Expectation{zeros},
                       [&](std::size_t first, std::size_t last, Expectation& expectation) {
                         PartSums sums;
                         SKINMASK_DISPATCH(AddPart)
                         (points, components.data(), components.size(), first, last, sums);
                         for (std::size_t k = 0; k < components.size(); ++k)
                           for (std::size_t i = 0; i < 10; ++i)
                             expectation.sums[k](static_cast<Eigen::Index>(i)) +=
                                 PointPlanes::Total(sums.components[k][i]);
                         expectation.log_likelihood += PointPlanes::Total(sums.log_likelihood);
                       });
}

void SoftmaxBlock(std::span<Block> scores, Block& log_sum) {
  SKINMASK_DISPATCH(Softmax)(scores, log_sum);
}

void LossRow(const double* z, const double* truth, std::size_t count, double* squared_error,
             double* log_loss) {
  SKINMASK_DISPATCH(Losses)(z, truth, count, squared_error, log_loss);
}

}  // namespace skinmask
#endif
