// How a model file names itself.
#pragma once

#include <cstdint>
#include <string_view>

namespace skinmask {

constexpr std::string_view kModelFormat = "skinmask-model";
constexpr std::uint64_t kModelVersion = 1;

}  // namespace skinmask
