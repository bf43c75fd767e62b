// SIGINT and SIGTERM: the first one asks for an orderly end, a second one kills.
#pragma once

#include <atomic>

namespace skinmask::cli {

// True once one came.
const std::atomic<bool>& StopFlag();
void InstallSignalHandlers();

}  // namespace skinmask::cli
