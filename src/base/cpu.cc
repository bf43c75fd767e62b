#include "skinmask/base/cpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "base/parse.h"
#include "hwy/highway.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

std::vector<std::int64_t> Targets(std::int64_t set) {
  std::vector<std::int64_t> targets;
  for (set &= HWY_TARGETS; set != 0; set &= set - 1) targets.push_back(set & -set);
  return targets;
}

// The target that the compiler's own options ask for runs wherever the program does. Highway leaves
// out NEON on CPUs without AES, as of the Raspberry Pi 4, where it is the only one.
std::vector<std::int64_t> Usable() { return Targets(hwy::SupportedTargets() | HWY_STATIC_TARGET); }

std::vector<std::string> Names(const std::vector<std::int64_t>& targets) {
  std::vector<std::string> names;
  for (std::int64_t target : targets) names.emplace_back(hwy::TargetName(target));
  return names;
}

std::int64_t& Active() {
  static std::int64_t active = Usable().front();
  return active;
}

}  // namespace

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
  hwy::GetChosenTarget().Update(*found);
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
