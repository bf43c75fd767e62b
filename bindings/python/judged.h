// A picture and its judgement.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "skinmask/detect/judgement.h"

namespace skinmask::python {

namespace py = pybind11;

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

void DefineJudged(py::module_& module);

}  // namespace skinmask::python
