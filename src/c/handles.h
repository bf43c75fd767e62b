// The handles of the C interface, and the conversion of exceptions to its status.
#pragma once

#include <fmt/format.h>
#include <skinmask.h>

#include <cstddef>
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
  skinmask::Detector core;
};

struct skinmask_stream {
  skinmask::Stream core;
};

struct skinmask_measurement {
  skinmask::Measurement measurement;
};

struct skinmask_image {
  cv::Mat bgr;  // CV_8UC3
};

namespace skinmask::c {

// A mistake of the caller; problems with files are an Error.
class BadArgument : public Error {
 public:
  using Error::Error;
};

// Throws BadArgument if `pointer` is null.
void RequireGiven(const void* pointer, std::string_view name);

// The library's value for a number of one of the enumerations `type` of skinmask.h, which have the
// same numbers, from 0. Throws BadArgument for any other number.
template <class Value>
Value ValueOf(int number, std::size_t count, std::string_view name, std::string_view type) {
  if (number < 0 || static_cast<std::size_t>(number) >= count)
    throw BadArgument(name, fmt::format("is {} (a {})", number, type));
  return static_cast<Value>(number);
}

// Sets the text of skinmask_error from the exception being handled, and returns its status.
skinmask_status Caught() noexcept;

// Calls `work`; an exception becomes a status.
template <class Work>
skinmask_status Guarded(const Work& work) noexcept {
  try {
    work();
    return SKINMASK_OK;
  } catch (...) {
    return Caught();
  }
}

// The same for a function that makes a handle; null after an exception.
template <class Make>
auto GuardedHandle(const Make& make) noexcept -> decltype(make()) {
  decltype(make()) handle = nullptr;
  Guarded([&] { handle = make(); });
  return handle;
}

}  // namespace skinmask::c
