// Tables of samples: what is read is written in one way, which reads as the same.
#include "fuzz/input.h"
#include "skinmask/data/samples.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinmask;
  Samples samples;
  if (!fuzz::Succeeds([&] { samples = ParseSamples(fuzz::Input(data, size).Rest(), "samples"); }))
    return 0;
  const std::string written = FormatSamples(samples);
  const Samples again = ParseSamples(written, "written");
  fuzz::Require(FormatSamples(again) == written, "a table is written as it was read");
  fuzz::Require(again.Total() == samples.Total(), "no pixel is lost");
  return 0;
}
