// The frame of a program: parses its words, runs the verb, and turns errors into lines and
// statuses.
#pragma once

#include <CLI/CLI.hpp>
#include <span>

#include "programs/cli/context.h"

namespace skinmask::cli {

using AddVerbFunction = void (*)(CLI::App& app, Context& context);

// The exit status of the program.
int RunApp(int argc, char** argv, std::span<const AddVerbFunction> verbs_to_add);

}  // namespace skinmask::cli
