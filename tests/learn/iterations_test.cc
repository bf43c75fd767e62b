// Fits that are watched, and ended before their time.
#include <gtest/gtest.h>

#include <atomic>

#include "skinmask/base/error.h"
#include "skinmask/learn/compare.h"
#include "skinmask/model/model.h"
#include "support/files.h"
#include "support/world.h"

namespace skinmask {
namespace {

using testing::DrawSamples;
using Solver = LogisticOptions::Solver;

// One of each loop. `iterations` at most; none of them ends by itself before.
std::vector<FitOptions> WaysOf(int iterations) {
  std::vector<FitOptions> ways;
  for (const Solver solver : {Solver::kNewton, Solver::kGradient, Solver::kSgd}) {
    ways.emplace_back().kind = Kind::kLogistic;
    ways.back().logistic.solver = solver;
    ways.back().logistic.iterations = iterations;
    ways.back().logistic.tolerance = -1;
  }
  ways.emplace_back().kind = Kind::kMixture;
  ways.back().mixture.iterations = iterations;
  ways.back().mixture.tolerance = -INFINITY;
  return ways;
}

constexpr int kEndless = 1 << 30;

TEST(Iterations, EndByAStop) {
  const Samples samples = DrawSamples(2);
  for (FitOptions options : WaysOf(kEndless)) {
    std::atomic<bool> stop = false;
    std::size_t calls = 0;
    options.stop = &stop;
    options.progress = [&](std::size_t done, std::size_t total, std::uint64_t pixels) {
      EXPECT_EQ(done, ++calls);
      EXPECT_GE(total, static_cast<std::size_t>(kEndless));
      EXPECT_EQ(pixels % done, 0u);
      stop = done == 3;
    };
    EXPECT_ERROR(Fit(samples, options), "fit: was stopped");
    EXPECT_EQ(calls, 3u);
  }
}

TEST(Iterations, DoNotBeginAfterAStop) {
  const Samples samples = DrawSamples(2);
  const std::atomic<bool> stop = true;
  for (FitOptions options : WaysOf(kEndless)) {
    options.stop = &stop;
    options.progress = [](std::size_t, std::size_t, std::uint64_t) { FAIL(); };
    EXPECT_ERROR(Fit(samples, options), "fit: was stopped");
  }
}

TEST(Iterations, AreToldUntilTheirLast) {
  // Every sixth pixel of the world, as its mixture takes hundreds of steps.
  const Samples all = DrawSamples(2);
  std::vector<SampleRow> rows;
  for (std::size_t i = 0; i < all.rows().size(); i += 6) rows.push_back(all.rows()[i]);
  const Samples samples(all.classes(), rows);
  std::vector<FitOptions> ways = WaysOf(5);
  ways.push_back(ways.front());  // as it ends by itself
  ways.back().logistic = {};
  ways.push_back(ways[3]);
  ways.back().mixture = {};
  for (FitOptions options : ways) {
    const std::string unwatched = ModelToJson(Fit(samples, options));
    const std::atomic<bool> stop = false;
    std::size_t last = 0, most = SIZE_MAX;
    options.stop = &stop;
    options.progress = [&](std::size_t done, std::size_t total, std::uint64_t) {
      EXPECT_EQ(done, ++last);
      EXPECT_LE(done, total);
      EXPECT_LE(total, most);
      most = total;
    };
    const Model model = Fit(samples, options);
    EXPECT_EQ(last, most);
    EXPECT_TRUE(options.kind != Kind::kLogistic ||
                last == static_cast<std::size_t>(model.logistic.iterations));
    EXPECT_EQ(ModelToJson(model), unwatched);
  }
}

TEST(Iterations, OfAComparisonEndByItsStop) {
  for (FitOptions options : WaysOf(kEndless)) {
    std::atomic<bool> stop = false;
    options.progress = [&](std::size_t done, std::size_t, std::uint64_t) {
      if (done == 3) stop = true;
    };
    CompareOptions compare;
    compare.stop = &stop;
    Comparison comparison = Unscored(DrawSamples(2), {options}, compare, {});
    EXPECT_FALSE(ScoreModels(DrawSamples(2), compare, comparison));
  }
}

}  // namespace
}  // namespace skinmask
