#include <memory>
#include <string>

#include "programs/cli/command_line.h"
#include "programs/cli/help.h"
#include "programs/cli/print.h"
#include "programs/cli/verb.h"

namespace skinmask::cli {
namespace {

struct HelpFlags {
  std::string verb;  // empty: all
  std::string form;  // empty: text
};

std::string Text(const CLI::App& app, const std::string& verb) {
  const CLI::App& asked = verb.empty() ? app : *app.get_subcommand(verb);
  return asked.get_formatter()->make_help(&asked, verb.empty() ? "skinmask" : "skinmask " + verb,
                                          CLI::AppFormatMode::Normal);
}

// The script for all verbs, or the part for one verb, which does not work alone.
std::string Completion(const CLI::App& app, const Shell& shell, const HelpFlags& options,
                       const Context& context) {
  if (!options.verb.empty()) return shell.part(*app.get_subcommand(options.verb));
  std::string script = shell.head(app);
  for (const CLI::App* verb : VerbsOf(app))
    script += verb->get_name() == "live" && context.ask_live ? context.ask_live(options.form)
                                                             : shell.part(*verb);
  return script + shell.tail;
}

std::string In(const CLI::App& app, const HelpFlags& options, const Context& context) {
  if (options.form.empty()) return Text(app, options.verb);
  for (const Shell* shell : {&kBash, &kZsh, &kFish})
    if (options.form == shell->name) return Completion(app, *shell, options, context);
  return options.verb.empty() ? ManPage(app) : ManPageOfVerb(*app.get_subcommand(options.verb));
}

}  // namespace

void AddHelp(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("help", "Show the verbs, or the options of one");
  verb->footer(
      "Examples:\n  skinmask help\n  skinmask help detect\n  skinmask help detect --as man");
  verb->group("Verbs");
  verb->get_help_ptr()->group("General");
  const auto options = std::make_shared<HelpFlags>();
  verb->add_option("verb", options->verb, "The verb; without it all are listed")
      ->type_name("VERB")
      ->check(NotEmpty("VERB"));
  OptionGroup(*verb, "Output")
      .AddChoice("--as", options->form, {"man", "bash", "zsh", "fish"},
                 "Not text, but a page for man, or completions for a shell");
  verb->callback([options, &app, &context] {
    if (!options->verb.empty()) RequireVerb(app, options->verb);
    context.action = [options, &app](Context& c) { PrintExactly(In(app, *options, c), stdout); };
  });
}

}  // namespace skinmask::cli
