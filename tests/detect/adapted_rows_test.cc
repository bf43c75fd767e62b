#include "detect/adapt/adapted_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "detect/log_odds_rows.h"
#include "skinmask/base/logistic.h"
#include "support/colors.h"

namespace skinmask {
namespace {

using testing::Trained;
using testing::TrainedOfKind;

constexpr double kOwn = -0.4, kMax = 1.5, kWeight = 0.8, kShift = 0.3;
const CalibrationCurve kScales{{0.3, {{0, 0.4}, {1.5, 0.9}}},
                               {0.7, {{0, 1.7}, {0.5, 0.2}, {2, 0.6}}}};
constexpr int kWidest = 70, kHeight = 17;

// Two Gaussians of skin and three of the rest, which overlap.
std::vector<MixtureComponent> Components() {
  const Model model = Trained(Kind::kQda, "BGR", 3);
  std::vector<MixtureComponent> components;
  for (const int k : {0, 0, 1, 2, 2}) {
    Quadratic q = Quadratic::Discriminant(model, static_cast<std::size_t>(k));
    q.linear[k == 0 ? 0 : 1] += 0.03 * static_cast<double>(components.size());
    components.push_back({q, k == 0 ? 0 : 1});
  }
  return components;
}

cv::Mat RandomPicture(int width) {
  testing::Random random(5);
  cv::Mat bgr(kHeight, width, CV_8UC3);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < 3 * width; ++x)
      bgr.ptr(y)[x] = static_cast<std::uint8_t>(std::clamp(130 + 60 * random.Normal(), 0., 255.));
  return bgr;
}

// Most rows are all of skin, or without any, by the classes' means.
cv::Mat SmoothPicture(int width) {
  testing::Random random(6);
  cv::Mat bgr(kHeight, width, CV_8UC3);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < 3 * width; ++x)
      bgr.ptr(y)[x] = cv::saturate_cast<std::uint8_t>(30 + 12 * y + 20 * (x % 3) + random.Normal());
  return bgr;
}

struct Maps : Adaptation {
  int side = 1;
};

constexpr double kFarCap = -4;  // the greatest sum in far cells

// Those of an odd side expect something, of one that is a multiple of three have no slopes, and of
// one that is not a multiple of four have far cells.
Maps RandomMaps(const cv::Size& image, int side) {
  testing::Random random(9);
  const auto cells = [side](int length) { return std::max(1, cvRound(length / double(side))); };
  const auto random_map = [&](double scale) {
    cv::Mat1f map(cells(image.height), cells(image.width));
    for (float& value : map) value = static_cast<float>(scale * random.Normal());
    return map;
  };
  Maps maps;
  maps.side = side;
  maps.offset = random_map(2);
  if (side % 3 != 0)
    for (cv::Mat& slope : maps.slope) slope = random_map(0.01);
  if (side % 2 != 0) maps.expected = random_map(2);
  maps.slack = 0.7;
  if (side % 4 == 0) return maps;
  maps.far = cv::Mat1b::zeros(maps.offset.size());
  for (int i = 0; i < maps.far.rows * maps.far.cols; ++i)  // runs of all lengths, also whole rows
    maps.far.data[i] = random.Normal() + 2 * std::sin(0.3 * i) > 0.5 ? 255 : 0;
  return maps;
}

// The oracle: the formulas of docs/adaptation.md in double.
double Enlarged(const cv::Mat& map, int side, int x, int y) {
  const auto weigh = [side](int place, int cells, int& first, int& second) {
    const double at = (place + 0.5) / side - 0.5;
    first = std::clamp(static_cast<int>(std::floor(at)), 0, cells - 1);
    second = std::clamp(static_cast<int>(std::floor(at)) + 1, 0, cells - 1);
    return at - std::floor(at);
  };
  int left = 0, right = 0, above = 0, below = 0;
  const double u = weigh(x, map.cols, left, right), v = weigh(y, map.rows, above, below);
  const auto value = [&map](int j, int i) { return static_cast<double>(map.at<float>(j, i)); };
  return (1 - v) * ((1 - u) * value(above, left) + u * value(above, right)) +
         v * ((1 - u) * value(below, left) + u * value(below, right));
}

double LocalOf(const std::vector<MixtureComponent>& components, const std::uint8_t* bgr) {
  double sums[2] = {};
  for (const MixtureComponent& c : components) sums[c.class_index] += std::exp(c.log_density(bgr));
  return std::log(sums[0] / sums[1]);
}

