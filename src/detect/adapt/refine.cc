#include "detect/adapt/refine.h"

#include <algorithm>
#include <cmath>

#include "detect/adapt/exp2.h"

namespace skinmask {
namespace {

// Pixels of a side of `size` within `radius` of the place.
int Within(int place, int radius, int size) {
  return std::min(place + radius, size - 1) - std::max(place - radius, 0) + 1;
}

cv::Mat1f GreyOf(const cv::Mat& bgr) {
  cv::Mat1f grey(bgr.size());
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x)
      grey(y, x) = static_cast<float>(bgr.ptr(y)[3 * x + 1]) * (1.f / 255);
  return grey;
}

int RadiusOf(const cv::Mat& small_bgr, double face_size, const RefinementOptions& options) {
  const double most =
      std::sqrt(static_cast<double>(small_bgr.total())) / options.min_radii_per_side;
  const double wanted = face_size > 0 ? options.radius_per_face * face_size : most / 2;
  return std::max(1, cvRound(std::min(wanted, most)));
}

}  // namespace

BoxMean::BoxMean(const cv::Mat1f& plane, int radius)
    : plane_(plane),
      radius_(radius),
      columns_(static_cast<std::size_t>(plane.cols + 2 * radius)),
      fours_(columns_.size()) {
  for (int x = 0; x < plane.cols; ++x)
    inverse_counts_.push_back(1.f / static_cast<float>(Within(x, radius, plane.cols)));
  for (int y = 0; y < std::min(radius, plane.rows); ++y) AddRow(y, 1);
}

void BoxMean::NextRow(float* out) {
  const int y = next_++;
  if (y + radius_ < plane_.rows) AddRow(y + radius_, 1);
  if (y > radius_) AddRow(y - radius_ - 1, -1);
  SumWindows(out);
  const float inverse_rows = 1.f / static_cast<float>(Within(y, radius_, plane_.rows));
  for (std::size_t x = 0; x < inverse_counts_.size(); ++x)
    out[x] *= inverse_counts_[x] * inverse_rows;
}

void BoxMean::AddRow(int y, float sign) {
  const float* const row = plane_[y];
  float* const sums = columns_.data() + radius_;
  for (int x = 0; x < plane_.cols; ++x) sums[x] += sign * row[x];
}

// Sums of four first: a quarter of the terms are left then.
void BoxMean::SumWindows(float* out) {
  const std::size_t count = inverse_counts_.size(), window = columns_.size() - count + 1;
  const float* const columns = columns_.data();
  for (std::size_t i = 0; i + 3 < columns_.size(); ++i)
    fours_[i] = (columns[i] + columns[i + 1]) + (columns[i + 2] + columns[i + 3]);
  std::fill_n(out, count, 0.f);
  std::size_t k = 0;
  for (; k + 4 <= window; k += 4)
    for (std::size_t x = 0; x < count; ++x) out[x] += fours_[x + k];
  for (; k < window; ++k)
    for (std::size_t x = 0; x < count; ++x) out[x] += columns[x + k];
}

GuidedFilter::GuidedFilter(const cv::Mat1f& guide, int radius, double epsilon)
    : radius_(radius),
      mean_(guide.size()),
      inverse_variance_(guide.size()),
      slope_(guide.size()),
      offset_(guide.size()) {
  const cv::Mat1f square = guide.mul(guide);
  BoxMean of_guide(guide, radius), of_square(square, radius);
  for (int y = 0; y < guide.rows; ++y) {
    float *const mean = mean_[y], *const inverse = inverse_variance_[y];
    of_guide.NextRow(mean);
    of_square.NextRow(inverse);
    for (int x = 0; x < guide.cols; ++x)
      inverse[x] =
          1 / (std::max(inverse[x] - mean[x] * mean[x], 0.f) + static_cast<float>(epsilon));
  }
}

void GuidedFilter::Fit(const cv::Mat1f& input, const cv::Mat1f& guide_input, cv::Mat1f& slope,
                       cv::Mat1f& offset) {
  cv::Mat1f means(2, input.cols);
  BoxMean of_input(input, radius_), of_product(guide_input, radius_);
  for (int y = 0; y < input.rows; ++y) {
    of_input.NextRow(means[0]);
    of_product.NextRow(means[1]);
    FitRow(means[0], means[1], y);
  }
  BoxMean of_slope(slope_, radius_), of_offset(offset_, radius_);
  for (int y = 0; y < input.rows; ++y) {
    of_slope.NextRow(slope[y]);
    of_offset.NextRow(offset[y]);
  }
}

// Least squares in each window of row y, of the means there.
void GuidedFilter::FitRow(const float* input, const float* guide_input, int y) {
  const float *const guide = mean_[y], *const inverse_variance = inverse_variance_[y];
  float *const slope = slope_[y], *const offset = offset_[y];
  for (int x = 0; x < mean_.cols; ++x) {
    slope[x] = (guide_input[x] - guide[x] * input[x]) * inverse_variance[x];
    offset[x] = input[x] - slope[x] * guide[x];
  }
}

MeanField::MeanField(const cv::Mat& small_bgr, double face_size, const RefinementOptions& options)
    : weight_(static_cast<float>(options.pairwise_weight)),
      grey_(GreyOf(small_bgr)),
      filter_(grey_, RadiusOf(small_bgr, face_size, options), options.epsilon),
      label_(grey_.size()),
      grey_label_(grey_.size()),
      slope_(grey_.size()),
      offset_(grey_.size()) {}

void MeanField::Run(const cv::Mat& log_odds, int rounds) {
  std::vector<float> z;
  for (int round = 0; round < rounds; ++round) {
    for (int y = 0; y < grey_.rows; ++y) {
      z.assign(log_odds.ptr<float>(y), log_odds.ptr<float>(y) + grey_.cols);
      if (has_message_) AddMessageTo(z.data(), y);
      LabelRow(z.data(), y);
    }
    filter_.Fit(label_, grey_label_, slope_, offset_);
    has_message_ = true;
  }
}

void MeanField::AddMessage(cv::Mat& log_odds) const {
  for (int y = 0; y < log_odds.rows; ++y) AddMessageTo(log_odds.ptr<float>(y), y);
}

void MeanField::AddMessageTo(float* z, int y) const {
  const float *const grey = grey_[y], *const slope = slope_[y], *const offset = offset_[y];
  for (int x = 0; x < grey_.cols; ++x) z[x] += weight_ * (slope[x] * grey[x] + offset[x]);
}

// tanh(z / 2), the mean of a label of +1 or -1. Beyond 8 one is as sure as can be.
void MeanField::LabelRow(const float* z, int y) {
  constexpr float kMax = 8, kLog2E = 0x1.715476p+0f;
  const float* const grey = grey_[y];
  float *const label = label_[y], *const grey_label = grey_label_[y];
  for (int x = 0; x < grey_.cols; ++x) {
    const float e = Exp2(std::min(std::max(-kMax, z[x]), kMax) * kLog2E);
    label[x] = 1 - 2 / (1 + e);
    grey_label[x] = label[x] * grey[x];
  }
}

}  // namespace skinmask
