#include "skinmask/model/quadratic.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "skinmask/base/cpu.h"
#include "skinmask/model/feature_polynomial.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "model/quadratic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

template <class OfValue>
struct OfQuadratic : OfChannels, OfValue {
  FloatQuadratic q;
  HWY_INLINE auto operator()(Floats b, Floats g, Floats r) const {
    return OfValue::operator()(Evaluate(q, b, g, r));
  }
};

template <class OfValue, class T>
void QuadraticRow(const FloatQuadratic& q, const std::uint8_t* bgr, std::size_t count, T* out) {
  BgrRow(OfQuadratic<OfValue>{{}, {}, q}, bgr, count, out);
}

constexpr auto& MaskRow = QuadraticRow<SignMask, std::uint8_t>;
constexpr auto& ClassRow = QuadraticRow<SignBit, std::uint8_t>;
constexpr auto& ProbabilityByteRow = QuadraticRow<LogisticByte, std::uint8_t>;
constexpr auto& ProbabilityRow = QuadraticRow<LogisticFloat, float>;
constexpr auto& LogOddsRow = QuadraticRow<Value, float>;

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {
namespace {

constexpr double kCentre = 128;  // the middle of a byte's range: keeps products small

// constant + gradient'd + scale * d'hessian d.
Quadratic OfDerivatives(double constant, const Eigen::Vector3d& gradient, double scale,
                        const Eigen::Matrix3d& hessian) {
  Quadratic q;
  q.constant = constant;
  q.linear = {gradient(0), gradient(1), gradient(2)};
  std::size_t k = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j, ++k)
      q.product[k] = scale * (i == j ? hessian(i, i) : hessian(i, j) + hessian(j, i));
  return q;
}

Quadratic OfLogistic(const Model& model) {
  const FeaturePolynomial z = LogisticPolynomial(model);
  return Quadratic::OfFeatures(model.features, z.constant, z.linear, z.product);
}

}  // namespace

Quadratic BelowThreshold(const Quadratic& log_odds, double threshold) {
  Quadratic constant;
  constant.constant = threshold;
  if (!std::isinf(threshold)) return constant - log_odds;
  constant.constant = std::copysign(1, threshold);  // of one sign for all colours
  return constant;
}

bool Quadratic::CanFold(const Model& model) {
  return model.classes.size() == 2 && model.features.space().affine() &&
         (IsGaussian(model.kind) || model.kind == Kind::kLogistic) &&
         Quadratic(model).ErrorBound() <= kMaxError;
}

// constant + linear'f + f'product f of features f = M (d + 128) + o, as a function of d.
Quadratic Quadratic::OfFeatures(const Features& features, double constant,
                                const FeatureVector& linear, const FeatureMatrix& product) {
  const FeatureMatrix matrix = features.Matrix();
  const FeatureVector centre = matrix * Eigen::Vector3d::Constant(kCentre) + features.Offset();
  const FeatureVector slope = linear + 2 * product * centre;
  return OfDerivatives(constant + linear.dot(centre) + centre.dot(product * centre),
                       matrix.transpose() * slope, 1, matrix.transpose() * product * matrix);
}

Quadratic Quadratic::Discriminant(const Model& model, std::size_t class_index) {
  const ClassModel& c = model.classes[class_index];
  return Discriminant(model.features, c.prior, {1, c.mean, c.covariance});
}

Quadratic Quadratic::Discriminant(const Features& features, double prior,
                                  const Gaussian& gaussian) {
  // With f = M (d + 128) + o the discriminant of a class is, with v = M 128 + o - mu and Q the
  // inverse covariance,  log prior - log det / 2 - v'Qv / 2 - (M'Qv)'d - d'(M'QM)d / 2.
  const FeatureMatrix matrix = features.Matrix();
  const FeatureVector v =
      matrix * Eigen::Vector3d::Constant(kCentre) + features.Offset() - gaussian.mean;
  const Eigen::LLT<FeatureMatrix> cholesky(gaussian.covariance);
  const FeatureMatrix lower = cholesky.matrixL();
  const FeatureVector qv = cholesky.solve(v);
  const FeatureMatrix qm = cholesky.solve(matrix);
  const Eigen::Vector3d gradient = matrix.transpose() * qv;
  return OfDerivatives(std::log(prior) + std::log(gaussian.weight) -
                           lower.diagonal().array().log().sum() - 0.5 * v.dot(qv),
                       -gradient, -0.5, matrix.transpose() * qm);
}

