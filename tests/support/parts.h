// Runs that are divided into parts.
#pragma once

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "support/pictures.h"
#include "support/program.h"

namespace skinmask::testing {

class PartsTest : public ProgramTest {
 protected:
  // Pictures of noise around two colours, one of them where the mask is; `broken` of them is none.
  void PutPairs(int count, int broken = -1) {
    for (int i = 0; i < count; ++i) {
      cv::Mat truth(60, 80, CV_8UC1, cv::Scalar(0)), noise(60, 80, CV_8UC3);
      cv::ellipse(truth, {20 + 5 * i, 30}, {18, 24 - i}, 0, 0, 360, 255, -1);
      cv::theRNG().state = static_cast<std::uint64_t>(i) + 1;
      cv::randn(noise, cv::Scalar(110, 120, 130), cv::Scalar(40, 40, 40));
      cv::Mat picture = noise.clone();
      cv::randn(noise, cv::Scalar(120, 140, 200), cv::Scalar(25, 25, 25));
      noise.copyTo(picture, truth);
      const std::string name = "/" + std::to_string(i);
      Put("i" + name + ".png", i == broken ? "no picture" : Encode(".png", picture));
      Put("m" + name + ".png", Encode(".png", truth));
    }
  }
  // Runs `command` for each shard; the files in an order that is none.
  std::vector<std::string> Parts(const std::string& command, const std::string& option, int count,
                                 int status = 0) {
    std::vector<std::string> files;
    for (int i = 1; i <= count; ++i) {
      files.push_back("part" + std::to_string(i) + "of" + std::to_string(count));
      const Outcome run = Run(
          fmt::format("{} --force --shard {}/{} {} {}", command, i, count, option, files.back()));
      EXPECT_LE(run.status, status) << run.err;
      EXPECT_EQ(run.out, "");
    }
    std::shuffle(files.begin(), files.end(), std::mt19937(static_cast<unsigned>(count)));
    return files;
  }
  std::string Bytes(const std::string& name) { return ReadFile(Path(name)); }
  // That the merges are the run of `options`, its JSON, page and lines.
  void ExpectEqual(const std::string& options, std::initializer_list<int> counts, int status = 0) {
    const Outcome one = Run("evaluate " + options + " --force --json one.json --report one.html");
    ASSERT_EQ(one.status, status) << one.err;
    for (const int count : counts) {
      const auto parts = Parts("evaluate " + options, "--partial", count, status);
      const Outcome merged =
          Run(fmt::format("evaluate {} --force --json merged.json --report merged.html "
                          "--partials {}",
                          options, fmt::join(parts, " ")));
      EXPECT_EQ(merged.status, status) << merged.err;
      EXPECT_EQ(merged.out, one.out) << options << count;
      EXPECT_EQ(Bytes("merged.json"), Bytes("one.json")) << options << count;
      EXPECT_TRUE(Bytes("merged.html") == Bytes("one.html")) << options << count;
    }
  }
};

}  // namespace skinmask::testing
