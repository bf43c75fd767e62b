#include "programs/live/window/run_window.h"

#include <xcb/xcb.h>

#include <QApplication>
#include <QLocale>
#include <QMetaObject>
#include <chrono>
#include <clocale>
#include <cstdlib>
#include <exception>
#include <future>
#include <string>
#include <string_view>
#include <thread>

#include "programs/live/window/main_window.h"
#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

// Before there is a QApplication.
void Prepare() {
  // Qt speaks of run-time folders and fonts, which is nothing to the user.
  setenv("QT_LOGGING_RULES", "*.debug=false;*.info=false;*.warning=false", 0);
  QCoreApplication::setAttribute(Qt::AA_EnableHighDpiScaling);
  // A screen of 100 dots an inch is no reason to make 1.04 pixels of one.
  QGuiApplication::setHighDpiScaleFactorRoundingPolicy(
      Qt::HighDpiScaleFactorRoundingPolicy::RoundPreferFloor);
}

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

// Throws Error where there is no screen: Qt would end the whole process instead. Returns within two
// seconds.
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

}  // namespace

void RunInWindow(const std::string& title, const std::function<void(Exchange&)>& work) {
  RequireDisplay();
  Prepare();
  static char name[] = "skinmask";
  static char* arguments[] = {name, nullptr};
  static int count = 1;
  QApplication application(count, arguments);
  application.setApplicationName("skinmask");
  // Qt took the user's for the whole process; numbers are written with points.
  std::setlocale(LC_NUMERIC, "C");
  QLocale::setDefault(QLocale::c());
  Exchange exchange;
  MainWindow window(title, exchange);
  exchange.SetWake([&window] {
    QMetaObject::invokeMethod(
        &window, [&window] { window.ShowNewest(); }, Qt::QueuedConnection);
  });
  window.show();
  std::exception_ptr failure;
  std::thread worker([&] {
    try {
      work(exchange);
    } catch (...) {
      failure = std::current_exception();
    }
    QMetaObject::invokeMethod(
        &application, [] { QApplication::exit(); }, Qt::QueuedConnection);
  });
  QApplication::exec();
  exchange.Close();
  worker.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace skinmask::live
