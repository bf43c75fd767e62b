// The model file: what is read can be used, and is written as it was read.
#include <cmath>
#include <vector>

#include "fuzz/input.h"
#include "skinmask/model/posterior.h"

namespace skinmask {
namespace {

void Use(const Model& model) {
  // No table: it would take a second for each input.
  const Posterior posterior(model, {.expected_pixels = 1});
  constexpr std::size_t kCount = 6;
  const std::uint8_t bgr[3 * kCount] = {0,  0,  0,   255, 255, 255, 128, 128, 128,
                                        90, 99, 210, 255, 0,   0,   1,   254, 17};
  std::vector<std::uint8_t> mask(kCount), probability(kCount), index(kCount);
  std::vector<float> share(kCount), z(kCount);
  posterior.MaskRow(bgr, kCount, mask.data());
  posterior.ProbabilityRow(bgr, kCount, probability.data());
  posterior.ProbabilityRow(bgr, kCount, share.data());
  posterior.LogOddsRow(bgr, kCount, z.data());
  posterior.ClassRow(bgr, kCount, index.data());
  for (std::size_t i = 0; i < kCount; ++i) {
    fuzz::Require(mask[i] == 0 || mask[i] == 255, "a mask is 0 or 255");
    fuzz::Require(share[i] >= 0 && share[i] <= 1, "a probability is from 0 to 1");
    fuzz::Require(!std::isnan(z[i]), "log-odds are numbers");
    fuzz::Require(index[i] < model.classes.size(), "a class is one of the model's");
  }
}

}  // namespace
}  // namespace skinmask

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinmask;
  Model model;
  if (!fuzz::Succeeds([&] { model = ModelFromJson(fuzz::Input(data, size).Rest(), "model"); }))
    return 0;
  const std::string written = ModelToJson(model);
  fuzz::Require(ModelToJson(ModelFromJson(written, "written")) == written,
                "a model is written as it was read");
  Use(model);
  return 0;
}
