#include "programs/live/display.h"

#include <xcb/xcb.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <string>
#include <string_view>
#include <thread>

#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

bool Connects() {
  xcb_connection_t* const connection = xcb_connect(nullptr, nullptr);
  const bool good = xcb_connection_has_error(connection) == 0;
  xcb_disconnect(connection);
  return good;
}

}  // namespace

void RequireDisplay() {
  using namespace std::chrono_literals;
  // Qt platforms that draw on no X display were chosen by somebody who knows.
  const std::string platform = Variable("QT_QPA_PLATFORM");
  if (!platform.empty() && !platform.starts_with("xcb")) return;
  const std::string display = Variable("DISPLAY");
  if (display.empty())
    throw Error("DISPLAY", "is not set: there is no screen for a window (--headless does without)");
  // On a thread, since a host that is not there is waited for.
  std::promise<bool> promise;
  std::future<bool> answer = promise.get_future();
  std::thread([promise = std::move(promise)]() mutable { promise.set_value(Connects()); }).detach();
  if (answer.wait_for(2s) != std::future_status::ready || !answer.get())
    throw Error("DISPLAY " + display,
                "cannot be reached: there is no screen for a window (--headless does without)");
}

}  // namespace skinmask::live
