#include "pipeline/made_with.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "skinmask/detect/detector.h"
#include "skinmask/model/model.h"

namespace skinmask {
namespace {

// So that a run that resumes compares them all.
TEST(MadeWith, NamesEveryOptionOfADetector) {
  const std::map<std::string, std::string> others{
      {"adapt", "off"},       {"faces", "a.onnx"},        {"seed_mask", "a.png"},
      {"refine", "off"},      {"seed_rect", "1,2,3,4"},   {"class_costs", "0,1:2,0"},
      {"require_face", "on"}, {"abstain", "0.125,0.875"}, {"draw", "faces"}};
  const Model model = DefaultModel();
  for (const OptionRow& row : DetectorTable().rows()) {
    if (row.name.empty()) continue;
    const auto other = others.find(row.name);
    const std::string number = row.kind == OptionRow::Kind::kWhole ? "7" : "0.125";
    DetectorOptions options;
    SetOption(row, &options, other == others.end() ? number : other->second);
    EXPECT_TRUE(MadeWithOf(options, model).contains(row.name)) << row.name;
  }
}

}  // namespace
}  // namespace skinmask
