// SIGINT and SIGTERM: the first one asks for an orderly end, a second one kills. A run that has not
// ended a second after the first (a decoder does not come back) ends there, with status 130 and
// without files that it had begun.
#pragma once

#include <atomic>

namespace skinmask::cli {

// True once one came.
const std::atomic<bool>& StopFlag();
void InstallSignalHandlers();
// From here on an end takes as long as it takes: no decoder is at work any more, and what is left
// is to write records of what was done; or what is at work is `live`, which has no files of
// strangers.
void LetTheEndTakeItsTime();

}  // namespace skinmask::cli
