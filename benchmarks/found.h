// Faces that were found before, where the search is not what is measured.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "skinmask/detect/seed_finder.h"

namespace skinmask::bench {

class Found : public SeedFinder {
 public:
  explicit Found(std::vector<Seed> seeds) : seeds_(std::move(seeds)) {}
  std::string_view name() const override { return "found"; }
  std::vector<Seed> Find(const cv::Mat&) const override { return seeds_; }

 private:
  std::vector<Seed> seeds_;
};

}  // namespace skinmask::bench
