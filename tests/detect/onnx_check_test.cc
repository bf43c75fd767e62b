// Networks, put together field by field (onnx.proto), of which each is wrong in one thing.
#include "detect/adapt/opencv_net.h"

#include <gtest/gtest.h>

namespace skinmask {
namespace {

std::string Number(int field, std::uint64_t value) {
  std::string text(1, static_cast<char>(field << 3));
  for (; value > 127; value >>= 7) text += static_cast<char>(value | 128);
  return text + static_cast<char>(value);
}

std::string Field(int field, const std::string& bytes) {
  return static_cast<char>(field << 3 | 2) + Number(0, bytes.size()).substr(1) + bytes;
}

std::string Numbers(const std::string& name, const std::vector<std::uint64_t>& values) {
  std::string text = Field(1, name);
  for (const std::uint64_t value : values) text += Number(8, value);
  return Field(5, text);
}

// A convolution of 3 x 3, of 3 channels to 2.
struct Network {
  std::string input = "image", weight = "w", output = "out", type = "Conv", more = "";
  std::vector<std::uint64_t> sides = {2, 3, 3, 3}, strides = {1, 1}, group = {1};
  std::size_t floats = 54, biases = 2;

  std::string Bytes() const {
    const std::string node = Field(1, input) + Field(1, "w") + Field(1, "b") + Field(2, output) +
                             Field(4, type) + Numbers("group", group) +
                             Numbers("kernel_shape", {3, 3}) + Numbers("pads", {1, 1, 1, 1}) +
                             Numbers("strides", strides) + more;
    std::string weights;
    for (const std::uint64_t side : sides) weights += Number(1, side);
    weights += Number(2, 1) + Field(8, weight) + Field(9, std::string(4 * floats, '\1'));
    const std::string bias =
        Number(1, biases) + Number(2, 1) + Field(8, "b") + Field(9, std::string(4 * biases, '\1'));
    return Number(1, 6) + Field(7, Field(1, node) + Field(5, weights) + Field(5, bias) +
                                       Field(11, Field(1, "image")) + Field(12, Field(1, "out")));
  }
};

bool IsSound(const Network& network) { return IsSoundOnnx(network.Bytes(), {"out"}); }

TEST(OnnxCheck, TakesWhatFits) {
  EXPECT_TRUE(IsSound({}));
  EXPECT_TRUE(IsSound({.sides = {2, 1, 3, 3}, .floats = 18}));
}

TEST(OnnxCheck, RefusesWhatIsNotThereOrDoesNotFit) {
  EXPECT_FALSE(IsSound({.input = "imag"}));
  EXPECT_FALSE(IsSound({.input = "out"}));  // itself
  EXPECT_FALSE(IsSound({.input = "w"}));
  EXPECT_FALSE(IsSound({.weight = "v"}));
  EXPECT_FALSE(IsSound({.weight = "b"}));
  EXPECT_FALSE(IsSound({.output = "other"}));
  EXPECT_FALSE(IsSound({.output = "image"}));
  EXPECT_FALSE(IsSound({.type = "Loop"}));
  EXPECT_FALSE(IsSound({.more = Field(5, Field(1, "body") + Field(6, ""))}));
  EXPECT_FALSE(IsSound({.sides = {2, 3, 3}, .floats = 18}));
  EXPECT_FALSE(IsSound({.sides = {2, 3, 5, 3}, .floats = 90}));
  EXPECT_FALSE(IsSound({.sides = {1 << 20, 1 << 20, 1 << 20, 16}, .floats = 0}));
  EXPECT_FALSE(IsSound({.strides = {0, 1}}));
  EXPECT_FALSE(IsSound({.strides = {1}}));
  EXPECT_FALSE(IsSound({.group = {0}}));
  EXPECT_FALSE(IsSound({.group = {3}}));
  EXPECT_FALSE(IsSound({.floats = 53}));
  EXPECT_FALSE(IsSound({.biases = 3}));
}

TEST(OnnxCheck, EveryCutIsRefused) {
  const std::string whole = Network().Bytes();
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(IsSoundOnnx(whole.substr(0, size), {"out"})) << size;
}

}  // namespace
}  // namespace skinmask
