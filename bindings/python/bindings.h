// The parts of the module, each in a file of its own.
#pragma once

#include <pybind11/pybind11.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "skinmask/base/lazy.h"
#include "skinmask/base/options.h"
#include "skinmask/detect/detector.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/reference.h"
#include "skinmask/pipeline/run.h"

namespace skinmask::python {

namespace py = pybind11;

// Leaves the GIL to other threads. Where the interpreter ends meanwhile, CPython before 3.14 ends a
// daemon thread that comes back for it, by unwinding its stack; the process would not survive that
// in a destructor, and objects along the way would be dropped without the GIL. So the thread stays
// here instead, as from 3.14 on, until the process is gone.
class WithoutGil {
 public:
  WithoutGil() : thread_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil() {
    try {
      PyEval_RestoreThread(thread_);
    } catch (...) {
      for (;;) pause();
    }
  }

 private:
  PyThreadState* thread_;
};
using Unlocked = py::call_guard<WithoutGil>;

// A class of the module as one of the package, which is what Python's users see of it; `text` makes
// the line that it is shown by.
template <class Class, class Text>
void Show(Class& type, const Text& text) {
  type.attr("__module__") = "skinmask";
  type.def("__repr__", text);
}

// A model, and what answers for single pixels, made when they are first asked for.
class KeptModel {
 public:
  explicit KeptModel(Model model) : model_(std::move(model)) {}

  const Model& model() const { return model_; }
  const Reference& reference() const {
    return reference_.Get([this] { return Reference(model_); });
  }
  const Posterior& posterior() const {
    return posterior_.Get([this] { return Posterior(model_, {.probability = false}); });
  }

 private:
  Model model_;
  Lazy<Reference> reference_;
  Lazy<Posterior> posterior_;
};

// A line of the library with the keywords that Python has for its options.
std::string InPython(const std::string& line);
// Sets an option to the text of a keyword's value, "on" being True.
template <class Options>
void SetByKeyword(const OptionTable<Options>& table, Options& options, const std::string& name,
                  const std::string& text) {
  const OptionRow& row = FindOption(table.rows(), name);
  const bool is_true = row.kind == OptionRow::Kind::kSwitch && text == "on";
  SetOption(row, &options, is_true ? row.words[1] : text);
}

// A detector, and what calls ask of it beside what it was made for. Safe from many threads.
class KeptDetector {
 public:
  using Interval = std::optional<std::pair<double, double>>;

  // `asked` are the options that a user gave, and the detector has what the environment adds.
  KeptDetector(Detector detector, DetectorOptions asked)
      : detector_(std::make_shared<const Detector>(std::move(detector))),
        asked_(std::move(asked)) {}

  const Detector& detector() const { return *detector_; }
  const DetectorOptions& asked() const { return asked_; }
  // The same that does not know what is in the interval, if there is one; the last few are kept.
  std::shared_ptr<const Detector> Abstaining(const Interval& interval) const;

 private:
  std::shared_ptr<const Detector> detector_;
  DetectorOptions asked_;
  mutable std::mutex mutex_;
  mutable std::deque<std::shared_ptr<const Detector>> abstaining_;
};

// Ends a run from another thread.
struct Stop {
  std::atomic<bool> set = false;
};

void DefineRuns(py::module_& module);  // first: the others' arguments name its classes
void DefineTraining(py::module_& module);
void DefineModel(py::module_& module);
void DefinePictures(py::module_& module);
void DefineShow(py::module_& module);

// Tells `progress`, a function of done and total or None, of a run that `stop` ends, and `problem`,
// if there is one, each line that it has for users; all outlive it. For code that does not hold the
// GIL.
Run RunOf(const Stop& stop, const py::object& progress, const py::object& problem = {});

}  // namespace skinmask::python
