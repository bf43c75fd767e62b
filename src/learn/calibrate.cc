#include <Eigen/LU>
#include <cmath>

#include "learn/fit_kinds.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/model/reference.h"

namespace skinmask {
namespace {

struct Scored {
  double z, count;
  bool positive;
};

// Of z' = slope z + offset.
struct Likelihood {
  double value = 0;
  Eigen::Vector2d gradient = Eigen::Vector2d::Zero();
  Eigen::Matrix2d information = Eigen::Matrix2d::Zero();
  Likelihood& operator+=(const Likelihood& other) {
    value += other.value;
    gradient += other.gradient;
    information += other.information;
    return *this;
  }
};

std::vector<Scored> Score(const Samples& samples, const Model& model) {
  const Reference reference(model);
  std::vector<Scored> scored;
  for (const SampleRow& row : samples.rows())
    scored.push_back({reference.LogOdds(row.b, row.g, row.r), static_cast<double>(row.count),
                      samples.classes()[row.class_index] == model.positive().name});
  return scored;
}

void AddTo(Likelihood& sum, const Scored& s, const Eigen::Vector2d& w) {
  const double z = w(0) * s.z + w(1), p = Logistic(z);
  const Eigen::Vector2d x(s.z, 1);
  sum.value += s.count * LogLogistic(s.positive ? z : -z);
  sum.gradient += s.count * (s.positive ? Logistic(-z) : -p) * x;
  sum.information += s.count * p * (1 - p) * x * x.transpose();
}

Likelihood At(const std::vector<Scored>& scored, const Eigen::Vector2d& w) {
  constexpr std::size_t kGrain = 2048;
  return SumOver(scored.size(), kGrain, Likelihood(),
                 [&](std::size_t first, std::size_t last, Likelihood& sum) {
                   for (std::size_t i = first; i < last; ++i) AddTo(sum, scored[i], w);
                 });
}

}  // namespace

Calibration FitCalibration(const Samples& samples, Model model, const std::string& data) {
  model.calibration = {};
  const std::vector<Scored> scored = Score(samples, model);
  double n[2] = {};
  for (const Scored& s : scored) n[s.positive] += s.count;
  if (n[0] == 0 || n[1] == 0)
    throw Error(data, "cannot calibrate: it needs pixels of the positive class and of another");
  Eigen::Vector2d w(1, 0);
  Likelihood at = At(scored, w);
  for (int i = 0; i < 100; ++i) {
    const Eigen::Vector2d step = at.information.fullPivLu().solve(at.gradient);
    const double before = at.value;
    double length = 1;
    Eigen::Vector2d next;
    do {
      next = w + length * step;
      at = At(scored, next);
      length /= 2;
    } while (!(at.value >= before) && length > 1e-9);
    w = next;
    if (std::abs(at.value - before) <= 1e-12 * std::abs(at.value)) break;
  }
  constexpr double kEndless = 1e3;
  if (w(0) > kEndless)
    throw Error(data,
                "cannot calibrate: the model tells its classes apart without error (more data)");
  if (!(w(0) > 0 && w.allFinite()))
    throw Error(data, "cannot calibrate: more skin there means lower scores (other data)");
  return {w(0), w(1), data};
}

}  // namespace skinmask
