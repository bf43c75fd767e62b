// Error is the one exception that the outside world can cause.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

// Thrown for everything that comes from outside: files, numbers, options, folders. The text is one
// line of the form 'subject: what is wrong (what would be right)'. Arithmetic on pixels never
// throws.
class Error : public std::runtime_error {
 public:
  // `subject` names the thing (a path, an option, a class); `problem` says what is wrong with it.
  // Both may quote what strangers wrote: line breaks become spaces, all else that a terminal would
  // obey becomes '?', and what is longer than a screen can show is cut in its middle.
  Error(std::string_view subject, std::string_view problem);
};

// A wait for a pipe, for whoever writes into it or reads from it, that was ended by
// StopWaitsBy (base/file.h).
class WaitStopped : public Error {
 public:
  using Error::Error;
};

}  // namespace skinmask
