#include "detect/adapt/refine.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "detect/adapt/exp2.h"

namespace skinmask {
namespace {

// Four floats, as in the rows of a CV_32FC4.
using Four = float __attribute__((vector_size(16), may_alias));

const Four* RowOf(const cv::Mat4f& m, int y) { return reinterpret_cast<const Four*>(m[y]); }
Four* RowOf(cv::Mat4f& m, int y) { return reinterpret_cast<Four*>(m[y]); }

float Sum(Four f) { return (f[0] + f[1]) + (f[2] + f[3]); }

Four All(float f) { return Four{f, f, f, f}; }

cv::Mat4f GuideOf(const cv::Mat& bgr) {
  cv::Mat4f guide(bgr.size());
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const std::uint8_t* const p = bgr.ptr(y, x);
      guide(y, x) = cv::Vec4f(p[0], p[1], p[2], 255) * (1.f / 255);
    }
  return guide;
}

struct Columns {
  Four b, g, r;
};

// The columns of the inverse of a covariance with epsilon on its diagonal, by cofactors. `mean` is
// of B, G, R; `squares` of BB, BG, BR, GG, and `others` of GR, RR.
Columns InverseOf(Four mean, Four squares, Four others, float epsilon) {
  const float b = mean[0], g = mean[1], r = mean[2];
  const float bb = std::max(squares[0] - b * b, 0.f) + epsilon;
  const float bg = squares[1] - b * g, br = squares[2] - b * r;
  const float gg = std::max(squares[3] - g * g, 0.f) + epsilon, gr = others[0] - g * r;
  const float rr = std::max(others[1] - r * r, 0.f) + epsilon;
  const Four first{gg * rr - gr * gr, br * gr - bg * rr, bg * gr - br * gg};
  const Four second{first[1], bb * rr - br * br, bg * br - bb * gr};
  const Four third{first[2], second[2], bb * gg - bg * bg};
  const Four over = All(1 / (bb * first[0] + bg * first[1] + br * first[2]));
  return {first * over, second * over, third * over};
}

// The number of pixels, along a side of `size`, within `radius` of the place.
int Within(int place, int radius, int size) {
  return std::min(place + radius, size - 1) - std::max(place - radius, 0) + 1;
}

int RadiusOf(const cv::Mat& small_bgr, double face_size, const RefinementOptions& options) {
  const double most =
      std::sqrt(static_cast<double>(small_bgr.total())) / options.min_radii_per_side;
  const double wanted = face_size > 0 ? options.radius_per_face * face_size : most / 2;
  return std::max(1, cvRound(std::min(wanted, most)));
}

}  // namespace

void BoxMeans(const cv::Mat4f& in, int radius, cv::Mat4f& out) {
  out.create(in.size());
  // Sums over the rows of the window, with zeros on both sides.
  cv::Mat4f sums(1, in.cols + 2 * radius + 1, cv::Scalar::all(0));
  Four *const columns = RowOf(sums, 0), *const own = columns + radius + 1;
  std::vector<float> inverse_counts;
  for (int x = 0; x < in.cols; ++x)
    inverse_counts.push_back(1.f / static_cast<float>(Within(x, radius, in.cols)));
  const cv::Mat4f zeros(1, in.cols, cv::Scalar::all(0));
  const auto row_or_zeros = [&](int y) {
    return y < 0 || y >= in.rows ? RowOf(zeros, 0) : RowOf(in, y);
  };
  for (int y = -radius; y < in.rows; ++y) {
    const Four *const next = row_or_zeros(y + radius), *const last = row_or_zeros(y - radius - 1);
    for (int x = 0; x < in.cols; ++x) own[x] = own[x] + next[x] - last[x];
    if (y < 0) continue;
    const float inverse_rows = 1.f / static_cast<float>(Within(y, radius, in.rows));
    Four sum{};
    for (int x = 0; x < 2 * radius + 1; ++x) sum += columns[x];
    Four* const means = RowOf(out, y);
    for (int x = 0; x < in.cols; ++x) {
      sum += columns[x + 2 * radius + 1] - columns[x];
      means[x] = sum * All(inverse_counts[x] * inverse_rows);
    }
  }
}

