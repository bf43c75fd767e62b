#include "skinmask/report/picture.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>

#include "report/chart.h"
#include "skinmask/base/error.h"
#include "skinmask/base/logistic.h"
#include "skinmask/detect/draw.h"
#include "skinmask/model/reference.h"
#include "skinmask/report/planes.h"
#include "support/colors.h"
#include "support/program.h"

namespace skinmask {
namespace {

using testing::Trained;

constexpr int kSize = 97;

// Log of prior times density, from a Gaussian's parameters alone, up to a common constant.
double Joint(const ClassModel& c, const FeatureVector& f) {
  const FeatureVector d = f - c.mean;
  return std::log(c.prior) - std::log(c.covariance.determinant()) / 2 -
         d.dot(c.covariance.inverse() * d) / 2;
}

// The features at (x, y) of a plane of three.
FeatureVector At(const Plane& plane, const std::array<double, 2>& at) {
  FeatureVector f(3);
  f(plane.x) = at[0];
  f(*plane.y) = at[1];
  f(plane.held->first) = plane.held->second;
  return f;
}

TEST(Planes, BoundaryIsWhereTheDensitiesAreAtTheThreshold) {
  for (const char* space : {"BGR", "YCrCb", "HSV"}) {
    const Model model = Trained(Kind::kQda, space);
    const std::vector<Axis> axes = AxesOf(model);
    const double level = Logit(model.decision.threshold);
    std::size_t corners = 0;
    for (const Plane& plane : PlanesOf(model, axes, kSize)) {
      ASSERT_TRUE(plane.held.has_value());
      for (const Polyline& line : BoundaryOf(plane, axes, level))
        for (const auto& at : line) {
          ++corners;
          const FeatureVector f = At(plane, at);
          EXPECT_NEAR(Joint(model.classes[0], f) - Joint(model.classes[1], f), level, 0.35)
              << space;
        }
    }
    EXPECT_GT(corners, 20u) << space;
  }
}

TEST(Planes, SayOfEachColourWhatTheReferenceSays) {
  const Model model = Trained(Kind::kMixture, "BGR", 3);
  const Reference reference(model);
  const std::vector<Axis> axes(3, {"", "", 0, 255});
  for (const Plane& plane : PlanesOf(model, axes, 256, {17, 130, 201})) {
    std::size_t wrong = 0;
    for (int y = 0; y < 256; ++y)
      for (int x = 0; x < 256; ++x) {
        const FeatureVector f = At(plane, {1. * x, 1. * y});
        const std::array<std::int32_t, 3> carrier{static_cast<int>(f(0)), static_cast<int>(f(1)),
                                                  static_cast<int>(f(2))};
        const auto point = static_cast<std::size_t>(y * 256 + x);
        std::array<double, 3> of_classes;
        reference.Discriminants(carrier.data(), of_classes.data());
        double log_odds;
        reference.LogOddsRow(carrier.data(), 1, &log_odds);
        wrong += plane.log_odds[point] != log_odds;
        for (int k = 0; k < 3; ++k)
          wrong += plane.Discriminant(point, k) != of_classes[static_cast<std::size_t>(k)];
      }
    EXPECT_EQ(wrong, 0u) << plane.x;
  }
}

// Where the cut is through the mean of all classes, skin's mean and ellipse may lie in the other
// class's region.
TEST(Planes, ThePositiveClassHasItsMeanInItsOwnRegion) {
  for (const Kind kind : {Kind::kQda, Kind::kLda, Kind::kGaussianNb})
    for (const char* space : {"BGR", "YCrCb", "Lab"}) {
      const Model model = Trained(kind, space);
      const std::vector<Axis> axes = AxesOf(model);
      const FeatureVector& mean = model.positive().mean;
      for (const Plane& plane : PlanesOf(model, axes, kSize)) {
        EXPECT_EQ(plane.held->second, mean(plane.held->first));
        const auto nearest = [&](int feature) {
          const Axis& axis = axes[static_cast<std::size_t>(feature)];
          return std::lround((mean(feature) - axis.low) / (axis.high - axis.low) * (kSize - 1));
        };
        const auto point = static_cast<std::size_t>(nearest(*plane.y) * kSize + nearest(plane.x));
        EXPECT_EQ(plane.ClassAt(point), 0) << KindName(kind) << " " << space;
      }
    }
}

// Against sums of the joint densities along the third channel.
TEST(Planes, MarginalsIntegrateTheThirdChannelOut) {
  for (const Kind kind : {Kind::kQda, Kind::kLda, Kind::kMixture}) {
    const Model model = Trained(kind, "BGR", 3);
    const std::vector<Axis> axes = AxesOf(model);
    std::size_t looked_at = 0;
    for (const Plane& plane : MarginalPlanesOf(model, axes, 13)) {
      EXPECT_FALSE(plane.held.has_value());
      const int third = 3 - plane.x - *plane.y;
      for (std::size_t point = 0; point < plane.log_odds.size(); ++point) {
        const auto value = [&](int feature, std::size_t i) {
          const Axis& axis = axes[static_cast<std::size_t>(feature)];
          return axis.low + (axis.high - axis.low) * static_cast<double>(i) / (plane.size - 1);
        };
        FeatureVector f(3);
        f(plane.x) = value(plane.x, point % static_cast<std::size_t>(plane.size));
        f(*plane.y) = value(*plane.y, point / static_cast<std::size_t>(plane.size));
        if (std::round(f(plane.x)) != f(plane.x) || std::round(f(*plane.y)) != f(*plane.y))
          continue;  // between bytes the picture interpolates
        std::vector<double> sums(3);
        for (f(third) = -250; f(third) < 500; f(third) += 2)
          for (std::size_t k = 0; k < 3; ++k)
            for (const Gaussian& gaussian : model.classes[k].gaussians()) {
              const FeatureVector d = f - gaussian.mean;
              sums[k] += model.classes[k].prior * gaussian.weight *
                         std::exp(-d.dot(gaussian.covariance.inverse() * d) / 2) /
                         std::sqrt(gaussian.covariance.determinant());
            }
        const double expected = std::log(sums[0] / (sums[1] + sums[2]));
        if (!std::isfinite(expected)) continue;  // all densities underflow far away
        EXPECT_NEAR(plane.log_odds[point], expected, 1e-6 * std::max(1., std::abs(expected)))
            << KindName(kind);
        ++looked_at;
      }
    }
    EXPECT_GT(looked_at, 20u) << KindName(kind);
  }
  Model calibrated = Trained(Kind::kQda, "BGR");
  const std::vector<Axis> axes = AxesOf(calibrated);
  const std::vector<Plane> raw = MarginalPlanesOf(calibrated, axes, 9);
  calibrated.calibration = {0.5, -1, "other data"};
  const std::vector<Plane> planes = MarginalPlanesOf(calibrated, axes, 9);
  std::size_t calibrated_points = 0;
  for (std::size_t i = 0; i < planes.size(); ++i)
    for (std::size_t point = 0; point < planes[i].log_odds.size(); ++point) {
      const double z = raw[i].log_odds[point], own = planes[i].log_odds[point];
      if (!std::isfinite(z)) continue;
      EXPECT_NEAR(own, 0.5 * z - 1, 1e-6 * (1 + std::abs(z)));
      ++calibrated_points;
    }
  EXPECT_GT(calibrated_points, 100u);
  const Model histogram = Trained(Kind::kHistogram, "BGR");
  EXPECT_THROW(MarginalOf(histogram, {0, 1}), Error);
}

TEST(Planes, ModelsThatAreComparedHaveTheSameAxesAndTheSameCut) {
  const std::vector<Model> models{Trained(Kind::kQda, "BGR"), Trained(Kind::kLda, "BGR"),
                                  Trained(Kind::kLogistic, "BGR")};
  const std::vector<Axis> axes = AxesOf(models);
  for (const Model& model : {models[0], models[1]}) {
    const std::vector<Axis> own = AxesOf(model);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LE(axes[i].low, own[i].low);
      EXPECT_GE(axes[i].high, own[i].high);
    }
  }
  for (const Model& model : models)
    for (const Plane& plane : PlanesOf(model, axes, 5, {10, {}, 30})) {
      const int third = plane.held->first;
      if (third != 1) {
        EXPECT_EQ(plane.held->second, third == 0 ? 10 : 30);
      }
    }
}

// Also where it is farther than 3.5 deviations from all means.
TEST(Planes, OfOneChannelShowEveryBoundaryThatBytesReach) {
  Model model = Trained(Kind::kQda, "BGR", 2, {"R"});
  for (std::size_t k = 0; k < 2; ++k) {
    model.classes[k].prior = 0.5;
    model.classes[k].mean(0) = k == 0 ? 190 : 100;
    model.classes[k].covariance(0, 0) = k == 0 ? 144 : 400;
  }
  const std::vector<Axis> axes = AxesOf(model);
  for (const double at : {240., 250., 254.}) {
    const double level = Joint(model.classes[0], FeatureVector::Constant(1, at)) -
                         Joint(model.classes[1], FeatureVector::Constant(1, at));
    double nearest = 255;
    for (const Polyline& line : BoundaryOf(PlanesOf(model, axes, 2001)[0], axes, level))
      nearest = std::min(nearest, std::abs(line[0][0] - at));
    EXPECT_LT(nearest, 0.1) << at;
  }
}

TEST(Planes, BordersOfThreeClassesAreWhereTwoAreEqualAndNoneIsGreater) {
  const Model model = Trained(Kind::kQda, "YCrCb", 3);
  const std::vector<Axis> axes = AxesOf(model);
  std::size_t corners = 0;
  for (const Plane& plane : PlanesOf(model, axes, kSize))
    for (const Border& border : BordersOf(plane, axes)) {
      ASSERT_LT(border.first, border.second);
      for (const Polyline& line : border.lines)
        for (const auto& at : line) {
          ++corners;
          std::array<double, 3> a;
          for (std::size_t k = 0; k < 3; ++k) a[k] = Joint(model.classes[k], At(plane, at));
          const double first = a[static_cast<std::size_t>(border.first)];
          EXPECT_NEAR(first, a[static_cast<std::size_t>(border.second)], 0.5);
          EXPECT_GT(first, *std::max_element(a.begin(), a.end()) - 0.5);
        }
    }
  EXPECT_GT(corners, 20u);
}

TEST(Planes, RegionsAreTheGreatestPosterior) {
  const Model model = Trained(Kind::kLda, "BGR", 3);
  const std::vector<Axis> axes = AxesOf(model);
  for (const Plane& plane : PlanesOf(model, axes, kSize)) {
    const Axis &x = axes[static_cast<std::size_t>(plane.x)],
               &y = axes[static_cast<std::size_t>(*plane.y)];
    for (int row = 0; row < kSize; row += 6)
      for (int column = 0; column < kSize; column += 6) {
        const FeatureVector f = At(plane, {x.low + (x.high - x.low) * column / (kSize - 1),
                                           y.low + (y.high - y.low) * row / (kSize - 1)});
        const int k = plane.ClassAt(static_cast<std::size_t>(row * kSize + column));
        if (k == Plane::kNoColour) continue;
        for (const ClassModel& other : model.classes)
          EXPECT_GE(Joint(model.classes[static_cast<std::size_t>(k)], f), Joint(other, f) - 1e-6);
      }
  }
}

// Made by hand: a disc around the middle, whose log-odds are exact.
TEST(Planes, ALineThatClosesIsOneLineOfFewPoints) {
  Plane plane{0, 1, {}, kSize, 2, {}, {}};
  for (int i = 0; i < kSize * kSize; ++i) {
    const double x = i % kSize - 48., y = i / kSize - 48.;
    plane.log_odds.push_back(30 - std::hypot(x, y));
    plane.discriminants.insert(plane.discriminants.end(), {plane.log_odds.back(), 0});
  }
  const std::vector<Axis> axes{{"x", "", -48, 48}, {"y", "", -48, 48}};
  for (const auto& lines : {BoundaryOf(plane, axes, 0), BordersOf(plane, axes)[0].lines}) {
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].front(), lines[0].back());
    EXPECT_LT(lines[0].size(), 80u);  // of more than 300 crossings
    for (const auto& [x, y] : lines[0]) EXPECT_NEAR(std::hypot(x, y), 30, 0.05);
  }
  EXPECT_TRUE(BoundaryOf(plane, axes, 40).empty());
  EXPECT_TRUE(BoundaryOf(plane, axes, Logit(1)).empty());
}

