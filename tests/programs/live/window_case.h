// A window without a screen, and a session on the same thread.
#pragma once

#include <gtest/gtest.h>

#include <QApplication>
#include <QImage>
#include <QTest>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <stdexcept>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "programs/live/controls.h"
#include "programs/live/view.h"
#include "programs/live/window/main_window.h"
#include "programs/live/window/picture_widget.h"
#include "skinmask/media/image.h"
#include "support/files.h"

namespace skinmask::live {

// While one lives, what is allocated may leak.
#if defined(__SANITIZE_ADDRESS__)
using MayLeak = __lsan::ScopedDisabler;
#else
struct MayLeak {};
#endif

// The session has a still photograph.
class WindowTest : public testing::FolderTest {
 protected:
  void Open(const cv::Mat& bgr, const char* scale = "1") {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", scale);
    {
      [[maybe_unused]] const MayLeak its_screen;  // Qt's offscreen platform does not free it
      application_ = std::make_unique<QApplication>(count_, arguments_);
    }
    QApplication::setFont(QFont("DejaVu Sans", 9));  // as on X servers
    window_ = std::make_unique<MainWindow>("skinmask", exchange_);
    window_->show();
    controls_ = std::make_unique<Controls>(scene_, recorder_, View::kOverlay, folder_,
                                           [](const std::string&) {});
    controls_->SetSource("photograph", true, 0);
    presenter_ = std::make_unique<Presenter>(exchange_, scene_, *controls_);
    bgr_ = bgr;
    Frame();
    Turn();
    // A point of the window is a pixel of the frame, whatever the screen.
    window_->resize(window_->size() - picture()->size() + QSize(bgr.cols, bgr.rows));
    Turn();
  }
  void TearDown() override {
    window_.reset();
    application_.reset();
    FolderTest::TearDown();
  }
  void Frame() {
    Statistics unused;
    scene_.Process({WrapBgr(bgr_), Clock::now()}, unused);
    presenter_->Present(Clock::now());
    window_->ShowNewest();
  }
  // The session's turn, until there is nothing to do.
  void Turn() {
    for (int i = 0; i < 3; ++i) {
      QApplication::processEvents();
      controls_->Do(exchange_.TakeCommands());
      presenter_->Refresh();
      window_->ShowNewest();
    }
  }
  void Press(char key) {
    QTest::keyClick(picture(), key);
    Turn();
  }
  template <class Widget = QWidget>
  Widget* Find(const QString& name) {
    auto* const found = window_->findChild<Widget*>(name);
    if (!found) throw std::runtime_error("no " + name.toStdString());
    return found;
  }
  PictureWidget* picture() { return dynamic_cast<PictureWidget*>(Find("picture")); }
  // What is on the screen, BGR.
  cv::Mat Look() {
    const QImage image = picture()->grab().toImage().convertToFormat(QImage::Format_RGB888);
    cv::Mat bgr;
    cv::cvtColor(
        cv::Mat(image.height(), image.width(), CV_8UC3, const_cast<uchar*>(image.constBits()),
                static_cast<std::size_t>(image.bytesPerLine())),
        bgr, cv::COLOR_RGB2BGR);
    return bgr;
  }
  // What Draw makes, fitted into what is on the screen.
  cv::Mat Expected(View view, DrawOptions options = {}) {
    options.behind = scene_.Behind(view);
    const cv::Mat drawn = Draw(view, scene_.judgement(), options);
    cv::Mat all(Look().size(), CV_8UC3, cv::Scalar()), bgr;
    const cv::Rect fitted = Fitted(drawn.size(), all.size());
    cv::cvtColor(ForScreen(drawn, fitted.size()), bgr, cv::COLOR_BGRA2BGR);
    bgr.copyTo(all(fitted));
    return all;
  }
  static void ExpectSame(const cv::Mat& seen, const cv::Mat& wanted, std::string_view what = "") {
    ASSERT_EQ(seen.size(), wanted.size());
    cv::Mat difference;
    cv::absdiff(seen, wanted, difference);
    cv::cvtColor(difference, difference, cv::COLOR_BGR2GRAY);
    EXPECT_EQ(cv::norm(seen, wanted, cv::NORM_INF), 0)
        << what << " differs in " << cv::boundingRect(difference) << " of " << seen.size();
  }
  static cv::Mat Photograph(const cv::Size& size = {512, 512}) {
    cv::Mat bgr;
    cv::resize(ReadImage(testing::SamplesFolder() / "photos/astronaut.png"), bgr, size, 0, 0,
               cv::INTER_AREA);
    return bgr;
  }

  int count_ = 1;
  char name_[5] = "test";
  char* arguments_[2] = {name_, nullptr};
  std::unique_ptr<QApplication> application_;
  Exchange exchange_;
  Scene scene_{DefaultModel(), false, WithoutAdaptation({}), WithoutAdaptation({})};
  std::optional<Recorder> recorder_;
  std::unique_ptr<Controls> controls_;
  std::unique_ptr<Presenter> presenter_;
  std::unique_ptr<MainWindow> window_;
  cv::Mat bgr_;
};

}  // namespace skinmask::live
