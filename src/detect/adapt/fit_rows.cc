#include "detect/adapt/fit_rows.h"

#include <cstdint>
#include <numbers>

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "base/moment_lanes-inl.h"
#include "model/quadratic-inl.h"

#ifndef SKINMASK_FIT_ROWS_ONCE
#define SKINMASK_FIT_ROWS_ONCE
namespace skinmask {
namespace {

constexpr std::size_t kSums = 16;  // partial sums side by side
constexpr std::size_t kPixels = FitPixels::kBlock;

// The responsibilities of each component for the pixels of a block.
using Shares = std::array<float, kPixels>;

// The sums of one component: of weights w, of w d and of w d d', where d is the distance from a
// centre.
struct FloatMoments {
  std::array<float, 3> centre;
  std::array<std::array<float, kSums>, 10> sums;
};

}  // namespace
}  // namespace skinmask
#endif

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

HWY_INLINE FourVectors<Floats> Four(const float* at) {
  const FloatTag tag;
  return {hn::LoadU(tag, at), hn::LoadU(tag, at + kLanes), hn::LoadU(tag, at + 2 * kLanes),
          hn::LoadU(tag, at + 3 * kLanes)};
}

// Stores 2^(u_k - shift) of components first .. last - 1 as their shares; returns the sum.
HWY_INLINE Floats Powers(const LogRatios& ratios, std::size_t first, std::size_t last,
                         std::size_t j, Floats shift, Shares* shares, std::size_t at) {
  Floats sum = Float(0);
  for (std::size_t k = first; k < last; ++k) {
    const Floats power = Exp2(hn::Sub(ratios.u[k][j], shift));
    sum = hn::Add(sum, power);
    hn::StoreU(power, FloatTag(), shares[k].data() + at);
  }
  return sum;
}

HWY_INLINE void Scale(std::size_t first, std::size_t last, Floats factor, Shares* shares,
                      std::size_t at) {
  for (std::size_t k = first; k < last; ++k) {
    float* const share = shares[k].data() + at;
    hn::StoreU(hn::Mul(hn::LoadU(FloatTag(), share), factor), FloatTag(), share);
  }
}

// Computes the shares of the block of pixels that begins at `i`.
void BlockShares(const MixtureView& m, const FitPixels& pixels, std::size_t i, float local_weight,
                 Shares* shares) {
  constexpr float kLog2E = 0x1.715476p+0f;
  for (std::size_t at = 0; at < kPixels; at += 4 * kLanes) {
    const LogRatios ratios(m, Four(&pixels.b[i + at]), Four(&pixels.g[i + at]),
                           Four(&pixels.r[i + at]));
    for (std::size_t j = 0; j < 4; ++j) {
      const std::size_t place = at + j * kLanes;
      const Floats skin = Powers(ratios, 0, m.positives, j, ratios.positive[j], shares, place);
      const Floats other = Powers(ratios, m.positives, m.count, j, ratios.other[j], shares, place);
      const Floats lead = hn::Sub(ratios.positive[j], ratios.other[j]);
      const Floats local = hn::Add(lead, hn::Mul(Log(hn::Div(skin, other)), Float(kLog2E)));
      const Floats z = hn::Add(hn::Mul(local, Float(local_weight)),
                               hn::LoadU(FloatTag(), &pixels.log2_odds[i + place]));
      const Floats against = Exp2(hn::Sub(Float(0), z));
      const Floats p =
          hn::Div(hn::LoadU(FloatTag(), &pixels.weight[i + place]), hn::Add(Float(1), against));
      Scale(0, m.positives, hn::Div(p, skin), shares, place);
      Scale(m.positives, m.count, hn::Div(hn::Mul(p, against), other), shares, place);
    }
  }
}

