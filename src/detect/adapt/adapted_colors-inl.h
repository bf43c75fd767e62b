// The log-odds of colours by an image's mixtures and the global model, for the CPU target that is
// being compiled. Without an include guard, because adapted_rows.cc alone includes it, once for
// each target.
#include "detect/adapt/adapted_rows.h"
#include "model/quadratic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

HWY_INLINE Floats Clamped(Floats x, float most) {
  return hn::Min(hn::Max(x, Float(-most)), Float(most));
}

// global_weight times the clamped global log-odds. The weight is already in the quadratic and in
// `most`.
struct Global : OfChannels {
  ColorWeights weights;

  HWY_INLINE Floats operator()(Floats b, Floats g, Floats r) const {
    return Clamped(Evaluate(weights.global, b, g, r), weights.most);
  }
};

// The same plus local_weight times the local log-odds of a mixture.
struct Full : OfBlock {
  MixtureView m;
  ColorWeights weights;

  HWY_INLINE auto operator()(const FourVectors<Floats>& b, const FourVectors<Floats>& g,
                             const FourVectors<Floats>& r) const {
    const LogRatios ratios(m, b, g, r);
    const Global global{{}, weights};
    return FourVectors<Floats>{hn::Add(Local(ratios, 0), global(b.v0, g.v0, r.v0)),
                               hn::Add(Local(ratios, 1), global(b.v1, g.v1, r.v1)),
                               hn::Add(Local(ratios, 2), global(b.v2, g.v2, r.v2)),
                               hn::Add(Local(ratios, 3), global(b.v3, g.v3, r.v3))};
  }

 private:
  HWY_INLINE Floats Local(const LogRatios& ratios, std::size_t j) const {
    const Floats others = ratios.Sum(m.positives, m.count, j, ratios.other[j]);
    // For one Gaussian the sum is its own term, 1.
    const Floats positives =
        m.positives == 1 ? Float(1) : ratios.Sum(0, m.positives, j, ratios.positive[j]);
    const Floats lead = hn::Mul(hn::Sub(ratios.positive[j], ratios.other[j]), Float(kLn2));
    return hn::Mul(Float(weights.local), hn::Add(lead, Log(hn::Div(positives, others))));
  }
};

// As Evaluate, but on some CPUs a product and a sum are rounded only once. This is faster, and
// gives other bits there, so it only tells which pixels to evaluate exactly.
HWY_INLINE Floats Estimate(const FloatQuadratic& q, Floats b, Floats g, Floats r) {
  const Floats of_b = hn::MulAdd(
      Float(q.product[2]), r,
      hn::MulAdd(Float(q.product[1]), g, hn::MulAdd(Float(q.product[0]), b, Float(q.linear[0]))));
  const Floats of_g =
      hn::MulAdd(Float(q.product[4]), r, hn::MulAdd(Float(q.product[3]), g, Float(q.linear[1])));
  const Floats of_r = hn::MulAdd(Float(q.product[5]), r, Float(q.linear[2]));
  return hn::MulAdd(r, of_r, hn::MulAdd(g, of_g, hn::MulAdd(b, of_b, Float(q.constant))));
}

// The log-odds of colours with the likeliest Gaussian of each class alone. Others of the class that
// is not skin only lower them, so none is evaluated any more when all are below `least`.
struct Lead : OfBlock {
  MixtureView m;
  ColorWeights weights;
  float least = 0;
  std::size_t* likely = nullptr;  // which of the others is tried first: the last that settled it

  HWY_INLINE auto operator()(const FourVectors<Floats>& b, const FourVectors<Floats>& g,
                             const FourVectors<Floats>& r) const {
    const Two first = Of(b.v0, g.v0, r.v0, b.v1, g.v1, r.v1);
    const Two second = Of(b.v2, g.v2, r.v2, b.v3, g.v3, r.v3);
    return FourVectors<Floats>{first.v0, first.v1, second.v0, second.v1};
  }

 private:
  struct Two {
    Floats v0, v1;
  };
  HWY_INLINE Two Of(Floats b0, Floats g0, Floats r0, Floats b1, Floats g1, Floats r1) const {
    const auto raise = [&](std::size_t k, Two& t) {
      const FloatQuadratic& q = m.u[k];
      t.v0 = hn::Max(t.v0, Estimate(q, b0, g0, r0));
      t.v1 = hn::Max(t.v1, Estimate(q, b1, g1, r1));
    };
    Two p{Float(0), Float(0)}, o{Float(-3e38f), Float(-3e38f)};
    for (std::size_t k = 1; k < m.positives; ++k) raise(k, p);
    const Two e{Clamped(Estimate(weights.global, b0, g0, r0), weights.most),
                Clamped(Estimate(weights.global, b1, g1, r1), weights.most)};
    const Floats weight = Float(weights.local * kLn2);
    Two z = e;
    std::size_t k = *likely;
    for (std::size_t left = m.count - m.positives; left > 0; --left) {
      raise(k, o);
      z = {hn::MulAdd(weight, hn::Sub(p.v0, o.v0), e.v0),
           hn::MulAdd(weight, hn::Sub(p.v1, o.v1), e.v1)};
      if (hn::AllTrue(FloatTag(), hn::Lt(hn::Max(z.v0, z.v1), Float(least)))) {
        *likely = k;
        break;
      }
      k = k + 1 < m.count ? k + 1 : m.positives;
    }
    return z;
  }
};

void GlobalRow(const ColorWeights& weights, const std::uint8_t* bgr, std::size_t count, float* z) {
  BgrRow(Global{{}, weights}, bgr, count, z);
}

void FullRow(const MixtureView& m, const ColorWeights& weights, const std::uint8_t* bgr,
             std::size_t count, float* z) {
  BgrRow(Full{{}, m, weights}, bgr, count, z);
}

// z with the likeliest Gaussian of each class alone, where z + gain is `least` or more. Elsewhere
// any value below that will do, and most blocks of a background need few Gaussians.
void LeadRow(const MixtureView& m, const ColorWeights& weights, const std::uint8_t* bgr,
             std::size_t count, const float* gain, float least, float* z) {
  std::size_t likely = m.positives;
  const auto lead_at = [&](std::size_t block) {
    const FloatTag tag;
    Floats most = hn::LoadU(tag, gain + block);
    for (std::size_t i = block + kLanes; i < HWY_MIN(block + kBlock, count); i += kLanes)
      most = hn::Max(most, hn::LoadU(tag, gain + i));
    return Lead{{}, m, weights, least - hn::GetLane(hn::MaxOfLanes(tag, most)), &likely};
  };
  BgrRowByBlocks(lead_at, bgr, count, z);
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
