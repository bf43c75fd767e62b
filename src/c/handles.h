// What the handles of C are, and what stands between exceptions and what C returns.
#pragma once

#include <skinmask.h>

#include <functional>
#include <opencv2/core.hpp>
#include <string_view>

#include "skinmask/base/error.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/measure.h"
#include "skinmask/model/model.h"

struct skinmask_model {
  skinmask::Model model;
};

struct skinmask_detector {
  skinmask::Detector detector;
};

struct skinmask_measurement {
  skinmask::Measurement measurement;
};

struct skinmask_image {
  cv::Mat bgr;  // CV_8UC3
};

namespace skinmask::c {

// What a caller got wrong, where others' files are an Error.
class BadArgument : public Error {
 public:
  using Error::Error;
};

// Throws BadArgument where `pointer` is null.
void RequireGiven(const void* pointer, std::string_view name);

// Does `work`; whatever it throws becomes a status, and the text of skinmask_error.
skinmask_status Guarded(const std::function<void()>& work) noexcept;

// The same for what makes a handle: null where it throws.
template <class Make>
auto GuardedHandle(const Make& make) noexcept -> decltype(make()) {
  decltype(make()) handle = nullptr;
  Guarded([&] { handle = make(); });
  return handle;
}

}  // namespace skinmask::c
