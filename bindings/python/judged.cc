// Judgements of pictures, and regions of skin, also from map to map.
#include <fmt/format.h>
#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "skinmask/detect/measure.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/detect/region.h"
#include "skinmask/pipeline/evaluate.h"

namespace skinmask::python {
namespace {

// A picture as a read-only array, because the judgement may keep it.
template <class Draw>
py::array ReadOnly(Judged& judged, const Draw& draw) {
  py::array array = ArrayOf(CallWithoutGil([&] { return judged.With(draw); }));
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

// A property that is computed from a picture.
template <class Find>
py::cpp_function Found(const Find& find) {
  return py::cpp_function([find](Judged& judged) { return judged.With(find); }, Unlocked());
}

// The same keys as in the JSON of results (docs/formats.md). None if nothing is adapted.
py::object AdaptationOf(Judged& judged) {
  const auto found = CallWithoutGil([&] {
    return judged.With([](Judgement& judgement) {
      return judgement.detector().adapter() ? std::optional(judgement.summary()) : std::nullopt;
    });
  });
  if (!found) return py::none();
  return py::module_::import("json").attr("loads")(AdaptationToJson(*found));
}

// A value for red, green and blue.
template <double (ColorSums::*value)(std::size_t) const>
py::tuple OfChannels(const ColorSums& sums) {
  return py::make_tuple((sums.*value)(2), (sums.*value)(1), (sums.*value)(0));
}

template <FacePart part>
ColorSums PartOf(const MeasuredFace& face) {
  return face.of(part);
}

// The pickled states.
using StateOfSums =
    std::tuple<std::uint64_t, std::array<std::uint64_t, 3>, std::array<std::uint64_t, 3>>;
using StateOfFace = std::tuple<std::int64_t, std::array<int, 4>, std::array<double, 4>,
                               std::array<StateOfSums, kFaceParts>>;

StateOfSums SumsToState(const ColorSums& sums) { return {sums.pixels, sums.sums, sums.squares}; }
ColorSums SumsOfState(const StateOfSums& state) {
  const auto& [pixels, sums, squares] = state;
  return {pixels, sums, squares};
}

StateOfFace FaceToState(const MeasuredFace& measured) {
  const auto& [id, box, frame] = measured.face;
  StateOfFace state{id,
                    {box.x, box.y, box.width, box.height},
                    {frame.centre.x, frame.centre.y, frame.size, frame.tilt},
                    {}};
  std::ranges::transform(measured.parts, std::get<3>(state).begin(), &SumsToState);
  return state;
}
MeasuredFace FaceOfState(const StateOfFace& state) {
  const auto& [id, box, frame, parts] = state;
  MeasuredFace measured{
      {id, {box[0], box[1], box[2], box[3]}, {{frame[0], frame[1]}, frame[2], frame[3]}}, {}};
  std::ranges::transform(parts, measured.parts.begin(), &SumsOfState);
  return measured;
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

void DefineFace(py::module_& module) {
  py::class_<MeasuredFace> face(
      module, "Face", "A face that the model was adapted to, and the colours of its skin.");
  face.def(py::self == py::self)
      .def("__hash__", [](const MeasuredFace& f) { return py::hash(py::int_(f.face.box.x)); })
      .def_property_readonly(
          "id", [](const MeasuredFace& f) { return f.face.id; },
          "In a stream the same from frame to frame; in a single picture 1, 2, ...")
      .def_property_readonly(
          "box",
          [](const MeasuredFace& f) {
            const cv::Rect& box = f.face.box;
            return py::make_tuple(box.x, box.y, box.width, box.height);
          },
          "x, y, width, height in pixels, upright, from the forehead to the chin.")
      .def_property_readonly(
          "tilt_degrees", [](const MeasuredFace& f) { return f.face.frame.TiltDegrees(); },
          "Tilt of the head, clockwise on the screen.")
      .def_property_readonly("means", &PartOf<FacePart::kFace>,
                             "Colours of the skin of the face without its outline.")
      .def_property_readonly("forehead", &PartOf<FacePart::kForehead>,
                             "Colours of the skin of the forehead.")
      .def_property_readonly("left_cheek", &PartOf<FacePart::kLeftCheek>,
                             "Colours of the skin of the cheek that is left in the picture.")
      .def_property_readonly("right_cheek", &PartOf<FacePart::kRightCheek>,
                             "Colours of the skin of the cheek that is right in the picture.")
      .def(py::pickle(&FaceToState, &FaceOfState));
  Show(face, [](const MeasuredFace& f) {
    const cv::Rect& box = f.face.box;
    const py::str text("<skinmask.Face {} of {}x{} pixels at ({}, {})>");
    return text.format(f.face.id, box.width, box.height, box.x, box.y);
  });
}

std::optional<Region> RegionOfMap(const py::object& map) {
  const ImageArray array = MapOf(map);
  const WithoutGil unlocked;
  return RegionOf(MapMomentsOf(array.pixels));
}

class Tracker {
 public:
  explicit Tracker(const std::optional<std::array<int, 4>>& start) {
    if (start)
      tracker_ = RegionTracker(cv::Rect((*start)[0], (*start)[1], (*start)[2], (*start)[3]));
  }

  std::optional<Region> Follow(const py::object& map) {
    const ImageArray array = MapOf(map);
    const WithoutGil unlocked;
    const std::lock_guard lock(mutex_);
    if (!size_.empty() && array.pixels.size() != size_)
      throw Error("probability",
                  fmt::format("of {}x{} pixels follows one of {}x{} (a new RegionTracker "
                              "begins anew)",
                              array.pixels.cols, array.pixels.rows, size_.width, size_.height));
    size_ = array.pixels.size();
    return tracker_.Follow(array.pixels);
  }

 private:
  std::mutex mutex_;
  RegionTracker tracker_;
  cv::Size size_;  // of the maps; empty before the first
};

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

}  // namespace

void DefineJudged(py::module_& module) {
  DefineRegion(module);
  DefineMeans(module);
  DefineFace(module);
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
      .def_property_readonly(
          "region", Found([](Judgement& j) { return RegionOf(MapMomentsOf(j.Probability())); }),
          "The region of `probability`; None if that is 0 everywhere.")
      .def_property_readonly(
          "means", Found([](Judgement& j) { return j.Measured().skin; }),
          "Colours of the skin by the threshold, without `erode` pixels at its border.")
      .def_property_readonly("faces", Found([](Judgement& j) { return j.Measured().faces; }),
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
