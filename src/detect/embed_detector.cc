// Writes a source file with dlib's detector of frontal faces as tables of integers (HogTables):
//   embed_detector OUTPUT
// dlib has the detector compressed, and unpacking it takes 0.3 s. So this program unpacks it during
// the build, and the library needs no dlib.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "detect/adapt/dlib_detector.h"
#include "detect/adapt/hog_tables.h"

namespace skinmask {
namespace {

constexpr std::size_t kTemplates = HogTables::kTemplates, kWindow = HogTables::kWindow;
constexpr std::size_t kFeatures = HogTables::kFeatures, kCoarse = HogTables::kCoarse;
constexpr std::size_t kCells = kWindow * kWindow;

// The projections of the features for the coarse search. With C the features' second moments over
// photographs they are the rows of U' C^(1/2), where U are the first left singular vectors of
// C^(1/2) W, and each column of W has the templates' weights of one cell. C is that of scenes
// without people (benchmarks/hog_projection.cc prints these numbers).
constexpr double kKept[kCoarse][kFeatures] = {
    {0.11813, 0.08504, 0.10943, 0.09984, 0.17166, 0.10181, 0.10008, 0.10965,
     0.08512, 0.11823, 0.08738, 0.10820, 0.10592, 0.17133, 0.10952, 0.10497,
     0.10752, 0.08684, 0.21035, 0.16265, 0.20430, 0.19216, 0.28943, 0.19231,
     0.19100, 0.20344, 0.16221, 0.23253, 0.23469, 0.23222, 0.23426},
    {-0.08858, -0.04605, -0.02660, 0.01494,  0.04065,  0.04401,  0.01065, -0.03146,
     -0.04898, -0.08912, -0.05038, -0.03025, 0.01010,  0.03669,  0.04184, 0.00680,
     -0.03449, -0.05195, -0.13761, -0.08431, -0.05164, 0.01920,  0.04759, 0.06795,
     0.01290,  -0.05872, -0.08803, -0.03544, -0.03347, -0.03553, -0.03329},
    {-0.02265, -0.02662, -0.06003, -0.04319, -0.03960, 0.02808,  0.04791,  0.03985,
     0.03435,  -0.00162, -0.01092, -0.03627, -0.02836, -0.01771, 0.03371,  0.04972,
     0.03653,  0.02423,  -0.01836, -0.03076, -0.08097, -0.05836, -0.04029, 0.05145,
     0.07962,  0.05993,  0.04980,  0.00108,  0.00304,  0.00123,  -0.00186},
    {0.01158,  0.00082,  0.03581,  0.02988,  0.09571,  0.04207,  0.04301,  0.05419,
     0.01245,  0.01677,  -0.02538, -0.03774, -0.06027, -0.07175, -0.06080, -0.04928,
     -0.02753, -0.02100, 0.02138,  -0.02180, 0.00035,  -0.02621, 0.01814,  -0.01764,
     -0.00636, 0.02362,  -0.00845, -0.00072, -0.00198, -0.00030, -0.00242},
};

// The weights of each feature for each cell of each template.
struct Weights {
  double of[kFeatures][kTemplates * kCells];
  double threshold[kTemplates];
};

Weights Read() {
  const dlib::frontal_face_detector detector = dlib::get_frontal_face_detector();
  if (detector.num_detectors() != kTemplates) throw std::runtime_error("not five templates");
  static Weights weights;
  for (std::size_t t = 0; t < kTemplates; ++t) {
    const auto& w = detector.get_w(t);
    if (w.size() != static_cast<long>(kFeatures * kCells + 1))
      throw std::runtime_error("not 10 by 10 cells of 31 features");
    for (std::size_t f = 0; f < kFeatures; ++f)
      for (std::size_t cell = 0; cell < kCells; ++cell)
        weights.of[f][t * kCells + cell] = w(static_cast<long>(f * kCells + cell));
    weights.threshold[t] = w(static_cast<long>(kFeatures * kCells));
  }
  return weights;
}

template <class T>
T Scaled(double x, int bits) {
  const double scaled = std::floor(std::ldexp(x, bits) + .5);
  if (std::abs(scaled) > std::numeric_limits<T>::max()) throw std::runtime_error("beyond a table");
  return static_cast<T>(scaled);
}

// Checks that no sum of the template's weights times features exceeds 32 bits. A feature is four
// terms of at most .1; a texture feature is 18 terms of at most .2357 times .2.
void CheckRange(const Weights& weights, std::size_t t) {
  double positive = 0, negative = 0;
  for (std::size_t f = 0; f < kFeatures; ++f)
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      const double w = weights.of[f][t * kCells + cell] * (f < 27 ? .4001 : .8487);
      (w > 0 ? positive : negative) += w;
    }
  if (std::max(positive, -negative) > 31.9) throw std::runtime_error("sums beyond 32 bits");
}

void MakeExact(const Weights& weights, HogTables& tables) {
  for (std::size_t t = 0; t < kTemplates; ++t) {
    CheckRange(weights, t);
    tables.threshold[t] = Scaled<std::int32_t>(weights.threshold[t], HogTables::kScoreBits);
    for (std::size_t y = 0; y < kWindow; ++y)
      for (std::size_t x = 0; x < kWindow; ++x)
        for (std::size_t f = 0; f < kFeatures; ++f)
          tables.weights[t][y][f / HogTables::kInQuarter][x][f % HogTables::kInQuarter] =
              Scaled<std::int16_t>(weights.of[f][t * kCells + y * kWindow + x],
                                   HogTables::kFeatureBits);
  }
}

// With K = U' C^(1/2) W, whose rows are orthogonal, the projection is W K' (K K')^-1.
void MakeCoarse(const Weights& weights, HogTables& tables) {
  // A window may have a coarse score this far below the threshold and still be a face; no known
  // face has less.
  constexpr double kSlack = -2.2;
  for (std::size_t t = 0; t < kTemplates; ++t)
    tables.coarse_threshold[t] =
        Scaled<std::int16_t>(weights.threshold[t] + kSlack, HogTables::kCoarseScoreBits);
  for (std::size_t c = 0; c < kCoarse; ++c) {
    double k[kTemplates * kCells] = {}, square = 0;
    for (std::size_t i = 0; i < kTemplates * kCells; ++i) {
      for (std::size_t f = 0; f < kFeatures; ++f) k[i] += kKept[c][f] * weights.of[f][i];
      square += k[i] * k[i];
    }
    for (std::size_t f = 0; f < kFeatures; ++f) {
      double sum = 0;
      for (std::size_t i = 0; i < kTemplates * kCells; ++i) sum += weights.of[f][i] * k[i];
      tables.projection[f][c] = static_cast<float>(Scaled<std::int32_t>(sum / square, 14)) / 16384;
    }
    for (std::size_t i = 0; i < kTemplates * kCells; ++i) {
      const std::size_t t = i / kCells, y = i % kCells / kWindow, x = i % kWindow;
      const auto weight =
          static_cast<std::uint16_t>(Scaled<std::int16_t>(k[i], HogTables::kCoarseWeightBits));
      tables.coarse_weights[y][c][x][t] = weight * 0x10001u;
    }
  }
}

template <class T>
void Write(const T& value, std::ostream& out) {
  if constexpr (std::is_array_v<T>) {
    out << '{';
    for (const auto& part : value) Write(part, out);
    out << "},\n";
  } else {
    out << value << (std::is_unsigned_v<T> ? "u," : ",");
  }
}

}  // namespace
}  // namespace skinmask

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  using namespace skinmask;
  const Weights weights = Read();
  static HogTables tables;
  MakeExact(weights, tables);
  MakeCoarse(weights, tables);
  std::ofstream out(argv[1]);
  out.precision(9);
  out << "#include \"detect/adapt/hog_tables.h\"\n\nnamespace skinmask {\n\n"
         "const HogTables kHogTables = {\n";
  Write(tables.weights, out);
  Write(tables.threshold, out);
  Write(tables.projection, out);
  Write(tables.coarse_weights, out);
  Write(tables.coarse_threshold, out);
  out << "};\n\n}  // namespace skinmask\n";
  return out.flush() ? 0 : 1;
}
