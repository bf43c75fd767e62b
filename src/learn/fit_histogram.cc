#include <map>

#include "learn/fit_kinds.h"
#include "model/binning.h"

namespace skinmask {

void FitHistogram(const Samples& samples, const FitOptions& options, Model& model) {
  model.histogram = options.histogram;
  const Binning binning(options.features, options.histogram.bins);
  const bool naive = options.kind == Kind::kHistogramNb;
  for (ClassModel& c : model.classes) {
    std::map<std::size_t, std::uint64_t> bins;
    for (const WeightedPoint& point : PointsOf(samples, options.features, c.name)) {
      const auto count = static_cast<std::uint64_t>(point.weight);
      if (!naive) bins[binning.ColorBin(point.f.data())] += count;
      for (std::size_t i = 0; naive && i < binning.size(); ++i)
        bins[binning.ChannelBin(point.f.data(), i)] += count;
    }
    for (const auto& [bin, count] : bins)
      c.bins.push_back({static_cast<std::uint32_t>(bin), count});
  }
}

}  // namespace skinmask
