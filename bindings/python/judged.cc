#include "judged.h"

#include <pybind11/operators.h>
#include <pybind11/stl.h>

#include <array>
#include <cstddef>

#include "arrays.h"
#include "bindings.h"

namespace skinmask::python {
namespace {

// A picture as an array, which is not to be written to: the other one keeps it.
template <cv::Mat (Judged::*picture)()>
py::array Shown(Judged& judged) {
  cv::Mat made;
  {
    const WithoutGil unlocked;
    made = (judged.*picture)();
  }
  py::array array = ArrayOf(made);
  array.attr("flags").attr("writeable") = false;
  return array;
}

// Of red, green and blue.
template <double (ColorSums::*value)(std::size_t) const>
py::tuple OfChannels(const ColorSums& sums) {
  return py::make_tuple((sums.*value)(2), (sums.*value)(1), (sums.*value)(0));
}

template <FacePart part>
ColorSums PartOf(const MeasuredFace& face) {
  return face.of(part);
}

py::tuple StateOfSums(const ColorSums& sums) {
  return py::make_tuple(sums.pixels, sums.sums, sums.squares);
}
ColorSums SumsOfState(const py::tuple& state) {
  return {state[0].cast<std::uint64_t>(), state[1].cast<std::array<std::uint64_t, 3>>(),
          state[2].cast<std::array<std::uint64_t, 3>>()};
}

void DefineMeans(py::module_& module) {
  py::class_<ColorSums> means(
      module, "Means",
      "Which colours some pixels have: means and standard deviations of red, green and blue.");
  means.def_readonly("pixels", &ColorSums::pixels)
      .def_property_readonly("mean", &OfChannels<&ColorSums::Mean>)
      .def_property_readonly("sd", &OfChannels<&ColorSums::Deviation>)
      .def(py::self == py::self)
      .def(py::pickle(&StateOfSums, &SumsOfState));
  Show(means, [](const ColorSums& s) {
    const py::str text("<skinmask.Means of {} pixels: red {:.2f}, green {:.2f}, blue {:.2f}>");
    return text.format(s.pixels, s.Mean(2), s.Mean(1), s.Mean(0));
  });
}

void DefineFace(py::module_& module) {
  py::class_<MeasuredFace> face(
      module, "Face", "A face that a picture was adapted to, and the colours of its skin.");
  face.def(py::self == py::self)
      .def("__hash__", [](const MeasuredFace& f) { return py::hash(py::int_(f.face.box.x)); })
      .def_property_readonly("id", [](const MeasuredFace& f) { return f.face.id; })
      .def_property_readonly("box",
                             [](const MeasuredFace& f) {
                               const cv::Rect& box = f.face.box;
                               return py::make_tuple(box.x, box.y, box.width, box.height);
                             })
      .def_property_readonly("tilt_degrees",
                             [](const MeasuredFace& f) { return f.face.frame.TiltDegrees(); })
      .def_property_readonly("means", &PartOf<FacePart::kFace>)
      .def_property_readonly("forehead", &PartOf<FacePart::kForehead>)
      .def_property_readonly("left_cheek", &PartOf<FacePart::kLeftCheek>)
      .def_property_readonly("right_cheek", &PartOf<FacePart::kRightCheek>)
      .def(py::pickle(
          [](const MeasuredFace& f) {
            const auto& [id, box, frame] = f.face;
            py::list parts;
            for (const ColorSums& part : f.parts) parts.append(StateOfSums(part));
            return py::make_tuple(id, box.x, box.y, box.width, box.height, frame.centre.x,
                                  frame.centre.y, frame.size, frame.tilt, parts);
          },
          [](const py::tuple& t) {
            const auto whole = [&](std::size_t i) { return t[i].cast<int>(); };
            const auto number = [&](std::size_t i) { return t[i].cast<double>(); };
            MeasuredFace f{{t[0].cast<std::int64_t>(),
                            {whole(1), whole(2), whole(3), whole(4)},
                            {{number(5), number(6)}, number(7), number(8)}},
                           {}};
            for (std::size_t i = 0; i < kFaceParts; ++i)
              f.parts[i] = SumsOfState(t[9].cast<py::list>()[i].cast<py::tuple>());
            return f;
          }));
  Show(face, [](const MeasuredFace& f) {
    const cv::Rect& box = f.face.box;
    const py::str text("<skinmask.Face {} of {}x{} pixels at ({}, {})>");
    return text.format(f.face.id, box.width, box.height, box.x, box.y);
  });
}

}  // namespace

void DefineJudged(py::module_& module) {
  DefineMeans(module);
  DefineFace(module);
  py::class_<Judged, std::shared_ptr<Judged>> judged(
      module, "Judgement",
      "A picture and what is found in it. All of it is made when it is asked for; pictures are "
      "read-only.");
  judged.def_property_readonly("bgr", &Shown<&Judged::Bgr>)
      .def_property_readonly("mask", &Shown<&Judged::Mask>)
      .def_property_readonly("probability", &Shown<&Judged::Probability>)
      .def_property_readonly("adapted_by", py::cpp_function(&Judged::AdaptedBy, Unlocked()))
      .def_property_readonly("region", py::cpp_function(&Judged::RegionIn, Unlocked()))
      .def_property_readonly(
          "means", py::cpp_function([](Judged& j) { return j.Measured().skin; }, Unlocked()))
      .def_property_readonly(
          "faces", py::cpp_function([](Judged& j) { return j.Measured().faces; }, Unlocked()));
  Show(judged, [](const Judged&) { return py::str("<skinmask.Judgement>"); });
  py::class_<Frame, Judged, std::shared_ptr<Frame>> frame(
      module, "Frame",
      "One frame of a video. Its pictures are made when they are asked for; they are read-only.");
  frame.def_property_readonly("index", &Frame::index)
      .def_property_readonly("seconds", &Frame::seconds);
  Show(frame, [](const Frame& f) {
    return py::str("<skinmask.Frame {} at {:.3f} s>").format(f.index(), f.seconds());
  });
}

}  // namespace skinmask::python
