// Runs over many files: their progress and end, detection in folders, evaluation.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/detect/detector.h"
#include "skinmask/media/inputs.h"
#include "skinmask/pipeline/collect_samples.h"
#include "skinmask/pipeline/detect_run.h"
#include "skinmask/pipeline/evaluate.h"
#include "skinmask/report/gallery.h"
#include "skinmask/report/report.h"

namespace skinmask::python {
namespace {

using Path = std::filesystem::path;

// The detector for all of these outputs; notes in `options` what they are made with.
Detector DetectorFor(const Detector& detector, DetectOptions& options) {
  RequireShown(detector.options(), options.outputs);
  // A folder that is continued may name it.
  if (detector.options().erode && options.if_exists != IfExists::kKeep)
    throw Error("`erode`", "is of what is measured, which files of outputs have no room for");
  const Model& model = detector.model();
  DetectorOptions together = OptionsTogether(detector.options(), options.outputs, model);
  options.made_with = MadeWithOf(options, together, model);
  if (!Any(options.outputs, &OutputKind::of_model_alone)) return detector.With(together);
  together.threshold.reset();  // the model has both
  together.prior.reset();
  return Detector(model, nullptr, together);
}

// `done` makes a DetectedFile for each input.
void DetectFiles(const Detector& asked, DetectOptions options, Stop& stop,
                 const py::object& progress, const py::object& done) {
  const WithoutGil unlocked;
  const Detector detector = DetectorFor(asked, options);
  const auto tell = [&](const DetectedImage& image, const std::string& error) {
    const py::gil_scoped_acquire locked;
    done(image.input, image.outputs, py::make_tuple(image.size.width, image.size.height),
         image.SkinFraction(), image.frames, image.adaptation.faces, error);
  };
  Run run = RunOf(stop, progress);
  std::optional<Problem> lost;
  run.problem = [&](const Problem& problem) {
    if (problem.input == options.output_folder) {
      lost = problem;
      return;
    }
    DetectedImage image;
    image.input = problem.input;
    tell(image, InPython(problem.line));
  };
  Detect(options, detector, run, [&](const DetectedImage& image) { tell(image, ""); });
  if (lost) throw Error(lost->input, lost->Reason());
}

std::string EvaluateFolders(const Detector& asked, const PairOptions& pairs, const Path& page,
                            bool overwrite, Stop& stop, const py::object& progress,
                            const py::object& problem) {
  const WithoutGil unlocked;
  const IfExists if_exists = overwrite ? IfExists::kReplace : IfExists::kFail;
  if (!page.empty()) {
    RequireWritable(page, if_exists);
    RequireNoMedia(page);
  }
  const Model& model = asked.model();
  DetectorOptions options = asked.options();
  options.abstain.reset();
  const Detector detector = asked.With(options);
  Run run = RunOf(stop, progress, problem);
  if (!page.empty()) run.written = {page};
  EvaluationReport report = EvaluateImages(pairs, detector, run);
  if (report.pooled.counts.Total() == 0 && !report.images.empty())
    throw Error("masks", "mark no pixel that counts: all of them are ignored");
  report.decision = model.decision;
  report.abstain = asked.options().abstain;
  std::string json = FullReportToJson(report, &model);
  if (page.empty() || stop.set || report.pooled.counts.Total() == 0) return json;
  run.progress = Run().progress;  // none for the gallery
  const std::vector<GalleryPictures> pictures = DrawGallery(pairs, &detector, report, run);
  if (stop.set) return json;  // do not replace a page by one without pictures
  WriteFile(page, ReportToHtml(json, pictures), if_exists);
  return json;
}

std::string EvaluateSamplesOf(const Detector& detector, const Samples& samples) {
  const Model& model = detector.model();
  EvaluationReport report = EvaluateTable(samples, model);
  report.decision = model.decision;
  report.abstain = detector.options().abstain;
  return FullReportToJson(report, &model);
}

// Throws Error for a quality that no file of these options can have. Folders may hold videos.
void RequireLossy(const DetectOptions& options) {
  const auto may_be_video = [](const Path& input) {
    const NamedMedia named(input.native());
    return named.video || !(named.image || named.archive) || std::filesystem::is_directory(input);
  };
  if (!options.style.quality || options.style.format != OutputStyle::Format::kPng) return;
  if (Any(options.outputs, &OutputKind::is_watched) &&
      std::ranges::any_of(options.inputs, may_be_video))
    return;
  throw Error("`quality`",
              "is of JPEG, WebP and videos to be watched, and these outputs are lossless "
              "(`format` jpeg or webp)");
}

void DefineDetection(py::module_& module) {
  py::class_<DetectOptions>(module, "DetectOptions")
      .def(py::init<>())
      .def_readwrite("inputs", &DetectOptions::inputs)
      .def_readwrite("include", &DetectOptions::include)
      .def_readwrite("exclude", &DetectOptions::exclude)
      .def_readwrite("output_folder", &DetectOptions::output_folder)
      .def_readwrite("scale", &DetectOptions::scale)
      .def_readwrite("bits", &DetectOptions::probability_bits)
      .def_readwrite("max_pixels", &DetectOptions::max_pixels)
      .def("style", [](DetectOptions& o, const std::string& name,
                       const std::string& text) { StyleTable().Set(o.style, name, text); })
      .def("require_effect",
           [](const DetectOptions& o) {
             RequireFolders(o);
             RequireFormat(o.style, o.outputs, o.probability_bits);
             if (o.style.feather) RequireChanged("feather", o.outputs);
             RequireLossy(o);
           })
      .def("outputs",
           [](DetectOptions& o, const std::vector<std::string>& names) {
             o.outputs.clear();
             for (const std::string& name : names) o.outputs.push_back(OutputFromName(name));
           })
      .def("isolate",
           [](DetectOptions& o, const std::string& name, double max_seconds) {
             o.isolation = Isolation{IsolateFromName(name), max_seconds};
           })
      .def("if_exists", [](DetectOptions& o, bool replace, bool keep) {
        o.if_exists = keep ? IfExists::kKeep : replace ? IfExists::kReplace : IfExists::kFail;
      });
}

}  // namespace

void SaveText(const Path& path, const std::string& text, bool overwrite) {
  RequireNoMedia(path);
  WriteFile(path, text, overwrite ? IfExists::kReplace : IfExists::kFail);
}

Run RunOf(Stop& stop, const py::object& progress, const py::object& problem) {
  Run run;
  run.stop = &stop.set;
  run.warning = [&stop](const std::string& line) { stop.warnings.push_back(InPython(line)); };
  if (problem)
    run.problem = [&problem](const Problem& told) {
      const py::gil_scoped_acquire locked;
      problem(InPython(told.line));
    };
  if (!progress.is_none())
    run.progress = [&progress](std::size_t done, std::size_t total, std::uint64_t) {
      const py::gil_scoped_acquire locked;
      progress(done, total);
    };
  return run;
}

void DefineRuns(py::module_& module) {
  py::class_<Stop>(module, "Stop")
      .def(py::init<>())
      .def("set", [](Stop& stop) { stop.set = true; })
      .def("warnings", [](const Stop& stop) {  // a file's name may be no text
        return std::vector<py::bytes>(stop.warnings.begin(), stop.warnings.end());
      });
  py::class_<Detector, std::shared_ptr<Detector>>(module, "Detector")
      .def(py::init([](const ModelObject& model, const std::map<std::string, std::string>& texts,
                       const Path& usual_faces) {
        DetectorOptions options;
        for (const auto& [name, text] : texts) SetByKeyword(DetectorTable(), options, name, text);
        if (options.faces.empty() && options.by_faces()) options.faces = usual_faces;
        // Not as a guard of the call, which would include pybind11's own table of objects.
        const WithoutGil unlocked;
        return std::make_shared<Detector>(model.model(), options);
      }))
      .def(
          "abstaining",
          [](const Detector& detector, const std::string& interval) {
            DetectorOptions options = detector.options();
            SetByKeyword(DetectorTable(), options, "abstain", interval);
            return std::make_shared<Detector>(detector.With(options));
          },
          Unlocked());
  DefineDetection(module);
  module.def("detect_files", &DetectFiles);
  module.def("evaluate", &EvaluateFolders);
  module.def("evaluate_samples", &EvaluateSamplesOf, Unlocked());
}

}  // namespace skinmask::python
