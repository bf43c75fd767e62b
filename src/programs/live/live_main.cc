// skinmask-live: the verb `live`, which `skinmask live` starts.
#include <cstdio>
#include <cstdlib>

#include "programs/cli/app.h"
#include "programs/cli/verb.h"
#include "programs/live/live_verb.h"

int main(int argc, char** argv) {
  using namespace skinmask::cli;
  constexpr AddVerbFunction kVerbs[] = {AddLive, AddHelp};
  // Pictures come and go, thirty times a second: fresh pages take two thirds of the time that an
  // overlay needs.
  KeepFreedMemory();
  const int status = RunApp(argc, argv, kVerbs);
  std::fflush(nullptr);
  // A driver that does not come back is left behind with its thread.
  std::_Exit(status);
}
