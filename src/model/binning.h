// Binning finds the bin of a histogram that a colour falls into.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "skinmask/model/model.h"

namespace skinmask {

// `bins` bins of equal width over each feature's range; the upper end belongs to the last one.
class Binning {
 public:
  Binning(const Features& features, int bins)
      : size_(static_cast<std::size_t>(features.size())), bins_(static_cast<std::size_t>(bins)) {
    const auto [low, high] = features.Range();
    for (std::size_t i = 0; i < size_; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      low_[i] = low(row);
      per_unit_[i] = static_cast<double>(bins) / (high(row) - low(row));
    }
  }

  std::size_t size() const { return size_; }
  std::size_t bins() const { return bins_; }
  // The number of bins: of all channels one after another, of whole colours, and of a class of
  // either kind of histogram.
  std::size_t channel_bin_count() const { return size_ * bins_; }
  std::size_t color_bin_count() const {
    std::size_t count = 1;
    for (std::size_t i = 0; i < size_; ++i) count *= bins_;
    return count;
  }
  std::size_t BinCountOf(Kind kind) const {
    return kind == Kind::kHistogramNb ? channel_bin_count() : color_bin_count();
  }

  // Indices of bins; `f` holds size() features.
  std::size_t ChannelBin(const double* f, std::size_t channel) const {
    return channel * bins_ + Bin(f, channel);
  }
  std::size_t ColorBin(const double* f) const {
    std::size_t bin = 0;
    for (std::size_t i = 0; i < size_; ++i) bin = bin * bins_ + Bin(f, i);
    return bin;
  }
  // Calls use(bin) for the bin of the whole colour, or that of each channel, as the kind has them.
  template <class Use>
  void ForEachBin(Kind kind, const double* f, const Use& use) const {
    if (kind == Kind::kHistogram) return use(ColorBin(f));
    for (std::size_t i = 0; i < size_; ++i) use(ChannelBin(f, i));
  }

 private:
  // Features that are equal but for rounding, such as V of all greys, may lie on the edge of a bin;
  // so the edges are moved down by more than the rounding errors.
  std::size_t Bin(const double* f, std::size_t i) const {
    constexpr double kRounding = 1e-9;
    return static_cast<std::size_t>(std::clamp((f[i] - low_[i]) * per_unit_[i] + kRounding, 0.,
                                               static_cast<double>(bins_ - 1)));
  }

  std::size_t size_, bins_;
  std::array<double, 3> low_{}, per_unit_{};
};

}  // namespace skinmask
