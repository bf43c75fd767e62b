#include "skinmask/model/yuv_quadratic.h"

#include <Eigen/Core>
#include <algorithm>
#include <numbers>

#include "skinmask/base/cpu.h"
#include "skinmask/data/yuv_encoding.h"

namespace skinmask {
namespace {

constexpr double kMiddle = 128;

// (B, G, R) = matrix * (Y, U, V) + offset.
struct Affine {
  Eigen::Matrix3d matrix;
  Eigen::Vector3d offset;
};

// With luma weights kr, kg, kb that sum to 1, luma y and chroma cb, cr in units of 255,
//   R = y + 2 (1 - kr) cr,  B = y + 2 (1 - kb) cb,  and G such that kr R + kg G + kb B = y.
Affine BgrOf(const YuvEncoding& encoding) {
  const bool bt601 = encoding.matrix == YuvEncoding::Matrix::kBt601;
  const bool full = encoding.range == YuvEncoding::Range::kFull;
  const double kr = bt601 ? 0.299 : 0.2126, kb = bt601 ? 0.114 : 0.0722, kg = 1 - kr - kb;
  const double luma = full ? 1 : 255. / 219, chroma = full ? 1 : 255. / 224;
  const double of_cb = 2 * (1 - kb), of_cr = 2 * (1 - kr);
  Affine affine;
  affine.matrix << luma, chroma * of_cb, 0,                        //
      luma, -chroma * of_cb * kb / kg, -chroma * of_cr * kr / kg,  //
      luma, 0, chroma * of_cr;
  affine.offset = -affine.matrix * Eigen::Vector3d(full ? 0 : 16, 128, 128);
  return affine;
}

}  // namespace

Quadratic InYuv(const Quadratic& of_bgr, const YuvEncoding& encoding) {
  const auto& p = of_bgr.product;
  Eigen::Matrix3d a;
  a << p[0], p[1] / 2, p[2] / 2, p[1] / 2, p[3], p[4] / 2, p[2] / 2, p[4] / 2, p[5];
  const Eigen::Vector3d b(of_bgr.linear[0], of_bgr.linear[1], of_bgr.linear[2]);
  // d = T e + o with e = (Y, U, V) - 128, so q = c + b'o + o'A o + (T'(b + 2 A o))'e + e'(T'A T)e.
  const Affine affine = BgrOf(encoding);
  const Eigen::Vector3d centre = Eigen::Vector3d::Constant(kMiddle);
  const Eigen::Vector3d o = affine.matrix * centre + affine.offset - centre;
  const Eigen::Vector3d linear = affine.matrix.transpose() * (b + 2 * a * o);
  const Eigen::Matrix3d product = affine.matrix.transpose() * a * affine.matrix;
  Quadratic q;
  q.constant = of_bgr.constant + b.dot(o) + o.dot(a * o);
  q.linear = {linear(0), linear(1), linear(2)};
  q.product = {product(0, 0), 2 * product(0, 1), 2 * product(0, 2),
               product(1, 1), 2 * product(1, 2), product(2, 2)};
  return q;
}

std::array<std::uint8_t, 3> YuvRow::Pixel(std::size_t x) const {
  if (layout == Layout::kI444) return {plane[0][x], plane[1][x], plane[2][x]};
  if (layout == Layout::kI422) return {plane[0][x], plane[1][x / 2], plane[2][x / 2]};
  if (layout == Layout::kNv12) return {plane[0][x], plane[1][x / 2 * 2], plane[1][x / 2 * 2 + 1]};
  const std::uint8_t* const pair = plane[0] + x / 2 * 4;
  return {pair[x % 2 * 2], pair[1], pair[3]};
}

CompiledYuvQuadratic::CompiledYuvQuadratic(const Quadratic& log_odds_of_bgr,
                                           const YuvEncoding& encoding, double threshold) {
  ObeyTargetVariable();
  const Quadratic z = InYuv(log_odds_of_bgr, encoding);
  const Quadratic below = BelowThreshold(z, threshold);
  constexpr int kRoundings = 8;
  error_bound_ = std::max(z.ErrorBound(kRoundings), below.ErrorBound(kRoundings));
  below_threshold_ = FloatQuadratic(below, 1);
  log2_against_ = FloatQuadratic(z, -std::numbers::log2e);
}

}  // namespace skinmask
