// Where pictures lie, what is drawn, and what goes between the window and the session.
#include <gtest/gtest.h>

#include "programs/live/exchange.h"
#include "programs/live/scene.h"
#include "programs/live/statistics.h"
#include "programs/live/view.h"
#include "programs/live/window/picture_widget.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/draw.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/model/model.h"

namespace skinmask::live {
namespace {

// Inside the area, of the picture's shape to a pixel, in its middle, and touching two of its sides.
TEST(FitTest, PicturesAreAsLargeAsTheyCanBe) {
  const std::vector<cv::Size> pictures{{1920, 1080}, {176, 144}, {1, 5000}, {640, 480}};
  const std::vector<cv::Size> areas{{640, 480}, {3840, 2160}, {33, 1000}, {1, 1}};
  for (const cv::Size& picture : pictures)
    for (const cv::Size& area : areas) {
      const cv::Rect fitted = Fitted(picture, area);
      EXPECT_EQ(fitted & cv::Rect({}, area), fitted);
      EXPECT_TRUE(fitted.width == area.width || fitted.height == area.height);
      const double shape = static_cast<double>(picture.width) / picture.height;
      EXPECT_NEAR(fitted.width, std::max(1.0, fitted.height * shape), std::max(1.0, shape));
      EXPECT_LE(std::abs(2 * fitted.x + fitted.width - area.width), 1);
      EXPECT_LE(std::abs(2 * fitted.y + fitted.height - area.height), 1);
    }
  EXPECT_TRUE(Fitted({}, {640, 480}).empty());
  EXPECT_TRUE(Fitted({640, 480}, {}).empty());
}

TEST(FitTest, PixelsAreUnderTheirPlace) {
  const cv::Size picture(7, 5), area(700, 800);
  const cv::Rect fitted = Fitted(picture, area);
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x)
      for (const double in : {0.01, 0.99})
        EXPECT_EQ(PixelUnder(picture, fitted,
                             {fitted.x + (x + in) * fitted.width / picture.width,
                              fitted.y + (y + in) * fitted.height / picture.height}),
                  cv::Point(x, y));
  EXPECT_EQ(PixelUnder(picture, fitted, {-50, 5000}), cv::Point(0, 4));
}

TEST(FitTest, AtItsOwnSizeAPictureStaysAsItIs) {
  cv::Mat bgr(20, 30, CV_8UC3), back;
  cv::randu(bgr, 0, 256);
  const cv::Mat screen = ForScreen(bgr, bgr.size());
  ASSERT_EQ(screen.type(), CV_8UC4);
  for (int c = 0; c < 3; ++c) {
    cv::Mat a, b;
    cv::extractChannel(bgr, a, c);
    cv::extractChannel(screen, b, c);
    EXPECT_EQ(cv::norm(a, b, cv::NORM_INF), 0);
  }
  EXPECT_EQ(ForScreen(cv::Mat(9, 9, CV_8UC1, 200), {5, 4}).at<cv::Vec4b>(2, 2),
            cv::Vec4b(200, 200, 200, 255));
}

TEST(ViewTest, TheDividerPartsTheFrameFromTheOverlay) {
  cv::Mat bgr(48, 64, CV_8UC3);
  cv::randu(bgr, 0, 256);
  const Detector detector(DefaultModel(), nullptr);
  Judgement seen = detector.Judge(bgr);
  const cv::Mat overlay = DrawOverlay(bgr, seen.Mask());
  for (const double share : {0.0, 0.25, 1.0}) {
    const cv::Mat split = Draw(View::kSplit, seen, {.divider = share});
    const int at = static_cast<int>(64 * share), line = std::min(at, 63);
    for (int x = 0; x < 64; ++x) {
      if (x == line) continue;
      const cv::Mat& wanted = x < line ? bgr : overlay;
      EXPECT_EQ(cv::norm(split.col(x), wanted.col(x), cv::NORM_INF), 0) << share << " " << x;
    }
    EXPECT_EQ(split.at<cv::Vec3b>(5, line), cv::Vec3b(255, 255, 255));
  }
}

TEST(ViewTest, ProbabilitiesAreTheHeatMapOfDetect) {
  const Detector detector(DefaultModel(), nullptr);
  cv::Mat bgr(48, 64, CV_8UC3);
  cv::randu(bgr, 0, 256);
  Judgement seen = detector.Judge(bgr);
  const cv::Mat map = Draw(Output::kHeatmap, seen);
  EXPECT_EQ(cv::norm(Draw(View::kProbability, seen), map, cv::NORM_INF), 0);
  EXPECT_EQ(ViewFromName("heatmap"), View::kProbability);
}

// A point of each place is the same point of the frame.
TEST(ViewTest, PlacesOfTheFrame) {
  const cv::Size frame(101, 60);
  for (int i = 0; i < static_cast<int>(ViewKinds().size()); ++i) {
    const View view = static_cast<View>(i);
    EXPECT_EQ(ViewFromName(ViewName(view)), view);
    for (const cv::Rect& place : FramePlaces(view, frame))
      EXPECT_LE(cv::norm(InFrame(view, frame, place.tl() + cv::Point(place.width / 2, 10)) -
                         cv::Point(frame.width / 2, 10 * frame.height / place.height)),
                2);
  }
}

TEST(SelectionTest, StaysInThePicture) {
  Selection selection;
  selection.Nudge(1, 0);
  EXPECT_FALSE(selection.rectangle());  // there is no picture
  selection.SetPicture({400, 200});
  selection.Press({30, 20});
  selection.MoveTo({10, 60});
  EXPECT_EQ(selection.rectangle(), cv::Rect(10, 20, 21, 41));
  EXPECT_EQ(selection.Take(), cv::Rect(10, 20, 21, 41));
  EXPECT_FALSE(selection.rectangle());
  selection.MoveTo({5, 5});  // without a press
  EXPECT_FALSE(selection.rectangle());
  selection.Nudge(1, 0);
  const cv::Rect first = selection.rectangle().value();
  EXPECT_TRUE(first.contains({200, 100}));
  for (int i = 0; i < 200; ++i) selection.Nudge(1, 1);
  EXPECT_EQ(selection.rectangle().value().br(), cv::Point(400, 200));
  EXPECT_EQ(selection.rectangle().value().size(), first.size());
  for (int i = 0; i < 200; ++i) selection.Grow(1);
  EXPECT_EQ(selection.rectangle(), cv::Rect(0, 0, 400, 200));
  for (int i = 0; i < 200; ++i) selection.Grow(-1);
  EXPECT_FALSE(selection.rectangle().value().empty());
  selection.SetPicture({300, 200});
  EXPECT_FALSE(selection.rectangle());
}

TEST(HistoryTest, KeepsTheLast) {
  History history(100);
  EXPECT_EQ(history.Quantile(0.95), 0);
  EXPECT_EQ(history.Ceiling(), 10);
  for (int i = 0; i <= 1000; ++i) history.Add(i);
  EXPECT_EQ(history.values().size(), 100u);
  EXPECT_DOUBLE_EQ(history.mean(), 950.5);
  EXPECT_NEAR(history.Quantile(0.5), 950.5, 1);
  EXPECT_NEAR(history.Quantile(0.95), 995, 1);
  EXPECT_EQ(history.Ceiling(), 1000);
  History small(3);
  small.Add(12);
  EXPECT_EQ(small.Ceiling(), 20);
  small.Add(50.5);
  EXPECT_EQ(small.Ceiling(), 100);
}

TEST(ExchangeTest, TheNewestPictureWinsAndWakesOnce) {
  Exchange exchange;
  int woken = 0;
  exchange.SetWake([&] { ++woken; });
  for (std::uint64_t i = 1; i <= 3; ++i) {
    Shown shown;
    shown.number = i;
    exchange.Publish(std::move(shown));
  }
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(exchange.TakeNewest()->number, 3u);
  EXPECT_FALSE(exchange.TakeNewest());
  exchange.Post([](Controls&) {});
  exchange.Publish({});
  EXPECT_EQ(woken, 2);
  EXPECT_FALSE(exchange.IsUpToDate(*exchange.TakeNewest()));
  EXPECT_EQ(exchange.TakeCommands().size(), 1u);
  exchange.Publish({});
  EXPECT_TRUE(exchange.IsUpToDate(*exchange.TakeNewest()));
}

TEST(RefitTest, UndoTakesOneRectangleBack) {
  Refit refit(DefaultModel());
  cv::Mat bgr(20, 20, CV_8UC3);
  cv::randu(bgr, 0, 256);
  refit.Undo();  // nothing to take back
  refit.Add(bgr, true);
  const std::string one = ModelToJson(refit.Fitted());
  refit.Add(bgr, false);
  EXPECT_EQ(refit.rectangles(), 2u);
  refit.Undo();
  EXPECT_EQ(ModelToJson(refit.Fitted()), one);
  refit.Undo();
  EXPECT_TRUE(refit.empty());
  EXPECT_EQ(refit.rectangles(), 0u);
}

}  // namespace
}  // namespace skinmask::live
