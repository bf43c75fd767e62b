#include <Eigen/Core>
#include <fmt/format.h>
#include <tbb/version.h>

#include <opencv2/core/utility.hpp>

#include "common.h"
#include "skinmask/version.h"

namespace skinmask::cli {

void AddVersion(CLI::App& app, Context& context) {
  CLI::App* verb = AddVerb(app, "version", "Show the version, CPU targets and libraries",
                           "  skinmask version\n  skinmask version -v", context);
  verb->callback([&context] {
    context.action = [](Context&) {
      Print("skinmask {}\n", kVersion);
      Print("CPU targets: portable\n");
      Print("libraries: OpenCV {}, oneTBB {}, Eigen {}.{}.{}\n", cv::getVersionString(),
                 TBB_runtime_version(), EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                 EIGEN_MINOR_VERSION);
    };
  });
}

}  // namespace skinmask::cli
