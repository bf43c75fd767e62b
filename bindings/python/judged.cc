// Judgements of pictures, and regions of skin, also from map to map.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <array>
#include <mutex>
#include <opencv2/core.hpp>
#include <optional>
#include <string>

#include "arrays.h"
#include "bindings.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/measure.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/detect/region.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask::python {
namespace {

// What find(judgement) gives. It runs without the GIL.
template <class Find>
auto FoundIn(Judged& judged, const Find& find) {
  return CallWithoutGil([&] { return judged.With(find); });
}

// A picture as a read-only array, because the judgement may keep it.
template <class Draw>
py::array ReadOnly(Judged& judged, const Draw& draw) {
  py::array array = ArrayOf(FoundIn(judged, draw));
  array.attr("flags").attr("writeable") = false;
  return array;
}

template <class Draw>
auto Shown(const Draw& draw) {
  return [draw](Judged& judged) { return ReadOnly(judged, draw); };
}

py::array Drawn(Judged& judged, const std::string& name, int bits) {
  const Output output = OutputFromName(name);
  return ReadOnly(judged, [&](Judgement& j) { return Draw(output, j, {.bits = bits}); });
}

// The same keys as in the JSON of results (docs/formats.md). None if nothing is adapted.
py::object AdaptationOf(Judged& judged) {
  const std::string json = FoundIn(judged, [](Judgement& j) {
    return j.detector().adapter() ? AdaptationToJson(j.summary()) : "null";
  });
  return py::module_::import("json").attr("loads")(json);
}

const char* AdaptedBy(Judged& judged) {
  constexpr const char* kNames[] = {"nothing", "faces", "image", "nobody"};
  return kNames[static_cast<int>(FoundIn(judged, [](Judgement& j) { return j.summary().by; }))];
}

// A class of the package around this module, whose objects are values.
py::object PackageClass(const char* name) { return py::module_::import("skinmask").attr(name); }

py::object RegionIn(const std::optional<Region>& region) {
  if (!region) return py::none();
  const auto& [pixels, centroid, semi_major, semi_minor, angle_degrees] = *region;
  return PackageClass("Region")(pixels, py::make_tuple(centroid.x, centroid.y), semi_major,
                                semi_minor, angle_degrees);
}

py::object MeansIn(const ColorSums& s) {
  return PackageClass("Means")(
      s.pixels, py::make_tuple(s.Mean(2), s.Mean(1), s.Mean(0)),
      py::make_tuple(s.Deviation(2), s.Deviation(1), s.Deviation(0)),
      py::make_tuple(s.sums[2], s.sums[1], s.sums[0], s.squares[2], s.squares[1], s.squares[0]));
}

py::object RegionFound(Judged& judged) {
  return RegionIn(
      FoundIn(judged, [](Judgement& j) { return RegionOf(MapMomentsOf(j.Probability())); }));
}

py::object MeansFound(Judged& judged) {
  return MeansIn(FoundIn(judged, [](Judgement& j) { return j.Measured().skin; }));
}

py::list FacesFound(Judged& judged) {
  py::list faces;
  for (const auto& [face, parts] : FoundIn(judged, [](Judgement& j) { return j.Measured().faces; }))
    faces.append(PackageClass("Face")(
        face.id, py::make_tuple(face.box.x, face.box.y, face.box.width, face.box.height),
        face.frame.TiltDegrees(), MeansIn(parts[0]), MeansIn(parts[1]), MeansIn(parts[2]),
        MeansIn(parts[3])));
  return faces;
}

py::object RegionOfMap(const py::object& map) {
  const ImageArray array = MapOf(map);
  return RegionIn(CallWithoutGil([&] { return RegionOf(MapMomentsOf(array.pixels)); }));
}

class Tracker {
 public:
  explicit Tracker(const std::optional<std::array<int, 4>>& start) {
    if (start)
      tracker_ = RegionTracker(cv::Rect((*start)[0], (*start)[1], (*start)[2], (*start)[3]));
  }

  py::object Follow(const py::object& map) {
    const ImageArray array = MapOf(map);
    return RegionIn(CallWithoutGil([&] { return Followed(array.pixels); }));
  }

 private:
  std::optional<Region> Followed(const cv::Mat& map) {
    const std::lock_guard lock(mutex_);
    if (!size_.empty() && map.size() != size_)
      throw Error("probability",
                  fmt::format("of {}x{} pixels follows one of {}x{} (a new RegionTracker begins "
                              "anew)",
                              map.cols, map.rows, size_.width, size_.height));
    size_ = map.size();
    return tracker_.Follow(map);
  }

  std::mutex mutex_;
  RegionTracker tracker_;
  cv::Size size_;  // of the maps; empty before the first
};

}  // namespace

void DefineJudged(py::module_& module) {
  module.def("region", &RegionOfMap);
  py::class_<Tracker>(module, "RegionTracker")
      .def(py::init<const std::optional<std::array<int, 4>>&>())
      .def("follow", &Tracker::Follow);
  py::class_<Judged, std::shared_ptr<Judged>> judged(
      module, "Judgement",
      "A picture and its results, computed at their first use; pictures are read-only.");
  judged
      .def_property_readonly("bgr", Shown([](Judgement& j) { return j.Bgr(); }),
                             "The picture: (height, width, 3) of uint8, blue first.")
      .def_property_readonly(
          "mask", Shown([](Judgement& j) { return Draw(Output::kMask, j); }),
          "(height, width) of uint8: 255 is skin; with `abstain` 128 is undecided.")
      .def_property_readonly("probability", Shown([](Judgement& j) { return j.Probability(); }),
                             "P(skin) as (height, width) of uint8: 255 P, rounded.")
      .def("_draw", &Drawn)
      .def_property_readonly(
          "adapted_by", &AdaptedBy,
          "'faces' (or seeds), 'image', 'nothing', or 'nobody' (no face, with `require_face`).")
      .def_property_readonly(
          "adaptation", &AdaptationOf,
          R"(What was done to the picture, with the keys of `adaptation` in the JSON of results.

None with adapt='off' and no seed.

`by`: 'seeds' (faces or seeds), 'image', 'nothing' or 'nobody'. Where they apply: `faces`
(their number), `shift` (of the threshold, in log-odds), `stops` (judged as if lighter by
these powers of two), True for `cool`, `unclear` and `monochrome`, and `any_skin` (P(some
pixel is skin), among as many pictures with skin as without).)")
      .def_property_readonly("region", &RegionFound,
                             "The region of `probability`; None if that is 0 everywhere.")
      .def_property_readonly(
          "means", &MeansFound,
          "Colours of the skin by the threshold, without `erode` pixels at its border.")
      .def_property_readonly("faces", &FacesFound,
                             "The faces that the model was adapted to, and their colours.");
  Show(judged, [](const Judged&) { return py::str("<skinmask.Judgement>"); });
  py::class_<Frame, Judged, std::shared_ptr<Frame>> frame(
      module, "Frame",
      "One frame of a video. Its pictures are computed at their first use and are read-only.");
  frame.def_readonly("index", &Frame::index, "The number of the frame in the video, from 0.")
      .def_readonly("seconds", &Frame::seconds, "The time of the frame in the video.");
  Show(frame, [](const Frame& f) {
    return py::str("<skinmask.Frame {} at {:.3f} s>").format(f.index, f.seconds);
  });
}

}  // namespace skinmask::python
