// The keys of the window, what they do, and how the help names them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skinmask::live {

class Controls;

struct Key {
  char key;
  std::string_view name;  // "space"
  std::string_view help;  // empty: another name of the key before
  // Null: the window does it itself.
  void (*act)(Controls& controls);
};

std::span<const Key> Keys();
// Throws std::logic_error where there is none.
const Key& KeyOf(char key);
// "record the view, and end it (r)": for tooltips.
std::string TipOf(char key);

}  // namespace skinmask::live
