#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "programs/cli/common.h"
#include "skinmask/base/file.h"

namespace skinmask::cli {
namespace {

struct Options {
  std::vector<std::string> samples;
  PairOptions pairs;
  std::string output;
  bool ungrouped = false;
};

void RunSample(const Options& options, Context& context) {
  CheckSource(options.samples, options.pairs, "--masks");
  CheckPairOptions(options.pairs);
  RequireApart(options.output, "-o", context.json, "--json");
  RequireWritable(options.output, context.overwrite());
  PairOptions pairs = options.pairs;
  pairs.groups = !options.ungrouped;
  Samples samples = options.samples.empty() ? CollectSamples(pairs, context.StartRun("images"))
                                            : ReadAllSamples(options.samples);
  if (StopFlag()) return;  // half a table would pass for a whole one
  if (samples.rows().empty()) throw Error("samples", "there is not one labelled pixel to write");
  if (options.ungrouped) samples = samples.Ungrouped();
  WriteFile(options.output, FormatSamples(samples), context.overwrite());
  nlohmann::ordered_json counts;
  for (std::size_t k = 0; k < samples.classes().size(); ++k)
    counts[samples.classes()[k]] = samples.Total(k);
  const nlohmann::ordered_json root{{"rows", samples.rows().size()}, {"pixels", counts}};
  context.WriteJson(root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  if (context.quiet) return;
  for (std::size_t k = 0; k < samples.classes().size(); ++k)
    fmt::print(stderr, "{}: {} pixels\n", samples.classes()[k], samples.Total(k));
}

}  // namespace

void AddSample(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = AddVerb(app, "sample",
                           "Turn image + mask pairs, or tables, into one table of labelled pixels",
                           "  skinmask sample --images photos --masks masks -o samples.csv\n"
                           "  skinmask sample --samples a.csv b.csv -o merged.csv",
                           context);
  verb->add_option("--images", options->pairs.images, "Folder of images")->type_name("DIR");
  verb->add_option("--masks", options->pairs.masks, "Folder of their masks")->type_name("DIR");
  verb->add_option("--samples", options->samples, "Tables to add up instead")->type_name("FILE");
  verb->add_option("-o", options->output, "CSV file to write: class,b,g,r,count,group")
      ->required()
      ->type_name("FILE");
  verb->add_option("--step", options->pairs.step, "Take every N-th pixel of every N-th row")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("N")
      ->capture_default_str();
  verb->add_flag("--ungrouped", options->ungrouped, "Do not tell images apart: group 0 for all");
  AddPairOptions(*verb, options->pairs);
  AddForceOption(*verb, context);
  AddJsonOption(*verb, context);
  verb->callback(
      [options, &context] { context.action = [options](Context& c) { RunSample(*options, c); }; });
}

}  // namespace skinmask::cli