double Told(const Maps& maps, int x, int y, const std::uint8_t* bgr, double colour) {
  double sum = colour + Enlarged(maps.offset, maps.side, x, y);
  for (std::size_t c = 0; c < 3; ++c)
    if (!maps.slope[c].empty()) sum += Enlarged(maps.slope[c], maps.side, x, y) * bgr[c];
  if (!maps.expected.empty()) {
    const double expected = Enlarged(maps.expected, maps.side, x, y), away = sum - expected;
    sum = std::abs(away) < maps.slack ? expected : sum - std::copysign(maps.slack, away);
  }
  const auto cell = [&](int place, int cells) { return std::min(place / maps.side, cells - 1); };
  const bool is_far = !maps.far.empty() &&
                      maps.far.at<std::uint8_t>(cell(y, maps.far.rows), cell(x, maps.far.cols));
  return kScales(is_far ? std::min(sum, kFarCap) : sum) + kShift;
}

class AdaptedRowsTest : public ::testing::Test {
 protected:
  AdaptedRows RowsOf(const Maps& maps, const std::optional<Quadratic>& folded) const {
    return AdaptedRows({&local_, posterior_, folded, kOwn, kMax, kWeight, 1 - kWeight}, maps,
                       maps.side, {kScales, kShift});
  }

  std::vector<MixtureComponent> components_ = Components();
  CompiledMixture local_{components_, 0};
  Model model_ = Trained(Kind::kQda, "YCrCb");
  Posterior posterior_{model_};
  std::optional<Quadratic> folded_{Quadratic(model_)}, not_folded_;
};

TEST_F(AdaptedRowsTest, AreTheFormulaForEveryWidth) {
  for (int width = 1; width <= kWidest; ++width) {
    const cv::Mat bgr = RandomPicture(width);
    const int side = 1 + width % 7;
    const Maps maps = RandomMaps(bgr.size(), side);
    const AdaptedRows rows = RowsOf(maps, folded_), others = RowsOf(maps, not_folded_);
    std::vector<float> z(static_cast<std::size_t>(width)), other = z;
    for (int y = 0; y < kHeight; ++y) {
      rows.LogOddsRow(bgr.ptr(y), width, y, z.data());
      others.LogOddsRow(bgr.ptr(y), width, y, other.data());
      for (int x = 0; x < width; ++x) {
        const std::uint8_t* const pixel = bgr.ptr(y, x);
        const double global = std::clamp((*folded_)(pixel)-kOwn, -kMax, kMax);
        const double exact =
            Told(maps, x, y, pixel, kWeight * LocalOf(components_, pixel) + (1 - kWeight) * global);
        ASSERT_NEAR(z[static_cast<std::size_t>(x)], exact, 2e-4) << width << ' ' << x << ' ' << y;
        ASSERT_NEAR(other[static_cast<std::size_t>(x)], exact, 2e-4);
      }
    }
  }
}

TEST_F(AdaptedRowsTest, WithoutDensitiesOfTheImageTheyAreTheGlobalOnes) {
  constexpr int kWidth = 131;
  const cv::Mat bgr = RandomPicture(kWidth);
  const Maps maps = RandomMaps(bgr.size(), 3);
  for (const auto& folded : {folded_, not_folded_}) {
    const AdaptedRows rows({nullptr, posterior_, folded, kOwn, kMax, kWeight, 1}, maps, maps.side,
                           {kScales, kShift});
    std::vector<float> z(kWidth);
    std::vector<std::uint8_t> expected(kWidth), found(kWidth);
    for (int y = 0; y < kHeight; ++y) {
      rows.LogOddsRow(bgr.ptr(y), kWidth, y, z.data());
      for (int x = 0; x < kWidth; ++x) {
        const std::uint8_t* const pixel = bgr.ptr(y, x);
        const double global = std::clamp((*folded_)(pixel)-kOwn, -kMax, kMax);
        ASSERT_NEAR(z[static_cast<std::size_t>(x)], Told(maps, x, y, pixel, global), 2e-4)
            << x << ' ' << y;
      }
      MaskRowOf(z.data(), kWidth, 0.5F, expected.data());
      rows.JudgeRow(bgr.ptr(y), kWidth, y, 0.5, found.data(), nullptr);
      ASSERT_EQ(found, expected);
    }
  }
}

void ExpectOutputsOfLogOdds(const cv::Mat& bgr, const AdaptedRows& rows) {
  const auto count = static_cast<std::size_t>(bgr.cols);
  std::vector<float> z(count);
  std::vector<std::uint8_t> expected(count), found(count);
  for (int y = 0; y < kHeight; ++y) {
    rows.LogOddsRow(bgr.ptr(y), bgr.cols, y, z.data());
    for (const double threshold : {-HUGE_VAL, -3., -0.5, 0., 0.1, 2.5, HUGE_VAL}) {
      MaskRowOf(z.data(), count, static_cast<float>(threshold), expected.data());
      rows.JudgeRow(bgr.ptr(y), bgr.cols, y, threshold, found.data(), nullptr);
      ASSERT_EQ(found, expected) << bgr.cols << ' ' << threshold;
    }
    ProbabilityRowOf(z.data(), count, expected.data());
    rows.JudgeRow(bgr.ptr(y), bgr.cols, y, 0, nullptr, found.data());
    ASSERT_EQ(found, expected) << bgr.cols;
  }
}

