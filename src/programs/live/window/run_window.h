// RunInWindow opens the window.
#pragma once

#include <functional>
#include <string>

#include "programs/live/exchange.h"

namespace skinmask::live {

// Shows a window on this thread, which must be the main one, until `work` returns, which runs on
// another. It should return soon after exchange.closed(). What it throws is thrown here. Throws
// Error where there is no screen.
void RunInWindow(const std::string& title, const std::function<void(Exchange&)>& work);

}  // namespace skinmask::live
