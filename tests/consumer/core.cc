#include <skinmask/core.h>
#include <cstdio>

int main() {
  const skinmask::Reference reference(skinmask::DefaultModel());
  const skinmask::Posterior posterior(skinmask::DefaultModel());
  const unsigned char bgr[6] = {110, 140, 200, 200, 80, 20};
  unsigned char mask[2];
  posterior.MaskRow(bgr, 2, mask);
  std::printf("%d %d %.3f\n", mask[0], mask[1], reference.Posteriors(110, 140, 200)[0]);
  return mask[0] == 255 && mask[1] == 0 ? 0 : 1;
}
