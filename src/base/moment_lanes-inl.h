// Sums of moments of points in three dimensions, for the CPU target that is being compiled.
#if defined(SKINMASK_MOMENT_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SKINMASK_MOMENT_LANES_INL_H_
#undef SKINMASK_MOMENT_LANES_INL_H_
#else
#define SKINMASK_MOMENT_LANES_INL_H_
#endif

#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace skinmask::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sums, over a block of points, of the weights w, of w d and of w d d'. A vector V holds some
// of the lanes; the sums stay in registers.
template <class V>
struct MomentLanes {
  V w, x, y, z, xx, xy, xz, yy, yz, zz;

  // Calls act(sum, address of its lanes in memory) for each sum.
  template <class Sums, class Act>
  HWY_INLINE void ForEach(Sums& sums, std::size_t lane, const Act& act) {
    act(w, &sums[0][lane]);
    act(x, &sums[1][lane]);
    act(y, &sums[2][lane]);
    act(z, &sums[3][lane]);
    act(xx, &sums[4][lane]);
    act(xy, &sums[5][lane]);
    act(xz, &sums[6][lane]);
    act(yy, &sums[7][lane]);
    act(yz, &sums[8][lane]);
    act(zz, &sums[9][lane]);
  }

  HWY_INLINE void Add(V weight, V d0, V d1, V d2) {
    const V w0 = hn::Mul(weight, d0), w1 = hn::Mul(weight, d1), w2 = hn::Mul(weight, d2);
    w = hn::Add(w, weight);
    x = hn::Add(x, w0);
    y = hn::Add(y, w1);
    z = hn::Add(z, w2);
    xx = hn::Add(xx, hn::Mul(w0, d0));
    xy = hn::Add(xy, hn::Mul(w0, d1));
    xz = hn::Add(xz, hn::Mul(w0, d2));
    yy = hn::Add(yy, hn::Mul(w1, d1));
    yz = hn::Add(yz, hn::Mul(w1, d2));
    zz = hn::Add(zz, hn::Mul(w2, d2));
  }
};

}  // namespace skinmask::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
