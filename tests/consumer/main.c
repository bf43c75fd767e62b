#include <skinmask.h>
#include <stdio.h>

/* Two pixels, of which the first is as skin is. */
int main(void) {
  static const uint8_t bgr[6] = {110, 140, 200, 200, 80, 20};
  skinmask_options options = SKINMASK_OPTIONS;
  skinmask_picture picture = {SKINMASK_BGR, 0, 2, 1, {NULL, NULL, NULL}, {6, 0, 0}};
  uint8_t mask[2] = {9, 9};
  skinmask_detector* detector;
  options.adapt = SKINMASK_ADAPT_OFF;
  detector = skinmask_detector_new(NULL, &options);
  picture.planes[0] = bgr;
  if (skinmask_detect(detector, &picture, SKINMASK_MASK, mask, 2) != SKINMASK_OK)
    fprintf(stderr, "%s\n", skinmask_error());
  printf("%s: %d %d\n", skinmask_version(), mask[0], mask[1]);
  skinmask_detector_free(detector);
  return mask[0] == 255 && mask[1] == 0 ? 0 : 1;
}
