// Every CPU target gives the same bits: bytes for every colour and every form, floats and classes
// for a fifth of the colours.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "skinmask/base/cpu.h"
#include "skinmask/base/error.h"
#include "skinmask/model/posterior.h"
#include "skinmask/model/yuv_quadratic.h"
#include "support/colors.h"
#include "support/files.h"

namespace skinmask {
namespace {

using testing::ForEveryColor;
using testing::kColorsPerRow;
using testing::Trained;

// FNV-1a (Fowler, Noll, Vo), eight bytes at a time.
class Hash {
 public:
  template <class T>
  void Add(const std::vector<T>& values) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    for (std::size_t i = 0; i + 8 <= values.size() * sizeof(T); i += 8) {
      std::uint64_t word;
      std::copy_n(bytes + i, 8, reinterpret_cast<unsigned char*>(&word));
      value_ = (value_ ^ word) * 0x100000001b3;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

// hash_of() under every target that runs here, all the same.
template <class HashOf>
void ExpectSameOnAllTargets(const HashOf& hash_of) {
  std::optional<std::uint64_t> best;
  for (const std::string& name : UsableTargets()) {
    const testing::ForcedTarget target(name);
    const std::uint64_t hash = hash_of();
    EXPECT_EQ(hash, best.value_or(hash)) << name;
    best = hash;
  }
}

template <class Form>
std::uint64_t HashOfBytes(const Form& form) {
  Hash hash;
  std::vector<std::uint8_t> bytes(kColorsPerRow);
  ForEveryColor([&](const std::uint8_t* bgr) {
    form.MaskRow(bgr, kColorsPerRow, bytes.data());
    hash.Add(bytes);
    form.ProbabilityRow(bgr, kColorsPerRow, bytes.data());
    hash.Add(bytes);
  });
  return hash.value();
}

// What a table takes from the reference, which has no targets. Of every fifth row: it takes
// longest.
template <class Form>
std::uint64_t HashOfFloatsAndClasses(const Form& form) {
  Hash hash;
  std::vector<std::uint8_t> classes(kColorsPerRow);
  std::vector<float> floats(kColorsPerRow);
  const auto add = [&](const std::uint8_t* bgr) {
    form.ClassRow(bgr, kColorsPerRow, classes.data());
    hash.Add(classes);
    form.ProbabilityRow(bgr, kColorsPerRow, floats.data());
    hash.Add(floats);
    form.LogOddsRow(bgr, kColorsPerRow, floats.data());
    hash.Add(floats);
  };
  ForEveryColor(add, 5);
  return hash.value();
}

TEST(Targets, QuadraticsAreTheSame) {
  const CompiledQuadratic form(Quadratic(Trained(Kind::kQda, "YCrCb")), -1);
  ExpectSameOnAllTargets([&] { return HashOfBytes(form); });
  ExpectSameOnAllTargets([&] { return HashOfFloatsAndClasses(form); });
}

CompiledMixture FourComponents() {
  const Model model = Trained(Kind::kQda, "BGR", 3);
  std::vector<MixtureComponent> components;
  // Two of skin, one of hair, one of the rest.
  for (int k : {1, 0, 2, 0})
    components.push_back({Quadratic::Discriminant(model, static_cast<std::size_t>(k)), k});
  components.back().log_density.linear[2] += 0.02;
  return CompiledMixture(components, -1);
}

TEST(Targets, BytesOfMixturesAreTheSame) {
  ExpectSameOnAllTargets([form = FourComponents()] { return HashOfBytes(form); });
}

TEST(Targets, FloatsAndClassesOfMixturesAreTheSame) {
  ExpectSameOnAllTargets([form = FourComponents()] { return HashOfFloatsAndClasses(form); });
}

TEST(Targets, TablesAreTheSame) {
  // Of the tables with many different answers one that is quickly filled.
  const Posterior form(testing::TrainedOfKind(Kind::kLogistic, "rg"));
  ASSERT_STREQ(form.form(), "table");
  ExpectSameOnAllTargets([&] { return HashOfBytes(form); });
}

TEST(Targets, YuvFramesAreTheSame) {
  const CompiledYuvQuadratic form(Quadratic(Trained(Kind::kQda, "BGR")), {}, -1);
  ExpectSameOnAllTargets([&] {
    Hash hash;
    std::vector<std::uint8_t> yuyv(2 * kColorsPerRow), bytes(kColorsPerRow);
    // A row of pixel pairs for each chroma: luma 0..255, 256 times with another v.
    for (std::size_t u = 0; u < 256; ++u) {
      for (std::size_t i = 0; i < kColorsPerRow; i += 2) {
        yuyv[2 * i] = static_cast<std::uint8_t>(i);
        yuyv[2 * i + 1] = static_cast<std::uint8_t>(u);
        yuyv[2 * i + 2] = static_cast<std::uint8_t>(i + 1);
        yuyv[2 * i + 3] = static_cast<std::uint8_t>(i >> 8);
      }
      form.MaskRow({YuvRow::Layout::kYuyv, {yuyv.data()}}, kColorsPerRow, bytes.data());
      hash.Add(bytes);
      form.ProbabilityRow({YuvRow::Layout::kYuyv, {yuyv.data()}}, kColorsPerRow, bytes.data());
      hash.Add(bytes);
    }
    return hash.value();
  });
}

TEST(Targets, CanBeListedAndForced) {
  const std::vector<std::string> compiled = CompiledTargets(), usable = UsableTargets();
  ASSERT_FALSE(usable.empty());
  for (const std::string& name : usable)
    EXPECT_TRUE(std::find(compiled.begin(), compiled.end(), name) != compiled.end()) << name;
  {
    const testing::ForcedTarget target(usable.back());
    EXPECT_EQ(ActiveTarget(), usable.back());
    UseTarget("");
    EXPECT_EQ(ActiveTarget(), usable.front());
  }
  EXPECT_ERROR(UseTarget("MMX"), "usable: " + usable.front());
}

}  // namespace
}  // namespace skinmask
