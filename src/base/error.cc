#include "skinmask/base/error.h"

#include <utility>

#include "base/printable.h"
#include "skinmask/base/problem.h"

namespace skinmask {

Error::Error(std::string_view subject, std::string_view problem)
    : std::runtime_error(Printable(subject, 600) + ": " + Printable(problem, 1000)) {}

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
