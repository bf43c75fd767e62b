// JPEGs that are judged by the Y'CbCr that they store (DetectOptions::pixels).
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <turbojpeg.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <opencv2/imgproc.hpp>

#include "media/image_codec.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/draw.h"
#include "skinmask/media/image.h"
#include "skinmask/media/video.h"
#include "skinmask/model/quadratic.h"
#include "skinmask/pipeline/detect_run.h"
#include "support/colors.h"
#include "support/files.h"
#include "support/pictures.h"

namespace skinmask {
namespace {

using testing::Gradient;
using Pixels = FramePosterior::Pixels;

constexpr int kSubsamplings[] = {TJSAMP_444, TJSAMP_422, TJSAMP_420,
                                 TJSAMP_440, TJSAMP_411, TJSAMP_GRAY};

// Colours of its own in every pixel, more of them near skin than not.
cv::Mat Colors(int width, int height, std::uint64_t seed) {
  testing::Random random(seed);
  cv::Mat image = Gradient(width, height);
  for (auto it = image.begin<cv::Vec3b>(); it != image.end<cv::Vec3b>(); ++it)
    for (int c = 0; c < 3; ++c)
      (*it)[c] = cv::saturate_cast<std::uint8_t>(60 * c + (*it)[c] / 2 + random.Byte() / 4);
  return image;
}

std::string Jpeg(const cv::Mat& image, int subsampling, int flags = 0) {
  const std::unique_ptr<void, decltype(&tjDestroy)> encoder(tjInitCompress(), tjDestroy);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const int format = image.channels() == 4 ? TJPF_CMYK : TJPF_BGR;
  EXPECT_EQ(tjCompress2(encoder.get(), image.data, image.cols, static_cast<int>(image.step),
                        image.rows, format, &bytes, &size, subsampling, 90, flags),
            0);
  const std::unique_ptr<unsigned char, decltype(&tjFree)> owner(bytes, tjFree);
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

// The log-odds of each pixel, as stored, by TurboJPEG's packed planes, the equations of JFIF and
// the quadratic in double, which other tests hold to Reference.
cv::Mat1d Expected(const std::string& jpeg, const Model& model) {
  const std::unique_ptr<void, decltype(&tjDestroy)> decoder(tjInitDecompress(), tjDestroy);
  auto* const bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(jpeg.data()));
  int width = 0, height = 0, subsampling = 0;
  tjDecompressHeader2(decoder.get(), bytes, jpeg.size(), &width, &height, &subsampling);
  std::map<int, cv::Size> shares{
      {TJSAMP_422, {2, 1}}, {TJSAMP_420, {2, 2}}, {TJSAMP_411, {4, 1}}, {TJSAMP_440, {1, 2}}};
  const int across = std::max(1, shares[subsampling].width);
  const int down = std::max(1, shares[subsampling].height);
  std::vector<std::uint8_t> packed(tjBufSizeYUV2(width, 1, height, subsampling));
  EXPECT_EQ(
      tjDecompressToYUV2(decoder.get(), bytes, jpeg.size(), packed.data(), width, 1, height, 0), 0);
  const auto columns = (width + across - 1) / across, rows = (height + down - 1) / down;
  const int luma_stride = columns * across, luma = luma_stride * rows * down;
  const Quadratic q(model);
  cv::Mat1d z(height, width);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const auto at = [&](int i) {
        return static_cast<double>(packed[static_cast<std::size_t>(i)]);
      };
      const int chroma = luma + y / down * columns + x / across;
      const bool grey = subsampling == TJSAMP_GRAY;
      const double l = at(y * luma_stride + x), cb = grey ? 0 : at(chroma) - 128,
                   cr = grey ? 0 : at(chroma + columns * rows) - 128;
      const std::array<double, 3> d{l + 1.772 * cb - 128,
                                    l - 0.344136286 * cb - 0.714136286 * cr - 128,
                                    l + 1.402 * cr - 128};
      const auto& b = q.linear;
      const auto& a = q.product;
      z(y, x) = q.constant + b[0] * d[0] + b[1] * d[1] + b[2] * d[2] + a[0] * d[0] * d[0] +
                a[1] * d[0] * d[1] + a[2] * d[0] * d[2] + a[3] * d[1] * d[1] + a[4] * d[1] * d[2] +
                a[5] * d[2] * d[2];
    }
  return z;
}

class JpegPlanesTest : public testing::FolderTest {
 protected:
  JpegPlanesTest() {
    options_.output_folder = Path("out");
    options_.if_exists = IfExists::kReplace;
    options_.outputs = {Output::kMask, Output::kProbability};
    options_.pixels = Pixels::kYuv;
    run_.problem = [&](const Problem& problem) { problems_.push_back(problem.line); };
  }
  // The files that a run writes, by name.
  std::map<std::string, std::string> Outputs() {
    testing::fs::remove_all(Path("out"));
    Detect(options_, Detector(model_, adapter_), run_,
           [&](const DetectedImage& image) { last_ = image; });
    std::map<std::string, std::string> files;
    for (const std::string& name : Names(Path("out"))) files[name] = ReadFile(Path("out/" + name));
    return files;
  }
  std::map<std::string, std::string> OutputsOf(const std::string& image, Pixels pixels) {
    options_.inputs = {Put("a.jpg", image)};
    options_.pixels = pixels;
    return Outputs();
  }
  static cv::Mat Decoded(const std::string& file) {
    return cv::imdecode(
        cv::Mat(1, static_cast<int>(file.size()), CV_8UC1, const_cast<char*>(file.data())),
        cv::IMREAD_UNCHANGED);
  }

