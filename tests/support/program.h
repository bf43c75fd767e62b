// Running the program.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "support/files.h"

namespace skinmask::testing {

struct Outcome {
  int status;  // exit status, or 128 + signal
  std::string out, err;
  std::string summary{};  // the last line of a run over inputs, which `err` is then without
};

// Takes '3 failed, 12 skipped, ...' from the end of `run.err`.
inline void TakeSummary(Outcome& run) {
  const std::size_t line = run.err.rfind('\n', run.err.size() < 2 ? 0 : run.err.size() - 2);
  const std::size_t start = line == std::string::npos ? 0 : line + 1;
  const std::size_t word = run.err.find_first_not_of("0123456789,", start);
  if (run.err.empty() || word == std::string::npos || run.err.substr(word, 9) != " failed, ")
    return;
  run.summary = run.err.substr(start, run.err.size() - start - 1);
  run.err.resize(start);
}

// A piece of shell that waits until the program, whose process is $pid, takes SIGINT (Linux'
// /proc/PID/status says so), or has ended.
inline const std::string kUntilItTakesInterrupts =
    "until ! kill -0 $pid || { [ /proc/$pid/exe -ef '" SKINMASK_PROGRAM
    "' ] && grep -q 'SigCgt:.*[2367abef]$' /proc/$pid/status; }; do sleep 0.02; done; ";

// Tests that start the program as a user would.
class ProgramTest : public FolderTest {
 protected:
  ProgramTest() { ::unsetenv("SKINMASK_FACES"); }
  // `arguments` is a piece of shell; the working folder is the test's own.
  Outcome Run(const std::string& arguments) const {
    const std::string command = "cd '" + folder_.string() + "' && '" SKINMASK_PROGRAM "' " +
                                arguments + " >'" + Path(".out").string() + "' 2>'" +
                                Path(".err").string() + "' </dev/null";
    const int raw = std::system(command.c_str());
    const int status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    Outcome run{status, ReadFile(Path(".out")), ReadFile(Path(".err"))};
    TakeSummary(run);
    return run;
  }
};

}  // namespace skinmask::testing
