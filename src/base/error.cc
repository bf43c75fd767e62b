#include "skinmask/base/error.h"

#include <algorithm>

namespace skinmask {
namespace {

std::string OneLine(std::string_view subject, std::string_view problem) {
  std::string line = std::string(subject) + ": " + std::string(problem);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

}  // namespace

Error::Error(std::string_view subject, std::string_view problem)
    : std::runtime_error(OneLine(subject, problem)) {}

}  // namespace skinmask
