// Judgements of pictures, and regions of skin, also from map to map.
#include <fmt/format.h>
#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include <array>
#include <cstddef>
#include <mutex>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <tuple>

#include "arrays.h"
#include "bindings.h"
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

// A property that is computed from a picture.
template <class Find>
auto Found(const Find& find) {
  return [find](Judged& judged) { return FoundIn(judged, find); };
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

// The package's Region, which is a value; None without one.
py::object RegionIn(const std::optional<Region>& region) {
  if (!region) return py::none();
  const auto& [pixels, centroid, semi_major, semi_minor, angle_degrees] = *region;
  return py::module_::import("skinmask")
      .attr("Region")(pixels, py::make_tuple(centroid.x, centroid.y), semi_major, semi_minor,
                      angle_degrees);
}

py::object RegionFound(Judged& judged) {
  return RegionIn(
      FoundIn(judged, [](Judgement& j) { return RegionOf(MapMomentsOf(j.Probability())); }));
}

// A Face of the package for each.
py::list FacesFound(Judged& judged) {
  const py::object type = py::module_::import("skinmask").attr("Face");
  py::list faces;
  for (const auto& [face, parts] : FoundIn(judged, [](Judgement& j) { return j.Measured().faces; }))
    faces.append(type(face.id,
                      py::make_tuple(face.box.x, face.box.y, face.box.width, face.box.height),
                      face.frame.TiltDegrees(), parts[0], parts[1], parts[2], parts[3]));
  return faces;
}

// A value for red, green and blue.
template <double (ColorSums::*value)(std::size_t) const>
py::tuple OfChannels(const ColorSums& sums) {
  return py::make_tuple((sums.*value)(2), (sums.*value)(1), (sums.*value)(0));
}

// The pickled state.
using StateOfSums =
    std::tuple<std::uint64_t, std::array<std::uint64_t, 3>, std::array<std::uint64_t, 3>>;

StateOfSums SumsToState(const ColorSums& sums) { return {sums.pixels, sums.sums, sums.squares}; }
ColorSums SumsOfState(const StateOfSums& state) {
  const auto& [pixels, sums, squares] = state;
  return {pixels, sums, squares};
}

void DefineMeans(py::module_& module) {
  py::class_<ColorSums> means(
      module, "Means", "Colours of pixels: means and standard deviations of red, green and blue.");
  means.def_readonly("pixels", &ColorSums::pixels, "The number of pixels.")
      .def_property_readonly("mean", &OfChannels<&ColorSums::Mean>,
                             "Means of red, green and blue, 0 to 255; NaN without pixels.")
      .def_property_readonly(
          "sd", &OfChannels<&ColorSums::Deviation>,
          "Standard deviations of red, green and blue (divided by the number of pixels).")
      .def(py::self == py::self)
      .def("__hash__",
           [](const ColorSums& s) {
             return py::hash(py::make_tuple(s.pixels, s.sums[0], s.sums[1], s.sums[2]));
           })
      .def(py::pickle(&SumsToState, &SumsOfState));
  Show(means, [](const ColorSums& s) {
    const py::str text("<skinmask.Means of {} pixels: red {:.2f}, green {:.2f}, blue {:.2f}>");
    return text.format(s.pixels, s.Mean(2), s.Mean(1), s.Mean(0));
  });
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
  DefineMeans(module);
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
          "adapted_by", Found([](Judgement& j) {
            constexpr const char* kNames[] = {"nothing", "faces", "image", "nobody"};
            return kNames[static_cast<int>(j.summary().by)];
          }),
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
          "means", Found([](Judgement& j) { return j.Measured().skin; }),
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
