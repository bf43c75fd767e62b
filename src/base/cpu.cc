#include "skinmask/base/cpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "base/dispatch.h"
#include "base/parse.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

std::vector<std::int64_t> Targets(std::int64_t set) {
  std::vector<std::int64_t> targets;
  for (set &= HWY_TARGETS; set != 0; set &= set - 1) targets.push_back(set & -set);
  return targets;
}

// The targets that the CPU supports, beyond the static target (that of the compiler's own options),
// which runs wherever the program runs. The conditions are the features that Highway lets the
// compiler use for each target (hwy/ops/set_macros-inl.h). F16C needs no test because every CPU
// with FMA has it.
std::int64_t Supported() {
#if HWY_ARCH_X86
  const bool ssse3 = __builtin_cpu_supports("ssse3");
  const bool sse4 = ssse3 && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
                    __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("aes");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  return (avx3 ? HWY_AVX3 : 0) | (avx2 ? HWY_AVX2 : 0) | (sse4 ? HWY_SSE4 : 0) |
         (ssse3 ? HWY_SSSE3 : 0);
#else
  return 0;
#endif
}

// Best first.
std::vector<std::int64_t> Usable() {
  return Targets(Supported() | HWY_STATIC_TARGET | HWY_SCALAR | HWY_EMU128);
}

std::vector<std::string> Names(const std::vector<std::int64_t>& targets) {
  std::vector<std::string> names;
  for (std::int64_t target : targets) names.emplace_back(hwy::TargetName(target));
  return names;
}

std::int64_t& Active() {
  static std::int64_t active = Usable().front();
  return active;
}

struct Chosen {
  hwy::ChosenTarget target;
  Chosen() { target.Update(Active()); }
};

}  // namespace

hwy::ChosenTarget& ChosenCpuTarget() {
  static Chosen chosen;
  return chosen.target;
}

std::vector<std::string> CompiledTargets() { return Names(Targets(HWY_TARGETS)); }

std::vector<std::string> UsableTargets() { return Names(Usable()); }

std::string ActiveTarget() { return hwy::TargetName(Active()); }

void UseTarget(std::string_view name, std::string_view subject) {
  const std::vector<std::int64_t> usable = Usable();
  const auto found = std::ranges::find_if(usable, [&](std::int64_t target) {
    return name.empty() || SameName(name, hwy::TargetName(target));
  });
  if (found == usable.end())
    throw Error(subject, fmt::format("no CPU target '{}' here (usable: {})", name,
                                     fmt::join(UsableTargets(), " ")));
  Active() = *found;
  ChosenCpuTarget().Update(*found);
}

void ObeyTargetVariable() {
  // A static whose initialisation throws is tried again by the next call.
  [[maybe_unused]] static const bool obeyed = [] {
    const char* name = std::getenv("SKINMASK_TARGET");
    if (name != nullptr && *name != '\0') UseTarget(name, "SKINMASK_TARGET");
    return true;
  }();
}

}  // namespace skinmask
