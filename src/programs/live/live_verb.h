#pragma once

#include "programs/cli/common.h"

namespace skinmask::cli {

void AddLive(CLI::App& app, Context& context);

}  // namespace skinmask::cli