  const Model model_ = testing::Trained(Kind::kQda, "BGR");
  std::shared_ptr<const Adapter> adapter_;
  DetectOptions options_;
  skinmask::Run run_;
  std::vector<std::string> problems_;
  DetectedImage last_;
};

TEST_F(JpegPlanesTest, MasksAndProbabilitiesAreThoseOfTheStandardsEquation) {
  const double threshold = Logit(model_.decision.threshold);
  constexpr double kRounding = 1e-3;
  for (const int subsampling : kSubsamplings)
    for (const cv::Size size :
         {cv::Size(1, 1), {2, 1}, {1, 2}, {17, 13}, {61, 47}, {64, 48}, {130, 7}, {67, 3}}) {
      const std::string jpeg = Jpeg(Colors(size.width, size.height, 3), subsampling);
      auto files = OutputsOf(jpeg, Pixels::kYuv);
      const cv::Mat mask = Decoded(files["a.png"]), p = Decoded(files["a.probability.png"]);
      const cv::Mat1d z = Expected(jpeg, model_);
      ASSERT_EQ(mask.size(), size);
      ASSERT_EQ(p.size(), size);
      for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) {
          if (std::abs(z(y, x) - threshold) > kRounding) {
            ASSERT_EQ(mask.at<std::uint8_t>(y, x), z(y, x) > threshold ? 255 : 0)
                << subsampling << " " << size << " " << x << " " << y;
          }
          ASSERT_NEAR(p.at<std::uint8_t>(y, x), 255 * Logistic(z(y, x)), 0.5 + 255 * kRounding / 4);
        }
    }
}

TEST_F(JpegPlanesTest, DeepProbabilitiesAreThoseOfTheStandardsEquation) {
  options_.probability_bits = 16;
  for (const int subsampling : kSubsamplings) {
    const std::string jpeg = Jpeg(Colors(61, 47, 4), subsampling);
    auto files = OutputsOf(jpeg, Pixels::kYuv);
    const cv::Mat p = Decoded(files["a.probability.png"]);
    const cv::Mat1d z = Expected(jpeg, model_);
    ASSERT_EQ(p.type(), CV_16UC1);
    for (int y = 0; y < p.rows; ++y)
      for (int x = 0; x < p.cols; ++x)
        ASSERT_NEAR(p.at<std::uint16_t>(y, x), 65535 * Logistic(z(y, x)), 0.6);
  }
}

