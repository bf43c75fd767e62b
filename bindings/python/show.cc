// Pictures of models, and the colours that none of their classes explains.
#include <pybind11/stl.h>

#include <memory>
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

// The bytes of a file.
py::bytes DrawnModels(const std::vector<std::shared_ptr<KeptModel>>& kept,
                      const std::vector<std::string>& names,
                      const std::vector<std::pair<std::string, double>>& at, bool marginal,
                      const Samples* samples, bool svg) {
  std::string file;
  {
    const WithoutGil unlocked;
    std::vector<Model> models;
    for (const auto& one : kept) models.push_back(one->model());
    file = DrawModels(models, svg ? PictureFormat::kSvg : PictureFormat::kPng,
                      {names, at, marginal, samples});
  }
  return py::bytes(file);
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
  std::string file;
  {
    const WithoutGil unlocked;
    file = EncodePng(array.Bgr());
  }
  return py::bytes(file);
}

}  // namespace

void DefineShow(py::module_& module) {
  py::class_<Outliers>(module, "Outliers")
      .def(py::init([](const KeptModel& model, double share) {
        const WithoutGil unlocked;
        return std::make_unique<Outliers>(model.model(), share);
      }))
      .def("row", &OutlierRow);
  module.def("encode_png", &PngOf);
  module.def("draw_models", &DrawnModels);
}

}  // namespace skinmask::python
