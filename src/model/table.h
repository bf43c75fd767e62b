// Answers looked up by colour, for models that no arithmetic form fits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "skinmask/model/posterior.h"
#include "skinmask/model/reference.h"

namespace skinmask {

// answer(z) of every pixel, z by the reference.
template <class T, class Answer>
void ReferenceRow(const Reference& reference, const std::uint8_t* bgr, std::size_t count, T* out,
                  const Answer& answer) {
  std::array<double, 256> z;
  for (std::size_t done = 0; done < count; done += z.size()) {
    const std::size_t n = std::min(z.size(), count - done);
    reference.LogOddsRow(bgr + 3 * done, n, z.data());
    for (std::size_t i = 0; i < n; ++i) out[done + i] = answer(z[i]);
  }
}

// The reference's answers to each of the 2^24 colours; or the reference itself for what `options`
// do not ask for, and for too few pixels to earn a table. The bytes are the same.
class Posterior::Table {
 public:
  Table(const Model& model, const PosteriorOptions& options);

  void MaskRow(const std::uint8_t* bgr, std::size_t count, std::uint8_t* mask) const noexcept;
  void ProbabilityRow(const std::uint8_t* bgr, std::size_t count,
                      std::uint8_t* probability) const noexcept;
  bool built() const { return !bits_.empty() || !bytes_.empty(); }

 private:
  void FillRow(std::size_t red_green);

  Reference reference_;
  double threshold_;
  std::vector<std::uint32_t> bits_;  // as rows::TableMask and rows::TableByte want them,
  std::vector<std::uint8_t> bytes_;  // or empty
};

}  // namespace skinmask
