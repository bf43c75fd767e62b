#include "skinmask/model/yuv_quadratic.h"

#include <Eigen/Core>
#include <algorithm>
#include <numbers>

#include "skinmask/base/cpu.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "model/quadratic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace {

// A block of YUV. Pixels that share a sample of chroma share its vector, so the compiler computes
// everything that depends on it only once.
struct YuvBlock {
  FourVectors<Floats> y, u, v;
};

HWY_INLINE FourVectors<Floats> AllChannels(const std::uint8_t* bytes) {
  const Words words = Centred(LoadWords(bytes));
  return {Channel<0>(words), Channel<1>(words), Channel<2>(words), Channel<3>(words)};
}

// Two bytes for each word, as its lower half.
HWY_INLINE Words LoadHalfWords(const std::uint8_t* bytes) {
#if HWY_TARGET == HWY_SCALAR
  return Word(bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8);
#else
  const hn::Rebind<std::uint16_t, WordTag> halves;
  return hn::PromoteTo(WordTag(), hn::BitCast(halves, hn::LoadU(hn::Half<ByteTag>(), bytes)));
#endif
}

HWY_INLINE FourVectors<Floats> Pairs(Floats left, Floats right) {
  return {left, left, right, right};
}

// The loading of a block of each layout, and the bytes of each plane for `count` pixels.
struct I444 {
  static constexpr std::size_t kPlanes = 3;
  static std::size_t Bytes(std::size_t, std::size_t count) { return count; }
  HWY_INLINE static YuvBlock Load(const std::uint8_t* const* plane) {
    return {AllChannels(plane[0]), AllChannels(plane[1]), AllChannels(plane[2])};
  }
};

struct I422 {
  static constexpr std::size_t kPlanes = 3;
  static std::size_t Bytes(std::size_t p, std::size_t count) {
    return p == 0 ? count : (count + 1) / 2;
  }
  HWY_INLINE static FourVectors<Floats> Chroma(const std::uint8_t* bytes) {
    const Words words = Centred(LoadHalfWords(bytes));
    return Pairs(Channel<0>(words), Channel<1>(words));
  }
  HWY_INLINE static YuvBlock Load(const std::uint8_t* const* plane) {
    return {AllChannels(plane[0]), Chroma(plane[1]), Chroma(plane[2])};
  }
};

struct Nv12 {
  static constexpr std::size_t kPlanes = 2;
  static std::size_t Bytes(std::size_t p, std::size_t count) {
    return p == 0 ? count : 2 * ((count + 1) / 2);
  }
  HWY_INLINE static YuvBlock Load(const std::uint8_t* const* plane) {
    const FourVectors<Floats> uv = AllChannels(plane[1]);
    return {AllChannels(plane[0]), Pairs(uv.v0, uv.v2), Pairs(uv.v1, uv.v3)};
  }
};

struct Yuyv {
  static constexpr std::size_t kPlanes = 1;
  static std::size_t Bytes(std::size_t, std::size_t count) { return 4 * ((count + 1) / 2); }
  HWY_INLINE static YuvBlock Load(const std::uint8_t* const* plane) {
    const Words low = Centred(LoadWords(plane[0]));
    const Words high = Centred(LoadWords(plane[0] + kBlock));
#if HWY_TARGET == HWY_SCALAR
    const Words even = low, odd = high;
#else
    const Words even = hn::ConcatEven(WordTag(), high, low);
    const Words odd = hn::ConcatOdd(WordTag(), high, low);
#endif
    return {{Channel<0>(even), Channel<2>(even), Channel<0>(odd), Channel<2>(odd)},
            Pairs(Channel<1>(even), Channel<1>(odd)),
            Pairs(Channel<3>(even), Channel<3>(odd))};
  }
};