Quadratic::Quadratic(const Model& model)
    : Quadratic(model.kind == Kind::kLogistic ? OfLogistic(model)
                                              : Discriminant(model, 0) - Discriminant(model, 1)) {
  if (model.calibration.identity()) return;
  constant = model.calibration.slope * constant + model.calibration.offset;
  for (double& l : linear) l *= model.calibration.slope;
  for (double& p : product) p *= model.calibration.slope;
}

double Quadratic::operator()(const std::uint8_t* bytes) const noexcept {
  const double x = bytes[0] - kCentre, y = bytes[1] - kCentre, z = bytes[2] - kCentre;
  return constant + x * (linear[0] + product[0] * x + product[1] * y + product[2] * z) +
         y * (linear[1] + product[3] * y + product[4] * z) + z * (linear[2] + product[5] * z);
}

Quadratic Quadratic::operator-(const Quadratic& other) const {
  Quadratic q = *this;
  q.constant -= other.constant;
  for (std::size_t i = 0; i < 3; ++i) q.linear[i] -= other.linear[i];
  for (std::size_t i = 0; i < 6; ++i) q.product[i] -= other.product[i];
  return q;
}

double Quadratic::Magnitude() const {
  double magnitude = std::abs(constant);
  for (double b : linear) magnitude += kCentre * std::abs(b);
  for (double a : product) magnitude += kCentre * kCentre * std::abs(a);
  return magnitude;
}

double Quadratic::ErrorBound(int roundings) const {
  // 0.1 % more covers the products of roundings and the arithmetic in double.
  return 1.001 * roundings * 0x1p-24 * Magnitude();
}

FloatQuadratic::FloatQuadratic(const Quadratic& q, double scale) {
  const auto rounded = [](double x) { return static_cast<float>(x); };
  constant = rounded(scale * q.constant) + 0.f;  // -0 becomes +0
  for (std::size_t i = 0; i < 3; ++i) linear[i] = rounded(0x1p-24 * scale * q.linear[i]);
  for (std::size_t i = 0; i < 6; ++i) product[i] = rounded(0x1p-48 * scale * q.product[i]);
}

CompiledQuadratic::CompiledQuadratic(const Quadratic& log_odds, double threshold)
    : error_bound_(
          std::max(log_odds.ErrorBound(), BelowThreshold(log_odds, threshold).ErrorBound())),
      below_threshold_(BelowThreshold(log_odds, threshold), 1),
      log2_against_(log_odds, -std::numbers::log2e),
      log_odds_(log_odds, 1) {
  ObeyTargetVariable();
}

void CompiledQuadratic::MaskRow(const std::uint8_t* bgr, std::size_t count,
                                std::uint8_t* mask) const noexcept {
  SKINMASK_DISPATCH(MaskRow)(below_threshold_, bgr, count, mask);
}

void CompiledQuadratic::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                                       std::uint8_t* probability) const noexcept {
  SKINMASK_DISPATCH(ProbabilityByteRow)(log2_against_, bgr, count, probability);
}

void CompiledQuadratic::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                                       float* probability) const noexcept {
  SKINMASK_DISPATCH(ProbabilityRow)(log2_against_, bgr, count, probability);
}

void CompiledQuadratic::LogOddsRow(const std::uint8_t* bgr, std::size_t count,
                                   float* z) const noexcept {
  SKINMASK_DISPATCH(LogOddsRow)(log_odds_, bgr, count, z);
}

void CompiledQuadratic::ClassRow(const std::uint8_t* bgr, std::size_t count,
                                 std::uint8_t* index) const noexcept {
  SKINMASK_DISPATCH(ClassRow)(log_odds_, bgr, count, index);
}

}  // namespace skinmask
#endif
