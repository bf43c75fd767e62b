#include <Eigen/LU>
#include <cmath>

#include "skinmask/posterior.h"

namespace skinmask {
namespace {

constexpr double kCentre = 128;  // the middle of a byte: keeps the products small

}  // namespace

bool Quadratic::CanFold(const Model& model) {
  return model.classes.size() == 2 && model.features.space().affine();
}

Quadratic::Quadratic(const Model& model) : constant(0), linear{}, product{} {
  // With f = M (d + 128) + o the discriminant of a class is, with v = M 128 + o - mu and Q the
  // inverse covariance,  log prior - log det / 2 - v'Qv / 2 - (M'Qv)'d - d'(M'QM)d / 2.
  const FeatureMatrix matrix = model.features.Matrix();
  const FeatureVector centre =
      matrix * Eigen::Vector3d::Constant(kCentre) + model.features.Offset();
  for (std::size_t k = 0; k < 2; ++k) {
    const GaussianClass& c = model.classes[k];
    const double sign = k == 0 ? 1 : -1;
    const Eigen::LLT<FeatureMatrix> cholesky(c.covariance);
    const FeatureMatrix lower = cholesky.matrixL();
    const FeatureVector v = centre - c.mean;
    const FeatureVector qv = cholesky.solve(v);
    const FeatureMatrix qm = cholesky.solve(matrix);
    const Eigen::Vector3d gradient = matrix.transpose() * qv;
    const Eigen::Matrix3d hessian = matrix.transpose() * qm;
    constant +=
        sign * (std::log(c.prior) - lower.diagonal().array().log().sum() - 0.5 * v.dot(qv));
    std::size_t place = 0;
    for (int i = 0; i < 3; ++i) {
      linear[static_cast<std::size_t>(i)] -= sign * gradient(i);
      for (int j = i; j < 3; ++j, ++place)
        product[place] -=
            sign * (i == j ? 0.5 * hessian(i, i) : 0.5 * (hessian(i, j) + hessian(j, i)));
    }
  }
}

double Quadratic::operator()(const std::uint8_t* bgr) const noexcept {
  const double b = bgr[0] - kCentre, g = bgr[1] - kCentre, r = bgr[2] - kCentre;
  return constant + b * (linear[0] + product[0] * b + product[1] * g + product[2] * r) +
         g * (linear[1] + product[3] * g + product[4] * r) + r * (linear[2] + product[5] * r);
}

}  // namespace skinmask