// Exif 2.32, table 'Orientation'.
TEST_F(JpegPlanesTest, EveryOrientationIsApplied) {
  const std::string jpeg = Jpeg(Colors(61, 47, 5), TJSAMP_420);
  auto stored = OutputsOf(jpeg, Pixels::kYuv);
  for (int tag = 1; tag <= 8; ++tag) {
    auto turned = OutputsOf(testing::WithOrientation(jpeg, tag), Pixels::kYuv);
    for (const std::string name : {"a.png", "a.probability.png"}) {
      const cv::Mat from = Decoded(stored[name]), to = Decoded(turned[name]);
      ASSERT_EQ(to.size(), tag < 5 ? from.size() : cv::Size(from.rows, from.cols));
      for (int y = 0; y < to.rows; ++y)
        for (int x = 0; x < to.cols; ++x) {
          const int right = from.cols - 1, low = from.rows - 1;
          const cv::Point places[] = {{x, y}, {right - x, y}, {right - x, low - y}, {x, low - y},
                                      {y, x}, {y, low - x},   {right - y, low - x}, {right - y, x}};
          ASSERT_EQ(to.at<std::uint8_t>(y, x), from.at<std::uint8_t>(places[tag - 1])) << tag;
        }
    }
    EXPECT_EQ(last_.size, Decoded(turned["a.png"]).size());
  }
}

// What is no Y'CbCr, and what is not judged by planes, gives the bytes of BGR.
TEST_F(JpegPlanesTest, WhatHasNoPlanesGoesThroughBgr) {
  cv::Mat cmyk;
  cv::cvtColor(Colors(61, 47, 6), cmyk, cv::COLOR_BGR2BGRA);
  const std::string full = Jpeg(Colors(61, 47, 6), TJSAMP_444);
  // Adobe's marker in place of JFIF's: the components are R, G, B.
  const std::string rgb = full.substr(0, 2) +
                          std::string(
                              "\xFF\xEE\0\x0E"
                              "Adobe\0\x64\0\0\0\0\0",
                              16) +
                          full.substr(20);
  for (const std::string& image : {Jpeg(cmyk, TJSAMP_444), Jpeg(cmyk, TJSAMP_420), rgb,
                                   testing::Encode(".png", Colors(61, 47, 6))}) {
    Scratch planes;
    EXPECT_FALSE(DecodeJpegPlanes(image, "x", {}, planes));
    const auto files = OutputsOf(image, Pixels::kYuv);
    EXPECT_EQ(files.size(), 2u);
    EXPECT_EQ(files, OutputsOf(image, Pixels::kBgr));
  }
  options_.scale = 2;
  EXPECT_EQ(OutputsOf(full, Pixels::kYuv), OutputsOf(full, Pixels::kBgr));
}

// OpenCV, which makes B, G and R of these four, knows SHORT alone.
TEST_F(JpegPlanesTest, InksAreTurnedWhateverTheTypeOfTheOrientation) {
  cv::Mat cmyk, turned;
  cv::cvtColor(Colors(61, 47, 6), cmyk, cv::COLOR_BGR2BGRA);
  const std::string jpeg = Jpeg(cmyk, TJSAMP_444);
  cv::rotate(DecodeImage(jpeg, "x"), turned, cv::ROTATE_90_CLOCKWISE);
  for (const char type : {1, 3, 4}) {  // BYTE, SHORT, LONG
    std::string tagged = testing::WithOrientation(jpeg, 6);
    const std::size_t entry = tagged.find(std::string("\x12\1\3\0", 4));
    ASSERT_NE(entry, tagged.npos);
    tagged[entry + 2] = type;
    EXPECT_EQ(cv::norm(DecodeImage(tagged, "x"), turned, cv::NORM_INF), 0) << int{type};
  }
}

TEST_F(JpegPlanesTest, TheMaskDoesNotDependOnWhatElseIsAskedFor) {
  const std::string jpeg = testing::WithOrientation(Jpeg(Colors(61, 47, 7), TJSAMP_420), 6);
  const auto alone = OutputsOf(jpeg, Pixels::kYuv);
  EXPECT_NE(alone, OutputsOf(jpeg, Pixels::kBgr));
  options_.outputs = {Output::kMask, Output::kProbability, Output::kOverlay, Output::kClasses};
  options_.region = true;
  auto all = OutputsOf(jpeg, Pixels::kYuv);
  for (const auto& [name, bytes] : alone) EXPECT_EQ(all[name], bytes);
  EXPECT_EQ(all["a.overlay.png"],
            EncodePng(DrawOverlay(DecodeImage(jpeg, "x"), Decoded(all["a.png"]))));
  EXPECT_TRUE(last_.region);
  EXPECT_EQ(OutputsOf(jpeg, Pixels::kBgr)["a.classes.png"], all["a.classes.png"]);
}

