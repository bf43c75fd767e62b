/* What the interface in C gives is what the program skinmask gives, for every order of bytes; a
 * program in C99.
 * usage: results_test SKINMASK SOURCE */
#define _DEFAULT_SOURCE 1
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static const char* program;
static char folder[] = "/tmp/skinmask-c-XXXXXX";

/* `size` bytes that end where memory does: to touch the next one is a crash. */
static uint8_t* AtTheEdge(size_t size) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (size + page - 1) / page;
  uint8_t* const memory =
      mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + pages * page, page, PROT_NONE) != 0) abort();
  return memory + pages * page - size;
}

/* Lets `skinmask detect` write what it makes of the photograph. */
static void Run(const char* photo, const char* flags) {
  char command[4096];
  snprintf(command, sizeof command, "'%s' detect -q --force '%s' -o '%s/out' %s", program, photo,
           folder, flags);
  CHECK(system(command) == 0);
}

/* What the run before wrote, as BGR. */
static skinmask_image* Expected(const char* suffix) {
  char file[4096];
  skinmask_image* image;
  snprintf(file, sizeof file, "%s/out/grace_hopper%s", folder, suffix);
  image = skinmask_image_read(file, 0);
  CHECK(image != NULL);
  return image;
}

static uint8_t* Detected(const skinmask_detector* detector, const skinmask_picture* picture,
                         int output, size_t channels) {
  const size_t row = channels * (size_t)picture->width;
  uint8_t* const out = AtTheEdge(row * (size_t)picture->height);
  CHECK(skinmask_detect(detector, picture, output, out, row) == SKINMASK_OK);
  return out;
}

/* `pixels` have 1, 3 or 4 bytes each; grey ones are compared with the blue of `expected`. */
static int SameAs(skinmask_image* expected, const uint8_t* pixels, size_t channels) {
  skinmask_picture picture;
  int x, y, same = 1;
  size_t i;
  CHECK(skinmask_image_picture(expected, &picture) == SKINMASK_OK);
  for (y = 0; y < picture.height; ++y)
    for (x = 0; x < picture.width; ++x) {
      const uint8_t* const a = picture.planes[0] + (size_t)y * picture.strides[0] + 3 * (size_t)x;
      const uint8_t* const b = pixels + ((size_t)y * (size_t)picture.width + (size_t)x) * channels;
      for (i = 0; i < channels && i < 3; ++i) same = same && a[i] == b[i];
    }
  skinmask_image_free(expected);
  return same;
}

/* The photograph in another order of bytes, in rows with room between them. */
static skinmask_picture Reordered(const skinmask_picture* bgr, int format) {
  const size_t channels = format == SKINMASK_BGRA || format == SKINMASK_RGBA ? 4 : 3;
  const int rgb = format == SKINMASK_RGB || format == SKINMASK_RGBA;
  skinmask_picture other = *bgr;
  uint8_t* pixels;
  int x, y;
  other.format = format;
  other.strides[0] = channels * (size_t)bgr->width + 7;
  pixels = malloc(other.strides[0] * (size_t)bgr->height);
  memset(pixels, 77, other.strides[0] * (size_t)bgr->height);
  for (y = 0; y < bgr->height; ++y)
    for (x = 0; x < bgr->width; ++x) {
      const uint8_t* const from = bgr->planes[0] + (size_t)y * bgr->strides[0] + 3 * (size_t)x;
      uint8_t* const to = pixels + (size_t)y * other.strides[0] + channels * (size_t)x;
      to[rgb ? 2 : 0] = from[0];
      to[1] = from[1];
      to[rgb ? 0 : 2] = from[2];
    }
  other.planes[0] = pixels;
  return other;
}

