// The verb `live` is a program of its own, so that no other verb waits for Qt and camera drivers to
// be loaded.
#pragma once

#include <CLI/CLI.hpp>

#include "programs/cli/context.h"

namespace skinmask::cli {

// `skinmask live ...` or `skinmask help live`.
bool IsLive(int argc, char** argv);
// Becomes skinmask-live, beside this program or in ../libexec/skinmask; returns an exit status if
// it cannot.
int RunLiveProgram(char** argv);
// Names the verb in the list of verbs.
void AddLiveName(CLI::App& app, Context& context);

}  // namespace skinmask::cli
