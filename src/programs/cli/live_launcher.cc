#include "programs/cli/live_launcher.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "skinmask/base/error.h"

namespace skinmask::cli {

bool IsLive(int argc, char** argv) {
  const auto is = [&](int i, std::string_view word) { return i < argc && argv[i] == word; };
  return is(1, "live") || (is(1, "help") && is(2, "live"));
}

int RunLiveProgram(char** argv) {
  std::error_code error;
  const std::filesystem::path here =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  std::string tried;
  for (const auto& path :
       {here / "skinmask-live", here.parent_path() / "libexec/skinmask/skinmask-live"}) {
    execv(path.c_str(), argv);
    tried += (tried.empty() ? "" : ", ") + path.string() + ": " + std::strerror(errno);
  }
  PrintLine(Error("skinmask-live", "cannot be started (" + tried + ")").what());
  return kPartly;
}

void AddLiveName(CLI::App& app, Context&) {
  app.add_subcommand("live", "Watch a camera or a stream in a window, or record it without one")
      ->group("Verbs");
}

}  // namespace skinmask::cli
