// A function of which there is one for each CPU target, and the call of the one that runs: what
// Highway has as HWY_EXPORT and HWY_DYNAMIC_DISPATCH. These ask for its shared library, which
// measures the CPU's clock when it is loaded: four milliseconds, a third of the time in which the
// program starts.
#pragma once

#include "hwy/highway.h"

namespace [[gnu::visibility("default")]] skinmask {

// Of the target that runs: GetIndex() is its place in the tables below.
hwy::ChosenTarget& ChosenCpuTarget();

}  // namespace skinmask

#if HWY_IDE || ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0)  // one target alone
#define SKINMASK_EXPORT(function) static_assert(true)
#define SKINMASK_DISPATCH(function) HWY_STATIC_DISPATCH(function)
#else
#define SKINMASK_EXPORT(function)                                                    \
  static constexpr decltype(&HWY_STATIC_DISPATCH(function)) function##ByTarget[] = { \
      nullptr, HWY_CHOOSE_TARGET_LIST(function), HWY_CHOOSE_FALLBACK(function)}
#define SKINMASK_DISPATCH(function) (*function##ByTarget[ChosenCpuTarget().GetIndex()])
#endif
