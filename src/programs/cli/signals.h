// SIGINT and SIGTERM: the first one asks for an orderly end, a second one kills. Where a decoder
// does not come back within a second of the first, the run ends there, with status 130 and without
// the files that it had begun.
#pragma once

#include <atomic>

namespace skinmask::cli {

// True once one came.
const std::atomic<bool>& StopFlag();
void InstallSignalHandlers();

}  // namespace skinmask::cli