TEST(Planes, DensitiesOfAChannelSumToThePriorsAndMeetAtTheBorders) {
  for (const Kind kind : {Kind::kGaussianNb, Kind::kMixture, Kind::kHistogram}) {
    const Model model = Trained(kind, "YCrCb", 3, {"Cr"});
    const std::vector<Axis> axes = AxesOf(model);
    const Plane plane = PlanesOf(model, axes, 2001)[0];
    const std::vector<double> densities = DensitiesOf(model, plane, axes);
    ASSERT_EQ(densities.size(), 3u * 2001);
    const double step = (axes[0].high - axes[0].low) / 2000;
    for (std::size_t k = 0; k < 3; ++k) {
      double sum = 0;
      for (std::size_t i = k; i < densities.size(); i += 3) sum += step * densities[i];
      EXPECT_NEAR(sum, model.classes[k].prior, 0.01) << KindName(kind);
    }
    std::size_t borders = 0;
    for (const Border& border : BordersOf(plane, axes))
      for (const Polyline& line : border.lines) {
        const auto i = static_cast<std::size_t>((line[0][0] - axes[0].low) / step);
        const auto lead = [&](std::size_t point) {
          return densities[3 * point + static_cast<std::size_t>(border.first)] -
                 densities[3 * point + static_cast<std::size_t>(border.second)];
        };
        if (kind != Kind::kHistogram) {
          EXPECT_LE(lead(i) * lead(i + 1), 0) << line[0][0];
        }
        ++borders;
      }
    EXPECT_GT(borders, 0u);
  }
  const Model logistic = Trained(Kind::kLogistic, "YCrCb", 2, {"Cr"});
  const std::vector<Axis> axes = AxesOf(logistic);
  EXPECT_TRUE(DensitiesOf(logistic, PlanesOf(logistic, axes, kSize)[0], axes).empty());
}

