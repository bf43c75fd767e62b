#include "skinmask/model/posterior.h"

#include "model/table.h"
#include "skinmask/base/cpu.h"
#include "skinmask/base/logistic.h"
#include "skinmask/model/feature_polynomial.h"

namespace skinmask {
namespace {

// The object that has the row functions of a form.
template <class Form>
const auto& RowsOf(const Form& form) {
  if constexpr (requires { form.compiled; })
    return form.compiled;
  else if constexpr (requires { *form; })
    return *form;
  else
    return form;
}

// All Gaussians of the model; empty if the model has no such form.
std::vector<MixtureComponent> Components(const Model& model) {
  std::vector<MixtureComponent> components;
  if (!model.features.space().affine() || !model.calibration.identity()) return {};
  // It has one polynomial, not one of each class.
  if (model.kind == Kind::kLogistic && model.classes.size() == 2) return {};
  for (std::size_t k = 0; k < model.classes.size(); ++k) {
    const auto add = [&](const Quadratic& q) { components.push_back({q, static_cast<int>(k)}); };
    if (model.kind == Kind::kLogistic) {
      const FeaturePolynomial d = *DiscriminantOf(model, k);
      add(Quadratic::OfFeatures(model.features, d.constant, d.linear, d.product));
      continue;
    }
    for (const Gaussian& gaussian : model.classes[k].gaussians())
      add(Quadratic::Discriminant(model.features, model.classes[k].prior, gaussian));
  }
  return components;
}

float ToFloat(double value) { return static_cast<float>(value); }

}  // namespace

Posterior::Form Posterior::Compile(const Model& model, const PosteriorOptions& options) {
  ObeyTargetVariable();
  const double threshold = Logit(model.decision.threshold);
  if (Quadratic::CanFold(model)) {
    const Quadratic log_odds(model);
    return Folded{log_odds, CompiledQuadratic(log_odds, threshold)};
  }
  const std::vector<MixtureComponent> components = Components(model);
  if (!components.empty() && components.size() <= CompiledMixture::kMaxComponents) {
    CompiledMixture mixture(components, threshold);
    if (mixture.ErrorBound() <= Quadratic::kMaxError) return mixture;
  }
  return std::make_shared<const Table>(model, options);
}

Posterior::Posterior(const Model& model, const PosteriorOptions& options)
    : reference_(model), form_(Compile(model, options)) {}

void Posterior::MaskRow(const std::uint8_t* bgr, std::size_t count,
                        std::uint8_t* mask) const noexcept {
  std::visit([&](const auto& form) { RowsOf(form).MaskRow(bgr, count, mask); }, form_);
}

void Posterior::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                               std::uint8_t* probability) const noexcept {
  std::visit([&](const auto& form) { RowsOf(form).ProbabilityRow(bgr, count, probability); },
             form_);
}

void Posterior::ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                               float* probability) const noexcept {
  std::visit([&](const auto& form) { RowsOf(form).ProbabilityRow(bgr, count, probability); },
             form_);
}

void Posterior::LogOddsRow(const std::uint8_t* bgr, std::size_t count, float* z) const noexcept {
  if (const auto* folded = std::get_if<Folded>(&form_))
    for (std::size_t i = 0; i < count; ++i) z[i] = ToFloat(folded->log_odds(bgr + 3 * i));
  else
    ReferenceRow(reference_, bgr, count, z, ToFloat);
}

void Posterior::ClassRow(const std::uint8_t* bgr, std::size_t count,
                         std::uint8_t* index) const noexcept {
  if (reference_.has_costs()) return reference_.ClassRow(bgr, count, index);
  std::visit([&](const auto& form) { RowsOf(form).ClassRow(bgr, count, index); }, form_);
}

double Posterior::ErrorBound() const {
  return std::visit([](const auto& form) { return RowsOf(form).ErrorBound(); }, form_);
}

const char* Posterior::form() const {
  if (std::holds_alternative<Folded>(form_)) return "quadratic";
  const auto* const table = std::get_if<std::shared_ptr<const Table>>(&form_);
  return table ? (*table)->form() : "mixture";
}

}  // namespace skinmask
