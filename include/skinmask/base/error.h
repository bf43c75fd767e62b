// Error is the only exception class for failures that come from outside the program.
#pragma once

#include <stdexcept>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

// Thrown for everything that comes from outside: files, numbers, options, folders. The text is one
// line of the form 'subject: what is wrong (what would be right)'. Arithmetic on pixels never
// throws.
class Error : public std::runtime_error {
 public:
  // `subject` names the thing (a path, an option, a class); `problem` says what is wrong with it.
  // Both may contain untrusted text: line breaks become spaces, other control characters become
  // '?', and a long text loses its middle.
  Error(std::string_view subject, std::string_view problem);
};

// Thrown when StopWaitsBy (base/file.h) ends a wait for the other end of a pipe, or a long
// computation.
class WaitStopped : public Error {
 public:
  using Error::Error;
};

}  // namespace skinmask
