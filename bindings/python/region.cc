// Where the skin of a map is.
#include "skinmask/detect/region.h"

#include <pybind11/stl.h>

#include <opencv2/core.hpp>
#include <optional>
#include <string>

#include "arrays.h"
#include "bindings.h"

namespace skinmask::python {
namespace {

std::optional<Region> RegionOfMap(const py::object& map) {
  const py::array array = MapOf(map);
  const cv::Mat picture(static_cast<int>(array.shape(0)), static_cast<int>(array.shape(1)), CV_8UC1,
                        const_cast<void*>(array.data()));
  const WithoutGil unlocked;
  return RegionOf(MapMomentsOf(picture));
}

}  // namespace

void DefineRegion(py::module_& module) {
  py::class_<Region> region(
      module, "Region", "Where skin is: the ellipse with the moments of a map of probabilities.");
  region.def_readonly("pixels", &Region::pixels)
      .def_property_readonly(
          "centroid", [](const Region& r) { return py::make_tuple(r.centroid.x, r.centroid.y); })
      .def_readonly("semi_major", &Region::semi_major)
      .def_readonly("semi_minor", &Region::semi_minor)
      .def_readonly("angle_degrees", &Region::angle_degrees)
      .def(py::pickle(
          [](const Region& r) {
            return py::make_tuple(r.pixels, r.centroid.x, r.centroid.y, r.semi_major, r.semi_minor,
                                  r.angle_degrees);
          },
          [](const py::tuple& t) {
            const auto number = [&](std::size_t i) { return t[i].cast<double>(); };
            return Region{number(0), {number(1), number(2)}, number(3), number(4), number(5)};
          }));
  Show(region, [](const Region& r) {
    const py::str text(
        "<skinmask.Region {:.1f} pixels at ({:.1f}, {:.1f}), half axes {:.1f} and {:.1f}, {:.1f} "
        "degrees>");
    return text.format(r.pixels, r.centroid.x, r.centroid.y, r.semi_major, r.semi_minor,
                       r.angle_degrees);
  });
  module.def("region", &RegionOfMap);
}

}  // namespace skinmask::python