// By brute force: which cells are below -4 with all their neighbours, in runs of eight or more.
TEST(FarCells, AreThoseAmongOthersThatAreFar) {
  testing::Random random(3);
  for (const cv::Size size : {cv::Size(1, 1), {9, 1}, {1, 9}, {8, 5}, {60, 40}}) {
    cv::Mat1f z(size);
    for (float& value : z) value = static_cast<float>(-6 + 1.1 * random.Normal());
    cv::Mat1b expected(size);
    for (int y = 0; y < z.rows; ++y) {
      for (int x = 0; x < z.cols; ++x) {
        const cv::Rect around = cv::Rect(x - 1, y - 1, 3, 3) & cv::Rect({}, size);
        expected(y, x) = cv::countNonZero(z(around) >= -4) == 0 ? 255 : 0;
      }
      for (int x = 0, run = 0; x <= z.cols; ++x) {
        if (x < z.cols && expected(y, x)) {
          ++run;
          continue;
        }
        if (run < 8) std::fill_n(expected[y] + x - run, run, std::uint8_t{0});
        run = 0;
      }
    }
    EXPECT_EQ(cv::norm(FarCells(z), expected, cv::NORM_INF), 0) << size;
    EXPECT_TRUE(size.width < 60 || cv::countNonZero(expected) > 0);
  }
}

// In smooth pictures whole blocks are far from the threshold, and not all Gaussians are evaluated.
TEST_F(AdaptedRowsTest, MasksAndProbabilitiesAreThoseOfTheLogOddsOnAllTargets) {
  for (const std::string& name : UsableTargets()) {
    const testing::ForcedTarget target(name);
    for (const int width : {1, 16, 63, 64, 65, 641})
      for (const cv::Mat& bgr : {RandomPicture(width), SmoothPicture(width)})
        for (const int side : {3, 4, 5, 7})
          for (const auto& folded : {folded_, not_folded_})
            ExpectOutputsOfLogOdds(bgr, RowsOf(RandomMaps(bgr.size(), side), folded));
  }
}

// Gaussians of hardly any variance have large coefficients, and so large errors of rounding.
TEST_F(AdaptedRowsTest, MasksAreThoseOfTheLogOddsForNarrowGaussians) {
  for (const double variance : {4., 0.02}) {
    std::vector<MixtureComponent> components;
    for (const int k : {0, 1, 1}) {
      const auto shift = static_cast<double>(components.size());
      FeatureMatrix covariance = FeatureMatrix::Identity(3, 3) * 900;
      covariance(k, k) = variance;
      const FeatureVector mean = Eigen::Vector3d(130 + shift, 128 - shift, 131 + 2 * shift);
      components.push_back(
          {Quadratic::Discriminant(Features(), 1, {1, mean, covariance}), k == 0 ? 0 : 1});
    }
    local_ = CompiledMixture(components, 0);
    for (const std::string& name : UsableTargets()) {
      const testing::ForcedTarget target(name);
      for (const int side : {4, 5}) {
        const cv::Mat bgr = RandomPicture(641);
        ExpectOutputsOfLogOdds(bgr, RowsOf(RandomMaps(bgr.size(), side), folded_));
      }
    }
  }
}

TEST_F(AdaptedRowsTest, AreTheSameOnAllTargets) {
  const int width = 333;
  const cv::Mat bgr = RandomPicture(width);
  const auto maps = RandomMaps(bgr.size(), 5);  // the rows refer to it
  const AdaptedRows rows = RowsOf(maps, folded_);
  std::vector<float> best;
  for (const std::string& name : UsableTargets()) {
    const testing::ForcedTarget target(name);
    std::vector<float> z(static_cast<std::size_t>(width * kHeight));
    for (int y = 0; y < kHeight; ++y) rows.LogOddsRow(bgr.ptr(y), width, y, z.data() + y * width);
    if (best.empty()) best = z;
    EXPECT_EQ(z, best) << name;
  }
}

TEST(LogOddsRows, AreTheDefinitionOnAllTargets) {
  std::vector<float> z;
  for (int i = -9000; i <= 9000; i += 7) z.push_back(static_cast<float>(i) / 1000);
  for (const float far : {-400.f, -90.f, 90.f, 400.f}) z.push_back(far);
  std::vector<std::uint8_t> bytes(z.size());
  for (const std::string& name : UsableTargets()) {
    const testing::ForcedTarget target(name);
    for (std::size_t count = z.size() - 40; count <= z.size(); ++count) {
      MaskRowOf(z.data(), count, 0.7f, bytes.data());
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(bytes[i], z[i] > 0.7f ? 255 : 0) << name;
      ProbabilityRowOf(z.data(), count, bytes.data());
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_NEAR(bytes[i], 255 * Logistic(static_cast<double>(z[i])), 0.5001) << name;
    }
  }
}

}  // namespace
}  // namespace skinmask
