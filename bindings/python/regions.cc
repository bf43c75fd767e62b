// Regions of skin, in single maps and from map to map.
#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include <array>
#include <mutex>
#include <optional>

#include "arrays.h"
#include "bindings.h"
#include "skinmask/detect/region.h"

namespace skinmask::python {
namespace {

cv::Mat HeaderOfMap(const py::array& map) {
  return cv::Mat(static_cast<int>(map.shape(0)), static_cast<int>(map.shape(1)), CV_8UC1,
                 const_cast<void*>(map.data()));
}

std::optional<Region> RegionOfMap(const py::object& map) {
  const py::array array = MapOf(map);
  const WithoutGil unlocked;
  return RegionOf(MapMomentsOf(HeaderOfMap(array)));
}

class Tracker {
 public:
  explicit Tracker(const std::optional<std::array<int, 4>>& start) {
    if (start)
      tracker_ = RegionTracker(cv::Rect((*start)[0], (*start)[1], (*start)[2], (*start)[3]));
  }

  std::optional<Region> Follow(const py::object& map) {
    const py::array array = MapOf(map);
    const WithoutGil unlocked;
    const std::lock_guard lock(mutex_);
    return tracker_.Follow(HeaderOfMap(array));
  }

 private:
  std::mutex mutex_;
  RegionTracker tracker_;
};

}  // namespace

void DefineRegion(py::module_& module) {
  py::class_<Region> region(
      module, "Region",
      "The ellipse that, filled evenly, has the moments of a map of probabilities.");
  region.def(py::self == py::self)
      .def("__hash__", [](const Region& r) { return py::hash(py::float_(r.pixels)); })
      .def_readonly("pixels", &Region::pixels, "The sum of the probabilities.")
      .def_property_readonly(
          "centroid", [](const Region& r) { return py::make_tuple(r.centroid.x, r.centroid.y); },
          "x to the right, y down; (0, 0) is the centre of the top left pixel.")
      .def_readonly("semi_major", &Region::semi_major, "Half of the long axis, in pixels.")
      .def_readonly("semi_minor", &Region::semi_minor, "Half of the short axis, in pixels.")
      .def_readonly("angle_degrees", &Region::angle_degrees,
                    "From the x axis to the long axis, clockwise, above -90 and at most 90.")
      .def(py::pickle(
          [](const Region& r) {
            return std::array{r.pixels,     r.centroid.x, r.centroid.y,
                              r.semi_major, r.semi_minor, r.angle_degrees};
          },
          [](const std::array<double, 6>& n) {
            return Region{n[0], {n[1], n[2]}, n[3], n[4], n[5]};
          }));
  Show(region, [](const Region& r) {
    const py::str text(
        "<skinmask.Region {:.1f} pixels at ({:.1f}, {:.1f}), half axes {:.1f} and {:.1f}, {:.1f} "
        "degrees>");
    return text.format(r.pixels, r.centroid.x, r.centroid.y, r.semi_major, r.semi_minor,
                       r.angle_degrees);
  });
  module.def("region", &RegionOfMap);
  py::class_<Tracker>(module, "RegionTracker")
      .def(py::init<const std::optional<std::array<int, 4>>&>())
      .def("follow", &Tracker::Follow);
}

}  // namespace skinmask::python
