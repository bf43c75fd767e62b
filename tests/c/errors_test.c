/* What a caller of the interface in C gets wrong, and files that are none, are an error that says
 * so, and no crash; a program in C99.
 * usage: errors_test SOURCE */
#include <math.h>
#include <stddef.h>

#include "check.h"

static skinmask_detector* off; /* without adaptation */

/* A model from its text, from its file, and the built-in one are the same; other files are none. */
static void TestModels(const char* source, const char* photo) {
  static uint8_t colors[3 * 4096], masks[3][4096];
  char* const path = Joined(source, "/models/default.json");
  static char json[1 << 20];
  FILE* const file = fopen(path, "rb");
  const size_t size = fread(json, 1, sizeof json, file);
  skinmask_options options = SKINMASK_OPTIONS;
  skinmask_picture picture;
  skinmask_model* models[3];
  int i;
  fclose(file);
  memset(&picture, 0, sizeof picture);
  picture.width = picture.height = 64;
  picture.planes[0] = colors;
  picture.strides[0] = 3 * 64;
  for (i = 0; i < 4096; ++i) { /* 16 levels of each */
    colors[3 * i] = (uint8_t)(17 * (i % 16));
    colors[3 * i + 1] = (uint8_t)(17 * (i / 16 % 16));
    colors[3 * i + 2] = (uint8_t)(17 * (i / 256));
  }
  options.adapt = SKINMASK_ADAPT_OFF;
  models[0] = skinmask_model_default();
  models[1] = skinmask_model_read(path);
  models[2] = skinmask_model_parse(json, size);
  for (i = 0; i < 3; ++i) {
    skinmask_detector* const detector = skinmask_detector_new(models[i], &options);
    skinmask_model_free(models[i]); /* which the detector outlives */
    CHECK(skinmask_detect(detector, &picture, SKINMASK_MASK, masks[i], 64) == SKINMASK_OK);
    skinmask_detector_free(detector);
    CHECK(memcmp(masks[0], masks[i], 4096) == 0);
  }
  CHECK(memchr(masks[0], 255, 4096) != NULL && memchr(masks[0], 0, 4096) != NULL);
  CHECK(skinmask_model_read(NULL) == NULL);
  CHECK_SAYS("path: is NULL");
  CHECK(skinmask_model_read("none.json") == NULL);
  CHECK_SAYS("none.json: ");
  CHECK(skinmask_model_read(photo) == NULL);
  CHECK_SAYS(photo);
  CHECK(skinmask_model_parse(NULL, 3) == NULL);
  CHECK(skinmask_model_parse(json, size / 2) == NULL);
  CHECK_SAYS("model: ");
  CHECK(skinmask_model_parse("", 0) == NULL);
  CHECK(skinmask_model_read("") == NULL);
  CHECK_SAYS("path: is empty");
  skinmask_model_free(NULL);
  free(path);
}

static void CheckOptions(const skinmask_options* options, const char* says) {
  CHECK(skinmask_detector_new(NULL, options) == NULL);
  CHECK_SAYS(says);
}

