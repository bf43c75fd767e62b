#include <Eigen/Core>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/version.h>

#include <opencv2/core/utility.hpp>

#include "common.h"
#include "skinmask/cpu.h"
#include "skinmask/version.h"

namespace skinmask::cli {

void AddVersion(CLI::App& app, Context& context) {
  CLI::App* verb = AddVerb(app, "version", "Show the version, CPU targets and libraries",
                           "  skinmask version\n  skinmask version -v", context);
  verb->callback([&context] {
    context.action = [](Context&) {
      Print("skinmask {}\n", kVersion);
      ObeyTargetVariable();
      Print("CPU targets: {} (usable here: {}; in use: {})\n",
                 fmt::join(CompiledTargets(), " "), fmt::join(UsableTargets(), " "),
                 ActiveTarget());
      Print("libraries: OpenCV {}, oneTBB {}, Eigen {}.{}.{}\n", cv::getVersionString(),
                 TBB_runtime_version(), EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                 EIGEN_MINOR_VERSION);
    };
  });
}

}  // namespace skinmask::cli
