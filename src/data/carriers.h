// The carriers of the rows of a table.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "skinmask/data/color.h"
#include "skinmask/data/samples.h"

namespace skinmask {

// Calls take(i, carrier) for each rows[i], with the three integers of its carrier.
template <class Take>
void ForEachCarrier(std::span<const SampleRow> rows, const ColorSpace& space, const Take& take) {
  constexpr std::size_t kBlock = 1024;
  std::array<std::uint8_t, 3 * kBlock> bgr;
  std::array<std::int32_t, 3 * kBlock> carrier;
  for (std::size_t done = 0; done < rows.size(); done += kBlock) {
    const std::size_t size = std::min(kBlock, rows.size() - done);
    for (std::size_t i = 0; i < size; ++i) {
      const SampleRow& row = rows[done + i];
      bgr[3 * i] = row.b, bgr[3 * i + 1] = row.g, bgr[3 * i + 2] = row.r;
    }
    CarrierRow(space, bgr.data(), size, carrier.data());
    for (std::size_t i = 0; i < size; ++i) take(done + i, &carrier[3 * i]);
  }
}

}  // namespace skinmask
