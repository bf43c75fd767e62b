// The window, without a screen: keys, sliders and the mouse, and what is then on it.
#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QToolButton>
#include <cmath>
#include <set>

#include "programs/live/window/widgets.h"
#include "programs/live/window_case.h"
#include "skinmask/detect/draw.h"

namespace skinmask::live {
namespace {

TEST_F(WindowTest, EveryViewIsWhatDrawMakesPixelForPixel) {
  Open(Photograph({360, 360}));
  EXPECT_EQ(Look().size(), cv::Size(360, 360));
  for (int i = 0; i < static_cast<int>(ViewKinds().size()); ++i) {
    Press(static_cast<char>('1' + i));
    const View view = static_cast<View>(i);
    EXPECT_EQ(controls_->settings().view, view);
    cv::Mat expected = Expected(view), seen = Look();
    if (view == View::kSplit) {  // its handle
      const cv::Rect handle(160, 160, 40, 40);
      EXPECT_GT(cv::norm(seen(handle), expected(handle), cv::NORM_INF), 0);
      seen(handle).setTo(0);
      expected(handle).setTo(0);
    }
    ExpectSame(seen, expected, ViewName(view));
    for (int j = 0; j < static_cast<int>(ViewKinds().size()); ++j)
      EXPECT_EQ(Find<QAbstractButton>(QString("key %1").arg(j + 1))->isChecked(), i == j);
  }
}

double MeanDifference(const cv::Mat& a, const cv::Mat& b) {
  return cv::norm(a, b, cv::NORM_L1) / (3.0 * static_cast<double>(a.total()));
}

// Whatever shape the window had before, all beside the picture is black.
TEST_F(WindowTest, NothingOfAnotherShapeStays) {
  Open(Photograph({300, 200}));
  for (const QSize size : {QSize(900, 400), QSize(620, 700), QSize(700, 420)}) {
    window_->resize(size);
    Turn();
    ExpectSame(Look(), Expected(View::kOverlay));
    EXPECT_EQ(Look().size(), cv::Size(picture()->width(), picture()->height()));
  }
  window_->resize(700, 500);  // before the session knows: what was there, scaled
  QApplication::processEvents();
  EXPECT_LT(MeanDifference(Look(), Expected(View::kOverlay)), 12);
  Press('i');
  window_->resize(window_->width() - picture()->width() + 170, 480);  // smaller than the frame
  Turn();
  EXPECT_EQ(picture()->width(), 170);
  EXPECT_LT(MeanDifference(Look(), Expected(View::kOverlay)), 12);
}

TEST_F(WindowTest, SlidersNumbersAndResetsSetTheModel) {
  Open(Photograph({160, 160}));
  const double own_threshold = scene_.threshold(), own_prior = scene_.prior();
  for (const char* const name : {"threshold", "prior"}) {
    auto* const control = Find(name);
    auto* const slider = control->findChild<QSlider*>();
    auto* const number = control->findChild<QDoubleSpinBox*>();
    const auto value = [&] {
      return name == std::string("prior") ? scene_.prior() : scene_.threshold();
    };
    const double own = name == std::string("prior") ? own_prior : own_threshold;
    EXPECT_NEAR(number->value(), own, 5e-4);
    QTest::keyClick(slider, Qt::Key_End);
    Turn();
    EXPECT_GE(value(), 0.999) << name;
    EXPECT_NEAR(number->value(), value(), 1e-9);
    number->selectAll();
    QTest::keyClicks(number, "0.");
    Frame();  // while it is typed
    Turn();
    QTest::keyClicks(number, "25");
    QTest::keyClick(number, Qt::Key_Return);
    Turn();
    EXPECT_NEAR(value(), 0.25, 1e-12);
    EXPECT_EQ(slider->value(), 250);
    control->findChild<QToolButton*>()->click();
    Turn();
    EXPECT_DOUBLE_EQ(value(), own);
    EXPECT_NEAR(number->value(), own, 5e-4);
  }
  Press('2');
  QTest::keyClick(Find("threshold")->findChild<QSlider*>(), Qt::Key_End);
  Turn();
  EXPECT_EQ(cv::countNonZero(scene_.judgement().Mask()), 0);
  ExpectSame(Look(), Expected(View::kMask));
}

// What the user did last holds, whatever older state comes from the session meanwhile.
TEST_F(WindowTest, StateFromBeforeDoesNotMoveASlider) {
  Open(Photograph({160, 160}));
  auto* const slider = Find("threshold")->findChild<QSlider*>();
  QTest::keyClick(slider, Qt::Key_Home);
  Frame();  // the command was not carried out yet
  EXPECT_EQ(slider->value(), 0);
  Turn();
  EXPECT_EQ(scene_.threshold(), 0);
}

TEST_F(WindowTest, RectanglesTeachAndAreTakenBack) {
  Open(Photograph());
  Press('b');
  const auto drag = [&](QPoint a, QPoint b) {
    QTest::mousePress(picture(), Qt::LeftButton, {}, a);
    QTest::mouseMove(picture(), (a + b) / 2);
    QTest::mouseRelease(picture(), Qt::LeftButton, {}, b);
    Turn();
  };
  drag({400, 20}, {499, 119});
  EXPECT_EQ(scene_.samples().other_pixels(), 100u * 100);
  EXPECT_EQ(Find<Line>("samples")->toolTip(), "Samples: 0 skin, 10000 background");
  Press('s');
  drag({400, 20}, {401, 21});  // a click
  EXPECT_EQ(scene_.samples().rectangles(), 1u);
  // The same without a mouse.
  for (const int key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Down, Qt::Key_Return})
    QTest::keyClick(picture(), static_cast<Qt::Key>(key));
  Turn();
  EXPECT_EQ(scene_.samples().rectangles(), 2u);
  EXPECT_GT(scene_.samples().skin_pixels(), 1000u);
  Press('u');
  EXPECT_EQ(scene_.samples().skin_pixels(), 0u);
  EXPECT_EQ(scene_.samples().rectangles(), 1u);
  Press('z');
  EXPECT_TRUE(scene_.samples().empty());
  EXPECT_FALSE(Find<QAbstractButton>("key u")->isEnabled());
}

TEST_F(WindowTest, TheDividerIsDraggedAndMovedByKeys) {
  Open(Photograph());
  Press('5');
  QTest::mousePress(picture(), Qt::LeftButton, {}, {256, 256});
  QTest::mouseMove(picture(), {128, 300});
  QTest::mouseRelease(picture(), Qt::LeftButton, {}, {128, 300});
  Turn();
  EXPECT_NEAR(controls_->settings().divider, 0.25, 0.01);
  QTest::keyClick(picture(), Qt::Key_Right);
  QTest::keyClick(picture(), Qt::Key_Right);
  Turn();
  EXPECT_NEAR(controls_->settings().divider, 0.29, 0.01);
}

double CountOf(const cv::Mat& difference) {
  cv::Mat grey;
  cv::cvtColor(difference, grey, cv::COLOR_BGR2GRAY);
  return cv::countNonZero(grey > 60);
}

// Nobody gets it who did not ask; then it is that of the mask, whatever is likely beside it.
TEST_F(WindowTest, TheEllipseIsThatOfTheMaskWhereItIsWanted) {
  Open(Photograph());
  ExpectSame(Look(), Expected(View::kOverlay));
  for (const char key : {'a', 't'}) {  // adapted to a face, or followed
    Press(key);
    ExpectSame(Look(), Expected(View::kOverlay));
    Press(key);
  }
  Press('e');
  EXPECT_TRUE(Find<QAbstractButton>("key e")->isChecked());
  const Region wanted = RegionOf(MapMomentsOf(scene_.judgement().Mask())).value();
  EXPECT_EQ(scene_.ellipse()->centroid, wanted.centroid);
  EXPECT_EQ(scene_.ellipse()->semi_major, wanted.semi_major);
  // The library's lines lie where the window's do, but for their width.
  cv::Mat drawn = Expected(View::kOverlay);
  const cv::Mat plain = drawn.clone(), seen = Look();
  DrawRegion(drawn, wanted);
  cv::Mat lines, near, by_window;
  cv::absdiff(drawn, plain, lines);
  cv::dilate(lines, near, cv::Mat(), {-1, -1}, 3);
  cv::absdiff(seen, plain, by_window);
  EXPECT_GT(CountOf(by_window), 300);
  by_window.setTo(0, near > 0);
  EXPECT_LT(CountOf(by_window), 30);
  Press('t');
  const cv::Rect window = cv::Rect(0, 0, 512, 512);
  EXPECT_LT(scene_.ellipse()->pixels,
            RegionOf(MapMomentsOf(scene_.judgement().Mask(), window))->pixels);
  Press('e');
  ExpectSame(Look(), Expected(View::kOverlay));
}

TEST_F(WindowTest, TheViewsStandInARowInTheOrderOfTheirKeys) {
  Open(Photograph());
  int right = -1;
  for (int i = 0; i < static_cast<int>(ViewKinds().size()); ++i) {
    const auto* const button = Find<QAbstractButton>(QString("key %1").arg(i + 1));
    const QPoint at = button->mapTo(window_.get(), QPoint(0, 0));
    EXPECT_GT(at.x(), right);
    EXPECT_LT(at.y() + button->height(), picture()->mapTo(window_.get(), QPoint(0, 1)).y());
    right = at.x() + button->width();
  }
  EXPECT_LE(right, window_->width());
}

TEST_F(WindowTest, FullScreenIsThePictureAloneAndEndsAsItBegan) {
  Open(Photograph());
  QWidget* const views = Find<QAbstractButton>("key 1")->parentWidget();
  for (const bool surrounded : {true, false}) {
    if (!surrounded) Press('i');
    EXPECT_EQ(views->isVisible(), surrounded);
    Press('f');
    EXPECT_TRUE(window_->isFullScreen());
    EXPECT_FALSE(views->isVisible());
    EXPECT_FALSE(Find("line")->isVisible());
    EXPECT_EQ(picture()->size(), window_->size());
    Press(surrounded ? 'f' : '\x1b');
    EXPECT_FALSE(window_->isFullScreen());
    EXPECT_EQ(views->isVisible(), surrounded);
    EXPECT_TRUE(Find("line")->isVisible());
  }
  QTest::keyClick(picture(), Qt::Key_F11);
  EXPECT_TRUE(window_->isFullScreen());
  EXPECT_FALSE(exchange_.closed());
}

TEST_F(WindowTest, FilesAreWrittenByKeysAndButtons) {
  Open(Photograph());
  Press('w');
  Find<QAbstractButton>("key p")->click();
  Turn();
  EXPECT_NE(Find<Line>("line")->toolTip().indexOf("wrote"), -1);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 4u);
  Press(' ');
  EXPECT_TRUE(controls_->settings().paused);
  EXPECT_TRUE(Find<QAbstractButton>("key  ")->isChecked());
  Press('q');
  EXPECT_TRUE(exchange_.closed());
}

