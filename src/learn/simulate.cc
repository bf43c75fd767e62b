#include "skinmask/learn/simulate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/distributions.h"
#include "base/json.h"
#include "model/gaussian_json.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask {
namespace {

// Refuses unknown names, because a misspelt name would leave a default in its place. `has` follows
// the node's name in the message.
void RequireKnown(const JsonNode& node, const std::string& has,
                  const std::vector<std::string>& known) {
  for (const auto& [name, value] : node.Object().items())
    if (std::ranges::find(known, name) == known.end())
      node.Fail(fmt::format("{} '{}', which is none of {}", has, name, fmt::join(known, ", ")));
}

ClassModel ReadSimulated(const JsonNode& node, int size) {
  RequireKnown(node, " has", {"class", "prior", "mean", "covariance", "components"});
  if (node.Has("components"))
    for (const JsonNode& item : node["components"].Items())
      RequireKnown(item, " has", {"weight", "mean", "covariance"});
  ClassModel c;
  c.name = node["class"].Text();
  c.prior = node["prior"].Real();
  if (!node.Has("components"))
    c.components = {{1, VectorOf(node["mean"], size), MatrixOf(node["covariance"], size)}};
  else if (node.Has("mean") || node.Has("covariance"))
    node.Fail(" has components and a mean or covariance beside them (one of both)");
  else
    c.components = ComponentsOf(node["components"], size);
  return c;
}

// Puts skin first, which is the positive class; without it, the first class is.
void PutSkinFirst(std::vector<ClassModel>& classes) {
  const auto skin = std::ranges::find(classes, "skin", &ClassModel::name);
  if (skin != classes.end()) std::rotate(classes.begin(), skin, skin + 1);
}

// If no class has several components, each gets the mean and covariance of a kind with one
// Gaussian.
void Simplify(Model& truth) {
  const bool single = std::ranges::all_of(
      truth.classes, [](const ClassModel& c) { return c.components.size() == 1; });
  truth.kind = single ? Kind::kQda : Kind::kMixture;
  for (ClassModel& c : truth.classes) {
    if (!single) continue;
    c.mean = c.components[0].mean;
    c.covariance = c.components[0].covariance;
    c.components.clear();
  }
}

struct Source {
  Gaussian gaussian;
  std::array<std::array<double, 3>, 3> factor{};  // L of L L' = covariance, by Cholesky
  std::string class_name;
  std::uint16_t class_index = 0;
  double below = 0;  // the share of all observations that come from this source or one before it
};

// Not Eigen's decomposition, which may fuse products and sums, depending on the CPU.
std::array<std::array<double, 3>, 3> FactorOf(const FeatureMatrix& covariance) {
  std::array<std::array<double, 3>, 3> factor{};
  const auto size = static_cast<std::size_t>(covariance.rows());
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = covariance(static_cast<int>(i), static_cast<int>(j));
      for (std::size_t k = 0; k < j; ++k) rest -= factor[i][k] * factor[j][k];
      factor[i][j] = i == j ? std::sqrt(std::max(rest, 0.)) : rest / factor[j][j];
    }
  return factor;
}

std::vector<Source> SourcesOf(const Model& truth, SampleCounter& counter) {
  std::vector<Source> sources;
  double sum = 0;
  for (const ClassModel& c : truth.classes)
    for (const Gaussian& gaussian : c.gaussians()) {
      sum += c.prior * gaussian.weight;
      sources.push_back(
          {gaussian, FactorOf(gaussian.covariance), c.name, counter.ClassIndex(c.name), sum});
    }
  sources.back().below = 2;  // in spite of rounding
  return sources;
}

