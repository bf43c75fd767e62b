#include <memory>
#include <string>

#include "programs/cli/command_line.h"
#include "programs/cli/print.h"
#include "programs/cli/verbs.h"

namespace skinmask::cli {

void AddHelp(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("help", "Show the verbs, or the options of one");
  verb->footer("Examples:\n  skinmask help\n  skinmask help detect");
  verb->group("Verbs");
  verb->get_help_ptr()->group("General");
  const auto name = std::make_shared<std::string>();
  verb->add_option("verb", *name, "The verb; without it all are listed")->type_name("VERB");
  verb->callback([name, &app, &context] {
    if (!name->empty()) RequireVerb(app, *name);
    context.action = [name, &app](Context&) {
      const CLI::App& asked = name->empty() ? app : *app.get_subcommand(*name);
      PrintExactly(
          asked.get_formatter()->make_help(&asked, name->empty() ? "skinmask" : "skinmask " + *name,
                                           CLI::AppFormatMode::Normal),
          stdout);
    };
  });
}

}  // namespace skinmask::cli
