#include "programs/cli/app.h"
#include "programs/cli/live_launcher.h"
#include "programs/cli/verbs.h"

int main(int argc, char** argv) {
  using namespace skinmask::cli;
  constexpr AddVerbFunction kVerbs[] = {AddSample,  AddTrain,    AddCalibrate, AddCompare,
                                        AddDetect,  AddLiveName, AddEvaluate,  AddShow,
                                        AddVersion, AddHelp};
  if (IsLive(argc, argv)) return RunLiveProgram(argv);
  return RunApp(argc, argv, kVerbs);
}
