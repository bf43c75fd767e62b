#include "skinmask/base/problem.h"

#include <utility>

#include "skinmask/base/error.h"

namespace skinmask {

Problem::Problem(std::string name, std::string_view what)
    : input(std::move(name)), line(Error(input, what).what()) {}

Problem::Problem(std::string name, const std::exception& error)
    : input(std::move(name)),
      line(dynamic_cast<const Error*>(&error) ? error.what() : Error(input, error.what()).what()) {}

std::string Problem::Reason() const {
  const std::string subject = Error(input, "").what();
  return line.starts_with(subject) ? line.substr(subject.size()) : line;
}

}  // namespace skinmask
