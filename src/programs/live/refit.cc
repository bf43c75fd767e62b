#include "programs/live/refit.h"

#include <fmt/format.h>

#include <tuple>
#include <vector>

#include "skinmask/base/error.h"
#include "skinmask/learn/fit.h"

namespace skinmask::live {
namespace {

// A class's mean and covariance after `moments` joined the kTrainedPixels that it stands for.
void Join(ClassModel& c, const Moments& moments, const Features& features) {
  if (moments.n == 0) return;
  const auto [mean, covariance] = FeatureMoments(moments, features);
  const auto n = static_cast<double>(moments.n);
  const double total = n + Refit::kTrainedPixels;
  const double old_share = Refit::kTrainedPixels / total, new_share = n / total;
  const FeatureVector apart = mean - c.mean;
  const FeatureMatrix between =
      apart * apart.transpose();  // whole, to be symmetric to the last bit
  c.covariance =
      (old_share * c.covariance + new_share * covariance + (old_share * new_share) * between)
          .eval();
  c.mean = (old_share * c.mean + new_share * mean).eval();
  c.count += moments.n;
}

}  // namespace

Refit::Refit(Model trained) : trained_(std::move(trained)) {}

void Refit::Add(const cv::Mat& bgr, bool positive) {
  if (!IsGaussian(trained_.kind) || trained_.classes.size() != 2)
    throw Error(
        std::string(KindName(trained_.kind)),
        "models do not learn from samples here (qda, lda and gaussian-nb of two classes do)");
  if (bgr.empty()) throw Error("the rectangle", "holds no pixel");
  std::vector<std::int32_t> carriers(3 * static_cast<std::size_t>(bgr.cols));
  before_.emplace_back(skin_, other_);
  Moments& moments = positive ? skin_ : other_;
  for (int y = 0; y < bgr.rows; ++y) {
    CarrierRow(trained_.features.space(), bgr.ptr(y), static_cast<std::size_t>(bgr.cols),
               carriers.data());
    for (std::size_t x = 0; x < carriers.size(); x += 3) moments.Add(&carriers[x], 1);
  }
}

void Refit::Undo() {
  if (before_.empty()) return;
  std::tie(skin_, other_) = before_.back();
  before_.pop_back();
}

void Refit::Clear() {
  skin_ = other_ = Moments();
  before_.clear();
}

Model Refit::Fitted() const {
  if (empty()) return trained_;
  Model model = trained_;
  Join(model.classes[0], skin_, model.features);
  Join(model.classes[1], other_, model.features);
  if (model.kind == Kind::kGaussianNb)
    for (ClassModel& c : model.classes)
      c.covariance = c.covariance.diagonal().asDiagonal().toDenseMatrix();
  if (model.kind == Kind::kLda) {
    const double a = kTrainedPixels + static_cast<double>(skin_.n);
    const double b = kTrainedPixels + static_cast<double>(other_.n);
    const FeatureMatrix pooled =
        (a * model.classes[0].covariance + b * model.classes[1].covariance) / (a + b);
    for (ClassModel& c : model.classes) c.covariance = pooled;
  }
  model.card.scores.clear();
  model.card.notes.emplace_back(
      "sampled",
      fmt::format(
          "{} pixels of {} and {} of {} were added live to the training data of the SHA-256 "
          "above, which counted as {:g} of each",
          skin_.n, model.classes[0].name, other_.n, model.classes[1].name, kTrainedPixels));
  Validate(model, "the model with the samples");
  return model;
}

}  // namespace skinmask::live
