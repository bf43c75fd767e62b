// Writes the report of an evaluation as JSON, and as one HTML page that shows this JSON.
// docs/math.md has the definitions, docs/formats.md the keys.
#pragma once

#include <string>
#include <vector>

#include "skinmask/model/model.h"
#include "skinmask/pipeline/evaluate.h"
#include "skinmask/report/gallery.h"

namespace [[gnu::visibility("default")]] skinmask {

// A second model, evaluated on the same images.
struct Rival {
  const Model& model;
  const EvaluationReport& report;
};

// The report without its pictures: every number that the page shows. `model` is null for predicted
// masks. With a rival, it also contains the rival's scores and the differences from them; throws
// Error if the rival was evaluated on other images.
std::string FullReportToJson(const EvaluationReport& report, const Model* model,
                             const Rival* rival = nullptr);

// One self-contained page that contains `json` (of FullReportToJson) and shows it.
std::string ReportToHtml(const std::string& json, const std::vector<GalleryPictures>& pictures);

}  // namespace skinmask
