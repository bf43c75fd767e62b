#include "pipeline/adaptation_json.h"

namespace skinmask {

Json JsonOf(const AdaptationSummary& summary) {
  switch (summary.by) {
    case AdaptationSummary::By::kNothing:
      break;
    case AdaptationSummary::By::kSeeds:
      return {{"by", "seeds"}, {"faces", summary.faces}};
    case AdaptationSummary::By::kImage:
      return {{"by", "image"}, {"shift", summary.shift}};
  }
  return {{"by", "nothing"}};
}

}  // namespace skinmask
