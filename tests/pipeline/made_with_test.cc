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

// A value that absence stands for gives the same bytes, so a run that resumes may name it.
TEST(MadeWith, NamesWhatDiffersFromAbsence) {
  using Map = std::map<std::string, std::string>;
  const Model model = DefaultModel();
  DetectOptions run;
  DetectorOptions detector;
  run.style.quality = kUsualQuality;
  run.outputs = {Output::kUncertainty};
  detector.outlier = kOutlierOfMaps;
  EXPECT_EQ(MadeWithOf(run, detector, model), Map());
  // Masks that abstain know all colours by default.
  run.outputs.push_back(Output::kMask);
  EXPECT_EQ(MadeWithOf(run, detector, model), Map());  // this one does not abstain
  detector.abstain = {0.25, 0.75};
  EXPECT_EQ(MadeWithOf(run, detector, model),
            (Map{{"abstain", "0.25,0.75"}, {"outlier", "0.999"}}));
  run.style = {.format = OutputStyle::Format::kWebp, .feather = 0, .quality = 80};
  run.scale = 2;
  run.probability_bits = 16;
  run.pixels = FramePosterior::Pixels::kYuv;
  EXPECT_EQ(MadeWithOf(run, DetectorOptions(), model), (Map{{"depth", "16"},
                                                            {"feather", "0"},
                                                            {"format", "webp"},
                                                            {"pixels", "yuv"},
                                                            {"quality", "80"},
                                                            {"scale", "1/2"}}));
}

}  // namespace
}  // namespace skinmask
