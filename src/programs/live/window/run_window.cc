#include "programs/live/window/run_window.h"

#include <QApplication>
#include <QLocale>
#include <QMetaObject>
#include <clocale>
#include <cstdlib>
#include <exception>
#include <thread>

#include "programs/live/display.h"
#include "programs/live/window/main_window.h"

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