// The quadratic of pixels with the same chroma: first the terms of chroma alone, then each pixel's
// luma. docs/math.md counts 8 roundings; keep the order.
struct OfLuma {
  Floats constant, of_y, square;
  HWY_INLINE OfLuma(const FloatQuadratic& q, Floats u, Floats v) : square(Float(q.product[0])) {
    const Floats of_u = hn::Add(hn::Add(Float(q.linear[1]), hn::Mul(Float(q.product[3]), u)),
                                hn::Mul(Float(q.product[4]), v));
    const Floats of_v = hn::Add(Float(q.linear[2]), hn::Mul(Float(q.product[5]), v));
    constant = hn::Add(hn::Add(Float(q.constant), hn::Mul(u, of_u)), hn::Mul(v, of_v));
    of_y = hn::Add(hn::Add(Float(q.linear[0]), hn::Mul(Float(q.product[1]), u)),
                   hn::Mul(Float(q.product[2]), v));
  }
  HWY_INLINE Floats operator()(Floats y) const {
    return hn::Add(constant, hn::Mul(y, hn::Add(of_y, hn::Mul(square, y))));
  }
};

template <class OfValue, class Layout>
HWY_INLINE void Block(const FloatQuadratic& q, const std::uint8_t* const* plane,
                      std::uint8_t* out) {
  const OfValue of_value;
  const YuvBlock in = Layout::Load(plane);
  const FourVectors<Words> results{of_value(OfLuma(q, in.u.v0, in.v.v0)(in.y.v0)),
                                   of_value(OfLuma(q, in.u.v1, in.v.v1)(in.y.v1)),
                                   of_value(OfLuma(q, in.u.v2, in.v.v2)(in.y.v2)),
                                   of_value(OfLuma(q, in.u.v3, in.v.v3)(in.y.v3))};
  StoreWords(PackBytes<OfValue>(results), out);
}

// As BgrRow. A block's pixels, kBlock, are a multiple of four, and so are those of all before.
template <class OfValue, class Layout>
void RowOf(const FloatQuadratic& of_frame, std::array<const std::uint8_t*, 3> plane,
           std::size_t count, std::uint8_t* out) {
  const FloatQuadratic q = of_frame;  // a copy, which `out` cannot overlap
  constexpr std::size_t kPlanes = Layout::kPlanes;
  for (; count >= kBlock; count -= kBlock, out += kBlock) {
    Block<OfValue, Layout>(q, plane.data(), out);
    for (std::size_t p = 0; p < kPlanes; ++p) plane[p] += Layout::Bytes(p, kBlock);
  }
  if (count == 0) return;
  std::uint8_t in[kPlanes][2 * kBlock] = {};
  std::uint8_t results[kBlock];
  for (std::size_t p = 0; p < kPlanes; ++p) {
    std::memcpy(in[p], plane[p], Layout::Bytes(p, count));
    plane[p] = in[p];
  }
  Block<OfValue, Layout>(q, plane.data(), results);
  std::memcpy(out, results, count);
}

template <class OfValue>
void BytesOf(const FloatQuadratic& q, const YuvRow& row, std::size_t count, std::uint8_t* out) {
  using enum YuvRow::Layout;
  if (row.layout == kI444) return RowOf<OfValue, I444>(q, row.plane, count, out);
  if (row.layout == kI422) return RowOf<OfValue, I422>(q, row.plane, count, out);
  if (row.layout == kNv12) return RowOf<OfValue, Nv12>(q, row.plane, count, out);
  RowOf<OfValue, Yuyv>(q, row.plane, count, out);
}

