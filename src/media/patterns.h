// These are shell patterns of names and paths, as ListOptions has them (skinmask/media/inputs.h).
#pragma once

#include <string>
#include <vector>

namespace skinmask {

class Patterns {
 public:
  explicit Patterns(std::vector<std::string> patterns);
  bool empty() const { return patterns_.empty(); }
  // Whether one of them is that of a path below a folder, or of its name.
  bool Match(const std::string& relative) const;

 private:
  std::vector<std::string> patterns_;
};

}  // namespace skinmask
