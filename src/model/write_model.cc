// Writing the model file.
#include <fmt/format.h>

#include <iterator>

#include "base/json.h"
#include "model/model_format.h"
#include "skinmask/model/model.h"

namespace skinmask {
namespace {

Json Row(const FeatureVector& v) { return std::vector<double>(v.data(), v.data() + v.size()); }

Json Rows(const FeatureMatrix& m) {
  Json rows = Json::array();
  for (int i = 0; i < m.rows(); ++i) rows.push_back(Row(m.row(i).transpose()));
  return rows;
}

Json GaussianJson(const Gaussian& gaussian) {
  return {{"weight", gaussian.weight},
          {"mean", Row(gaussian.mean)},
          {"covariance", Rows(gaussian.covariance)}};
}

// "bin:count bin:count ...": in JSON's own lists each number would stand on a line.
std::string BinsText(const std::vector<BinCount>& bins) {
  std::string text;
  for (const BinCount& bin : bins)
    fmt::format_to(std::back_inserter(text), "{}:{} ", bin.bin, bin.count);
  if (!text.empty()) text.pop_back();
  return text;
}

Json ClassJson(const Model& model, std::size_t k) {
  const ClassModel& c = model.classes[k];
  Json one{{"class", c.name}, {"count", c.count}, {"prior", c.prior}};
  if (IsGaussian(model.kind)) {
    one["mean"] = Row(c.mean);
    if (model.kind != Kind::kLda) one["covariance"] = Rows(c.covariance);
    if (!model.shrinkage.empty()) one["shrinkage"] = model.shrinkage[k];
  }
  for (const Gaussian& gaussian : c.components) one["components"].push_back(GaussianJson(gaussian));
  if (IsHistogram(model.kind)) one["bins"] = BinsText(c.bins);
  return one;
}

Json ParametersJson(const Model& model) {
  Json parameters = Json::object();
  if (IsGaussian(model.kind)) parameters["estimator"] = EstimatorName(model.estimator);
  if (model.kind == Kind::kLda) parameters["covariance"] = Rows(model.positive().covariance);
  if (IsHistogram(model.kind)) {
    parameters["bins"] = model.histogram.bins;
    parameters["smoothing"] = model.histogram.smoothing;
  }
  if (model.kind == Kind::kLogistic) {
    const LogisticTerms& l = model.logistic;
    parameters.update(Json{{"constant", l.constant},
                           {"linear", Row(l.linear)},
                           {"product", l.product},
                           {"ridge", l.ridge},
                           {"solver", l.solver},
                           {"iterations", l.iterations},
                           {"log_likelihood", l.log_likelihood}});
  }
  for (std::size_t k = 0; k < model.classes.size(); ++k)
    parameters["classes"].push_back(ClassJson(model, k));
  return parameters;
}

Json CardJson(const Model& model) {
  Json training{{"sha256", model.card.sha256}, {"channel_order", "BGR"}};
  for (const ClassModel& c : model.classes) training["counts"][c.name] = c.count;
  Json card{{"training", std::move(training)}};
  for (const auto& [name, text] : model.card.notes) card["notes"][name] = text;
  for (const CardScore& s : model.card.scores)
    card["scores"].push_back({{"data", s.data},
                              {"threshold", s.threshold},
                              {"pooling", "pixels"},
                              {"precision", OrNull(s.precision)},
                              {"recall", OrNull(s.recall)},
                              {"f1", OrNull(s.f1)},
                              {"auc", OrNull(s.auc)}});
  return card;
}

Json ScalesJson(const CalibrationScales& scales) {
  return {{"below", scales.below}, {"above", scales.above}};
}

}  // namespace

std::string ModelToJson(const Model& model) {
  Json root{{"format", kModelFormat}, {"version", kModelVersion}, {"kind", KindName(model.kind)}};
  for (const ClassModel& c : model.classes) root["classes"].push_back(c.name);
  root["positive"] = model.positive().name;
  root["features"] = {{"space", model.features.space().name},
                      {"channels", model.features.channel_names()}};
  root["parameters"] = ParametersJson(model);
  if (!model.calibration.data.empty() || !model.calibration.identity())
    root["calibration"] = {{"slope", model.calibration.slope},
                           {"offset", model.calibration.offset},
                           {"data", model.calibration.data}};
  if (const AdaptedCalibration& c = model.adapted_calibration; !c.data.empty() || !c.identity())
    root["adapted_calibration"] = {
        {"faces", ScalesJson(c.faces)}, {"image", ScalesJson(c.image)}, {"data", c.data}};
  root["decision"] = {{"threshold", model.decision.threshold}, {"rule", model.decision.rule}};
  if (!model.decision.data.empty()) root["decision"]["data"] = model.decision.data;
  root["card"] = CardJson(model);
  return JsonText(root, 2) + "\n";
}

}  // namespace skinmask
