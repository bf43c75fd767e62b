#include "programs/live/window/main_window.h"

#include <xcb/xcb.h>

#include <QApplication>
#include <QDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLocale>
#include <QMetaObject>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <algorithm>
#include <chrono>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <future>
#include <thread>

#include "programs/cli/context.h"
#include "programs/live/controls.h"
#include "programs/live/window/panel.h"
#include "programs/live/window/picture_widget.h"
#include "programs/live/window/widgets.h"
#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

// The text of the line: the newest message, otherwise the present state.
QString LineOf(const Status& status) {
  if (!status.message.empty()) return QString::fromStdString(status.message);
  if (status.waiting) return "no frames; waiting for the source";
  if (status.paused) return "paused";
  if (status.sampling != Sampling::kOff)
    return QString("drag over %1, or arrows and Enter")
        .arg(status.sampling == Sampling::kSkin ? "skin" : "background");
  return status.recording.empty() ? "" : QString::fromStdString("recording to " + status.recording);
}

QString HelpText() {
  QString rows;
  for (const Key& key : Keys())
    if (!key.help.empty())
      rows += QString("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>")
                  .arg(QString::fromStdString(std::string(key.name)).toHtmlEscaped(),
                       QString::fromStdString(std::string(key.help)).toHtmlEscaped());
  return "<table>" + rows +
         "<tr><td><b>Tab, Alt</b>&nbsp;&nbsp;</td><td>to the panel, Escape back</td></tr></table>";
}

// Must be called before the QApplication is created.
void Prepare() {
  // Qt warns about run-time folders and fonts, which do not concern the user.
  setenv("QT_LOGGING_RULES", "*.debug=false;*.info=false;*.warning=false", 0);
  QCoreApplication::setAttribute(Qt::AA_EnableHighDpiScaling);
  // A screen of 100 dots per inch must not scale the window by 1.04.
  QGuiApplication::setHighDpiScaleFactorRoundingPolicy(
      Qt::HighDpiScaleFactorRoundingPolicy::RoundPreferFloor);
}

// Throws Error if there is no screen, because Qt would end the whole process. Returns within two
// seconds.
void RequireDisplay() {
  using namespace std::chrono_literals;
  // A Qt platform without an X display was chosen deliberately.
  const std::string platform = qgetenv("QT_QPA_PLATFORM").toStdString();
  if (!platform.empty() && !platform.starts_with("xcb")) return;
  const std::string display = qgetenv("DISPLAY").toStdString();
  if (display.empty())
    throw Error("DISPLAY", "is not set: there is no screen for a window (--headless does without)");
  // On a thread, because connecting to an absent host can block for long.
  std::packaged_task<bool()> task([] {
    xcb_connection_t* const connection = xcb_connect(nullptr, nullptr);
    const bool good = xcb_connection_has_error(connection) == 0;
    xcb_disconnect(connection);
    return good;
  });
  std::future<bool> answer = task.get_future();
  std::thread(std::move(task)).detach();
  if (answer.wait_for(2s) != std::future_status::ready || !answer.get())
    throw Error("DISPLAY " + display,
                "cannot be reached: there is no screen for a window (--headless does without)");
}

// Qt ends the process by exit() if the connection to the X server breaks. The work then still ends
// as after the window was closed, so that nothing that was recorded is lost.
std::function<void()> if_screen_is_lost;

}  // namespace

MainWindow::MainWindow(const std::string& title, Exchange& exchange) : exchange_(exchange) {
  setWindowTitle(QString::fromStdString(title));
  picture_ = new PictureWidget(exchange, this);
  line_ = new Line(this);
  line_->setMargin(3);
  line_->setObjectName("line");
  side_ = MakeSide();
  auto* const grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(0);
  grid->addWidget(panel_->views(), 0, 0, 1, 2);
  grid->addWidget(picture_, 1, 0);
  grid->addWidget(line_, 2, 0);
  grid->addWidget(side_, 1, 1, 2, 1);
  grid->setRowStretch(1, 1);
  grid->setColumnStretch(0, 1);
  resize(640 + side_->width(), 480);
  picture_->setFocus();
  connect(&timer_, &QTimer::timeout, this, [this] {
    if (side_->isVisible()) panel_->ShowNumbers(status_);
  });
  timer_.start(250);
}

QScrollArea* MainWindow::MakeSide() {
  panel_ = new Panel([this](char key) { Press(key); }, exchange_, latency_, this);
  auto* const side = new QScrollArea(this);
  side->setWidget(panel_);
  side->setWidgetResizable(true);
  side->setFrameShape(QFrame::NoFrame);
  side->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  side->setFocusPolicy(Qt::NoFocus);
  side->setFixedWidth(panel_->sizeHint().width() + side->verticalScrollBar()->sizeHint().width());
  return side;
}

