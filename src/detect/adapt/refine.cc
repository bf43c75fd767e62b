#include "detect/adapt/refine.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "detect/adapt/box_rows.h"

namespace skinmask {
namespace {

Plane GreyOf(const cv::Mat& bgr) {
  Plane grey(bgr.cols, bgr.rows);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x)
      grey.Row(y)[x] = static_cast<float>(bgr.ptr(y)[3 * x + 1]) * (1.f / 255);
  return grey;
}

Plane Like(const Plane& other) { return Plane(other.width(), other.height()); }

// He, Sun, Tang: Guided image filtering, ECCV 2010: in every window the output is slope * guide +
// offset, by least squares; both averaged over the windows that hold a pixel.
class GuidedFilter {
 public:
  GuidedFilter(const Plane& guide, int radius, double epsilon)
      : radius_(radius),
        mean_(Like(guide)),
        inverse_variance_(Like(guide)),
        slope_(Like(guide)),
        offset_(Like(guide)) {
    Plane square = Like(guide);
    for (int y = 0; y < guide.height(); ++y)
      for (int x = 0; x < guide.width(); ++x) square.Row(y)[x] = guide.Row(y)[x] * guide.Row(y)[x];
    BoxMean of_guide(guide, radius), of_square(square, radius);
    for (int y = 0; y < guide.height(); ++y) {
      float *const mean = mean_.Row(y), *const inverse = inverse_variance_.Row(y);
      of_guide.NextRow(mean);
      of_square.NextRow(inverse);
      for (int x = 0; x < guide.width(); ++x)
        inverse[x] =
            1 / (std::max(inverse[x] - mean[x] * mean[x], 0.f) + static_cast<float>(epsilon));
    }
  }

  // The slope and offset of each pixel into the last two; `input` and guide times input.
  void Fit(const Plane& input, const Plane& guide_input, Plane& slope, Plane& offset) {
    const auto width = static_cast<std::size_t>(input.width());
    Plane means(input.width(), 2);
    BoxMean of_input(input, radius_), of_product(guide_input, radius_);
    for (int y = 0; y < input.height(); ++y) {
      of_input.NextRow(means.Row(0));
      of_product.NextRow(means.Row(1));
      LineRow({means.Row(0), means.Row(1), mean_.Row(y), inverse_variance_.Row(y)}, width,
              slope_.Row(y), offset_.Row(y));
    }
    BoxMean of_slope(slope_, radius_), of_offset(offset_, radius_);
    for (int y = 0; y < input.height(); ++y) {
      of_slope.NextRow(slope.Row(y));
      of_offset.NextRow(offset.Row(y));
    }
  }

 private:
  int radius_;
  Plane mean_, inverse_variance_;  // of the guide, in each window
  Plane slope_, offset_;           // of each window
};

cv::Mat Scaled(const Plane& plane, double factor) {
  cv::Mat scaled(plane.height(), plane.width(), CV_32FC1);
  const auto by = static_cast<float>(factor);
  for (int y = 0; y < plane.height(); ++y)
    std::transform(plane.Row(y), plane.Row(y) + plane.width(), scaled.ptr<float>(y),
                   [by](float value) { return by * value; });
  return scaled;
}

int RadiusOf(const cv::Mat& small_bgr, double face_size, const RefinementOptions& options) {
  const double most =
      std::sqrt(static_cast<double>(small_bgr.total())) / options.min_radii_per_side;
  const double wanted = face_size > 0 ? options.radius_per_face * face_size : most / 2;
  return std::max(1, cvRound(std::min(wanted, most)));
}

}  // namespace

struct MeanField::State {
  State(const cv::Mat& small_bgr, double face_size, const RefinementOptions& options)
      : weight(options.pairwise_weight),
        grey(GreyOf(small_bgr)),
        filter(grey, RadiusOf(small_bgr, face_size, options), options.epsilon),
        label(Like(grey)),
        grey_label(Like(grey)),
        slope(Like(grey)),
        offset(Like(grey)),
        refined(small_bgr.cols, 1) {}

  double weight;
  Plane grey;
  GuidedFilter filter;
  Plane label, grey_label, slope, offset;  // the last two of the message, over the weight
  Plane refined;                           // a row
  bool has_message = false;
};

MeanField::MeanField(const cv::Mat& small_bgr, double face_size, const RefinementOptions& options)
    : state_(std::make_unique<State>(small_bgr, face_size, options)) {}
MeanField::~MeanField() = default;

void MeanField::Reset() { state_->has_message = false; }

void MeanField::Run(const cv::Mat& log_odds, int rounds) {
  State& s = *state_;
  const auto width = static_cast<std::size_t>(s.grey.width());
  const auto weight = static_cast<float>(s.weight);
  for (int round = 0; round < rounds; ++round) {
    for (int y = 0; y < s.grey.height(); ++y) {
      float* const z = s.refined.Row(0);
      std::copy_n(log_odds.ptr<float>(y), width, z);
      if (s.has_message)
        AddMessageTo(z, s.grey.Row(y), s.slope.Row(y), s.offset.Row(y), weight, width);
      LabelRow(z, s.grey.Row(y), width, s.label.Row(y), s.grey_label.Row(y));
    }
    s.filter.Fit(s.label, s.grey_label, s.slope, s.offset);
    s.has_message = true;
  }
}

Message MeanField::message() const {
  return {Scaled(state_->slope, state_->weight), Scaled(state_->offset, state_->weight)};
}

void MeanField::AddMessage(cv::Mat& log_odds) const {
  State& s = *state_;
  Plane row(s.grey.width(), 1);
  const auto width = static_cast<std::size_t>(s.grey.width());
  for (int y = 0; y < s.grey.height(); ++y) {
    float* const z = row.Row(0);
    std::copy_n(log_odds.ptr<float>(y), width, z);
    AddMessageTo(z, s.grey.Row(y), s.slope.Row(y), s.offset.Row(y), static_cast<float>(s.weight),
                 width);
    std::copy_n(z, width, log_odds.ptr<float>(y));
  }
}

}  // namespace skinmask
