// The one exception that the outside world can cause.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace skinmask {

// Thrown for everything that comes from outside: files, numbers, options, folders. The text is one
// line of the form 'subject: what is wrong (what would be right)'. Arithmetic on pixels never
// throws.
class Error : public std::runtime_error {
 public:
  // `subject` names the thing (a path, an option, a class); `problem` says what is wrong with it.
  // Line breaks in either become spaces, so that the message stays one line.
  Error(std::string_view subject, std::string_view problem);
};

}  // namespace skinmask
