// The pixel arithmetic is compiled for several CPU targets (sets of instructions), of which one
// runs. All give the same bits; the best that the CPU has runs unless the environment variable
// SKINMASK_TARGET names another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// Names, best first: AVX3 (AVX-512) AVX2 SSE4 SSSE3 SCALAR on x86, NEON SCALAR on Arm.
std::vector<std::string> CompiledTargets();
// Those that this CPU can run.
std::vector<std::string> UsableTargets();
// The one that runs.
std::string ActiveTarget();

// From now on the named target runs (upper and lower case alike; empty: the best). Not while
// another thread computes. Throws Error(subject, ...) that lists the usable ones.
void UseTarget(std::string_view name, std::string_view subject = "CPU target");
// The first call obeys SKINMASK_TARGET; every compiled model makes it. Throws as UseTarget.
void ObeyTargetVariable();

}  // namespace skinmask
