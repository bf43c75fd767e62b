#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "programs/cli/print.h"
#include "programs/cli/sample_source.h"
#include "programs/cli/verb.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/learn/simulate.h"
#include "skinmask/media/inputs.h"

namespace skinmask::cli {
namespace {

struct SampleFlags {
  std::vector<std::string> samples;
  PairOptions pairs;
  std::string simulate, bayes;
  std::optional<std::uint64_t> observations, seed;
  std::string output;
  bool ungrouped = false;
};

void CheckFlags(const SampleFlags& options, const Context& context) {
  const bool drawn = !options.simulate.empty();
  if (drawn && !(options.samples.empty() && options.pairs.images.empty()))
    throw UsageError("--simulate is in the place of --images and --samples");
  if (!drawn && (!options.bayes.empty() || options.observations || options.seed))
    throw UsageError("--bayes, --observations and --seed are of --simulate");
  CheckSource(drawn ? std::vector{options.simulate} : options.samples, options.pairs, "--masks");
  RequireApart({{options.output, "-o"}, {options.bayes, "--bayes"}, {context.json, "--json"}});
}

Samples Simulated(const SampleFlags& options, const Context& context) {
  Simulation simulation = ReadSimulation(options.simulate);
  if (options.observations) simulation.observations = *options.observations;
  if (options.seed) simulation.seed = *options.seed;
  std::uint64_t redrawn = 0;
  Samples samples = Simulate(simulation, &redrawn);
  constexpr double kNoticed = 0.001;
  const auto drawn = static_cast<double>(redrawn + simulation.observations);
  const double share = static_cast<double>(redrawn) / drawn;
  if (share > kNoticed && !context.quiet)
    PrintLine(fmt::format(
        "warning: {}: {:.2g} % of what was drawn was outside of 0 to 255 and drawn again, so the "
        "table's Gaussians are not whole{} (smaller covariances, means nearer to the middle)",
        simulation.subject, 100 * share,
        options.bayes.empty() ? "" : ", and the model of --bayes is not its Bayes classifier"));
  if (!options.bayes.empty())
    WriteFile(options.bayes, ModelToJson(simulation.truth), context.if_exists());
  return samples;
}

void RunSample(const SampleFlags& options, Context& context) {
  CheckFlags(options, context);
  Access access{PathsOf(options.samples, options.pairs), {}, {options.output, options.bayes}};
  access.reads.emplace_back(options.simulate);
  context.Confine(access);
  RequireNoMedia(options.output);
  RequireNoMedia(options.bayes);
  PairOptions pairs = options.pairs;
  pairs.groups = !options.ungrouped;
  Samples samples = options.simulate.empty()
                        ? ReadSource(options.samples, pairs, context.StartRun("images"))
                        : Simulated(options, context);
  if (StopFlag()) return;  // an incomplete table would look complete
  // If there are more shards than images, some shards are empty.
  if (samples.rows().empty() && pairs.shard.count == 1)
    throw Error("samples", "there is not one labelled pixel to write");
  if (options.ungrouped) samples = samples.Ungrouped();
  WriteFile(options.output, FormatSamples(samples), context.if_exists());
  Json counts;
  for (std::size_t k = 0; k < samples.classes().size(); ++k)
    counts[samples.classes()[k]] = samples.Total(k);
  context.WriteRecord({{"rows", samples.rows().size()}, {"pixels", counts}});
  if (context.quiet) return;
  for (std::size_t k = 0; k < samples.classes().size(); ++k)
    PrintError("{}: {} pixels\n", samples.classes()[k], samples.Total(k));
}

}  // namespace

void AddSample(CLI::App& app, Context& context) {
  const auto [verb, options] = AddVerb(
      app, "sample", "Turn image + mask pairs, or tables, into one table of labelled pixels",
      "  skinmask sample --images samples/photos --masks samples/masks -o samples.csv\n"
      "  skinmask sample --samples samples/labelled-pixels.csv --ungrouped -o merged.csv\n"
      "  skinmask sample --images samples/photos --masks samples/masks --shard 2/4 -o part-2.csv\n"
      "  skinmask sample --simulate samples/teaching/two.json -o two.csv --bayes bayes.json",
      context, RunSample);
  const OptionGroup group(verb, "Input"), output(verb, "Output");
  AddImageOptions(group, options.pairs);
  AddSamplesOption(group, options.samples, "Tables to add up instead");
  group
      .Add("--simulate", options.simulate, "FILE.json",
           "Draw pixels from Gaussians of known parameters instead")
      ->transform(DashIs(kStandardInput));
  group.Add("--observations", options.observations, "N", "With --simulate: so many pixels")
      ->check(Within(std::uint64_t{1}, Simulation::kMaxObservations));
  group.Add("--seed", options.seed, "N", "With --simulate: other pixels of the same parameters")
      ->check(Whole());
  output
      .Add("-o", options.output, "FILE",
           "CSV file to write: class,b,g,r,count,group; - is standard output")
      ->required()
      ->transform(DashIs(kStandardOutput));
  output
      .Add("--bayes", options.bayes, "FILE.json",
           "With --simulate: write Bayes' classifier of these parameters, as a model")
      ->check(NamedLike({}, "a model"));
  group.AddDefault("--step", options.pairs.step, "N", "Take every N-th pixel of every N-th row")
      ->check(Within(1, 1 << 20));
  output.AddFlag("--ungrouped", options.ungrouped, "Do not tell images apart: group 0 for all");
  AddShardOption(verb, options.pairs.shard);
  AddPairOptions(verb, options.pairs);
  AddRunOptions(verb, context);
}

}  // namespace skinmask::cli
