#include "fuzz/random_model.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "skinmask/model/quadratic.h"

namespace skinmask::fuzz {
namespace {

// -1 .. 1, zero among them.
double Signed(Input& input) { return (input.Byte() - 128) / 128.; }
// 2^low .. 2^high.
double Power(Input& input, double low, double high) {
  return std::exp2(low + (high - low) * input.Byte() / 255);
}

Features RandomFeatures(Input& input) {
  const auto spaces = ColorSpaces();
  const ColorSpace& space = spaces[input.Below(spaces.size())];
  const std::size_t chosen = input.Below(8);  // a bit for each channel; none for all
  std::vector<std::string> channels;
  for (std::size_t i = 0; i < static_cast<std::size_t>(space.dimension); ++i)
    if (chosen >> i & 1) channels.emplace_back(space.channels[i]);
  return Features(space.name, channels);
}

Gaussian RandomGaussian(Input& input, const Features& features, bool diagonal) {
  const auto [low, high] = features.Range();
  const int size = features.size();
  Gaussian gaussian{1, FeatureVector(size), FeatureMatrix(size, size)};
  FeatureMatrix lower = FeatureMatrix::Zero(size, size);
  for (int i = 0; i < size; ++i) {
    const double range = high(i) - low(i);
    gaussian.mean(i) = low(i) + range * (0.5 + Signed(input));
    lower(i, i) = range * Power(input, -12, 4);
    for (int j = 0; j < i && !diagonal; ++j) lower(i, j) = 4 * Signed(input) * lower(i, i);
  }
  gaussian.covariance = lower * lower.transpose();
  gaussian.covariance = (gaussian.covariance + gaussian.covariance.transpose()).eval() / 2;
  return gaussian;
}

void AddComponents(Input& input, const Features& features, ClassModel& c) {
  const std::size_t count = 1 + input.Below(4);
  double weights = 0;
  for (std::size_t i = 0; i < count; ++i) {
    c.components.push_back(RandomGaussian(input, features, false));
    weights += c.components.back().weight = Power(input, -20, 0);
  }
  for (Gaussian& gaussian : c.components) gaussian.weight /= weights;
}

// Each pixel falls into one bin of every channel, or of the whole histogram.
void AddBins(Input& input, const Model& model, ClassModel& c) {
  const auto bins = static_cast<std::uint32_t>(model.histogram.bins);
  const bool naive = model.kind == Kind::kHistogramNb;
  c.count = 1 + input.Byte();
  for (int channel = 0; channel < (naive ? model.features.size() : 1); ++channel) {
    const auto first = static_cast<std::uint32_t>(channel) * bins;
    c.bins.push_back({first + static_cast<std::uint32_t>(input.Below(bins)), c.count});
  }
}

void AddLogistic(Input& input, Model& model) {
  const auto size = static_cast<std::size_t>(model.features.size());
  const double scale = Power(input, -20, 70);
  model.logistic.constant = scale * Signed(input);
  model.logistic.linear = FeatureVector(model.features.size());
  for (double& a : model.logistic.linear) a = scale * Signed(input);
  if (input.Byte() & 1) return;
  for (std::size_t i = 0; i < size * (size + 1) / 2; ++i)
    model.logistic.product.push_back(scale * Signed(input) * Power(input, -10, 0));
}

void AddClass(Input& input, Model& model) {
  ClassModel c;
  c.name = std::string(1, static_cast<char>('a' + model.classes.size()));
  c.prior = Power(input, -40, 0);
  if (model.kind == Kind::kMixture) {
    AddComponents(input, model.features, c);
  } else if (IsHistogram(model.kind)) {
    AddBins(input, model, c);
  } else if (IsGaussian(model.kind)) {
    const Gaussian g = RandomGaussian(input, model.features, model.kind == Kind::kGaussianNb);
    c.mean = g.mean;
    c.covariance = model.kind == Kind::kLda && !model.classes.empty()
                       ? model.classes.front().covariance
                       : g.covariance;
  }
  model.classes.push_back(c);
}

}  // namespace

Model RandomModel(Input& input) {
  Model model;
  model.kind = KindFromName(KindNames()[input.Below(KindNames().size())]);
  model.features = RandomFeatures(input);
  model.decision.threshold = std::min(1., input.Byte() / 254.);
  if (IsHistogram(model.kind))
    model.histogram = {2 + static_cast<int>(input.Below(model.kind == Kind::kHistogram ? 9 : 255)),
                       Power(input, -20, 20)};
  if (input.Byte() & 1) model.calibration = {Power(input, -8, 8), 100 * Signed(input), "here"};
  const std::size_t count = model.kind == Kind::kLogistic ? 2 : 2 + input.Below(3);
  for (std::size_t k = 0; k < count; ++k) AddClass(input, model);
  if (model.kind == Kind::kLogistic) AddLogistic(input, model);
  double priors = 0;
  for (const ClassModel& c : model.classes) priors += c.prior;
  for (ClassModel& c : model.classes) c.prior /= priors;
  Validate(model, "model");
  return model;
}

double DoubleSlack(const Model& model) {
  double largest = Quadratic::CanFold(model) ? Quadratic(model).Magnitude() : 0, condition = 1;
  for (const ClassModel& c : model.classes)
    for (const Gaussian& gaussian : c.gaussians()) {
      const FeatureMatrix inverse = gaussian.covariance.inverse();
      condition = std::max(condition, inverse.norm() * gaussian.covariance.norm());
      if (model.features.space().affine())
        largest += Quadratic::Discriminant(model.features, c.prior, gaussian).Magnitude() *
                   std::max(1., model.calibration.slope);
    }
  return 64 * 0x1p-52 * condition * largest;
}

}  // namespace skinmask::fuzz