TEST(Ticks, AreRoundAndWithinTheAxis) {
  const Ticks bytes(0, 255, 7);
  EXPECT_EQ(bytes.values, (std::vector<double>{0, 50, 100, 150, 200, 250}));
  EXPECT_EQ(bytes.Text(50), "50");
  const Ticks share(0.2, 0.65, 7);
  EXPECT_EQ(share.values.size(), 5u);
  EXPECT_EQ(share.Text(share.values[0]), "0.2");
  const Ticks small(0, 0.000123, 7), around(-30, 30, 7);
  EXPECT_EQ(small.Text(small.values[1]), "0.00002");
  EXPECT_EQ(around.Text(around.values[3]), "0");
  EXPECT_TRUE(Ticks(1, 1, 7).values.empty());
}

// Every class's tint is there, and nothing is drawn in the margin.
TEST(Picture, OfEveryKindShowsItsRegions) {
  struct Case {
    Kind kind;
    const char* space;
    int classes;
    std::vector<std::string> channels;
  };
  const Case cases[] = {
      {Kind::kQda, "YCrCb", 3, {}},          {Kind::kLda, "BGR", 2, {}},
      {Kind::kGaussianNb, "HSV", 2, {"S"}},  {Kind::kMixture, "YCrCb", 2, {"Cr", "Cb"}},
      {Kind::kLogistic, "rg", 2, {}},        {Kind::kLogistic, "YCrCb", 2, {"Cr"}},
      {Kind::kLogistic, "YCrCb", 3, {"Cr"}}, {Kind::kHistogram, "Lab", 2, {"a"}}};
  for (const Case& one : cases) {
    const Model model = Trained(one.kind, one.space, one.classes, one.channels);
    const std::string png = DrawModels(std::span(&model, 1), PictureFormat::kPng);
    const cv::Mat picture =
        cv::imdecode(std::vector<char>(png.begin(), png.end()), cv::IMREAD_COLOR);
    ASSERT_FALSE(picture.empty());
    const std::string rgb = ClassPalette(static_cast<std::size_t>(one.classes));
    for (std::size_t k = 0; k < static_cast<std::size_t>(one.classes); ++k) {
      cv::Scalar tint;
      for (std::size_t c = 0; c < 3; ++c)
        tint[static_cast<int>(c)] =
            255 - 0.25 * (255 - static_cast<std::uint8_t>(rgb[3 * k + 2 - c]));
      cv::Mat there;
      cv::inRange(picture, tint - cv::Scalar::all(2), tint + cv::Scalar::all(2), there);
      EXPECT_GT(cv::countNonZero(there), 200) << KindName(one.kind) << " class " << k;
    }
    cv::Mat inner = picture.clone();
    inner({8, 8, picture.cols - 16, picture.rows - 16}) = cv::Scalar::all(255);
    EXPECT_EQ(cv::countNonZero(inner.reshape(1) != 255), 0) << KindName(one.kind);
  }
}

