// The parts of `live` that need no camera.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <sstream>
#include <thread>
#include <utility>

#include "programs/live/controls.h"
#include "programs/live/recorder.h"
#include "programs/live/scene.h"
#include "programs/live/session.h"
#include "programs/live/source.h"
#include "programs/live/statistics.h"
#include "programs/live/v4l2_device.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/learn/fit.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"
#include "support/clips.h"
#include "support/world.h"

namespace skinmask::live {
namespace {

using testing::Scrolling;

class LiveTest : public testing::FolderTest {};

const DetectorOptions kOff{.adapt = DetectorOptions::Adapt::kOff};

cv::Mat Noise(int width, int height, std::uint64_t seed) {
  testing::Random random(seed);
  cv::Mat bgr(height, width, CV_8UC3);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < 3 * width; ++x) bgr.ptr(y)[x] = random.Byte();
  return bgr;
}

TEST_F(LiveTest, SourcesAreToldApart) {
  Put("odd!name.mp4", "x");
  EXPECT_EQ(SourceKindOf(Path("odd!name.mp4")), SourceKind::kFile);
  EXPECT_EQ(SourceKindOf("clip.mp4"), SourceKind::kFile);
  EXPECT_EQ(SourceKindOf("0"), SourceKind::kCamera);
  EXPECT_EQ(SourceKindOf("/dev/video3"), SourceKind::kCamera);
  EXPECT_EQ(SourceKindOf("videotestsrc ! appsink"), SourceKind::kPipeline);
  EXPECT_EQ(SourceKindOf("rtsp://camera/1"), SourceKind::kStream);
  EXPECT_EQ(SourceKindOf("http://user:pass!word@camera/1"), SourceKind::kStream);
  EXPECT_EQ(SourceKindOf("uridecodebin uri=http://camera/1 ! appsink"), SourceKind::kPipeline);
}

// A camera's pictures cannot be had again.
TEST_F(LiveTest, ARecordingEndsBeforeItsFileIsTooLarge) {
  constexpr int kMax = 20 << 20;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{kMax, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  Recorder recorder(Path("a.mkv"), View::kOverlay, IfExists::kFail);
  const cv::Mat noise = Noise(640, 480, 1);
  std::string why;
  for (int i = 0; i < 100 && why.empty(); ++i) try {
      recorder.Write(noise, i / 25., {25, 1}, {1, 1});
    } catch (const Error& e) {
      why = e.what();
    }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(why.find("because no file there can be larger than 20 MB"), why.npos) << why;
  VideoReader reader(Path("a.mkv").string());
  int frames = 0;
  while (reader.Read()) ++frames;
  EXPECT_GT(frames, 0);
  EXPECT_NE(why.find("ends after " + std::to_string(frames) + " frames"), why.npos) << why;
}

// The module is found and loads; it opens no camera where there is none.
TEST_F(LiveTest, WhatIsNoCameraIsNotOpened) { EXPECT_EQ(OpenV4l2Device("/dev/null"), nullptr); }

TEST_F(LiveTest, FramesGetTheMasksOfDetect) {
  const cv::Mat bgr = Noise(333, 77, 1);
  const Model model = DefaultModel();
  Scene scene(model, false, kOff, kOff);
  Statistics statistics;
  scene.Process({WrapBgr(bgr), Clock::now()}, statistics);
  Judgement& seen = scene.judgement();
  const Posterior posterior(model);
  EXPECT_EQ(cv::norm(seen.Mask(), DetectMask(posterior, bgr), cv::NORM_INF), 0);
  EXPECT_EQ(cv::norm(seen.Probability(), DetectProbability(posterior, bgr), cv::NORM_INF), 0);
  EXPECT_GT(cv::countNonZero(seen.Mask()), 0);
  EXPECT_EQ(cv::norm(seen.Bgr(), bgr, cv::NORM_INF), 0);
}

TEST_F(LiveTest, FramesOfAFileKeepTheirTimeAndLateOnesAreDropped) {
  SKIP_WITHOUT_FFMPEG();
  testing::MakeOnce(folder_, Scrolling("160x120", "25") + "-frames:v 25 clip.mp4", {"clip.mp4"});
  CaptureOptions options;
  options.at_own_rate = true;
  const auto begin = Clock::now();
  Capture capture(Path("clip.mp4").string(), options);
  std::optional<LiveFrame> first;
  while (!first) first = capture.Take(0.5);
  while (capture.captured() < 25) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::optional<LiveFrame> last = capture.Take(0.5);
  ASSERT_TRUE(last);
  EXPECT_NEAR(last->picture.seconds, 24 / 25.0, 1e-6);  // the newest wins
  EXPECT_EQ(capture.dropped(), 23u);
  // It was held back until its time, however fast the machine.
  EXPECT_GE(std::chrono::duration<double>(last->captured - begin).count(), 24 / 25.0);
}

// Nothing goes by, and it does not end, however long the pause.
TEST_F(LiveTest, APausedFileWaits) {
  SKIP_WITHOUT_FFMPEG();
  testing::MakeOnce(folder_, Scrolling("160x120", "25") + "-frames:v 3 clip.mp4", {"clip.mp4"});
  CaptureOptions options;
  for (bool* const wanted : {&options.at_own_rate, &options.every_frame}) {
    options.at_own_rate = options.every_frame = false;
    *wanted = true;
    Capture capture(Path("clip.mp4").string(), options);
    std::optional<LiveFrame> frame;
    while (!frame) frame = capture.Take(0.5);
    capture.SetPaused(true);
    const std::uint64_t before = capture.captured();
    EXPECT_FALSE(capture.Take(0.3));
    EXPECT_LE(capture.captured(), before + 1);  // it may have been on its way
    EXPECT_FALSE(capture.ended());
    capture.SetPaused(false);
    std::uint64_t taken = 1;
    while (!capture.ended()) taken += capture.Take(0.5).has_value();
    EXPECT_EQ(taken + capture.dropped(), 3u);
  }
}

// In the window, as a camera that was chosen there and gives no picture makes it.
TEST_F(LiveTest, TimeGoesOnWhereAFileBeginsAgain) {
  SKIP_WITHOUT_FFMPEG();
  testing::MakeOnce(folder_, Scrolling("160x120", "25") + "-frames:v 4 clip.mp4", {"clip.mp4"});
  SessionOptions options;
  options.source = Path("clip.mp4").string();
  options.capture.at_own_rate = options.capture.every_frame = true;
  options.model = DefaultModel();
  options.detector = options.if_asked = kOff;
  options.tables.csv = Path("a.csv").string();
  Exchange exchange;
  bool again = false;
  exchange.SetWake([&] {
    if (exchange.TakeNewest()->number < 3 || std::exchange(again, true)) return;
    exchange.Post([&](Controls& c) { c.Open({options.source}); });
  });
  EXPECT_GE(RunSession(options, &exchange).frames, 7u);
  std::istringstream rows(ReadFile(Path("a.csv")));
  double before = 0;
  std::string row;
  for (std::getline(rows, row); std::getline(rows, row);) {
    const double seconds = std::stod(row.substr(row.find(',') + 1));
    EXPECT_GE(seconds, before) << row;
    before = seconds;
  }
  EXPECT_GT(before, 0);
}

// The keys of docs/live.md are those of the window.
TEST(KeysTest, TheDocumentHasThem) {
  const std::string page = ReadFile(SKINMASK_SOURCE "/docs/live.md");
  const std::size_t begin = page.find("| key | does |");
  std::istringstream table(page.substr(begin, page.find("\n\n", begin) - begin));
  std::string documented;
  for (std::string row; std::getline(table, row);) {
    const std::string cell = row.substr(0, row.find('|', 1));
    for (std::size_t at = 0; (at = cell.find('`', at)) != cell.npos; at += 3)
      documented += cell[at + 1];
    if (cell.find("space") != cell.npos) documented += ' ';
    if (cell.find("Escape") != cell.npos) documented += '\x1b';
  }
  std::string keys;
  for (const Key& key : Keys()) keys += key.key;
  std::ranges::sort(keys);
  std::ranges::sort(documented);
  EXPECT_EQ(documented, keys);
}

TEST_F(LiveTest, EveryFrameIsSeenWhereAllAreWanted) {
  SKIP_WITHOUT_FFMPEG();
  testing::MakeOnce(folder_, Scrolling("160x120", "25") + "-frames:v 50 clip.mp4", {"clip.mp4"});
  CaptureOptions options;
  options.every_frame = true;
  Capture capture(Path("clip.mp4").string(), options);
  int taken = 0;
  while (!capture.ended()) taken += capture.Take(0.5).has_value();
  EXPECT_EQ(taken, 50);
  EXPECT_EQ(capture.dropped(), 0u);
}

TEST(RefitTest, LabelledPixelsJoinTheTrainedOnes) {
  // The oracle: the trained class as 5000 drawn pixels with exactly its moments is not to be had,
  // but the mixture's moments are: E and Cov of a draw from either with the shares' probabilities.
  const Model trained = DefaultModel();
  Refit refit(trained);
  const cv::Mat bgr = Noise(100, 50, 5);
  refit.Add(bgr, true);
  const Model model = refit.Fitted();
  const double n = 5000, m = Refit::kTrainedPixels, share = n / (n + m);
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (int y = 0; y < 50; ++y)
    for (int x = 0; x < 100; ++x) {
      const cv::Vec3b p = bgr.at<cv::Vec3b>(y, x);
      const Eigen::Vector3d v(p[0], p[1], p[2]);
      mean += v / n;
      second += v * v.transpose() / n;
    }
  const Eigen::Vector3d old_mean = trained.classes[0].mean;
  const Eigen::Matrix3d old_second =
      Eigen::Matrix3d(trained.classes[0].covariance) + old_mean * old_mean.transpose();
  const Eigen::Vector3d joint = share * mean + (1 - share) * old_mean;
  const Eigen::Matrix3d covariance =
      share * second + (1 - share) * old_second - joint * joint.transpose();
  EXPECT_LT((Eigen::Vector3d(model.classes[0].mean) - joint).norm(), 1e-9);
  EXPECT_LT((Eigen::Matrix3d(model.classes[0].covariance) - covariance).norm(), 1e-7);
  EXPECT_EQ(model.classes[0].count, trained.classes[0].count + 5000);
  EXPECT_EQ(model.classes[1].mean, trained.classes[1].mean);
  EXPECT_EQ(model.positive().prior, trained.positive().prior);
  EXPECT_EQ(model.decision.threshold, trained.decision.threshold);
  EXPECT_TRUE(model.card.scores.empty());
  refit.Clear();
  EXPECT_EQ(ModelToJson(refit.Fitted()), ModelToJson(trained));
}

TEST(RefitTest, EveryGaussianKindStaysOne) {
  for (const Kind kind : {Kind::kQda, Kind::kLda, Kind::kGaussianNb}) {
    FitOptions options;
    options.kind = kind;
    Refit refit(Fit(testing::DrawSamples(), options));
    refit.Add(Noise(40, 40, 2), false);
    refit.Add(Noise(1, 1, 3), true);
    const Model model = refit.Fitted();
    EXPECT_NO_THROW(ModelFromJson(ModelToJson(model), "refitted")) << KindName(kind);
  }
}

TEST(RefitTest, OtherKindsAreRefused) {
  FitOptions options;
  options.kind = Kind::kHistogram;
  Refit histogram(Fit(testing::DrawSamples(), options));
  EXPECT_ERROR(histogram.Add(Noise(4, 4, 1), true), "histogram");
}

// Blue things are skin once the user says so.
TEST(RefitTest, ASampleTeaches) {
  cv::Mat bgr(60, 60, CV_8UC3, cv::Scalar(30, 30, 30));
  cv::Mat blue = bgr(cv::Rect(10, 10, 40, 40));
  cv::randn(blue, cv::Scalar(200, 60, 40), cv::Scalar(6, 6, 6));
  Scene scene(DefaultModel(), false, kOff, kOff);
  Statistics statistics;
  scene.Process({WrapBgr(bgr), Clock::now()}, statistics);
  const int before = cv::countNonZero(scene.judgement().Mask());
  scene.AddSamples({12, 12, 36, 36}, true);
  scene.Reprocess();
  EXPECT_LT(before, 100);
  EXPECT_GT(cv::countNonZero(scene.judgement().Mask()), 1500);
  scene.ClearSamples();
  scene.Reprocess();
  EXPECT_EQ(cv::countNonZero(scene.judgement().Mask()), before);
}

TEST(SceneTest, MirrorsFlipPicturesAndMaps) {
  const cv::Mat bgr = Noise(31, 20, 9);
  Scene plain(DefaultModel(), false, kOff, kOff), mirror(DefaultModel(), true, kOff, kOff);
  Statistics statistics;
  plain.Process({WrapBgr(bgr), Clock::now()}, statistics);
  mirror.Process({WrapBgr(bgr), Clock::now()}, statistics);
  Judgement &a = plain.judgement(), &b = mirror.judgement();
  cv::Mat flipped;
  cv::flip(b.Bgr(), flipped, 1);
  EXPECT_EQ(cv::norm(a.Bgr(), flipped, cv::NORM_INF), 0);
  cv::flip(b.Mask(), flipped, 1);
  EXPECT_EQ(cv::norm(a.Mask(), flipped, cv::NORM_INF), 0);
  const Region of_plain = plain.region(statistics).value(),
               of_mirror = mirror.region(statistics).value();
  EXPECT_NEAR(of_plain.centroid.x, 30 - of_mirror.centroid.x, 1e-9);
  EXPECT_NEAR(of_plain.centroid.y, of_mirror.centroid.y, 1e-9);
}

TEST(SceneTest, WhatCannotAdaptStaysAsItIs) {
  Scene scene(DefaultModel(), false, kOff, {.faces = "absent.onnx"});
  scene.SetThreshold(0.25);
  EXPECT_THROW(scene.SetAdapting(true), Error);
  EXPECT_FALSE(scene.adapting());
  EXPECT_NO_THROW(scene.ClearSamples());
  EXPECT_EQ(scene.threshold(), 0.25);
}

TEST(SceneTest, TheModelsOwnNumbersCanBeHadAgain) {
  const Model model = DefaultModel();
  const DetectorOptions options{
      .adapt = DetectorOptions::Adapt::kOff, .threshold = 0.3, .prior = 0.4};
  Scene scene(model, false, options, options);
  EXPECT_EQ(scene.threshold(), 0.3);
  EXPECT_NEAR(scene.prior(), 0.4, 1e-12);
  scene.SetThreshold(std::nullopt);
  scene.SetPrior(std::nullopt);
  EXPECT_EQ(scene.threshold(), model.decision.threshold);
  EXPECT_NEAR(scene.prior(), model.PriorOfLogOdds(), 1e-12);
}

TEST(SceneTest, SlidersMoveTheMask) {
  const cv::Mat bgr = Noise(200, 200, 4);
  Scene scene(DefaultModel(), false, kOff, kOff);
  Statistics statistics;
  scene.Process({WrapBgr(bgr), Clock::now()}, statistics);
  const auto count = [&] {
    scene.Reprocess();
    return cv::countNonZero(scene.judgement().Mask());
  };
  scene.SetThreshold(0.5);
  const int half = count();
  scene.SetThreshold(0.1);
  const int low = count();
  scene.SetPrior(0.9);
  const int likely = count();
  EXPECT_GT(half, 0);
  EXPECT_GT(low, half);
  EXPECT_GT(likely, low);
  Model model = WithPrior(DefaultModel(), 0.9);
  model.decision.threshold = 0.1;
  EXPECT_EQ(likely, cv::countNonZero(DetectMask(Posterior(model), bgr)));
}

// As `detect` writes it, at any threshold.
TEST(SceneTest, WhatIsNotKnownIsThatOfDetect) {
  const cv::Mat bgr = Noise(200, 200, 4);
  Scene scene(DefaultModel(), false, kOff, kOff);
  Statistics statistics;
  scene.Process({WrapBgr(bgr), Clock::now()}, statistics);
  const cv::Mat seen = scene.judgement().Uncertainty();
  const Detector detector(DefaultModel(), kOff);
  EXPECT_EQ(cv::norm(seen, detector.Judge(bgr).Uncertainty(), cv::NORM_INF), 0);
  EXPECT_GT(cv::countNonZero(seen == Judgement::kUnsure), 0);
  EXPECT_GT(cv::countNonZero(seen == Judgement::kUnexplained), 0);
  scene.SetThreshold(0.9);
  scene.Reprocess();
  EXPECT_EQ(cv::norm(scene.judgement().Uncertainty(), seen), 0);
}

TEST(StatisticsTest, TimesHaveTheirQuantiles) {
  Times times;
  for (int i = 1; i <= 1000; ++i) times.Add(i * 1e-5 * 10);  // 0.1 ms .. 100 ms
  EXPECT_NEAR(times.mean(), 0.05005, 1e-9);
  EXPECT_NEAR(times.Quantile(0.5), 0.05, 2e-4);
  EXPECT_NEAR(times.Quantile(0.95), 0.095, 2e-4);
  EXPECT_DOUBLE_EQ(times.maximum(), 0.1);
  times.Add(7);
  EXPECT_DOUBLE_EQ(times.maximum(), 7);
  EXPECT_EQ(Times().Quantile(0.5), 0);
}

}  // namespace
}  // namespace skinmask::live
