// Draws labelled pixels from Gaussians with known parameters, so that estimates can be compared
// with the truth.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "skinmask/data/samples.h"
#include "skinmask/model/model.h"

namespace [[gnu::visibility("default")]] skinmask {

struct Simulation {
  // The most that are drawn, in half a minute.
  static constexpr std::uint64_t kMaxObservations = 10'000'000;

  // Bayes' classifier: the priors and Gaussians that pixels are drawn from, in channels of BGR; of
  // kind qda, or mixture if a class has several Gaussians.
  Model truth;
  std::uint64_t observations = 0;
  std::uint64_t seed = 1;
  std::string subject = "simulation";  // names the file in errors
};

// Throws Error(subject, where and why) for anything that is not as docs/formats.md, 'Simulation
// (JSON)', says.
Simulation SimulationFromJson(std::string_view json, std::string_view subject);
Simulation ReadSimulation(const std::filesystem::path& path);

// Each observation's class is drawn by the priors, its Gaussian by the weights, and its channels
// from that Gaussian, rounded to bytes; a colour beyond 0..255 is drawn again. Channels that are
// not named are 128. The same table on every CPU. Throws Error if the truth is not as above, or if
// hardly any colour of a Gaussian is within 0..255. Adds to `redrawn` how many were drawn again:
// the class-conditionals of the table are Gaussians that end at 0 and 255, and `truth` is Bayes'
// classifier of whole ones. Cost: 0.5 us an observation.
Samples Simulate(const Simulation& simulation, std::uint64_t* redrawn = nullptr);

}  // namespace skinmask