GuidedFilter::GuidedFilter(const cv::Mat& guide, int radius, double epsilon)
    : radius_(radius), guide_(GuideOf(guide)) {
  cv::Mat4f squares(guide.size()), others(guide.size());
  for (int y = 0; y < guide.rows; ++y)
    for (int x = 0; x < guide.cols; ++x) {
      const Four c = RowOf(guide_, y)[x];
      RowOf(squares, y)[x] = Four{c[0] * c[0], c[0] * c[1], c[0] * c[2], c[1] * c[1]};
      RowOf(others, y)[x] = Four{c[1] * c[2], c[2] * c[2]};
    }
  BoxMeans(guide_, radius, mean_);
  cv::Mat4f mean_squares, mean_others;
  BoxMeans(squares, radius, mean_squares);
  BoxMeans(others, radius, mean_others);
  for (cv::Mat4f& column : inverse_) column.create(guide.size());
  for (int y = 0; y < guide.rows; ++y)
    for (int x = 0; x < guide.cols; ++x) {
      const Columns inverse = InverseOf(RowOf(mean_, y)[x], RowOf(mean_squares, y)[x],
                                        RowOf(mean_others, y)[x], static_cast<float>(epsilon));
      RowOf(inverse_[0], y)[x] = inverse.b;
      RowOf(inverse_[1], y)[x] = inverse.g;
      RowOf(inverse_[2], y)[x] = inverse.r;
    }
}

void GuidedFilter::Fit(const cv::Mat4f& products, cv::Mat4f& factors) {
  BoxMeans(products, radius_, of_window_);
  for (int y = 0; y < products.rows; ++y) {
    const Four* const mean = RowOf(mean_, y);
    const Four *const b = RowOf(inverse_[0], y), *const g = RowOf(inverse_[1], y);
    const Four* const r = RowOf(inverse_[2], y);
    Four* const of_window = RowOf(of_window_, y);
    for (int x = 0; x < products.cols; ++x) {
      const float input = of_window[x][3];
      const Four with = of_window[x] - mean[x] * All(input);  // covariances
      Four factor = b[x] * All(with[0]) + g[x] * All(with[1]) + r[x] * All(with[2]);
      factor[3] = input - Sum(factor * mean[x]);
      of_window[x] = factor;
    }
  }
  BoxMeans(of_window_, radius_, factors);
}

MeanField::MeanField(const cv::Mat& small_bgr, double face_size, const RefinementOptions& options)
    : weight_(static_cast<float>(options.pairwise_weight)),
      filter_(small_bgr, RadiusOf(small_bgr, face_size, options), options.epsilon),
      products_(small_bgr.size()) {}

void MeanField::Run(const cv::Mat& log_odds, int rounds) {
  std::vector<float> z;
  for (int round = 0; round < rounds; ++round) {
    for (int y = 0; y < log_odds.rows; ++y) {
      z.assign(log_odds.ptr<float>(y), log_odds.ptr<float>(y) + log_odds.cols);
      if (has_message_) AddMessageTo(z.data(), y);
      LabelRow(z.data(), y);
    }
    filter_.Fit(products_, factors_);
    has_message_ = true;
  }
}

Message MeanField::message() const {
  std::array<cv::Mat, 4> factors;
  cv::split(weight_ * factors_, factors.data());
  const double of_level = 1. / 255;
  return {{factors[0] * of_level, factors[1] * of_level, factors[2] * of_level}, factors[3]};
}

void MeanField::AddMessage(cv::Mat& log_odds) const {
  for (int y = 0; y < log_odds.rows; ++y) AddMessageTo(log_odds.ptr<float>(y), y);
}

void MeanField::AddMessageTo(float* z, int y) const {
  const Four *const guide = RowOf(filter_.guide(), y), *const factors = RowOf(factors_, y);
  for (int x = 0; x < factors_.cols; ++x) z[x] += weight_ * Sum(factors[x] * guide[x]);
}

// tanh(z / 2), the mean of a label of +1 or -1. Log-odds beyond +-8 are as good as certain.
void MeanField::LabelRow(float* z, int y) {
  constexpr float kMax = 8, kLog2E = 0x1.715476p+0f;
  for (int x = 0; x < products_.cols; ++x)
    z[x] = 1 - 2 / (1 + Exp2(std::min(std::max(-kMax, z[x]), kMax) * kLog2E));
  const Four* const guide = RowOf(filter_.guide(), y);
  Four* const products = RowOf(products_, y);
  for (int x = 0; x < products_.cols; ++x) products[x] = guide[x] * All(z[x]);
}

}  // namespace skinmask
