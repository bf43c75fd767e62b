// The candidates of a comparison: the names of models, converted to options and back, the number of
// free parameters, and the folds of the data.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/distributions.h"
#include "base/parse.h"
#include "model/binning.h"
#include "skinmask/base/error.h"
#include "skinmask/learn/compare.h"
#include "skinmask/learn/folds.h"
#include "skinmask/model/mixture.h"

namespace skinmask {
namespace {

// The lists of a space's channels that a choice stands for; none if the space lacks a channel.
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
    lists.push_back(Features(space, Parts(choice, ',')).channel_names());
  } catch (const Error&) {  // another space may have them
  }
  return lists;
}

int NumberOf(std::string_view setting, std::string_view name, int least, int most) {
  const std::optional<int> value = ParseNumber<int>(setting);
  if (!value || *value < least || *value > most)
    throw Error(fmt::format("model kind '{}'", name),
                fmt::format("needs a number from {} to {}, not '{}'", least, most, setting));
  return *value;
}

// "mixture:2", "histogram:16", "histogram-nb:64", "logistic:linear", or a kind alone.
void SetKind(std::string_view name, FitOptions& options) {
  const std::size_t colon = name.find(':');
  options.kind = KindFromName(name.substr(0, colon));
  if (colon == name.npos) return;
  const std::string_view setting = name.substr(colon + 1);
  if (options.kind == Kind::kMixture) {
    options.mixture.components =
        NumberOf(setting, name, 1, static_cast<int>(CompiledMixture::kMaxComponents));
  } else if (IsHistogram(options.kind)) {
    options.histogram.bins = NumberOf(setting, name, 2, 256);
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

// The free parameters of all classes, without priors.
std::uint64_t OfDensities(const Model& model) {
  const auto p = static_cast<std::uint64_t>(model.features.size());
  const Binning binning(model.features, model.histogram.bins);
  const std::uint64_t classes = model.classes.size(), covariance = p * (p + 1) / 2;
  if (model.kind == Kind::kQda) return classes * (p + covariance);
  if (model.kind == Kind::kLda) return classes * p + covariance;
  if (model.kind == Kind::kGaussianNb) return classes * (p + p);
  if (model.kind == Kind::kHistogramNb) return classes * (binning.channel_bin_count() - p);
  if (model.kind == Kind::kHistogram) return classes * (binning.color_bin_count() - 1);
  std::uint64_t sum = 0;  // components have weights, too, which sum to 1
  for (const ClassModel& c : model.classes) sum += c.components.size() * (1 + p + covariance) - 1;
  return sum;
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

std::uint64_t FreeParameters(const Model& model) {
  model.positive();  // throws Error if there are no classes
  const std::uint64_t calibration = model.calibration.identity() ? 0 : 2;
  if (model.kind == Kind::kLogistic) {  // of all classes but one; the constants hold the priors
    std::vector<FeatureTerms> terms;
    for (const ClassModel& c : model.classes) terms.push_back(c.terms);
    if (terms.size() == 2) terms = {model.logistic};
    std::uint64_t each = 1 + static_cast<std::uint64_t>(model.features.size());
    for (std::size_t i = 0; i < terms[0].product.size(); ++i)
      each += std::ranges::any_of(terms, [i](const FeatureTerms& t) { return t.product[i] != 0; });
    return (model.classes.size() - 1) * each + calibration;
  }
  return OfDensities(model) + model.classes.size() - 1 + calibration;
}

std::uint32_t Folds::UnitOf(const SampleRow& row) const {
  return by_group_ ? row.group : static_cast<std::uint32_t>(row.b << 16 | row.g << 8 | row.r);
}

Folds::Folds(const Samples& samples, std::size_t count, std::uint64_t seed)
    : count_(count),
      by_group_(std::ranges::any_of(samples.rows(), [](const SampleRow& r) { return r.group; })) {
  for (const SampleRow& row : samples.rows())  // rows of a unit mostly stand together
    if (const std::uint32_t unit = UnitOf(row); units_.empty() || units_.back() != unit)
      units_.push_back(unit);
  std::ranges::sort(units_);
  units_.erase(std::unique(units_.begin(), units_.end()), units_.end());
  if (units_.empty()) throw Error("samples", "hold not one labelled pixel");
  if (units_.size() < 2)
    throw Error("samples", fmt::format("are of one {} (folds take two or more apart{})",
                                       by_group_ ? "group" : "colour",
                                       by_group_ ? "; `sample --ungrouped` tells none" : ""));
  if (count < 2 || count > units_.size())
    throw Error(fmt::format("{} folds", count),
                fmt::format("do not fit samples of {} {} (`folds` takes from 2 to as many)",
                            units_.size(), by_group_ ? "groups" : "colours"));
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < units_.size(); ++i) order.emplace_back(Mix(Mix(seed) + units_[i]), i);
  std::ranges::sort(order);
  folds_.resize(units_.size());
  for (std::size_t turn = 0; turn < order.size(); ++turn)
    folds_[order[turn].second] = static_cast<std::uint32_t>(turn % count);
}

std::size_t Folds::FoldOf(const SampleRow& row) const {
  const auto index = std::ranges::lower_bound(units_, UnitOf(row)) - units_.begin();
  return folds_[static_cast<std::size_t>(index)];
}

Samples Folds::Part(const Samples& samples, std::size_t fold, bool inside) const {
  std::vector<SampleRow> rows;
  std::uint32_t unit = 0;
  bool known = false, wanted = false;  // of the unit: its rows mostly stand together
  for (SampleRow row : samples.rows()) {
    if (!known || UnitOf(row) != unit) {
      unit = UnitOf(row);
      wanted = (FoldOf(row) == fold) == inside;
      known = true;
    }
    if (!wanted) continue;
    row.group = 0;
    rows.push_back(row);
  }
  return Samples(samples.classes(), std::move(rows));
}

}  // namespace skinmask