// As frames of videos: in BGR where something was adapted to, by planes where nothing was.
TEST_F(JpegPlanesTest, AdaptedImagesAreJudgedInBgr) {
  const std::string jpeg = Jpeg(Colors(161, 147, 8), TJSAMP_420);
  const auto by_planes = OutputsOf(jpeg, Pixels::kYuv);
  AdaptOptions adapt;
  adapter_ = std::make_shared<Adapter>(model_, model_.decision.threshold,
                                       std::vector<std::unique_ptr<SeedFinder>>{}, adapt);
  const auto adapted = OutputsOf(jpeg, Pixels::kYuv);
  EXPECT_EQ(last_.adaptation.by, AdaptationSummary::By::kImage);
  EXPECT_EQ(adapted, OutputsOf(jpeg, Pixels::kBgr));
  adapt.image.enabled = false;
  adapter_ = std::make_shared<Adapter>(model_, model_.decision.threshold,
                                       std::vector<std::unique_ptr<SeedFinder>>{}, adapt);
  EXPECT_EQ(by_planes, OutputsOf(jpeg, Pixels::kYuv));
}

TEST_F(JpegPlanesTest, ThreadsDoNotMatter) {
  for (int i = 0; i < 9; ++i)
    options_.inputs.push_back(
        Put(std::to_string(i) + ".jpg", Jpeg(Colors(701, 503 + 64 * i, 9), kSubsamplings[i % 6])));
  std::map<std::string, std::string> files[2];
  for (const std::size_t threads : {1, 4}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    files[threads == 1] = Outputs();
  }
  EXPECT_EQ(files[0].size(), 18u);
  EXPECT_EQ(files[0], files[1]);
}

// Damage and limits are errors as they are where BGR is decoded, in the same words.
std::string ErrorOf(const std::string& image, const DecodeOptions& options, bool planes) {
  Scratch scratch;
  try {
    planes ? void(DecodeJpegPlanes(image, "a.jpg", options, scratch))
           : void(DecodeImage(image, "a.jpg", options));
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(JpegPlanes, EveryTruncationIsAnErrorAsItIsInBgr) {
  for (const int subsampling : kSubsamplings)
    for (const int flags : {0, TJFLAG_PROGRESSIVE}) {
      const std::string jpeg = Jpeg(Colors(40, 24, 10), subsampling, flags);
      for (std::size_t size = 3; size < jpeg.size(); ++size) {
        const std::string error = ErrorOf(jpeg.substr(0, size), {}, true);
        ASSERT_TRUE(error.starts_with("a.jpg: is a damaged ")) << size << error;
        ASSERT_EQ(error, ErrorOf(jpeg.substr(0, size), {}, false));
      }
    }
}

TEST(JpegPlanes, LimitsAreThoseOfBgr) {
  const std::string jpeg = Jpeg(Colors(640, 480, 11), TJSAMP_420);
  std::string lost = Jpeg(Gradient(64, 48), TJSAMP_420);
  lost.erase(lost.size() - 200, 100);
  EXPECT_EQ(ErrorOf(lost, {}, true), ErrorOf(lost, {}, false));
  EXPECT_NE(ErrorOf(lost, {}, true), "");
  const DecodeOptions small{.max_pixels = 640 * 480 - 1};
  EXPECT_EQ(ErrorOf(jpeg, small, true), ErrorOf(jpeg, small, false));
  EXPECT_NE(ErrorOf(jpeg, small, true), "");
  std::vector<std::int64_t> taken[2];
  for (const bool planes : {false, true}) {
    const auto take = [&](std::int64_t pixels) { taken[planes].push_back(pixels); };
    EXPECT_EQ(ErrorOf(jpeg, {.take = take}, planes), "");
  }
  EXPECT_EQ(taken[0], taken[1]);
}

}  // namespace
}  // namespace skinmask
