// The verb live.
#pragma once

#include <CLI/CLI.hpp>

#include "programs/cli/context.h"

namespace skinmask::cli {

void AddLive(CLI::App& app, Context& context);

}  // namespace skinmask::cli
