// Many short texts in one piece of memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skinmask {

class TextList {
 public:
  void Add(std::string_view text) {
    texts_ += text;
    ends_.push_back(texts_.size());
  }
  std::size_t size() const { return ends_.size(); }
  // Until the next Add.
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(texts_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string texts_;
  std::vector<std::size_t> ends_;
};

}  // namespace skinmask