// False if the colour is beyond bytes.
bool Draw(const Source& source, const std::vector<int>& channels, Random& random,
          std::array<std::uint8_t, 3>& bgr) {
  std::array<double, 3> normal{};
  for (std::size_t i = 0; i < channels.size(); ++i) normal[i] = random.Normal();
  bool within = true;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    double value = source.gaussian.mean(static_cast<int>(i));
    for (std::size_t k = 0; k <= i; ++k) value += source.factor[i][k] * normal[k];
    const double rounded = std::floor(value + 0.5);
    within &= rounded >= 0 && rounded <= 255;
    bgr[static_cast<std::size_t>(channels[i])] =
        static_cast<std::uint8_t>(std::clamp(rounded, 0., 255.));
  }
  return within;
}

}  // namespace

Simulation SimulationFromJson(std::string_view json, std::string_view subject) {
  constexpr std::size_t kMax = 100'000;
  const Json parsed = ParseObject(json, subject, "a simulation", kMax);
  const JsonNode root(parsed, std::string(subject), "");
  RequireKnown(root, "has", {"observations", "seed", "channels", "classes"});
  Simulation simulation;
  simulation.subject = subject;
  simulation.observations = root["observations"].Count();
  if (simulation.observations < 1 || simulation.observations > Simulation::kMaxObservations)
    root["observations"].Fail(fmt::format(" {} is out of range (1 to {})", simulation.observations,
                                          Simulation::kMaxObservations));
  if (root.Has("seed")) simulation.seed = root["seed"].Count();
  Model& truth = simulation.truth;
  if (root.Has("channels")) {
    std::vector<std::string> channels;
    for (const JsonNode& name : root["channels"].Items()) channels.push_back(name.Text());
    truth.features = Named(root["channels"], [&] { return Features("BGR", channels); });
  }
  for (const JsonNode& item : root["classes"].Items())
    truth.classes.push_back(ReadSimulated(item, truth.features.size()));
  truth.kind = Kind::kMixture;
  Validate(truth, subject);
  for (const ClassModel& c : truth.classes)
    for (const Gaussian& gaussian : c.components)
      if (gaussian.mean.minCoeff() < 0 || gaussian.mean.maxCoeff() > 255)
        throw Error(subject,
                    fmt::format("class '{}': a mean is no colour (0 to 255 each)", c.name));
  Simplify(truth);
  PutSkinFirst(truth.classes);
  truth.card.notes.emplace_back("source", "parameters of a simulation, not estimated");
  return simulation;
}

Simulation ReadSimulation(const std::filesystem::path& path) {
  constexpr std::uint64_t kMaxBytes = 16 << 20;
  return SimulationFromJson(ReadFile(path, {.most = kMaxBytes}), path.string());
}

Samples Simulate(const Simulation& simulation, std::uint64_t* redrawn) {
  constexpr int kMaxTries = 1000;
  const Model& truth = simulation.truth;
  Validate(truth, simulation.subject);
  if (truth.kind != Kind::kQda && truth.kind != Kind::kMixture)
    throw Error(simulation.subject,
                "is of Gaussians, each with its own covariance (qda or mixture)");
  SampleCounter counter;
  const std::vector<Source> sources = SourcesOf(truth, counter);
  Random random(simulation.seed);
  for (std::uint64_t i = 0; i < simulation.observations; ++i) {
    const double share = random.Uniform();
    const auto source =
        std::ranges::find_if(sources, [&](const Source& s) { return share < s.below; });
    std::array<std::uint8_t, 3> bgr{128, 128, 128};
    int tries = 1;
    while (!Draw(*source, truth.features.channels(), random, bgr))
      if (++tries > kMaxTries)
        throw Error(
            simulation.subject,
            fmt::format("class '{}': has hardly a colour within 0 to 255 (none of {} drawn ones; "
                        "smaller covariances, means nearer to the middle)",
                        source->class_name, kMaxTries));
    if (redrawn) *redrawn += static_cast<std::uint64_t>(tries - 1);
    counter.Add(SampleRow{0, source->class_index, bgr[0], bgr[1], bgr[2], 1});
  }
  return std::move(counter).Finish();
}

}  // namespace skinmask
