#include "media/names.h"

#include <fnmatch.h>

namespace skinmask {

Patterns::Patterns(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {
  for (std::string& pattern : patterns_) {
    if (pattern.ends_with('/')) pattern.pop_back();  // as shells complete folders
    if (pattern.starts_with("./")) pattern.erase(0, 2);
  }
}

bool Patterns::Match(const std::string& relative) const {
  return std::ranges::any_of(patterns_, [&](const std::string& pattern) {
    const bool of_name = pattern.find('/') == pattern.npos;
    return fnmatch(pattern.c_str(), of_name ? NameOf(relative).data() : relative.c_str(), 0) == 0;
  });
}

}  // namespace skinmask
