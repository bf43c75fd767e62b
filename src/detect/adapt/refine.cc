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

// Makes the values of a channel, for four pixels, of the channels of each pixel, and the reverse.
void Transpose(Four (&f)[4]) {
  const Four a = __builtin_shufflevector(f[0], f[1], 0, 4, 1, 5);
  const Four b = __builtin_shufflevector(f[2], f[3], 0, 4, 1, 5);
  const Four c = __builtin_shufflevector(f[0], f[1], 2, 6, 3, 7);
  const Four d = __builtin_shufflevector(f[2], f[3], 2, 6, 3, 7);
  f[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  f[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  f[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  f[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

cv::Mat4f GuideOf(const cv::Mat& bgr) {
  cv::Mat4f guide(bgr.size());
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const std::uint8_t* const p = bgr.ptr(y, x);
      guide(y, x) = cv::Vec4f(p[0], p[1], p[2], 255) * (1.f / 255);
    }
  return guide;
}

// Of B, G, R; of BB, BG, BR, GG; and of GR, RR.
struct Moments {
  Four first, squares, others;
};
Moments operator+(const Moments& a, const Moments& b) {
  return {a.first + b.first, a.squares + b.squares, a.others + b.others};
}
Moments operator-(const Moments& a, const Moments& b) {
  return {a.first - b.first, a.squares - b.squares, a.others - b.others};
}
Moments operator*(const Moments& a, Four factor) {
  return {a.first * factor, a.squares * factor, a.others * factor};
}

Moments MomentsOf(Four c) {
  return {
      c, __builtin_shufflevector(c, c, 0, 0, 0, 1) * __builtin_shufflevector(c, c, 0, 1, 2, 1),
      __builtin_shufflevector(c, c, 1, 2, 3, 3) * __builtin_shufflevector(c, Four{}, 2, 2, 4, 4)};
}

// Of the windows around four pixels: the means of B, G, R, and the inverse of their covariance with
// epsilon on its diagonal, which is symmetric.
struct Windows {
  Four b, g, r;
  Four bb, bg, br, gg, gr, rr;
};
constexpr int kFours = sizeof(Windows) / sizeof(Four);

// By cofactors.
Windows WindowsOf(const std::array<Moments, 4>& moments, float epsilon) {
  Four mean[4], squares[4], others[4];
  for (int i = 0; i < 4; ++i) {
    mean[i] = moments[i].first;
    squares[i] = moments[i].squares;
    others[i] = moments[i].others;
  }
  Transpose(mean);
  Transpose(squares);
  Transpose(others);
  const Four b = mean[0], g = mean[1], r = mean[2];
  const auto variance = [&](Four square, Four of) {
    const Four difference = square - of * of;
    return (difference < 0 ? Four{} : difference) + epsilon;
  };
  const Four bb = variance(squares[0], b), gg = variance(squares[3], g);
  const Four rr = variance(others[1], r);
  const Four bg = squares[1] - b * g, br = squares[2] - b * r, gr = others[0] - g * r;
  const Four first = gg * rr - gr * gr, second = br * gr - bg * rr, third = bg * gr - br * gg;
  const Four over = 1 / (bb * first + bg * second + br * third);
  return {b,
          g,
          r,
          first * over,
          second * over,
          third * over,
          (bb * rr - br * br) * over,
          (bg * br - bb * gr) * over,
          (bb * gg - bg * bg) * over};
}

// The number of pixels, along a side of `size`, within `radius` of the place.
int Within(int place, int radius, int size) {
  return std::min(place + radius, size - 1) - std::max(place - radius, 0) + 1;
}

// Calls use(y)(x, mean) for each pixel with the mean over the square of `radius` pixels around it.
// Of a pixel of `in`, of() makes what is averaged, zeros of zeros. A running sum has to wait for
// its previous step, so two rows are summed side by side.
template <class T, class Of, class Use>
void ForBoxMeans(const cv::Mat4f& in, int radius, const Of& of, const Use& use) {
  struct Rows {
    T upper, lower;
  };
  // Sums over the rows of both windows, with zeros on both sides.
  std::vector<Rows> sums(static_cast<std::size_t>(in.cols + 2 * radius + 1), Rows{});
  Rows *const columns = sums.data(), *const own = columns + radius + 1;
  std::vector<float> inverse_counts;
  for (int x = 0; x < in.cols; ++x)
    inverse_counts.push_back(1.f / static_cast<float>(Within(x, radius, in.cols)));
  const cv::Mat4f zeros(1, in.cols, cv::Scalar::all(0));
  const auto row_or_zeros = [&](int y) {
    return y < 0 || y >= in.rows ? RowOf(zeros, 0) : RowOf(in, y);
  };
  for (int y = -radius - radius % 2; y < in.rows; y += 2) {
    const Four *const next = row_or_zeros(y + radius), *const last = row_or_zeros(y - radius - 1);
    const Four* const next_lower = row_or_zeros(y + radius + 1);
    const Four* const last_lower = row_or_zeros(y - radius);
    for (int x = 0; x < in.cols; ++x) {
      own[x].upper = own[x].lower + of(next[x]) - of(last[x]);
      own[x].lower = own[x].upper + of(next_lower[x]) - of(last_lower[x]);
    }
    if (y < 0) continue;
    const float inverse_rows = 1.f / static_cast<float>(Within(y, radius, in.rows));
    const float inverse_lower = 1.f / static_cast<float>(Within(y + 1, radius, in.rows));
    Rows sum{};
    for (int x = 0; x < 2 * radius + 1; ++x) {
      sum.upper = sum.upper + columns[x].upper;
      sum.lower = sum.lower + columns[x].lower;
    }
    // If the number of rows is odd, there is none below the last one. Then both results are used
    // for it; that of the upper one comes second, and stays.
    auto use_upper = use(y), use_lower = use(std::min(y + 1, in.rows - 1));
    for (int x = 0; x < in.cols; ++x) {
      const Rows &entering = columns[x + 2 * radius + 1], &leaving = columns[x];
      sum.upper = sum.upper + (entering.upper - leaving.upper);
      sum.lower = sum.lower + (entering.lower - leaving.lower);
      const float inverse_count = inverse_counts[static_cast<std::size_t>(x)];
      use_lower(x, sum.lower * All(inverse_count * inverse_lower));
      use_upper(x, sum.upper * All(inverse_count * inverse_rows));
    }
  }
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
  ForBoxMeans<Four>(
      in, radius, [](Four pixel) { return pixel; },
      [&](int y) { return [row = RowOf(out, y)](int x, Four mean) { row[x] = mean; }; });
}

GuidedFilter::GuidedFilter(const cv::Mat& guide, int radius, double epsilon)
    : radius_(radius), guide_(GuideOf(guide)), windows_(guide.rows, (guide.cols + 3) / 4 * kFours) {
  ForBoxMeans<Moments>(
      guide_, radius, [](Four pixel) { return MomentsOf(pixel); },
      [&](int y) {
        return [windows = reinterpret_cast<Windows*>(windows_[y]), last = guide.cols - 1,
                floor = static_cast<float>(epsilon),
                four = std::array<Moments, 4>()](int x, const Moments& moments) mutable {
          four[x % 4] = moments;
          if (x % 4 == 3 || x == last) windows[x / 4] = WindowsOf(four, floor);
        };
      });
}

void GuidedFilter::Fit(const cv::Mat4f& products, cv::Mat4f& factors) {
  BoxMeans(products, radius_, of_window_);
  for (int y = 0; y < products.rows; ++y) {
    const Windows* windows = reinterpret_cast<const Windows*>(windows_[y]);
    Four* const of_window = RowOf(of_window_, y);
    for (int x = 0; x < products.cols; x += 4, ++windows) {
      // If fewer than four pixels are left, the last one stands for those that are missing. Its own
      // result is stored last, so it overwrites theirs.
      const int end = products.cols - 1;
      const int at[4] = {x, std::min(x + 1, end), std::min(x + 2, end), std::min(x + 3, end)};
      const Windows& w = *windows;
      Four f[4] = {of_window[at[0]], of_window[at[1]], of_window[at[2]], of_window[at[3]]};
      Transpose(f);
      const Four b = f[0] - w.b * f[3], g = f[1] - w.g * f[3],
                 r = f[2] - w.r * f[3];  // covariances
      f[0] = w.bb * b + w.bg * g + w.br * r;
      f[1] = w.bg * b + w.gg * g + w.gr * r;
      f[2] = w.br * b + w.gr * g + w.rr * r;
      f[3] = f[3] - (f[0] * w.b + f[1] * w.g + f[2] * w.r);
      Transpose(f);
      for (int i = 3; i >= 0; --i) of_window[at[i]] = f[i];
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
      if (!factors_.empty()) AddMessageTo(z.data(), y);
      LabelRow(z.data(), y);
    }
    filter_.Fit(products_, factors_);
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