constexpr auto& YuvMask = BytesOf<SignMask>;
constexpr auto& YuvProbability = BytesOf<LogisticByte>;

}  // namespace
}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace skinmask {
namespace {

constexpr double kMiddle = 128;

// (B, G, R) = matrix * (Y, U, V) + offset.
struct Affine {
  Eigen::Matrix3d matrix;
  Eigen::Vector3d offset;
};

// With luma weights kr, kg, kb that sum to 1, luma y and chroma cb, cr in units of 255,
//   R = y + 2 (1 - kr) cr,  B = y + 2 (1 - kb) cb,  and G such that kr R + kg G + kb B = y.
Affine BgrOf(const YuvEncoding& encoding) {
  const bool bt601 = encoding.matrix == YuvEncoding::Matrix::kBt601;
  const bool full = encoding.range == YuvEncoding::Range::kFull;
  const double kr = bt601 ? 0.299 : 0.2126, kb = bt601 ? 0.114 : 0.0722, kg = 1 - kr - kb;
  const double luma = full ? 1 : 255. / 219, chroma = full ? 1 : 255. / 224;
  const double of_cb = 2 * (1 - kb), of_cr = 2 * (1 - kr);
  Affine affine;
  affine.matrix << luma, chroma * of_cb, 0,                        //
      luma, -chroma * of_cb * kb / kg, -chroma * of_cr * kr / kg,  //
      luma, 0, chroma * of_cr;
  affine.offset = -affine.matrix * Eigen::Vector3d(full ? 0 : 16, 128, 128);
  return affine;
}

}  // namespace

Quadratic InYuv(const Quadratic& of_bgr, const YuvEncoding& encoding) {
  const auto& p = of_bgr.product;
  Eigen::Matrix3d a;
  a << p[0], p[1] / 2, p[2] / 2, p[1] / 2, p[3], p[4] / 2, p[2] / 2, p[4] / 2, p[5];
  const Eigen::Vector3d b(of_bgr.linear[0], of_bgr.linear[1], of_bgr.linear[2]);
  // d = T e + o with e = (Y, U, V) - 128, so q = c + b'o + o'A o + (T'(b + 2 A o))'e + e'(T'A T)e.
  const Affine affine = BgrOf(encoding);
  const Eigen::Vector3d centre = Eigen::Vector3d::Constant(kMiddle);
  const Eigen::Vector3d o = affine.matrix * centre + affine.offset - centre;
  const Eigen::Vector3d linear = affine.matrix.transpose() * (b + 2 * a * o);
  const Eigen::Matrix3d product = affine.matrix.transpose() * a * affine.matrix;
  Quadratic q;
  q.constant = of_bgr.constant + b.dot(o) + o.dot(a * o);
  q.linear = {linear(0), linear(1), linear(2)};
  q.product = {product(0, 0), 2 * product(0, 1), 2 * product(0, 2),
               product(1, 1), 2 * product(1, 2), product(2, 2)};
  return q;
}

std::array<std::uint8_t, 3> YuvRow::Pixel(std::size_t x) const {
  if (layout == Layout::kI444) return {plane[0][x], plane[1][x], plane[2][x]};
  if (layout == Layout::kI422) return {plane[0][x], plane[1][x / 2], plane[2][x / 2]};
  if (layout == Layout::kNv12) return {plane[0][x], plane[1][x / 2 * 2], plane[1][x / 2 * 2 + 1]};
  const std::uint8_t* const pair = plane[0] + x / 2 * 4;
  return {pair[x % 2 * 2], pair[1], pair[3]};
}

CompiledYuvQuadratic::CompiledYuvQuadratic(const Quadratic& log_odds_of_bgr,
                                           const YuvEncoding& encoding, double threshold) {
  ObeyTargetVariable();
  const Quadratic z = InYuv(log_odds_of_bgr, encoding);
  const Quadratic below = BelowThreshold(z, threshold);
  constexpr int kRoundings = 8;
  error_bound_ = std::max(z.ErrorBound(kRoundings), below.ErrorBound(kRoundings));
  below_threshold_ = FloatQuadratic(below, 1);
  log2_against_ = FloatQuadratic(z, -std::numbers::log2e);
}

void CompiledYuvQuadratic::MaskRow(const YuvRow& row, std::size_t count,
                                   std::uint8_t* mask) const noexcept {
  SKINMASK_DISPATCH(YuvMask)(below_threshold_, row, count, mask);
}

void CompiledYuvQuadratic::ProbabilityRow(const YuvRow& row, std::size_t count,
                                          std::uint8_t* probability) const noexcept {
  SKINMASK_DISPATCH(YuvProbability)(log2_against_, row, count, probability);
}

}  // namespace skinmask
#endif