// Adds the block of pixels that begins at `i` to a component's moments.
void AddBlock(const FitPixels& pixels, std::size_t i, const Shares& shares, FloatMoments& moments) {
  const FloatTag tag;
  const float *const b = &pixels.b[i], *const g = &pixels.g[i], *const r = &pixels.r[i];
  for (std::size_t lane = 0; lane < kSums; lane += kLanes) {
    // Initialised by its members, because GCC compiles an implicit constructor without the options
    // of NEON.
    MomentLanes<Floats> sums{};
    sums.ForEach(moments.sums, lane, [&](Floats& sum, float* at) { sum = hn::LoadU(tag, at); });
    for (std::size_t at = lane; at < kPixels; at += kSums)
      sums.Add(hn::LoadU(tag, &shares[at]),
               hn::Sub(hn::LoadU(tag, b + at), Float(moments.centre[0])),
               hn::Sub(hn::LoadU(tag, g + at), Float(moments.centre[1])),
               hn::Sub(hn::LoadU(tag, r + at), Float(moments.centre[2])));
    sums.ForEach(moments.sums, lane, [&](Floats& sum, float* at) { hn::StoreU(sum, tag, at); });
  }
}

void AddAll(const MixtureView& m, const FitPixels& pixels, float local_weight,
            FloatMoments* moments) {
  Shares shares[CompiledMixture::kMaxComponents];
  for (std::size_t i = 0; i < pixels.b.size(); i += kPixels) {
    BlockShares(m, pixels, i, local_weight, shares);
    for (std::size_t k = 0; k < m.count; ++k) AddBlock(pixels, i, shares[k], moments[k]);
  }
}

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {
namespace {

constexpr double kCentre = 128, kScale = 0x1p24;

ColorGaussian GaussianOf(const FloatMoments& moments) {
  double sums[10] = {};
  for (std::size_t s = 0; s < 10; ++s)
    for (const float sum : moments.sums[s]) sums[s] += static_cast<double>(sum);
  ColorGaussian g;
  g.n = sums[0];
  const Eigen::Vector3d step = Eigen::Vector3d(sums[1], sums[2], sums[3]) / g.n;
  g.covariance << sums[4], sums[5], sums[6], sums[5], sums[7], sums[8], sums[6], sums[8], sums[9];
  g.covariance = (g.covariance / g.n - step * step.transpose()) / (kScale * kScale);
  for (int i = 0; i < 3; ++i)
    g.mean(i) =
        kCentre +
        (static_cast<double>(moments.centre[static_cast<std::size_t>(i)]) + step(i)) / kScale;
  return g;
}

}  // namespace

FitPixels::FitPixels(const cv::Mat& bgr, const cv::Mat& log_odds, int step) {
  const auto scaled = [](std::uint8_t byte) {
    return static_cast<float>(kScale) * static_cast<float>(byte - 128);
  };
  for (int y = 0; y < bgr.rows; y += step)
    for (int x = 0; x < bgr.cols; x += step) {
      const std::uint8_t* const pixel = bgr.ptr(y, x);
      b.push_back(scaled(pixel[0]));
      g.push_back(scaled(pixel[1]));
      r.push_back(scaled(pixel[2]));
      log2_odds.push_back(log_odds.at<float>(y, x) * std::numbers::log2e_v<float>);
    }
  count = b.size();
  weight.assign(count, 1);
  const std::size_t padded = (count + kBlock - 1) / kBlock * kBlock;
  for (std::vector<float>* const plane : {&b, &g, &r, &log2_odds, &weight}) plane->resize(padded);
}

std::vector<ColorGaussian> EStep(const FitPixels& pixels, const CompiledMixture& mixture,
                                 const std::vector<Eigen::Vector3d>& means, double local_weight) {
  std::vector<FloatMoments> moments(means.size());
  for (std::size_t k = 0; k < means.size(); ++k)
    for (int i = 0; i < 3; ++i)
      moments[k].centre[static_cast<std::size_t>(i)] =
          static_cast<float>(kScale * (means[k](i) - kCentre));
  SKINMASK_DISPATCH(AddAll)
  (mixture.View(), pixels, static_cast<float>(local_weight), moments.data());
  std::vector<ColorGaussian> gaussians;
  for (const FloatMoments& m : moments) gaussians.push_back(GaussianOf(m));
  return gaussians;
}

}  // namespace skinmask
#endif
