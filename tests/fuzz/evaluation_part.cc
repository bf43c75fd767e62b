// Parts of evaluations: what is read is written in one way, which reads as the same.
#include "pipeline/evaluation_part.h"

#include "fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace skinmask;
  EvaluationPart part;
  const std::string text(fuzz::Input(data, size).Rest());
  if (!fuzz::Succeeds([&] { part = ParseEvaluationPart(text, "part"); })) return 0;
  const std::string written = FormatEvaluationPart(part);
  const EvaluationPart again = ParseEvaluationPart(written, "written");
  fuzz::Require(FormatEvaluationPart(again) == written, "a part is written as it was read");
  if (part.header.shard.count == 1) (void)ReportOf(part);
  return 0;
}