static void TestOptions(void) {
  skinmask_options options = SKINMASK_OPTIONS;
  struct {
    skinmask_options known;
    double later;
  } later = {SKINMASK_OPTIONS, 0};
  skinmask_detector* detector;
  options.size = 0;
  CheckOptions(&options, "options.size: is 0 (");
  options.size = 1 << 20;
  CheckOptions(&options, "options.size: is ");
  options = (skinmask_options)SKINMASK_OPTIONS;
  options.adapt = 3;
  CheckOptions(&options, "options.adapt: is 3 (");
  options.adapt = 0;
  options.threshold = 1.5;
  CheckOptions(&options, "option threshold: 1.5 is out of range (0 to 1)");
  options.threshold = NAN;
  CheckOptions(&options, "options.threshold: is no number");
  options.threshold = -1;
  options.prior = 1;
  CheckOptions(&options, "option prior: 1 is out of range (above 0, below 1)");
  options.prior = -1;
  options.faces = "none.onnx";
  CheckOptions(&options, "none.onnx: ");
  options = (skinmask_options)SKINMASK_OPTIONS;
  CHECK(skinmask_options_set(&options, "threshold", "2") == SKINMASK_BAD_ARGUMENT);
  CHECK_SAYS("options: threshold: '2' is no probability from 0 to 1");
  CHECK(skinmask_options_set(&options, "thresold", "0.5") == SKINMASK_BAD_ARGUMENT);
  CHECK_SAYS("options: option 'thresold': is unknown (did you mean threshold?");
  CHECK(skinmask_options_set(NULL, "threshold", "0.5") == SKINMASK_BAD_ARGUMENT);
  CHECK(skinmask_options_set(&options, "faces", "two\nlines") == SKINMASK_BAD_ARGUMENT);
  CHECK(skinmask_options_set(&options, "adapt", "off") == SKINMASK_OK);
  CHECK(skinmask_options_set(&options, "threshold", "0.5") == SKINMASK_OK);
  CHECK(skinmask_options_set(&options, "threshold", "0.25") == SKINMASK_OK);
  detector = skinmask_detector_new(NULL, &options);
  CHECK(detector != NULL);
  CHECK(skinmask_detector_threshold(detector) == 0.25);
  skinmask_detector_free(detector);
  options.threshold = 0.75; /* counts again when its text is unset */
  CHECK(skinmask_options_set(&options, "threshold", "") == SKINMASK_OK);
  detector = skinmask_detector_new(NULL, &options);
  CHECK(skinmask_detector_threshold(detector) == 0.75);
  skinmask_detector_free(detector);
  options.size = offsetof(skinmask_options, by_name);
  CHECK(skinmask_options_set(&options, "adapt", "off") == SKINMASK_BAD_ARGUMENT);
  /* Options of a later version that are not used are 0. */
  later.known.size = sizeof later;
  detector = skinmask_detector_new(NULL, &later.known);
  CHECK(detector != NULL);
  skinmask_detector_free(detector);
  later.later = 1;
  CheckOptions(&later.known, "options: has some of a later version");
}

static void CheckPicture(const skinmask_picture* picture, const char* says) {
  static uint8_t out[4 * 16 * 16];
  CHECK(skinmask_detect(off, picture, SKINMASK_MASK, out, 64) == SKINMASK_BAD_ARGUMENT);
  CHECK_SAYS(says);
}

