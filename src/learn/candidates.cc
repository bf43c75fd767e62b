// The names of compared models: from their parts to options, and back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "base/parse.h"
#include "skinmask/base/error.h"
#include "skinmask/learn/compare.h"

namespace skinmask {
namespace {

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// The channel lists of a space that a choice stands for; none where the space lacks a channel.
std::vector<std::vector<std::string>> ChannelLists(const std::string& space,
                                                   const std::string& choice) {
  const std::vector<std::string> all = Features(space, {}).channel_names();
  if (choice == "all") return {all};
  std::vector<std::vector<std::string>> lists;
  if (choice == "subsets") {
    for (unsigned bits = (1u << all.size()) - 1; bits > 0; --bits) {
      lists.emplace_back();
      for (std::size_t i = 0; i < all.size(); ++i)
        if (bits >> i & 1) lists.back().push_back(all[i]);
    }
    return lists;
  }
  try {
    lists.push_back(Features(space, Split(choice)).channel_names());
  } catch (const Error&) {  // another space may have them
  }
  return lists;
}

int NumberOf(std::string_view setting, std::string_view name) {
  const std::optional<int> value = ParseNumber<int>(setting);
  if (!value)
    throw Error(fmt::format("model kind '{}'", name),
                fmt::format("needs a number, not '{}'", setting));
  return *value;
}

// "mixture:2", "histogram:16", "histogram-nb:64", "logistic:linear", or a kind alone.
void SetKind(std::string_view name, FitOptions& options) {
  const std::size_t colon = name.find(':');
  options.kind = KindFromName(name.substr(0, colon));
  if (colon == name.npos) return;
  const std::string_view setting = name.substr(colon + 1);
  if (options.kind == Kind::kMixture) {
    options.mixture.components = NumberOf(setting, name);
  } else if (IsHistogram(options.kind)) {
    options.histogram.bins = NumberOf(setting, name);
  } else if (options.kind == Kind::kLogistic) {
    options.logistic.terms = TermsFromName(setting);
  } else {
    throw Error(fmt::format("model kind '{}'", name), "takes no setting");
  }
}

// The kind with its setting, as SetKind takes it.
std::string KindAndSetting(const FitOptions& options) {
  const std::string name(KindName(options.kind));
  if (options.kind == Kind::kMixture) return fmt::format("{}:{}", name, options.mixture.components);
  if (IsHistogram(options.kind)) return fmt::format("{}:{}", name, options.histogram.bins);
  if (options.kind != Kind::kLogistic) return name;
  return fmt::format("{}:{}", name, TermsName(options.logistic.terms));
}

}  // namespace

std::vector<FitOptions> Candidates(const CandidateNames& names) {
  std::vector<FitOptions> candidates;
  std::set<std::string> seen;
  std::vector<bool> used(names.channels.size());
  const auto add = [&](const std::string& kind, const std::string& space,
                       const std::vector<std::string>& channels) {
    FitOptions options = names.base;
    SetKind(kind, options);
    options.features = Features(space, channels);
    const bool shrinks = (kind == "qda" || kind == "lda") && !names.shrinkages.empty();
    for (const Shrinkage& shrinkage : shrinks ? names.shrinkages : std::vector<Shrinkage>(1)) {
      options.shrinkage = shrinkage;
      if (seen.insert(CandidateName(options)).second) candidates.push_back(options);
    }
  };
  for (const std::string& kind : names.kinds)
    for (const std::string& space : names.spaces)
      for (std::size_t i = 0; i < names.channels.size(); ++i)
        for (const auto& channels : ChannelLists(space, names.channels[i])) {
          used[i] = true;
          add(kind, space, channels);
        }
  for (std::size_t i = 0; i < used.size(); ++i)
    if (!used[i])
      throw Error(fmt::format("channels '{}'", names.channels[i]),
                  fmt::format("are in none of the spaces (all, subsets, or of {})",
                              fmt::join(names.spaces, " ")));
  return candidates;
}

std::string CandidateName(const FitOptions& options) {
  std::string name = fmt::format("{} {}", KindAndSetting(options), options.features.space().name);
  if (options.features.size() < options.features.space().dimension)
    name += fmt::format(":{}", fmt::join(options.features.channel_names(), ","));
  const std::optional<double>& s = options.shrinkage.s;
  if (!s) name += " shrinkage auto";
  if (s && *s > 0) name += fmt::format(" shrinkage {}", *s);
  return name;
}

}  // namespace skinmask
