// The verbs, each in a file of its own name: flags, and a call of the library.
#pragma once

#include <CLI/CLI.hpp>

#include "programs/cli/context.h"

namespace skinmask::cli {

void AddSample(CLI::App& app, Context& context);
void AddTrain(CLI::App& app, Context& context);
void AddCalibrate(CLI::App& app, Context& context);
void AddCompare(CLI::App& app, Context& context);
void AddDetect(CLI::App& app, Context& context);
void AddEvaluate(CLI::App& app, Context& context);
void AddShow(CLI::App& app, Context& context);
void AddVersion(CLI::App& app, Context& context);
void AddHelp(CLI::App& app, Context& context);

}  // namespace skinmask::cli
