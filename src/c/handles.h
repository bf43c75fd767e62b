// What the handles of C are, and what stands between exceptions and what C returns.
#pragma once

#include <skinmask.h>

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

struct skinmask_stream {
  skinmask::Stream stream;
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

// The status and the text of skinmask_error that the exception being handled becomes.
skinmask_status Caught() noexcept;

// Does `work`; whatever it throws becomes a status.
template <class Work>
skinmask_status Guarded(const Work& work) noexcept {
  try {
    work();
    return SKINMASK_OK;
  } catch (...) {
    return Caught();
  }
}

// The same for what makes a handle: null where it throws.
template <class Make>
auto GuardedHandle(const Make& make) noexcept -> decltype(make()) {
  decltype(make()) handle = nullptr;
  Guarded([&] { handle = make(); });
  return handle;
}

}  // namespace skinmask::c
