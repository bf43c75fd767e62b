// skinmask-live: the verb `live`, which `skinmask live` starts.
#include <cstdio>
#include <cstdlib>

#include "cli/app.h"
#include "verb.h"

int main(int argc, char** argv) {
  using namespace skinmask::cli;
  constexpr AddVerbFunction kVerbs[] = {AddLive};
  const int status = RunApp(argc, argv, kVerbs);
  std::fflush(nullptr);
  // A driver that does not come back is left behind with its thread.
  std::_Exit(status);
}
