#include "programs/cli/context.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "programs/cli/flag_hints.h"
#include "programs/cli/print.h"
#include "programs/cli/progress.h"
#include "programs/cli/signals.h"

namespace skinmask::cli {

void Context::Confine(Access access) const {
  if (sandbox == "off") return;
  access.reads.emplace_back(model);
  if (!json_to_stdout()) access.files.emplace_back(json);
  const std::string line = EnterSandbox(access);
  if (verbose) PrintLine(line);
}

Model Context::LoadModel() const { return model.empty() ? DefaultModel() : ReadModel(model); }

void Context::WriteJson(const std::string& text) const {
  if (json_to_stdout())
    PrintExactly(text, stdout);
  else if (!json.empty())
    WriteFile(json, text, overwrite());
}

void Context::CheckJson() const {
  if (!json.empty() && !json_to_stdout()) RequireWritable(json, overwrite());
}

Run Context::StartRun(const std::string& unit) {
  auto progress = std::make_shared<Progress>(unit, quiet);
  Run run;
  run.problem = [this, progress](const std::string& line) {
    failed = true;
    progress->Clear();
    PrintLine(line);
  };
  run.warning = [this, progress](const std::string& line) {
    progress->Clear();
    if (!quiet) PrintLine("warning: " + line);
  };
  run.progress = [progress](std::size_t done, std::size_t total, std::uint64_t pixels) {
    progress->Show(done, total, pixels);
  };
  run.counting = [progress](const std::string& what) { progress->Begin(what); };
  run.stop = &StopFlag();
  return run;
}

void PrintLine(const std::string& line) { PrintError("skinmask: {}\n", WithFlags(line)); }

}  // namespace skinmask::cli
