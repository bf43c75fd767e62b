// Models, their results for single pixels, and pictures of them.
#include "skinmask/model/model.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "skinmask/data/samples.h"
#include "skinmask/media/image.h"
#include "skinmask/model/outliers.h"
#include "skinmask/report/picture.h"

namespace skinmask::python {
namespace {

// Calls answer(by, first, count) for blocks of pixels, in parallel, without the GIL, where `by` is
// the model's evaluator. It is made before the blocks, because its making may run in parallel, too:
// a thread that waits for its end would take the next block, and wait there for itself.
template <class Kept, class Answer>
void ForBlocks(const ModelObject& model, const Kept& (ModelObject::*kept)() const,
               std::size_t count, const Answer& answer) {
  constexpr std::size_t kBlock = 4096;
  const WithoutGil unlocked;
  const Kept& by = (model.*kept)();
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kBlock),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      answer(by, range.begin(), range.size());
                    });
}

// A number for each pixel, by a row function of one of the model's evaluators.
template <class Number, class Kept>
auto RowOf(const Kept& (ModelObject::*kept)() const,
           void (Kept::*answer)(const std::uint8_t*, std::size_t, Number*) const) {
  return [kept, answer](const ModelObject& model, const py::object& object) {
    const PixelArray pixels = PixelsOf(object);
    py::array_t<Number> row(static_cast<py::ssize_t>(pixels.count));
    Number* const out = row.mutable_data();
    ForBlocks(model, kept, pixels.count, [&](const Kept& by, std::size_t first, std::size_t count) {
      (by.*answer)(pixels.bgr + 3 * first, count, out + first);
    });
    return row;
  };
}

// For each pixel a row with a number for each class, which answer(reference, bgr, out) writes.
template <class Answer>
py::array_t<double> ClassTable(const ModelObject& model, const py::object& object,
                               const Answer& answer) {
  const PixelArray pixels = PixelsOf(object);
  const std::size_t classes = model.model().classes.size();
  py::array_t<double> table(
      {static_cast<py::ssize_t>(pixels.count), static_cast<py::ssize_t>(classes)});
  double* const out = table.mutable_data();
  ForBlocks(model, &ModelObject::reference, pixels.count,
            [&](const Reference& by, std::size_t first, std::size_t count) {
              for (std::size_t i = first; i < first + count; ++i)
                answer(by, pixels.bgr + 3 * i, out + classes * i);
            });
  return table;
}

py::array_t<double> Posteriors(const ModelObject& model, const py::object& object) {
  return ClassTable(model, object,
                    [](const Reference& reference, const std::uint8_t* bgr, double* out) {
                      std::ranges::copy(reference.Posteriors(bgr[0], bgr[1], bgr[2]), out);
                    });
}

py::array_t<double> Discriminants(const ModelObject& model, const py::object& object) {
  const ColorSpace& space = model.model().features.space();
  return ClassTable(model, object,
                    [&](const Reference& reference, const std::uint8_t* bgr, double* out) {
                      std::int32_t carrier[3];
                      CarrierRow(space, bgr, 1, carrier);
                      reference.Discriminants(carrier, out);
                    });
}

template <class T>
auto OfClasses(T ClassModel::*member) {
  return [member](const ModelObject& model) {
    std::vector<T> values;
    for (const ClassModel& one : model.model().classes) values.push_back(one.*member);
    return values;
  };
}

ModelPtr Made(Model model) { return std::make_shared<ModelObject>(std::move(model)); }

// The model with another prior or threshold, as its file would have them.
ModelPtr Changed(const ModelObject& model, std::optional<double> prior,
                 std::optional<double> threshold) {
  Model changed = prior ? WithPrior(model.model(), *prior) : model.model();
  if (threshold) changed.decision = {*threshold, "fixed", ""};
  return Made(std::move(changed));
}

// The bytes of the picture's file.
py::bytes DrawnModels(const std::vector<ModelPtr>& kept, const std::vector<std::string>& names,
                      const std::vector<std::pair<std::string, double>>& at, bool marginal,
                      const Samples* samples, bool svg) {
  return CallWithoutGil([&] {
    std::vector<Model> models;
    for (const auto& one : kept) models.push_back(one->model());
    return DrawModels(models, svg ? PictureFormat::kSvg : PictureFormat::kPng,
                      {names, at, marginal, samples});
  });
}

py::array_t<std::uint8_t> OutlierRow(const Outliers& outliers, const py::object& object) {
  const PixelArray pixels = PixelsOf(object);
  py::array_t<std::uint8_t> row(static_cast<py::ssize_t>(pixels.count));
  std::uint8_t* const out = row.mutable_data();
  const WithoutGil unlocked;
  outliers.Row(pixels.bgr, pixels.count, out);
  return row;
}

py::bytes PngOf(const py::object& image) {
  const ImageArray array = ImageOf(image, false);
  return CallWithoutGil([&] { return EncodePng(array.Bgr()); });
}

}  // namespace

void DefineModel(py::module_& module) {
  py::class_<ModelObject, ModelPtr>(module, "Model")
      .def_static(
          "read", [](const std::filesystem::path& path) { return Made(ReadModel(path)); },
          Unlocked())
      .def_static(
          "default", [] { return Made(DefaultModel()); }, Unlocked())
      .def_static(
          "from_json", [](const std::string& text) { return Made(ModelFromJson(text, "model")); },
          Unlocked())
      .def(
          "to_json", [](const ModelObject& m) { return ModelToJson(m.model()); }, Unlocked())
      .def(
          "save",
          [](const ModelObject& m, const std::filesystem::path& path, bool overwrite) {
            SaveText(path, ModelToJson(m.model()), overwrite);
          },
          Unlocked())
      .def("changed", &Changed, Unlocked())
      .def("mask_row", RowOf(&ModelObject::posterior, &Posterior::MaskRow))
      .def("class_row", RowOf(&ModelObject::reference, &Reference::ClassRow))
      .def("log_odds_row", RowOf(&ModelObject::reference, &Reference::LogOddsRow))
      .def("posteriors", &Posteriors)
      .def("discriminants", &Discriminants)
      .def_property_readonly("classes", OfClasses(&ClassModel::name))
      .def_property_readonly("priors", OfClasses(&ClassModel::prior))
      .def_property_readonly("kind", [](const ModelObject& m) { return KindName(m.model().kind); })
      .def_property_readonly("space",
                             [](const ModelObject& m) { return m.model().features.space().name; })
      .def_property_readonly(
          "channels", [](const ModelObject& m) { return m.model().features.channel_names(); })
      .def_property_readonly("threshold",
                             [](const ModelObject& m) { return m.model().decision.threshold; })
      .def_property_readonly("rule", [](const ModelObject& m) { return m.model().decision.rule; });
  py::class_<Outliers>(module, "Outliers")
      .def(py::init([](const ModelObject& model, double share) {
        const WithoutGil unlocked;
        return std::make_unique<Outliers>(model.model(), share);
      }))
      .def("row", &OutlierRow);
  module.def("encode_png", &PngOf);
  module.def("draw_models", &DrawnModels);
}

}  // namespace skinmask::python
