#include <array>
#include <vector>

#include "learn/fit_kinds.h"
#include "model/binning.h"

namespace skinmask {

void FitHistogram(const Samples& samples, const FitOptions& options, Model& model) {
  model.histogram = options.histogram;
  const Binning binning(options.features, options.histogram.bins);
  const bool naive = options.kind == Kind::kHistogramNb;
  for (ClassModel& c : model.classes) {
    std::vector<std::uint64_t> counts(naive ? binning.channel_bin_count()
                                            : binning.color_bin_count());
    const PointPlanes points = PlanesOf(samples, options.features, c.name);
    for (std::size_t k = 0; k < points.count; ++k) {
      const std::array<double, 3> f{points.f[0][k], points.f[1][k], points.f[2][k]};
      const auto count = static_cast<std::uint64_t>(points.weight[k]);
      if (!naive) counts[binning.ColorBin(f.data())] += count;
      for (std::size_t i = 0; naive && i < binning.size(); ++i)
        counts[binning.ChannelBin(f.data(), i)] += count;
    }
    for (std::size_t bin = 0; bin < counts.size(); ++bin)
      if (counts[bin] > 0) c.bins.push_back({static_cast<std::uint32_t>(bin), counts[bin]});
  }
}

}  // namespace skinmask