TEST_F(WindowTest, ARecordingThatCannotBeFinishedIsOver) {
  Open(Photograph({160, 160}));
  const auto said = [&] { return Find<Line>("line")->toolTip().toStdString(); };
  Press('r');
  Press('r');
  EXPECT_EQ(said(), "no frame came: nothing was recorded");
  Press('r');
  recorder_->Write(bgr_, 0, {25, 1}, {1, 1});
  WriteFile(recorder_->path(), "somebody else's", IfExists::kFail);
  Press('r');
  EXPECT_NE(said().find("exists already (--force replaces it)"), std::string::npos) << said();
  EXPECT_FALSE(recorder_);  // else frames would wait for it
}

TEST_F(WindowTest, ARecordingThatFailsIsOverAndTheSessionGoesOn) {
  Open(Photograph({160, 160}));
  Press('r');
  ASSERT_TRUE(recorder_);
  std::filesystem::remove_all(folder_);
  for (int i = 0; i < 100 && recorder_; ++i)  // the encoder is some frames behind
    controls_->Record(bgr_, i / 25., {25, 1}, {1, 1});
  EXPECT_FALSE(recorder_);
  Turn();
  EXPECT_NE(Find<Line>("line")->toolTip().indexOf("live-"), -1);
  Press('r');  // makes the folder
  ASSERT_TRUE(recorder_);
  controls_->Record(bgr_, 0, {25, 1}, {1, 1});
  const std::filesystem::path path = recorder_->path();
  Press('r');
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(WindowTest, CamerasAndTheirFormatsAreChosenByKeys) {
  Open(Photograph({160, 160}));
  std::optional<SourceChoice> chosen;
  SourceBox box([&](const SourceChoice& choice) { chosen = choice; }, nullptr);
  box.SetSource("clip.mp4");
  box.SetCameras({{"/dev/video0", "Webcam", {{"YUYV", {640, 480}, 30}, {"MJPG", {1920, 1080}, 60}}},
                  {"/dev/video2", "", {}}});
  auto* const camera = box.findChild<QComboBox*>("camera");
  auto* const format = box.findChild<QComboBox*>("format");
  EXPECT_FALSE(format->isEnabled());
  QTest::keyClick(camera, Qt::Key_Down);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->source, "/dev/video0");
  EXPECT_EQ(chosen->format.code, "");
  QTest::keyClick(format, Qt::Key_End);
  EXPECT_EQ(format->currentText(), "MJPG 1920 × 1080, 60/s");
  EXPECT_EQ(chosen->source, "/dev/video0");
  EXPECT_EQ(chosen->format.code, "MJPG");
  EXPECT_EQ(chosen->format.size, cv::Size(1920, 1080));
  EXPECT_EQ(chosen->format.rate, 60);
  box.SetSource("/dev/video0");  // it is open: the choice stays
  EXPECT_EQ(format->currentText(), "MJPG 1920 × 1080, 60/s");
  QTest::keyClick(camera, Qt::Key_Home);
  EXPECT_EQ(chosen->source, "clip.mp4");
}

