#include "programs/cli/verb.h"

namespace skinmask::cli {

CLI::App* AddVerb(CLI::App& app, const std::string& name, const std::string& summary,
                  const std::string& examples, Context& context) {
  CLI::App* verb = app.add_subcommand(name, summary);
  verb->group("Verbs");
  verb->footer("Examples:\n" + examples);
  const OptionGroup options(*verb, "General");
  verb->get_help_ptr()->group("General");
  options.AddDefault("--threads", context.threads, "N", "Threads to use; 0 means all")
      ->check(Within(0, 4096));
  options.AddFlag("-q,--quiet", context.quiet, "No results per file, no warnings, no progress");
  options.AddFlag("-v,--verbose", context.verbose, "Say what is done and how long it took");
  return verb;
}

void AddModelOption(CLI::App& verb, Context& context) {
  OptionGroup(verb, "Model")
      .Add("--model", context.model, "MODEL", "Model file (default: the built-in model)")
      ->check([](const std::string& file) { return file.empty() ? "names no file" : ""; }, "");
}

void AddJsonOption(CLI::App& verb, Context& context) {
  OptionGroup(verb, "Output")
      .Add("--json", context.json, "[FILE]",
           "Results as JSON: to standard output, or to FILE (FILE.json or "
           "--json=FILE)");
}

void AddForceOption(CLI::App& verb, Context& context) {
  OptionGroup(verb, "Output").AddFlag("--force", context.force, "Replace files that exist");
}

void AddSandboxOption(CLI::App& verb, Context& context, const std::string& text) {
  OptionGroup(verb, "General").AddChoice("--sandbox", context.sandbox, {"auto", "off"}, text);
}

void AddRunOptions(CLI::App& verb, Context& context) {
  AddForceOption(verb, context);
  AddJsonOption(verb, context);
  OptionGroup(verb, "Input")
      .Add("--max-failures", context.max_failures, "N|P%",
           "Inputs that may fail, so many or so many of a hundred, with exit status 0 nevertheless "
           "(default: 0)")
      ->check(
          [](const std::string& text) {
            FailureLimit ignored;
            return lexical_cast(text, ignored)
                       ? std::string()
                       : "'" + text + "' is no number of inputs, nor a share as 1%";
          },
          "");
  AddSandboxOption(verb, context);
}

void AddMaxPixelsOption(CLI::App& verb, std::int64_t& max_pixels) {
  OptionGroup(verb, "Input")
      .AddDefault("--max-pixels", max_pixels, "N",
                  "Refuse images of more pixels, by what their headers say")
      ->check(Within<std::int64_t>(1, std::int64_t{1} << 30));
}

}  // namespace skinmask::cli
