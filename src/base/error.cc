#include "skinmask/base/error.h"

#include "base/printable.h"

namespace skinmask {

Error::Error(std::string_view subject, std::string_view problem)
    : std::runtime_error(Printable(subject, 600) + ": " + Printable(problem, 1000)) {}

}  // namespace skinmask
