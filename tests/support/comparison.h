// `compare` on a table of several images.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "skinmask/data/samples.h"
#include "support/program.h"
#include "support/world.h"

namespace skinmask::testing {

class CompareTest : public ProgramTest {
 protected:
  // Ten images' pixels, numbered from 1.
  std::vector<SampleRow> rows_ = [] {
    std::vector<SampleRow> rows;
    for (std::uint32_t group = 1; group <= 10; ++group) {
      const Samples drawn = DrawSamples(2, group);
      for (SampleRow row : drawn.rows()) {
        if ((row.b + row.g) % 8 != 0) continue;
        row.group = group;
        row.r = static_cast<std::uint8_t>(row.r * (15 + group) / 25);
        rows.push_back(row);
      }
    }
    return rows;
  }();
  Samples Table(const std::vector<SampleRow>& rows) const {
    return Samples({"non-skin", "skin"}, rows);
  }
  nlohmann::json Json(const std::string& verb, int status = 0) {
    const Outcome run = Run(verb + " --json");
    EXPECT_EQ(run.status, status) << run.err;
    return nlohmann::json::parse(run.out);
  }
};

}  // namespace skinmask::testing
