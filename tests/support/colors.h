// Models to compile, and all colours to compile them on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "skinmask/base/cpu.h"
#include "skinmask/learn/fit.h"
#include "support/world.h"

namespace skinmask::testing {

inline Model Trained(Kind kind, const char* space, std::size_t classes = 2,
                     std::vector<std::string> channels = {}) {
  FitOptions options;
  options.kind = kind;
  options.features = Features(space, channels);
  Model model = Fit(DrawSamples(classes), options);
  model.decision.threshold = 0.3;
  return model;
}

// A small model of every kind, of few enough bins and components to be quick.
inline Model TrainedOfKind(Kind kind, const char* space = "BGR",
                           std::vector<std::string> channels = {}) {
  FitOptions options;
  options.kind = kind;
  options.features = Features(space, channels);
  options.mixture.components = 3;
  options.histogram = {16, 0.5};
  Model model = Fit(DrawSamples(2), options);
  model.decision.threshold = 0.3;
  return model;
}

// The same with other classes beside its last one, of other means, until there are so many.
inline Model WithClasses(Model model, std::size_t classes) {
  while (model.classes.size() < classes) {
    ClassModel more = model.classes.back();
    more.name = "class " + std::to_string(model.classes.size());
    if (more.mean.size() > 0) more.mean(0) += static_cast<double>(model.classes.size());
    model.classes.push_back(more);
  }
  for (ClassModel& c : model.classes) c.prior = 1 / static_cast<double>(classes);
  return model;
}

inline std::vector<Kind> AllKinds() {
  std::vector<Kind> kinds;
  for (std::string_view name : KindNames()) kinds.push_back(KindFromName(name));
  return kinds;
}

constexpr std::size_t kColorsPerRow = 65536;

// The 2^24 colours as 256 rows of one red (or third byte) each: call(bgr) for each row, or for each
// `every`-th, a divisor of 255.
template <class Call>
void ForEveryColor(const Call& call, std::size_t every = 1) {
  std::vector<std::uint8_t> bgr(3 * kColorsPerRow);
  for (std::size_t r = 0; r < 256; r += every) {
    for (std::size_t i = 0; i < kColorsPerRow; ++i) {
      bgr[3 * i] = static_cast<std::uint8_t>(i);
      bgr[3 * i + 1] = static_cast<std::uint8_t>(i >> 8);
      bgr[3 * i + 2] = static_cast<std::uint8_t>(r);
    }
    call(bgr.data());
  }
}

// Runs the named CPU target for as long as it lives.
class ForcedTarget {
 public:
  explicit ForcedTarget(const std::string& name) : before_(ActiveTarget()) { UseTarget(name); }
  ~ForcedTarget() { UseTarget(before_); }
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;

 private:
  std::string before_;
};

}  // namespace skinmask::testing
