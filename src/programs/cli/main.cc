// The program. The verb `live` is a separate program, so that no other verb has to load Qt and
// camera drivers.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "programs/cli/verb.h"
#include "skinmask/base/error.h"

namespace skinmask::cli {
namespace {

// True for `skinmask live ...` and `skinmask help live ...`.
bool IsLive(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words[0] == "live") return !words.empty();
  return words[0] == "help" && std::ranges::find(words, "live") != words.end();
}

// Executes skinmask-live, which is beside this program or in its installed place; returns an exit
// status if that fails.
int RunLiveProgram(char** argv) {
  std::error_code error;
  const std::filesystem::path here =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (error) {  // without its folder, the name would be that of a file in the working folder
    PrintLine(Error("skinmask-live", "cannot be found: /proc is not mounted").what());
    return kPartly;
  }
  std::string tried;
  for (const auto& path :
       {here / "skinmask-live",
        (here / SKINMASK_MODULES_FROM_BIN / "skinmask-live").lexically_normal()}) {
    execv(path.c_str(), argv);
    tried += (tried.empty() ? "" : ", ") + path.string() + ": " + std::strerror(errno);
  }
  PrintLine(Error("skinmask-live", "cannot be started (" + tried + ")").what());
  return kPartly;
}

// The output of `skinmask-live help live --as SHELL`; empty, after a message, if it cannot be
// started.
std::string Ask(const std::string& shell) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("skinmask-live", "cannot be asked");
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    std::string words[] = {"skinmask", "help", "live", "--as", shell};
    char* argv[] = {words[0].data(), words[1].data(), words[2].data(),
                    words[3].data(), words[4].data(), nullptr};
    _exit(RunLiveProgram(argv));
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> bytes;
  for (ssize_t got; (got = read(ends[0], bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

// Adds the verb to the list of verbs, and makes completions ask skinmask-live for its flags.
void AddLiveName(CLI::App& app, Context& context) {
  context.ask_live = Ask;
  app.add_subcommand("live", "Watch a camera or a stream in a window, or record it without one")
      ->group("Verbs");
}

}  // namespace
}  // namespace skinmask::cli

int main(int argc, char** argv) {
  using namespace skinmask::cli;
  constexpr VerbRow kVerbs[] = {{"sample", AddSample},       {"train", AddTrain},
                                {"calibrate", AddCalibrate}, {"compare", AddCompare},
                                {"detect", AddDetect},       {"live", AddLiveName},
                                {"evaluate", AddEvaluate},   {"show", AddShow},
                                {"version", AddVersion},     {"help", AddHelp}};
  if (IsLive(argc, argv)) return RunLiveProgram(argv);
  return RunApp(argc, argv, kVerbs);
}