/* All outputs, with all options as they are and with some that are given, are the program's. */
static void TestProgram(const char* photo, const skinmask_picture* picture) {
  skinmask_options options = SKINMASK_OPTIONS;
  skinmask_detector* detector = skinmask_detector_new(NULL, NULL);
  CHECK(detector != NULL);
  Run(photo, "--output mask,probability,overlay,cutout,uncertainty,heatmap");
  CHECK(SameAs(Expected(".png"), Detected(detector, picture, SKINMASK_MASK, 1), 1));
  CHECK(SameAs(Expected(".probability.png"), Detected(detector, picture, SKINMASK_PROBABILITY, 1),
               1));
  CHECK(SameAs(Expected(".overlay.png"), Detected(detector, picture, SKINMASK_OVERLAY, 3), 3));
  CHECK(SameAs(Expected(".cutout.png"), Detected(detector, picture, SKINMASK_CUTOUT, 4), 4));
  CHECK(SameAs(Expected(".uncertainty.png"), Detected(detector, picture, SKINMASK_UNCERTAINTY, 1),
               1));
  CHECK(SameAs(Expected(".heatmap.png"), Detected(detector, picture, SKINMASK_HEATMAP, 3), 3));
  skinmask_detector_free(detector);
  options.threshold = 0.25;
  options.prior = 0.1;
  options.adapt = SKINMASK_ADAPT_FACES;
  options.refine = 0;
  detector = skinmask_detector_new(NULL, &options);
  CHECK(skinmask_detector_threshold(detector) == 0.25);
  Run(photo, "--threshold 0.25 --prior 0.1 --adapt faces --refine off");
  CHECK(SameAs(Expected(".png"), Detected(detector, picture, SKINMASK_MASK, 1), 1));
  skinmask_detector_free(detector);
}

/* Orders of bytes and strides change nothing, and colours go out in the order that they came in. */
static void TestFormats(const char* photo, const skinmask_picture* picture,
                        const skinmask_detector* off) {
  const int formats[] = {SKINMASK_BGR, SKINMASK_RGB, SKINMASK_BGRA, SKINMASK_RGBA};
  const size_t pixels = (size_t)picture->width * (size_t)picture->height;
  uint8_t* const overlay = Detected(off, picture, SKINMASK_OVERLAY, 3);
  size_t i, j;
  Run(photo, "--adapt off");
  for (i = 0; i < 4; ++i) {
    const skinmask_picture other = Reordered(picture, formats[i]);
    const int rgb = formats[i] == SKINMASK_RGB || formats[i] == SKINMASK_RGBA;
    uint8_t* drawn = Detected(off, &other, SKINMASK_OVERLAY, 3);
    int same = 1;
    CHECK(SameAs(Expected(".png"), Detected(off, &other, SKINMASK_MASK, 1), 1));
    for (j = 0; j < 3 * pixels; ++j)
      same = same && drawn[j] == overlay[rgb ? j - j % 3 + (2 - j % 3) : j];
    CHECK(same);
    free((void*)other.planes[0]);
  }
}

/* NV12 and I420 of odd sizes that end where memory does: both are the same picture, so they get the
 * same mask, with adaptation and without; and of a picture in one colour it is what that colour is.
 */
