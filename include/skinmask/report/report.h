// The report of an evaluation is JSON, and one HTML page that renders that very JSON. docs/math.md
// has the definitions, docs/formats.md the keys.
#pragma once

#include <string>
#include <vector>

#include "skinmask/model/model.h"
#include "skinmask/pipeline/evaluate.h"
#include "skinmask/report/gallery.h"

namespace [[gnu::visibility("default")]] skinmask {

// A second model, on the same images.
struct Rival {
  const Model& model;
  const EvaluationReport& report;
};

// The report without its pictures: everything that the page shows as a number. `model` is null for
// predicted masks. With a rival, its scores and the differences from them are there as well; throws
// Error where it judged other images.
std::string FullReportToJson(const EvaluationReport& report, const Model* model,
                             const Rival* rival = nullptr);

// One self-contained page that holds `json` (of FullReportToJson) and renders from it.
std::string ReportToHtml(const std::string& json, const std::vector<GalleryPictures>& pictures);

}  // namespace skinmask
