// Compiles a function once for each CPU target and calls the version of the active target, as
// Highway's HWY_EXPORT and HWY_DYNAMIC_DISPATCH do. Those macros need Highway's shared library,
// which measures the CPU's clock when it is loaded: four milliseconds, a third of the program's
// start time.
#pragma once

#include "hwy/highway.h"

namespace [[gnu::visibility("default")]] skinmask {

// The active target: GetIndex() is its index in the table below.
hwy::ChosenTarget& ChosenCpuTarget();

}  // namespace skinmask

#if HWY_IDE || ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0)  // only one target is compiled
#define SKINMASK_DISPATCH(function) HWY_STATIC_DISPATCH(function)
#else
#define SKINMASK_DISPATCH(function)                                                \
  (*[] {                                                                           \
    static constexpr decltype(&HWY_STATIC_DISPATCH(function)) by_target[] = {      \
        nullptr, HWY_CHOOSE_TARGET_LIST(function), HWY_CHOOSE_FALLBACK(function)}; \
    return by_target[ChosenCpuTarget().GetIndex()];                                \
  }())
#endif
