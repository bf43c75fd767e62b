// The pixel arithmetic is compiled for several CPU targets (instruction sets). One of them is
// active at a time, and all give the same bits. By default the best target that the CPU supports is
// active; the environment variable SKINMASK_TARGET can name another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// Names, best first: AVX3 (AVX-512) AVX2 SSE4 SSSE3 SCALAR on x86, NEON SCALAR on Arm.
std::vector<std::string> CompiledTargets();
// The compiled targets that this CPU supports, best first.
std::vector<std::string> UsableTargets();
// The name of the active target.
std::string ActiveTarget();

// Makes the named target active (case is ignored; an empty name means the best target). Must not be
// called while another thread computes. Throws Error(subject, ...), which lists the usable targets.
void UseTarget(std::string_view name, std::string_view subject = "CPU target");
// The first call activates the target that SKINMASK_TARGET names; later calls do nothing. Every
// compiled model calls this function. Throws as UseTarget does.
void ObeyTargetVariable();

}  // namespace skinmask
