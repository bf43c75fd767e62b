// The log-odds of colours by an image's mixtures and the global model, for the CPU target that is
// being compiled. Without an include guard, because adapted_rows.cc alone includes it, once for
// each target.
#include "detect/adapt/adapted_rows.h"
#include "model/quadratic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

HWY_INLINE Floats LeadOf(Floats positive, Floats other) {
  return hn::Mul(hn::Sub(positive, other), Float(kLn2));
}

// local_weight times the local log-odds of a mixture.
struct Local {
  MixtureView m;
  float weight;

  HWY_INLINE auto operator()(const FourVectors<Floats>& b, const FourVectors<Floats>& g,
                             const FourVectors<Floats>& r) const {
    const LogRatios ratios(m, b, g, r);
    return FourVectors<Floats>{Of(ratios, 0), Of(ratios, 1), Of(ratios, 2), Of(ratios, 3)};
  }

 private:
  HWY_INLINE Floats Of(const LogRatios& ratios, std::size_t j) const {
    const Floats others = ratios.Sum(m.positives, m.count, j, ratios.other[j]);
    // For one Gaussian the sum is its own term, 1.
    const Floats positives =
        m.positives == 1 ? Float(1) : ratios.Sum(0, m.positives, j, ratios.positive[j]);
    const Floats lead = LeadOf(ratios.positive[j], ratios.other[j]);
    return hn::Mul(Float(weight), hn::Add(lead, Log(hn::Div(positives, others))));
  }
};

// The same with the likeliest Gaussian of each class alone.
struct LocalLead {
  MixtureView m;
  float weight;

  HWY_INLINE auto operator()(const FourVectors<Floats>& b, const FourVectors<Floats>& g,
                             const FourVectors<Floats>& r) const {
    const auto forget = [](std::size_t, const FourVectors<Floats>&) {};
    const FourVectors<Floats> p = GreatestPositive(m, b, g, r, forget);
    const FourVectors<Floats> o = GreatestOther(m, b, g, r, forget);
    const Floats w = Float(weight);
    return FourVectors<Floats>{hn::Mul(w, LeadOf(p.v0, o.v0)), hn::Mul(w, LeadOf(p.v1, o.v1)),
                               hn::Mul(w, LeadOf(p.v2, o.v2)), hn::Mul(w, LeadOf(p.v3, o.v3))};
  }
};

struct NoLocal {
  MixtureView m;
  float weight;

  HWY_INLINE auto operator()(const FourVectors<Floats>&, const FourVectors<Floats>&,
                             const FourVectors<Floats>&) const {
    return FourVectors<Floats>{Float(0), Float(0), Float(0), Float(0)};
  }
};

// global_weight times the clamped global log-odds. The weight is already in the quadratic and in
// `most`.
struct Global {
  FloatQuadratic q;
  float most;

  HWY_INLINE Floats operator()(Floats b, Floats g, Floats r) const {
    return hn::Min(hn::Max(Evaluate(q, b, g, r), Float(-most)), Float(most));
  }
};
struct NoGlobal {
  HWY_INLINE Floats operator()(Floats, Floats, Floats) const { return Float(0); }
};

template <class OfLocal, class OfGlobal>
struct OfColors : OfBlock {
  OfLocal local;
  OfGlobal global;
  HWY_INLINE auto operator()(const FourVectors<Floats>& b, const FourVectors<Floats>& g,
                             const FourVectors<Floats>& r) const {
    const FourVectors<Floats> z = local(b, g, r);
    return FourVectors<Floats>{
        hn::Add(z.v0, global(b.v0, g.v0, r.v0)), hn::Add(z.v1, global(b.v1, g.v1, r.v1)),
        hn::Add(z.v2, global(b.v2, g.v2, r.v2)), hn::Add(z.v3, global(b.v3, g.v3, r.v3))};
  }
};

template <class OfLocal>
void ColorRow(const MixtureView& m, const ColorWeights& weights, const std::uint8_t* bgr,
              std::size_t count, float* z) {
  const OfLocal local{m, weights.local};
  if (weights.has_global)
    BgrRow(OfColors<OfLocal, Global>{{}, local, {weights.global, weights.most}}, bgr, count, z);
  else
    BgrRow(OfColors<OfLocal, NoGlobal>{{}, local, {}}, bgr, count, z);
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
