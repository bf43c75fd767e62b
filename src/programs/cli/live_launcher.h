// The verb `live` is a program of its own, so that no other verb waits for Qt and camera drivers to
// be loaded.
#pragma once

#include <CLI/CLI.hpp>

#include "programs/cli/context.h"

namespace skinmask::cli {

// `skinmask live ...` or `skinmask help live`, with other words or without.
bool IsLive(int argc, char** argv);
// Becomes skinmask-live, beside this program or where that is installed; returns an exit status if
// it cannot.
int RunLiveProgram(char** argv);
// Names the verb in the list of verbs, and lets completions ask skinmask-live for its flags.
void AddLiveName(CLI::App& app, Context& context);

}  // namespace skinmask::cli