/* Pictures that none can be. */
static void TestPictures(void) {
  static uint8_t pixels[4 * 16 * 16], out[4 * 16 * 16];
  skinmask_picture good, bad;
  memset(&good, 0, sizeof good);
  good.width = good.height = 8;
  good.planes[0] = pixels;
  good.strides[0] = 24;
  CheckPicture(NULL, "picture: is NULL");
#define CHECK_BAD(change, says) \
  do {                          \
    bad = good;                 \
    change;                     \
    CheckPicture(&bad, says);   \
  } while (0)
  CHECK_BAD(bad.width = 0, "picture: is of 0 x 8 pixels (1 to ");
  CHECK_BAD(bad.height = -1, "picture: is of 8 x -1 pixels");
  CHECK_BAD(bad.width = bad.height = 2147483647, "picture: is of 2147483647 x 2147483647 pixels");
  CHECK_BAD(bad.strides[0] = 23, "picture.strides[0]: is 23 (bytes from row to row, 24 to 2147483647)");
  CHECK_BAD(bad.strides[0] = (size_t)-24, "picture.strides[0]: is 18446744073709551592 (");
  CHECK_BAD(bad.strides[0] = ((size_t)1 << 31) + 8, "picture.strides[0]: is 2147483656 (");
  CHECK_BAD(bad.planes[0] = NULL, "picture.planes[0]: is NULL");
  CHECK_BAD(bad.format = 9, "picture.format: is 9 (");
  CHECK_BAD(bad.format = SKINMASK_RGBA, "picture.strides[0]: is 24 (");
  CHECK_BAD(bad.format = SKINMASK_NV12, "picture.planes[1]: is NULL");
  CHECK_BAD(bad.yuv = 4, "picture.yuv: is 4 (0 to 3)");
  CHECK(skinmask_detect(NULL, &good, SKINMASK_MASK, out, 8) == SKINMASK_BAD_ARGUMENT);
  CHECK_SAYS("detector: is NULL");
  CHECK(skinmask_detect(off, &good, 99, out, 8) == SKINMASK_BAD_ARGUMENT);
  CHECK_SAYS("output: is 99 (");
  CHECK(skinmask_detect(off, &good, -1, out, 8) == SKINMASK_BAD_ARGUMENT);
  CHECK(skinmask_detect(off, &good, SKINMASK_MASK, NULL, 8) == SKINMASK_BAD_ARGUMENT);
  CHECK_SAYS("out: is NULL");
  CHECK(skinmask_detect(off, &good, SKINMASK_OVERLAY, out, 8) == SKINMASK_BAD_ARGUMENT);
  CHECK_SAYS("out_stride: is 8 (bytes from row to row, 24 to 2147483647)");
  CHECK(skinmask_detect(off, &good, SKINMASK_MASK, pixels + 100, 8) == SKINMASK_BAD_ARGUMENT);
  CHECK_SAYS("out: overlaps the picture");
  CHECK(skinmask_detect(off, &good, SKINMASK_MASK, pixels + 191, 8) == SKINMASK_BAD_ARGUMENT);
  /* Side by side in one memory. */
  good.strides[0] = 32;
  CHECK(skinmask_detect(off, &good, SKINMASK_MASK, pixels + 24, 32) == SKINMASK_BAD_ARGUMENT);
  CHECK_SAYS("out: overlaps the picture, or one lies between the rows of the other (memory apart");
  good.strides[0] = 24;
  /* What lies between rows stays. */
  memset(out, 99, sizeof out);
  CHECK(skinmask_detect(off, &good, SKINMASK_MASK, out, 11) == SKINMASK_OK);
  CHECK(out[7] == 0 && out[8] == 99 && out[10] == 99 && out[11] == 0);
}

static void TestImages(const char* photo) {
  static char bytes[1 << 20];
  FILE* const file = fopen(photo, "rb");
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  skinmask_image* const image = skinmask_image_decode(bytes, size, 0);
  skinmask_picture picture;
  fclose(file);
  CHECK(skinmask_image_picture(image, &picture) == SKINMASK_OK);
  CHECK(picture.format == SKINMASK_BGR && picture.width == 512 && picture.height == 600);
  skinmask_image_free(image);
  CHECK(skinmask_image_decode(bytes, size / 2, 0) == NULL);
  CHECK_SAYS("image: ");
  CHECK(skinmask_image_decode(NULL, 3, 0) == NULL);
  CHECK(skinmask_image_decode("", 0, 0) == NULL);
  CHECK(skinmask_image_decode(bytes, size, -1) == NULL);
  CHECK_SAYS("max_pixels: is -1");
  CHECK(skinmask_image_decode(bytes, size, 512 * 600 - 1) == NULL);
  CHECK_SAYS("image: ");
  CHECK(skinmask_image_read("none.jpg", 0) == NULL);
  CHECK_SAYS("none.jpg: ");
  CHECK(skinmask_image_read(NULL, 0) == NULL);
  CHECK(skinmask_image_picture(NULL, &picture) == SKINMASK_BAD_ARGUMENT);
  CHECK_SAYS("image: is NULL");
  skinmask_image_free(NULL);
}

int main(int argc, char** argv) {
  skinmask_options options = SKINMASK_OPTIONS;
  char* photo;
  if (argc != 2) return 2;
  photo = Joined(argv[1], "/samples/photos/grace_hopper.jpg");
  options.adapt = SKINMASK_ADAPT_OFF;
  off = skinmask_detector_new(NULL, &options);
  CHECK(skinmask_detector_threshold(off) > 0);
  CHECK(skinmask_detector_threshold(NULL) < 0);
  TestModels(argv[1], photo);
  TestOptions();
  TestPictures();
  TestImages(photo);
  skinmask_detector_free(off);
  skinmask_detector_free(NULL);
  free(photo);
  if (failures == 0) puts("the interface in C refuses what it must");
  return failures != 0;
}