// Every widget that can be used has its place, is reached by Tab, and shows all of its text.
void ExpectWhole(MainWindow& window) {
  std::set<QChar> mnemonics;
  std::set<QWidget*> reached;
  for (QWidget* at = window.nextInFocusChain(); reached.insert(at).second;)
    at = at->nextInFocusChain();
  for (QWidget* const widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    const std::string name = widget->objectName().toStdString();
    auto* const button = qobject_cast<QAbstractButton*>(widget);
    auto* const label = qobject_cast<QLabel*>(widget);
    if (button) {
      EXPECT_TRUE(reached.contains(widget)) << name;
      EXPECT_TRUE(widget->focusPolicy() & Qt::TabFocus) << name;
      EXPECT_FALSE(widget->toolTip().isEmpty()) << name;
      EXPECT_GE(widget->width() + 1, widget->minimumSizeHint().width()) << name;
    }
    const QString text = button ? button->text() : label && label->buddy() ? label->text() : "";
    const int at = text.indexOf('&');
    if (at >= 0) {
      EXPECT_TRUE(mnemonics.insert(text[at + 1].toLower()).second) << text.toStdString();
    }
    if (label && !dynamic_cast<Line*>(label)) {
      EXPECT_GE(label->width(), label->fontMetrics().horizontalAdvance(label->text().remove('&')))
          << label->text().toStdString();
    }
  }
}