static void TestYuv(const skinmask_detector* off, const skinmask_detector* adapted) {
  enum { kWidth = 321, kHeight = 243, kHalfWidth = 161, kHalfHeight = 122 };
  const size_t luma = (size_t)kWidth * kHeight, chroma = (size_t)kHalfWidth * kHalfHeight;
  skinmask_picture nv12, i420;
  uint8_t *y, *uv, *u, *v, *a, *b;
  size_t i;
  int yuv;
  memset(&nv12, 0, sizeof nv12);
  nv12.width = kWidth;
  nv12.height = kHeight;
  nv12.planes[0] = y = AtTheEdge(luma);
  nv12.planes[1] = uv = AtTheEdge(2 * chroma);
  nv12.strides[0] = kWidth;
  nv12.strides[1] = 2 * kHalfWidth;
  nv12.format = SKINMASK_NV12;
  i420 = nv12;
  i420.planes[1] = u = AtTheEdge(chroma);
  i420.planes[2] = v = AtTheEdge(chroma);
  i420.strides[1] = i420.strides[2] = kHalfWidth;
  i420.format = SKINMASK_I420;
  for (i = 0; i < luma; ++i) y[i] = (uint8_t)(16 + i % 211);
  for (i = 0; i < chroma; ++i) {
    u[i] = uv[2 * i] = (uint8_t)(90 + i % 50);
    v[i] = uv[2 * i + 1] = (uint8_t)(120 + i % 57);
  }
  for (yuv = 0; yuv <= (SKINMASK_BT709 | SKINMASK_FULL_RANGE); ++yuv) {
    nv12.yuv = i420.yuv = yuv;
    a = Detected(off, &nv12, SKINMASK_MASK, 1);
    b = Detected(off, &i420, SKINMASK_MASK, 1);
    CHECK(memcmp(a, b, luma) == 0);
    CHECK(memchr(a, 255, luma) != NULL && memchr(a, 0, luma) != NULL);
  }
  a = Detected(adapted, &nv12, SKINMASK_OVERLAY, 3);
  b = Detected(adapted, &i420, SKINMASK_OVERLAY, 3);
  CHECK(memcmp(a, b, 3 * luma) == 0);
  memset(y, 150, luma); /* BT.601: B 122, G 141, R 200, as skin is */
  memset(u, 108, chroma);
  memset(v, 156, chroma);
  i420.yuv = 0;
  a = Detected(off, &i420, SKINMASK_MASK, 1);
  for (i = 0; i < luma && a[i] == 255; ++i) continue;
  CHECK(i == luma);
}

/* What is measured is what the mask shows; the mask that comes with it is that of
 * skinmask_detect. */
static void TestMeasure(const skinmask_picture* picture) {
  const size_t row = (size_t)picture->width, pixels = row * (size_t)picture->height;
  skinmask_options options = SKINMASK_OPTIONS;
  skinmask_detector* detector;
  skinmask_measurement *measured, *alone;
  skinmask_means means, again;
  skinmask_face face;
  uint8_t *mask, *const out = AtTheEdge(pixels);
  double sum[3] = {0, 0, 0}, squares[3] = {0, 0, 0}, n = 0;
  size_t i, c;
  CHECK(skinmask_options_set(&options, "erode", "0") == SKINMASK_OK);
  detector = skinmask_detector_new(NULL, &options);
  mask = Detected(detector, picture, SKINMASK_MASK, 1);
  measured = skinmask_measure(detector, picture, SKINMASK_MASK, out, row);
  alone = skinmask_measure(detector, picture, -1, NULL, 0);
  CHECK(measured != NULL && alone != NULL);
  CHECK(memcmp(mask, out, pixels) == 0);
  for (i = 0; i < pixels; ++i) {
    const uint8_t* const bgr = picture->planes[0] + i / row * picture->strides[0] + 3 * (i % row);
    if (mask[i] == 0) continue;
    ++n;
    for (c = 0; c < 3; ++c) {
      sum[c] += bgr[2 - c];
      squares[c] += (double)bgr[2 - c] * bgr[2 - c];
    }
  }
  CHECK(skinmask_measurement_skin(measured, &means) == SKINMASK_OK);
  CHECK(skinmask_measurement_skin(alone, &again) == SKINMASK_OK);
  CHECK(memcmp(&means, &again, sizeof means) == 0);
  CHECK((double)means.pixels == n && n > 1000);
  for (c = 0; c < 3; ++c) {
    const double mean = sum[c] / n, variance = squares[c] / n - mean * mean;
    CHECK(means.mean[c] > mean - 1e-9 && means.mean[c] < mean + 1e-9);
    CHECK(means.sd[c] * means.sd[c] > variance - 1e-6 &&
          means.sd[c] * means.sd[c] < variance + 1e-6);
  }
  CHECK(skinmask_measurement_faces(measured) == 1);
  CHECK(skinmask_measurement_face(measured, 0, &face) == SKINMASK_OK);
  CHECK(face.id == 1 && face.x >= 0 && face.x + face.width <= picture->width && face.width > 50);
  CHECK(skinmask_measurement_part(measured, 0, SKINMASK_FOREHEAD, &means) == SKINMASK_OK);
  CHECK(means.pixels > 0 && means.pixels < again.pixels);
  CHECK(skinmask_measurement_part(measured, 0, 4, &means) == SKINMASK_BAD_ARGUMENT);
  CHECK_SAYS("part: is 4");
  CHECK(skinmask_measurement_face(measured, 1, &face) == SKINMASK_BAD_ARGUMENT);
  CHECK_SAYS("index: is 1, and there are 1 faces");
  CHECK(skinmask_measurement_skin(NULL, &means) == SKINMASK_BAD_ARGUMENT);
  CHECK(skinmask_measurement_faces(NULL) == 0);
  CHECK(skinmask_measure(NULL, picture, SKINMASK_MASK, NULL, 0) == NULL);
  CHECK(skinmask_measure(detector, picture, 99, out, row) == NULL);
  skinmask_measurement_free(NULL);
  skinmask_measurement_free(measured);
  skinmask_measurement_free(alone);
  skinmask_detector_free(detector);
}

