// The parts of the module, each in a file of its own.
#pragma once

#include <pybind11/pybind11.h>
#include <tbb/concurrent_vector.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "skinmask/base/lazy.h"
#include "skinmask/base/options.h"
#include "skinmask/detect/judgement.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/reference.h"
#include "skinmask/pipeline/run.h"

namespace skinmask::python {

namespace py = pybind11;

// Releases the GIL. If the interpreter ends in the meantime, CPython before 3.14 ends a daemon
// thread that acquires the GIL again, by unwinding its stack. In a destructor that would end the
// process, and objects along the way would be destroyed without the GIL. So the thread waits here
// until the process ends, as CPython does from 3.14 on.
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

template <class Act>
auto CallWithoutGil(const Act& act) {
  const WithoutGil unlocked;
  return act();
}

// Presents a class of the module as one of the package, as users see it; `text` makes its repr.
template <class Class, class Text>
void Show(Class& type, const Text& text) {
  type.attr("__module__") = "skinmask";
  type.def("__repr__", text);
}

// A model, with its evaluators for single pixels, which are made when they are first needed.
class ModelObject {
 public:
  explicit ModelObject(Model model) : model_(std::move(model)) {}

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
using ModelPtr = std::shared_ptr<ModelObject>;

// Writes a text to a file, which must not be called as an image, a video or an archive is.
void SaveText(const std::filesystem::path& path, const std::string& text, bool overwrite);
// A message of the library with Python's keywords as names of options.
std::string InPython(const std::string& line);
// Sets an option to the text of a keyword's value; "on" stands for True.
template <class Options>
void SetByKeyword(const OptionTable<Options>& table, Options& options, const std::string& name,
                  const std::string& text) {
  const OptionRow& row = FindOption(table.rows(), name);
  const bool is_true = row.kind == OptionRow::Kind::kSwitch && text == "on";
  SetOption(row, &options, is_true ? row.words[1] : text);
}

// A judgement whose parts are made when they are first used, by any thread.
class Judged {
 public:
  // `owner` keeps alive what the judgement needs.
  Judged(std::shared_ptr<const void> owner, Judgement judgement)
      : owner_(std::move(owner)), judgement_(std::move(judgement)) {}

  // Calls act(judgement), for one thread at a time.
  template <class Act>
  auto With(const Act& act) {
    const std::lock_guard lock(mutex_);
    return act(judgement_);
  }

 private:
  std::shared_ptr<const void> owner_;
  std::mutex mutex_;
  Judgement judgement_;
};

// One frame of a video.
class Frame : public Judged {
 public:
  Frame(std::shared_ptr<const void> owner, Judgement judgement, std::int64_t place, double time)
      : Judged(std::move(owner), std::move(judgement)), index(place), seconds(time) {}

  const std::int64_t index;
  const double seconds;
};

// Ends a run from another thread, and keeps its warnings until it has ended.
struct Stop {
  std::atomic<bool> set = false;
  tbb::concurrent_vector<std::string> warnings;
};

void DefineRuns(py::module_& module);  // first: the others' arguments name its classes
void DefineTraining(py::module_& module);
void DefineModel(py::module_& module);
void DefineJudged(py::module_& module);
void DefinePictures(py::module_& module);

// A run that calls `progress` (a function of done and total, or None), and `problem`, if there is
// one, for each message; `stop` ends it. All three must outlive the run. For code that does not
// hold the GIL.
Run RunOf(Stop& stop, const py::object& progress, const py::object& problem = {});

}  // namespace skinmask::python
