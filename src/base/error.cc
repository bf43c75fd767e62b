#include "skinmask/base/error.h"

#include <new>
#include <utility>

#include "base/printable.h"
#include "base/stream.h"
#include "skinmask/base/problem.h"

namespace skinmask {

namespace {

// The texts of the C++ library and of OpenCV for this case are of no use to users.
std::string_view WhatOf(const std::exception& error) {
  const std::string_view what = error.what();
  const bool memory =
      dynamic_cast<const std::bad_alloc*>(&error) ||
      (what.starts_with("OpenCV(") && what.find("Insufficient memory") != what.npos);
  return memory ? "needs more memory than there is" : what;
}

}  // namespace

Error::Error(std::string_view subject, std::string_view problem)
    : std::runtime_error(Printable(subject, 600) + ": " + Printable(problem, 1000)) {}

Problem::Problem(std::string name, std::string_view what)
    : input(std::move(name)), line(Error(input, what).what()) {}

Problem::Problem(std::string name, const std::exception& error)
    : input(std::move(name)), tolerable(!dynamic_cast<const WriteError*>(&error)) {
  const std::string_view what = WhatOf(error);
  // An Error about an option does not name the input that the option does not fit, so the input is
  // added.
  const bool of_other = dynamic_cast<const Error*>(&error) && !what.starts_with('`');
  line = of_other ? std::string(what) : Error(input, what).what();
}

std::string Problem::Reason() const {
  const std::string subject = Error(input, "").what();
  return line.starts_with(subject) ? line.substr(subject.size()) : line;
}

}  // namespace skinmask
