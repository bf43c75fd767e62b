#include "skinmask/base/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/version.h>

#include <Eigen/Core>
#include <opencv2/core/utility.hpp>

#include "base/json.h"
#include "programs/cli/print.h"
#include "programs/cli/verb.h"
#include "skinmask/base/cpu.h"

namespace skinmask::cli {

namespace {

void RunVersion(Context& context) {
  context.CheckJson();
  const std::string eigen =
      fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
  const Json root{
      {"version", kVersion},
      {"targets",
       {{"compiled", CompiledTargets()}, {"usable", UsableTargets()}, {"active", ActiveTarget()}}},
      {"libraries",
       {{"OpenCV", cv::getVersionString()}, {"oneTBB", TBB_runtime_version()}, {"Eigen", eigen}}}};
  context.WriteJson(JsonText(root, 2) + "\n");
  if (context.json_to_stdout()) return;
  Print("skinmask {}\n", kVersion);
  Print("CPU targets: {} (usable here: {}; in use: {})\n", fmt::join(CompiledTargets(), " "),
        fmt::join(UsableTargets(), " "), ActiveTarget());
  Print("libraries: OpenCV {}, oneTBB {}, Eigen {}\n", cv::getVersionString(),
        TBB_runtime_version(), eigen);
}

}  // namespace

void AddVersion(CLI::App& app, Context& context) {
  CLI::App* verb = AddVerb(app, "version", "Show the version, CPU targets and libraries",
                           "  skinmask version\n  skinmask version --json", context);
  AddJsonOption(*verb, context);
  AddForceOption(*verb, context);
  verb->callback([&context] { context.action = RunVersion; });
}

}  // namespace skinmask::cli
