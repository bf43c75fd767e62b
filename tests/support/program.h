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
};

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
    return {status, ReadFile(Path(".out")), ReadFile(Path(".err"))};
  }
};

}  // namespace skinmask::testing
