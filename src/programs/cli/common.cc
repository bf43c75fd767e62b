#include "programs/cli/common.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>

#include "programs/cli/progress.h"
#include "skinmask/base/file.h"
#include "skinmask/media/ground_truth.h"
#include "skinmask/media/mask_pairs.h"

namespace skinmask::cli {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

extern "C" void RequestStop(int) { stop = true; }

}  // namespace

const std::atomic<bool>& StopFlag() { return stop; }

void InstallSignalHandlers() {
  struct sigaction action = {};
  action.sa_handler = RequestStop;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Model Context::LoadModel() const { return model.empty() ? DefaultModel() : ReadModel(model); }

void Context::WriteJson(const std::string& text) const {
  if (json_to_stdout())
    Print("{}", text);
  else if (!json.empty())
    WriteFile(json, text, overwrite());
}

void Context::CheckJson() const {
  if (!json.empty() && !json_to_stdout()) RequireWritable(json, overwrite());
}

CLI::Validator Probability() {
  return CLI::Validator(
      [](std::string& text) {
        double p = 0;  // written so that NaN fails
        const bool good = CLI::detail::lexical_cast(text, p) && p >= 0 && p <= 1;
        return good ? std::string() : "'" + text + "' is no probability from 0 to 1";
      },
      "");
}

namespace {

// Finite numbers that are `good`; `wanted` ends the line about others.
CLI::Validator FiniteNumber(bool (*good)(double), const std::string& wanted) {
  return CLI::Validator(
      [good, wanted](std::string& text) {
        double value = 0;
        const bool fits =
            CLI::detail::lexical_cast(text, value) && std::isfinite(value) && good(value);
        return fits ? std::string() : "'" + text + "' is no " + wanted;
      },
      "");
}

}  // namespace

CLI::Validator Positive() {
  return FiniteNumber([](double value) { return value > 0; }, "number above 0");
}

CLI::Validator NotNegative() {
  return FiniteNumber([](double value) { return value >= 0; }, "number from 0 up");
}

void RequireApart(const std::filesystem::path& a, const std::string& option_a,
                  const std::filesystem::path& b, const std::string& option_b) {
  if (a.empty() || b.empty() || a == "-" || b == "-" || FileIdentity(a) != FileIdentity(b)) return;
  throw UsageError(fmt::format("{} and {} are the same file, {}", option_a, option_b, a.string()));
}

Run Context::StartRun(const std::string& unit) {
  auto progress = std::make_shared<Progress>(unit, quiet);
  Run run;
  run.problem = [this, progress](const std::string& line) {
    failed = true;
    progress->Clear();
    fmt::print(stderr, "skinmask: {}\n", line);
  };
  run.warning = [this, progress](const std::string& line) {
    progress->Clear();
    if (!quiet) fmt::print(stderr, "skinmask: warning: {}\n", line);
  };
  run.progress = [progress](std::size_t done, std::size_t total, std::uint64_t pixels) {
    progress->Show(done, total, pixels);
  };
  run.counting = [progress](const std::string& what) { progress->Begin(what); };
  run.stop = &StopFlag();
  return run;
}

CLI::App* AddVerb(CLI::App& app, const std::string& name, const std::string& summary,
                  const std::string& examples, Context& context) {
  CLI::App* verb = app.add_subcommand(name, summary);
  verb->footer("\nExamples:\n" + examples);
  verb->add_option("--threads", context.threads, "Threads to use; 0 means all")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  verb->add_flag("-q,--quiet", context.quiet, "No results per file, no warnings, no progress");
  verb->add_flag("-v,--verbose", context.verbose, "Say what is done and how long it took");
  return verb;
}

void AddModelOption(CLI::App& verb, Context& context) {
  verb.add_option("--model", context.model, "Model file (default: the built-in model)")
      ->check([](const std::string& file) { return file.empty() ? "names no file" : ""; }, "")
      ->type_name("FILE");
}

void AddJsonOption(CLI::App& verb, Context& context) {
  verb.add_option("--json", context.json,
                  "Results as JSON: to standard output, or to FILE (FILE.json or --json=FILE)")
      ->type_name("[FILE]");
}

void AddForceOption(CLI::App& verb, Context& context) {
  verb.add_flag("--force", context.force, "Replace files that exist");
}

void AddPairOptions(CLI::App& verb, PairOptions& pairs) {
  const std::string group = "How masks are read";
  const auto one = [&](CLI::Option* option, const std::string& type) {
    option->group(group)->type_name(type)->allow_extra_args(false);
    return option;
  };
  one(verb.add_option("--image-name", pairs.image_name, "Name of images, without extension"),
      "PATTERN")
      ->capture_default_str();
  one(verb.add_option("--mask-name", pairs.mask_name,
                      "Name of the mask that belongs to {stem}, any image extension"),
      "PATTERN")
      ->capture_default_str();
  one(verb.add_option("--label", pairs.labels,
                      "Class of a grey level, an R,G,B colour or 'other'; repeatable "
                      "(default: above 127 is skin, else non-skin)"),
      "CLASS=VALUE");
  one(verb.add_option("--ignore", pairs.ignored, "Value that counts for nothing; repeatable"),
      "VALUE");
  verb.add_flag("--invert", pairs.invert, "Swap the two classes")->group(group);
  CLI::Option* whole =
      one(verb.add_option("--whole", pairs.whole_class,
                          "No mask files: every pixel of every image is of this class"),
          "CLASS");
  for (const char* other : {"--mask-name", "--label", "--ignore", "--invert"})
    whole->excludes(verb.get_option(other));
}

void CheckPairOptions(const PairOptions& pairs) {
  AsUsage([&] {
    NamePattern(pairs.image_name, "--image-name");
    NamePattern(pairs.mask_name, "--mask-name");
    MaskRule(pairs.labels, pairs.ignored, pairs.invert);
    if (!pairs.whole_class.empty() && !IsClassName(pairs.whole_class))
      throw Error("--whole '" + pairs.whole_class + "'", "is no name for a class");
  });
}

Samples ReadAllSamples(const std::vector<std::string>& files) {
  SampleCounter all;
  for (const std::string& file : files) all.Add(ReadSamples(file));
  return std::move(all).Finish();
}

void CheckSource(const std::vector<std::string>& samples, const PairOptions& pairs,
                 const std::string& masks_option, bool pair_options_used_elsewhere) {
  const bool images = !pairs.images.empty();
  if (samples.empty() == !images)
    throw UsageError(
        fmt::format("give either --samples, or --images with {} or --whole", masks_option));
  if (images && pairs.masks.empty() == pairs.whole_class.empty())
    throw UsageError(fmt::format("--images needs either {} or --whole", masks_option));
  if (!images && !pairs.masks.empty())
    throw UsageError(fmt::format("{} needs --images", masks_option));
  const PairOptions none;
  const bool reading = pairs.image_name != none.image_name || pairs.mask_name != none.mask_name ||
                       !pairs.labels.empty() || !pairs.ignored.empty() || pairs.invert;
  if (!images && (!pairs.whole_class.empty() || (reading && !pair_options_used_elsewhere)))
    throw UsageError("options that say how masks are read need --images");
}

}  // namespace skinmask::cli