void MainWindow::ShowNewest() {
  const std::shared_ptr<const Shown> shown = exchange_.TakeNewest();
  if (!shown) return;
  if (!fitted_ && shown->number > 0 && !shown->drawn.empty()) {
    fitted_ = true;
    FitTo(shown->drawn);
    panel_->Search();
  }
  if (const std::optional<Painted> painted = picture_->Show(shown)) {
    exchange_.AddPainted(*painted);
    latency_.Add(1e3 * painted->latency);
  }
  status_ = shown->status;
  line_->SetLine(LineOf(status_));
  if (exchange_.IsUpToDate(*shown)) panel_->ShowState(status_);
}

// Resizes the window to one point for each pixel of the first picture, less for a large one, and to
// the whole panel.
void MainWindow::FitTo(const cv::Size& picture) {
  if (isMaximized() || isFullScreen()) return;
  const QSize most = 0.94 * screen()->availableSize(), beside = size() - picture_->size();
  const double scale = std::min({1.0, 1280.0 / picture.width, 720.0 / picture.height});
  const QSize wanted(qRound(scale * picture.width), qRound(scale * picture.height));
  const QSize least(beside.width() + 320,
                    panel_->sizeHint().height() + panel_->views()->sizeHint().height());
  resize((wanted + beside).expandedTo(least).boundedTo(most));
}

void MainWindow::Press(char key) {
  const Key& pressed = KeyOf(key);
  if (pressed.act) return exchange_.Post(pressed.act);
  if (key == 'f') return ToggleFullScreen();
  if (key == 'i') return SetSurrounded(!surrounded_);
  if (key == 'h') return ToggleHelp();
  if (key == '\x1b' && isFullScreen()) return ToggleFullScreen();
  if (key == 'q' || key == '\x1b') close();
}

// Full screen shows only the picture; the panel and the views return with the window.
void MainWindow::ToggleFullScreen() {
  if (!isFullScreen()) {
    was_surrounded_ = surrounded_;
    SetSurrounded(false);
    line_->hide();
    return showFullScreen();
  }
  SetSurrounded(was_surrounded_);
  line_->show();
  showNormal();
}

void MainWindow::SetSurrounded(bool surrounded) {
  surrounded_ = surrounded;
  side_->setVisible(surrounded);
  panel_->views()->setVisible(surrounded);
}

void MainWindow::ToggleHelp() {
  if (!help_) {
    help_ = new QDialog(this);
    help_->setWindowTitle("keys");
    auto* const text = new QLabel(HelpText(), help_);
    (new QHBoxLayout(help_))->addWidget(text);
    connect(new QShortcut(Qt::Key_H, help_), &QShortcut::activated, help_, &QDialog::hide);
  }
  help_->setVisible(!help_->isVisible());
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  const bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
  if (event->key() == Qt::Key_F11 && !event->isAutoRepeat()) return ToggleFullScreen();
  const QString text = event->text();
  if (!plain || text.size() != 1 || event->isAutoRepeat()) return QWidget::keyPressEvent(event);
  const char key = text[0].toLatin1();
  if (key == '\x1b' && !picture_->hasFocus()) return picture_->setFocus();
  if (std::ranges::find(Keys(), key, &Key::key) == Keys().end())
    return QWidget::keyPressEvent(event);
  Press(key);
}

void RunInWindow(const std::string& title, const std::function<void(Exchange&)>& work) {
  RequireDisplay();
  Prepare();
  static char name[] = "skinmask";
  static char* arguments[] = {name, nullptr};
  static int count = 1;
  QApplication application(count, arguments);
  application.setApplicationName("skinmask");
  // Qt has set the user's locale for the whole process, but numbers must have decimal points.
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
  const auto end_work = [&] {
    exchange.Close();
    worker.join();
    if (failure) std::rethrow_exception(failure);
  };
  if_screen_is_lost = [&] {
    cli::PrintLine(Error("DISPLAY " + qgetenv("DISPLAY").toStdString(),
                         "is gone: the connection to the screen broke")
                       .what());
    try {
      end_work();
    } catch (const std::exception& e) {
      cli::PrintLine(e.what());
    }
    std::fflush(nullptr);
    std::_Exit(1);
  };
  std::atexit([] {
    if (if_screen_is_lost) if_screen_is_lost();
  });
  QApplication::exec();
  if_screen_is_lost = nullptr;
  end_work();
}

}  // namespace skinmask::live
