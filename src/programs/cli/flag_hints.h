// The library speaks of options and values, since a program of its users has other flags than this
// one. Here its lines get the flags of this one.
#pragma once

#include <string>

namespace skinmask::cli {

// The line with the flags that it speaks of; as it is, where it speaks of none.
std::string WithFlags(std::string line);

}  // namespace skinmask::cli