TEST_F(WindowTest, NothingIsClippedInASmallWindow) {
  Open(Photograph({176, 144}));
  window_->resize(640, 480);
  for (int i = 0; i < 3; ++i) Turn();
  QTest::qWait(300);  // the numbers
  ExpectWhole(*window_);
  EXPECT_FALSE(window_->findChild<QScrollArea*>()->verticalScrollBar()->isVisible());
  EXPECT_EQ(window_->size(), QSize(640, 480));
  const int narrow = picture()->width();
  Press('i');
  EXPECT_EQ(picture()->width(), 640);
  EXPECT_GT(picture()->width(), narrow);
  ExpectSame(Look(), Expected(View::kOverlay));
}

TEST_F(WindowTest, PicturesAreSharpWhereAPointIsManyPixels) {
  Open(Photograph(), "2");
  EXPECT_EQ(Look().size(), cv::Size(2 * picture()->width(), 2 * picture()->height()));
  ExpectSame(Look(), Expected(View::kOverlay));
  ExpectWhole(*window_);
  Press('b');
  QTest::mousePress(picture(), Qt::LeftButton, {}, {10, 10});
  QTest::mouseRelease(picture(), Qt::LeftButton, {}, {60, 60});
  Turn();
  const cv::Size on_screen = Fitted({512, 512}, Look().size()).size();
  EXPECT_NEAR(std::sqrt(scene_.samples().other_pixels()), 100.0 * 512 / on_screen.width, 3);
}

}  // namespace
}  // namespace skinmask::live