class PictureTest : public testing::ProgramTest {};

TEST(Picture, IsOfModelsThatAFileCouldHold) {
  EXPECT_ERROR(DrawModels({}, PictureFormat::kSvg), "picture: has no model to draw");
  EXPECT_ERROR(DrawModels(std::vector<Model>(1), PictureFormat::kSvg), "model: 0 classes");
  EXPECT_ERROR(DrawModels(std::vector<Model>(2, DefaultModel()), PictureFormat::kSvg),
               "picture: has 0 names of 2 models");
}

// What is drawn beside a model, of samples and elsewhere, changes the picture, and what cannot be
// drawn is one line.
TEST_F(PictureTest, ShowsModelsSideBySideWithSamples) {
  const std::string simulated = SKINMASK_SOURCE "/samples/teaching/two.json";
  ASSERT_EQ(Run("sample --simulate " + simulated + " -o s.csv --bayes b.json").status, 0);
  EXPECT_EQ(Run("sample --simulate " + simulated + " -o s.csv --bayes c.json").status, 1);
  ASSERT_EQ(Run("train --samples s.csv --channels G,R --kind lda -o l.json").status, 0);
  std::vector<std::string> pictures;
  for (const std::string options :
       {"b.json --beside l.json", "b.json --beside l.json --samples s.csv", "--at R=200",
        "--at R=90", "--marginal"}) {
    const std::string name = "p" + std::to_string(pictures.size()) + ".png";
    const testing::Outcome run = Run("show " + options + " --picture " + name);
    ASSERT_EQ(run.status, 0) << run.err;
    const std::string picture = ReadFile(Path(name));
    EXPECT_EQ(std::ranges::count(pictures, picture), 0) << options;
    pictures.push_back(picture);
  }
  const auto problem = [&](const std::string& options, int status) {
    const testing::Outcome run = Run("show " + options);
    EXPECT_EQ(run.status, status) << options;
    EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
    return run.err;
  };
  EXPECT_NE(problem("--marginal", 2).find("give --picture"), std::string::npos);
  EXPECT_NE(problem("--at R --picture q.png", 2).find("CHANNEL=VALUE"), std::string::npos);
  EXPECT_NE(problem("--at R=1 --marginal --picture q.png", 2).find("one of them"),
            std::string::npos);
  EXPECT_NE(problem("--at Q=1 --picture q.png", 2).find("channel 'Q': cannot be held"),
            std::string::npos);
  EXPECT_NE(problem("--at R=300 --picture q.png", 2).find("is never 300 (0 to 255)"),
            std::string::npos);
  EXPECT_NE(problem("--at b=1 --at B=2 --picture q.png", 2).find("is held twice"),
            std::string::npos);
  EXPECT_NE(problem("b.json --marginal --picture q.png", 2).find("2 channels"), std::string::npos);
  EXPECT_NE(problem("b.json --beside " SKINMASK_SOURCE "/models/uci.json --picture q.png", 1)
                .find("the same axes"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(Path("q.png")));
  // A name that is no UTF-8 is drawn with replacements.
  std::filesystem::copy(Path("l.json"), Path("l\350.json"));
  const testing::Outcome run =
      Run("evaluate --samples s.csv --model l\350.json --picture l.svg --json l1.json");
  EXPECT_EQ(run.status, 0) << run.err;
}

// Pixels of classes that the model lacks are told of, and the legend counts none of them.
TEST_F(PictureTest, WithoutMeansIsCutAtThatOfTheSamples) {
  Put("s.csv",
      "class,b,g,r,count\nskin,60,90,200,5\nskin,80,110,220,5\nskin,70,100,210,5\n"
      "skin,75,90,200,5\nskin,65,110,220,5\nrest,200,180,90,40\nrest,90,200,120,30\n"
      "rest,220,220,200,30\nrest,75,60,60,20\nrest,70,100,190,9\n");
  ASSERT_EQ(Run("train --samples s.csv --kind logistic --ridge 1 -o m.json").status, 0);
  const auto planes = [&](const std::string& at) {
    EXPECT_EQ(Run("show m.json --samples s.csv --force --picture p.svg" + at).status, 0);
    const std::string svg = ReadFile(Path("p.svg"));
    std::string all;
    for (auto i = svg.find("base64,"); i != svg.npos; i = svg.find("base64,", i + 1))
      all += svg.substr(i, svg.find('"', i) - i);
    return all;
  };
  EXPECT_FALSE(planes("").empty());
  EXPECT_TRUE(planes("") == planes(" --at B=70 --at G=100 --at R=210"));
  EXPECT_FALSE(planes("") == planes(" --at R=127"));
}

TEST_F(PictureTest, CountsThePixelsThatAreDrawn) {
  std::string table = "class,b,g,r,count\n", own;
  for (int i = 0; i < 12; ++i)
    own += fmt::format("skin,{},{},{},1\nnon-skin,{},{},{},1\n", 90 + i * 7 % 12, 120 + i * i % 11,
                       180 + i, 60 + i, 70 + i * 7 % 12, 80 + i * i % 11);
  Put("own.csv", table + own);
  Put("more.csv", table + own + "hair,1,2,3,5000\n");
  ASSERT_EQ(Run("train --samples own.csv --channels G,R -o m.json").status, 0);
  const testing::Outcome plain = Run("show m.json --samples own.csv --picture own.png"),
                         more = Run("show m.json --samples more.csv --picture more.png");
  EXPECT_EQ(plain.err, "");
  EXPECT_EQ(more.status, 0);
  EXPECT_NE(more.err.find("warning: --samples: 5000 of 5024 pixels are of 'hair', which the model "
                          "lacks, and are not drawn"),
            std::string::npos)
      << more.err;
  EXPECT_TRUE(ReadFile(Path("more.png")) == ReadFile(Path("own.png")));
  EXPECT_EQ(Run("show m.json --samples more.csv --picture q.png -q").err, "");
}

// Also in the sandbox, where fonts are found as outside of it.
TEST_F(PictureTest, OfCurvesIsOfScores) {
  const std::string simulated = SKINMASK_SOURCE "/samples/teaching/channel.json";
  ASSERT_EQ(Run("sample --simulate " + simulated + " -o s.csv --bayes b.json").status, 0);
  ASSERT_EQ(Run("train --samples s.csv --channels R --kind lda -o l.json").status, 0);
  const std::string evaluate = "evaluate --samples s.csv --model b.json ";
  ASSERT_EQ(Run(evaluate + "--picture one.svg").status, 0);
  ASSERT_EQ(Run(evaluate + "--picture out.svg --sandbox off").status, 0);
  ASSERT_EQ(Run(evaluate + "--model l.json --picture two.svg").status, 0);
  EXPECT_NE(ReadFile(Path("one.svg")).find("<svg"), std::string::npos);
  EXPECT_EQ(ReadFile(Path("one.svg")), ReadFile(Path("out.svg")));
  EXPECT_NE(ReadFile(Path("one.svg")), ReadFile(Path("two.svg")));
  EXPECT_EQ(Run(evaluate + "--picture one.svg").status, 1);  // it is there already
  EXPECT_EQ(Run("evaluate --predicted . --truth . --picture three.svg").status, 2);
}

TEST_F(PictureTest, IsTheSameEachTimeAndNeedsNoFonts) {
  // Of two channels, which are one plane and not three.
  const std::string samples = (testing::SamplesFolder() / "labelled-pixels.csv").string();
  ASSERT_EQ(Run("train --samples " + samples + " --channels G,R -o m.json").status, 0);
  for (const std::string name : {"p.png", "p.SVG"}) {
    ASSERT_EQ(Run("show m.json --picture " + name).status, 0);
    const std::string file = ReadFile(Path(name));
    ASSERT_EQ(Run("show m.json --force --picture " + name).status, 0);
    EXPECT_EQ(ReadFile(Path(name)), file);
    EXPECT_EQ(Run("show m.json --picture " + name).status, 1);  // it is there already
  }
  EXPECT_TRUE(ReadFile(Path("p.png")).starts_with("\x89PNG"));
  std::string svg = ReadFile(Path("p.SVG"));
  EXPECT_NE(svg.find("<svg"), svg.npos);
  for (std::size_t at; (at = svg.find("base64,")) != svg.npos;)  // of a picture, in any letters
    svg.erase(at, svg.find('"', at) - at);
  EXPECT_EQ(svg.find("nan"), svg.npos);
  EXPECT_EQ(Run("show --picture p.jpg").status, 2);
  setenv("FONTCONFIG_FILE", "/dev/null", 1);
  const testing::Outcome without = Run("show m.json --picture without.svg");
  unsetenv("FONTCONFIG_FILE");
  EXPECT_EQ(without.status, 0) << without.err;
  EXPECT_NE(ReadFile(Path("without.svg")).find("<svg"), svg.npos);
}

}  // namespace
}  // namespace skinmask