/* Frames that pan over the photograph: what `skinmask detect` makes of them as a video; the face
 * keeps its number. */
static void TestStream(const skinmask_picture* photo, const skinmask_detector* detector) {
  enum { kFrames = 8, kWidth = 440, kHeight = 500 };
  const size_t pixels = (size_t)kWidth * kHeight;
  skinmask_stream *stream, *other = skinmask_stream_new(detector, 0, 3);
  char name[4096];
  FILE* raw;
  int i, y;
  skinmask_picture frame = *photo;
  uint8_t *const mask = AtTheEdge(pixels), *const again = AtTheEdge(pixels);
  frame.width = kWidth;
  frame.height = kHeight;
  snprintf(name, sizeof name, "%s/pan.bgr", folder);
  raw = fopen(name, "wb");
  CHECK(raw != NULL);
  for (i = 0; i < kFrames; ++i)
    for (y = 0; y < kHeight; ++y)
      CHECK(fwrite(photo->planes[0] + (size_t)(y + 2 * i) * photo->strides[0] + 9 * (size_t)i, 3,
                   kWidth, raw) == kWidth);
  CHECK(fclose(raw) == 0);
  snprintf(name, sizeof name,
           "'%s' detect -q --input-format rawvideo --pixel-format bgr24 --size %dx%d --rate 10 "
           "--frames '%s/pan.bgr' -o '%s'",
           program, kWidth, kHeight, folder, folder);
  CHECK(system(name) == 0);
  stream = skinmask_stream_new(detector, 10, 0);
  CHECK(stream != NULL && other != NULL);
  for (i = 0; i < kFrames; ++i) {
    skinmask_measurement* measured;
    skinmask_face face;
    frame.planes[0] = photo->planes[0] + (size_t)(2 * i) * photo->strides[0] + 9 * (size_t)i;
    measured = skinmask_stream_measure(stream, &frame, SKINMASK_MASK, mask, kWidth);
    CHECK(skinmask_measurement_faces(measured) == 1);
    CHECK(skinmask_measurement_face(measured, 0, &face) == SKINMASK_OK && face.id == 1);
    snprintf(name, sizeof name, "%s/pan/%06d.png", folder, i);
    CHECK(SameAs(skinmask_image_read(name, 0), mask, 1));
    skinmask_measurement_free(measured);
    CHECK(skinmask_stream_detect(other, &frame, SKINMASK_MASK, again, kWidth) == SKINMASK_OK);
  }
  CHECK(memchr(again, 255, pixels) != NULL);
  CHECK(skinmask_stream_detect(stream, &frame, 99, mask, kWidth) == SKINMASK_BAD_ARGUMENT);
  CHECK(skinmask_stream_detect(NULL, &frame, SKINMASK_MASK, mask, kWidth) == SKINMASK_BAD_ARGUMENT);
  CHECK_SAYS("stream: ");
  CHECK(skinmask_stream_measure(stream, NULL, SKINMASK_MASK, NULL, 0) == NULL);
  CHECK(skinmask_stream_new(NULL, 25, 0) == NULL);
  CHECK(skinmask_stream_new(detector, NAN, 0) == NULL);
  CHECK(skinmask_stream_new(detector, -1, 0) == NULL);
  CHECK_SAYS("frames_per_second: is -1");
  CHECK(skinmask_stream_new(detector, 25, -1) == NULL);
  CHECK_SAYS("search_lag_frames: is -1");
  skinmask_stream_free(NULL);
  skinmask_stream_free(stream);
  skinmask_stream_free(other);
}

