#include "programs/cli/detector_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "programs/cli/print.h"
#include "programs/cli/verb.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/adapt_options.h"
#include "skinmask/pipeline/detect_run.h"

namespace skinmask::cli {

void AddAdaptationOptions(CLI::App& verb, DetectorOptions& options) {
  AddTableOptions(verb, DetectorTable().rows(), &options, "Adaptation");
  CLI::Option* const faces = verb.get_option("--faces");
  faces->description(faces->get_description() +
                     " (default: the file that SKINMASK_FACES in the environment names)");
}

DetectorOptions WithFacesOfEnvironment(DetectorOptions options) {
  if (!options.faces.empty() && !options.by_faces())
    throw UsageError("--faces needs --adapt auto or --adapt faces");
  const char* const named = std::getenv("SKINMASK_FACES");
  if (named && options.faces.empty() && options.by_faces()) options.faces = named;
  return options;
}

std::vector<std::string> FilesOf(const DetectorOptions& options) {
  std::vector<std::string> files;
  for (const OptionRow& row : DetectorTable().rows())
    if (row.names_file) files.push_back(row.get(&options));
  return files;
}

void RequireAdapted(const Detector& detector, const Json& given) {
  const std::string& found = detector.model().positive().name;
  if (detector.adapter() || found == "skin") return;
  const auto refuse = [&](const std::string& flag) {
    throw UsageError(
        "{} is of adapted images, and a model of '{}' adapts only with --adapt, --faces or a seed",
        flag, found);
  };
  for (const OptionRow& row : AdaptTable().rows())
    if (!row.name.empty() && given.contains(FlagOf(row.name).substr(2))) refuse(FlagOf(row.name));
  if (detector.options().draw.value_or(Drawing()).faces) refuse("--draw faces");
}

const OptionRow* DetectorRowOf(std::string flag) {
  std::ranges::replace(flag, '-', '_');
  const std::vector<OptionRow>& rows = DetectorTable().rows();
  const auto row = std::ranges::find(rows, flag, &OptionRow::name);
  return row == rows.end() || flag.empty() ? nullptr : &*row;
}

std::map<std::string, std::string> DetectorOptionsIn(const Json& given, const Model& model) {
  DetectorOptions options;
  std::map<std::string, std::string> values;  // values that the table refuses
  for (const auto& [name, value] : given.items())
    if (const OptionRow* const row = DetectorRowOf(name)) try {
        SetOption(*row, &options, value.is_string() ? value.get<std::string>() : JsonText(value));
      } catch (const Error&) {
        values[row->name] = JsonText(value);
      }
  values.merge(MadeWithOf(options, model));
  return values;
}

std::string TextOf(const AdaptationSummary& summary) {
  using By = AdaptationSummary::By;
  if (summary.by == By::kNobody) return "no face, so no skin";
  std::string as = summary.monochrome ? ", taken as grey, since it has one hue" : "";
  if (summary.stops > 0) as += fmt::format(", taken {:.1f} stops lighter", summary.stops);
  if (summary.cool) as += ", taken in cool light";
  if (summary.unclear) as += ", no colours stand apart (no skin at the model's threshold)";
  if (summary.any_skin && summary.by != By::kSeeds)
    as += fmt::format(", P(any skin) {:.2f}", *summary.any_skin);
  if (summary.by == By::kNothing) return "the global model" + as;
  if (summary.by == By::kImage)
    return fmt::format("no face, its own threshold {:.1f} {} the model's in log-odds{}",
                       std::abs(summary.shift), summary.shift < 0 ? "below" : "above", as);
  if (summary.faces == 0) return "fitted to the seed" + as;
  return fmt::format("fitted to {} face{}{}", summary.faces, summary.faces > 1 ? "s" : "", as);
}

std::string FaceCount::Text() const {
  return fmt::format("faces in {} of {} image{}", with_faces, images, images > 1 ? "s" : "");
}

}  // namespace skinmask::cli
