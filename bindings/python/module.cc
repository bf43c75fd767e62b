// The module skinmask._skinmask: the library's functions for Python, with as little code as
// possible. The package around it (skinmask/*.py) has names, defaults and documents.
#include <pybind11/stl.h>
#include <tbb/global_control.h>
#include <tbb/info.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.h"
#include "skinmask/base/error.h"
#include "skinmask/base/options.h"
#include "skinmask/base/version.h"
#include "skinmask/detect/adapt_options.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/learn/fit.h"

namespace skinmask::python {
namespace {

// Sets the number of threads that the library uses in the whole process; 0: as many as cores.
void SetThreads(int count) {
  static std::unique_ptr<tbb::global_control> limit;
  limit.reset();
  if (count > 0)
    limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                  static_cast<std::size_t>(count));
}

std::size_t Threads() {
  return std::min<std::size_t>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism),
      static_cast<std::size_t>(tbb::info::default_concurrency()));
}

// The options of a table that users see: name, type of value, the kinds of models that have it, and
// heading.
py::list OptionsOf(const std::vector<OptionRow>& rows) {
  constexpr const char* kTaken[] = {"switch", "word", "whole", "number", "text"};
  py::list options;
  for (const OptionRow& row : rows)
    if (!row.name.empty())
      options.append(py::make_tuple(row.name,
                                    row.names_file ? "file" : kTaken[static_cast<int>(row.kind)],
                                    row.kinds, row.heading));
  return options;
}

// The outputs: name, meaning of the pixels, and whether it is never adapted.
std::vector<std::tuple<std::string_view, std::string_view, bool>> Outputs() {
  std::vector<std::tuple<std::string_view, std::string_view, bool>> outputs;
  for (const OutputKind& kind : OutputKinds())
    outputs.emplace_back(kind.name, kind.meaning, kind.of_model_alone);
  return outputs;
}

// Translates exceptions of OpenCV: lack of memory to MemoryError, all others to one line.
void Translate(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const Error& e) {
    const std::string line = InPython(e.what());
    const std::size_t colon = line.find(": ");
    if (line == e.what() || colon == line.npos) throw;
    throw Error(line.substr(0, colon), line.substr(colon + 2));
  } catch (const cv::Exception& e) {
    if (e.code != cv::Error::StsNoMem) throw Error("OpenCV", e.err);  // which is translated, too
    PyErr_SetString(PyExc_MemoryError, e.err.c_str());
  }
}

// If __new__ was called without __init__, pybind11 would allocate memory for an object that it
// believes to be made later, and read from it. And pickling by the protocols before 2 would make an
// object of pybind11's base class, which ends the process; by the others it is refused anyway.
void RefuseUnmade(const py::module_& module) {
  const auto refuse = [](const py::object& object, int) {
    throw py::type_error(py::str(py::type::of(object)).cast<std::string>() +
                         ": is neither pickled nor copied");
  };
  for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(module.attr("__dict__"))) {
    if (!PyType_Check(value.ptr())) continue;
    auto* const info = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr()));
    if (!info) continue;
    info->operator_new = [](std::size_t) -> void* {
      throw py::type_error("object: was made by __new__ alone (call its class, or what makes it)");
    };
    value.attr("__reduce_ex__") = py::cpp_function(refuse, py::is_method(value));
  }
}

}  // namespace

std::string InPython(const std::string& line) {
  return WithOptionNames(line, [](std::string name) -> std::string {
    for (const auto& [of_library, ours] : {std::pair("label", "labels"),
                                           {"ignore", "ignored"},
                                           {"features", "terms"},
                                           {"depth", "dtype"}})
      if (name == of_library) return ours;
    std::ranges::replace(name, '-', '_');
    return name;
  });
}

PYBIND11_MODULE(_skinmask, module) {
  module.attr("__version__") = kVersion;
  py::register_exception<Error>(module, "Error", PyExc_ValueError).attr("__module__") = "skinmask";
  py::register_exception_translator(&Translate);
  module.def("set_threads", &SetThreads, py::arg("count"));
  module.def("threads", &Threads);
  module.def("outputs", &Outputs);
  module.def("detector_options", [] { return OptionsOf(DetectorTable().rows()); });
  module.def("adaptation_options", [] { return OptionsOf(AdaptTable().rows()); });
  module.def("fit_options", [] { return OptionsOf(FitTable().rows()); });
  DefineRuns(module);
  DefineModel(module);
  DefineTraining(module);
  DefinePictures(module);
  RefuseUnmade(module);
}

}  // namespace skinmask::python