/* One detector for many threads: the same bytes, and each thread's own error. */
typedef struct Share {
  const skinmask_detector* detector;
  const skinmask_picture* picture;
  char missing[16];
  uint8_t* mask;
  int own_error;
} Share;

static void* Work(void* argument) {
  Share* const share = argument;
  const size_t row = (size_t)share->picture->width;
  int i;
  share->own_error = strcmp(skinmask_error(), "") == 0;
  for (i = 0; i < 20; ++i) {
    share->own_error = share->own_error && skinmask_image_read(share->missing, 0) == NULL &&
                       strncmp(skinmask_error(), share->missing, strlen(share->missing)) == 0;
    skinmask_detect(share->detector, share->picture, SKINMASK_MASK, share->mask, row);
  }
  return NULL;
}

static void TestThreads(const skinmask_detector* detector, const skinmask_picture* picture) {
  enum { kThreads = 8 };
  const size_t pixels = (size_t)picture->width * (size_t)picture->height;
  uint8_t* const expected = Detected(detector, picture, SKINMASK_MASK, 1);
  pthread_t threads[kThreads];
  Share shares[kThreads];
  int i;
  for (i = 0; i < kThreads; ++i) {
    shares[i].detector = detector;
    shares[i].picture = picture;
    shares[i].mask = AtTheEdge(pixels);
    snprintf(shares[i].missing, sizeof shares[i].missing, "none%d.jpg", i);
    CHECK(pthread_create(&threads[i], NULL, Work, &shares[i]) == 0);
  }
  for (i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(shares[i].own_error);
    CHECK(memcmp(shares[i].mask, expected, pixels) == 0);
  }
}

/* What the program wrote. */
static void Remove(void) {
  char command[64];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  CHECK(system(command) == 0);
}

int main(int argc, char** argv) {
  skinmask_options options = SKINMASK_OPTIONS;
  skinmask_detector *off, *adapted;
  skinmask_image* image;
  skinmask_picture picture;
  char* photo;
  if (argc != 3 || !mkdtemp(folder)) return 2;
  unsetenv(
      "SKINMASK_FACES"); /* the library has its own finder, and the program shall have the same */
  program = argv[1];
  photo = Joined(argv[2], "/samples/photos/grace_hopper.jpg");
  CHECK(strcmp(skinmask_error(), "") == 0);
  CHECK(strlen(skinmask_version()) >= 5);
  image = skinmask_image_read(photo, 0);
  CHECK(skinmask_image_picture(image, &picture) == SKINMASK_OK);
  options.adapt = SKINMASK_ADAPT_OFF;
  off = skinmask_detector_new(NULL, &options);
  adapted = skinmask_detector_new(NULL, NULL);
  TestProgram(photo, &picture);
  TestFormats(photo, &picture, off);
  TestYuv(off, adapted);
  TestThreads(off, &picture);
  TestMeasure(&picture);
  TestStream(&picture, adapted);
  skinmask_detector_free(off);
  skinmask_detector_free(adapted);
  skinmask_image_free(image);
  free(photo);
  Remove();
  if (failures == 0) puts("the interface in C gives what the program gives");
  return failures != 0;
}
