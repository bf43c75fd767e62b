#include "programs/cli/picture_output.h"

#include <filesystem>
#include <vector>

#include "programs/cli/verb.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/report/curves.h"

namespace skinmask::cli {

PictureFormat PictureFormatOf(const std::string& file) {
  return ExtensionOf(file) == ".svg" ? PictureFormat::kSvg : PictureFormat::kPng;
}

std::string ModelStem(const std::string& file) {
  return file.empty() ? "default" : std::filesystem::path(file).stem().string();
}

std::string CurvesOf(const EvaluationReport& report, const EvaluateFlags& flags, const Model& model,
                     const Rival* rival) {
  if (!report.scores || report.pooled.counts.Total() == 0)
    throw Error("--picture", "there are no pixels to show curves of");
  const auto scored = [](const std::string& file, const EvaluationReport& of, const Model& by) {
    return ScoredModel{
        ModelStem(file), *of.scores, {Logit(by.decision.threshold), of.pooled.counts}};
  };
  std::vector<ScoredModel> models{
      scored(flags.models.empty() ? "" : flags.models.front(), report, model)};
  if (rival) models.push_back(scored(flags.models.back(), rival->report, rival->model));
  return DrawCurves(models, report.positive, PictureFormatOf(flags.picture));
}

}  // namespace skinmask::cli
