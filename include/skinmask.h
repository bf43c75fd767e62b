/* Human skin in pictures: the C interface of libskinmask, which other languages can call as
 * well. docs/c.md has a complete program.
 *
 * A function that can fail returns a status, or NULL instead of a handle; skinmask_error() then
 * gives the reason in one line. No function ends the process or throws. The decoders of some
 * formats (BMP, PNM, JPEG XL) print lines about damaged files on standard error. The decoders of
 * FFmpeg and libtiff are made silent, for the whole process, when they are first used.
 *
 * Threads: models, detectors and images do not change after their creation, so any number of
 * threads may use one at the same time. Only *_free must come after all other uses of that
 * handle. A stream may be used by one thread at a time. skinmask_error() is the calling thread's
 * own. A call may use all cores; its results do not depend on their number. */
#ifndef SKINMASK_H_
#define SKINMASK_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SKINMASK_API __attribute__((visibility("default")))
#else
#define SKINMASK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum skinmask_status {
  SKINMASK_OK = 0,
  SKINMASK_BAD_ARGUMENT = 1, /* the caller's mistake: NULL, or an impossible size or number */
  SKINMASK_FAILED = 2,       /* a file, a model or a picture that cannot be used */
  SKINMASK_NO_MEMORY = 3
} skinmask_status;

/* "0.1.0" */
SKINMASK_API const char* skinmask_version(void);

/* The error of this thread's last call that failed: 'subject: what is wrong (what would be
 * right)'. "" if no call has failed. It stays until another call of this thread fails. */
SKINMASK_API const char* skinmask_error(void);

/* -- Models ----------------------------------------------------------------------------------- */

typedef struct skinmask_model skinmask_model;

/* The built-in model; the model in a file that `skinmask train` wrote; the model in the text of
 * such a file, `size` bytes. A model must be freed. */
SKINMASK_API skinmask_model* skinmask_model_default(void);
SKINMASK_API skinmask_model* skinmask_model_read(const char* path);
SKINMASK_API skinmask_model* skinmask_model_parse(const char* json, size_t size);
/* NULL is allowed, here and in the other *_free functions. */
SKINMASK_API void skinmask_model_free(skinmask_model* model);

/* -- Detectors -------------------------------------------------------------------------------- */

typedef enum skinmask_adapt {
  SKINMASK_ADAPT_AUTO = 0,  /* to the faces in each picture, or else to its own colours */
  SKINMASK_ADAPT_FACES = 1, /* to the faces alone */
  SKINMASK_ADAPT_OFF = 2    /* the model as it was trained: some 100 times as fast, less accurate */
} skinmask_adapt;

/* The options of `skinmask detect`. Initialise with SKINMASK_OPTIONS or, in a language without
 * macros, with its values. */
typedef struct skinmask_options {
  size_t size;        /* of this struct, so that later versions can add members */
  int adapt;          /* skinmask_adapt */
  int refine;         /* where faces were found, smooth by neighbouring pixels; 0: do not */
  double threshold;   /* a pixel is skin if P(skin) is above it, 0 to 1; negative: the model's */
  double prior;       /* prior P(skin), above 0 and below 1; negative: the model's */
  const char* faces;  /* YuNet's file, a better face detector; NULL: the built-in one */
  char by_name[2000]; /* private: what skinmask_options_set has set */
} skinmask_options;
#define SKINMASK_OPTIONS \
  { sizeof(skinmask_options), SKINMASK_ADAPT_AUTO, 1, -1.0, -1.0, NULL, "" }

/* Sets an option by its name in `skinmask detect`, with _ instead of -, to a text: "refine" to
 * "off", "seed_rect" to "10,10,80,80". All options of adaptation and of the decision can be set.
 * The text "" unsets an option that may be absent. An option set by name overrides the member
 * above, until it is unset. Fails for an unknown name, for a text that is not a value of the
 * option, and if all names and texts together exceed some 2000 bytes. */
SKINMASK_API skinmask_status skinmask_options_set(skinmask_options* options, const char* name,
                                                  const char* text);

typedef struct skinmask_detector skinmask_detector;

/* Makes a detector from a model (NULL: the built-in one) and options (NULL: SKINMASK_OPTIONS).
 * Both may be freed after the call. Takes some milliseconds; for histograms and for models in
 * rg, HSV, Lab or Luv 0.2 s and 18 MiB of memory. */
SKINMASK_API skinmask_detector* skinmask_detector_new(const skinmask_model* model,
                                                      const skinmask_options* options);
/* The threshold on P(skin) that the detector decides by; negative if `detector` is NULL. */
SKINMASK_API double skinmask_detector_threshold(const skinmask_detector* detector);
SKINMASK_API void skinmask_detector_free(skinmask_detector* detector);

/* -- Pictures --------------------------------------------------------------------------------- */

typedef enum skinmask_format {
  SKINMASK_BGR = 0,  /* planes[0], bytes B G R, as OpenCV has them */
  SKINMASK_RGB = 1,  /* planes[0] */
  SKINMASK_BGRA = 2, /* planes[0]; the fourth byte is ignored */
  SKINMASK_RGBA = 3, /* planes[0] */
  SKINMASK_NV12 = 4, /* planes Y and UV: 4:2:0 as cameras and decoders give it */
  SKINMASK_I420 = 5  /* planes Y, U, V */
} skinmask_format;

/* Flags for the colour encoding of NV12 and I420. Without any: BT.601, limited range. */
#define SKINMASK_BT709 1
#define SKINMASK_FULL_RANGE 2

/* The caller's pixels, upright. They are not changed. The sides of chroma planes are rounded up. */
typedef struct skinmask_picture {
  int format; /* skinmask_format */
  int yuv;    /* 0, or SKINMASK_BT709 | SKINMASK_FULL_RANGE or one of them */
  int width, height;
  const uint8_t* planes[3];
  size_t strides[3]; /* bytes from row to row of each plane, a row's bytes to INT_MAX */
} skinmask_picture;

typedef enum skinmask_output {
  SKINMASK_MASK = 0,        /* 1 byte a pixel: 255 skin, 0 not; 128 unsure (abstain) */
  SKINMASK_PROBABILITY = 1, /* 1 byte a pixel: round(255 P(skin)) */
  SKINMASK_OVERLAY = 2,     /* 3 bytes: the picture, darkened where there is no skin */
  SKINMASK_CUTOUT = 3,      /* 4 bytes: the picture, with the mask as alpha, soft at its border */
  SKINMASK_CLASSES = 4,     /* 1 byte: the index of the class the model chooses, not adapted */
  SKINMASK_UNCERTAINTY = 5, /* 1 byte: 0 sure, 128 unsure, 255 a colour of no class */
  SKINMASK_HEATMAP = 6      /* 3 bytes: P(skin) as a colour, from black to yellow */
} skinmask_output;

/* Classifies one picture and writes `width` x `height` pixels to `out`, a row every `out_stride`
 * bytes (at least a row's bytes). Colours are in the channel order of the picture: R G B for RGB
 * and RGBA, else B G R. `out` must not overlap the picture, and the rows of one must not lie
 * between the rows of the other; other bytes between the rows stay as they are. The bytes are
 * those of `skinmask detect` (for NV12 and I420 with `--pixels yuv`). Pictures of more than 2^28
 * pixels are refused. A megapixel takes some 20 ms, half of it for finding faces; with
 * SKINMASK_ADAPT_OFF 0.3 ms. After a failure the content of `out` is undefined. */
SKINMASK_API skinmask_status skinmask_detect(const skinmask_detector* detector,
                                             const skinmask_picture* picture,
                                             int output /* skinmask_output */, uint8_t* out,
                                             size_t out_stride);

/* -- Colours ---------------------------------------------------------------------------------- */

/* The measured colours of a picture: of its skin, and of each face in it. */
typedef struct skinmask_measurement skinmask_measurement;

/* Means and standard deviations (divided by the number of pixels) of red, green and blue, 0 to
 * 255. NaN without pixels. */
typedef struct skinmask_means {
  uint64_t pixels;
  double mean[3];
  double sd[3];
} skinmask_means;

/* A face that the model was adapted to. */
typedef struct skinmask_face {
  int64_t id;              /* 1, 2, ... */
  int x, y, width, height; /* a box around it, upright, within the picture */
  double tilt_degrees;     /* clockwise, as the picture is seen */
} skinmask_face;

/* The parts of a face that are measured. Left and right are those of the picture. */
typedef enum skinmask_part {
  SKINMASK_FACE = 0, /* without its outline */
  SKINMASK_FOREHEAD = 1,
  SKINMASK_LEFT_CHEEK = 2,
  SKINMASK_RIGHT_CHEEK = 3
} skinmask_part;

/* As skinmask_detect, and also measures the colours of the skin (P(skin) above the threshold).
 * Pixels at the border of the skin are left out: those that have a pixel without skin at most as
 * many columns and rows away as the option "erode" says (2). `out` may be NULL; then `output`
 * and `out_stride` are ignored. NULL on failure. */
SKINMASK_API skinmask_measurement* skinmask_measure(const skinmask_detector* detector,
                                                    const skinmask_picture* picture,
                                                    int output /* skinmask_output */, uint8_t* out,
                                                    size_t out_stride);
/* The colours of all the skin. */
SKINMASK_API skinmask_status skinmask_measurement_skin(const skinmask_measurement* measurement,
                                                       skinmask_means* means);
/* The number of faces; 0 for NULL. */
SKINMASK_API size_t skinmask_measurement_faces(const skinmask_measurement* measurement);
/* The face of that index, from 0, and the colours of the skin in one of its parts. */
SKINMASK_API skinmask_status skinmask_measurement_face(const skinmask_measurement* measurement,
                                                       size_t index, skinmask_face* face);
SKINMASK_API skinmask_status skinmask_measurement_part(const skinmask_measurement* measurement,
                                                       size_t index, int part /* skinmask_part */,
                                                       skinmask_means* means);
SKINMASK_API void skinmask_measurement_free(skinmask_measurement* measurement);

/* -- Streams ---------------------------------------------------------------------------------- */

/* The frames of a camera or a video in their order, of any sizes. Faces are tracked from frame
 * to frame and keep their numbers, nothing is carried over a cut, and masks are smoothed over
 * time as the option "steady" says. */
typedef struct skinmask_stream skinmask_stream;

/* Makes a stream with a detector, which may be freed after the call. `frames_per_second` of 0 or
 * above 1000 means unknown and counts as 25. Faces are searched for in every fourth frame, in
 * every second one while none is known, and less often while nothing changes. If search_lag_frames
 * is 0, the search runs within the call, and the bytes are those of `skinmask detect` for a video.
 * Otherwise the search runs on a thread of its own, and its result is used that many frames later;
 * no frame waits if the search has ended by then (3 suits a camera of 30 frames a second). Such a
 * stream must be freed before main returns. */
SKINMASK_API skinmask_stream* skinmask_stream_new(const skinmask_detector* detector,
                                                  double frames_per_second, int search_lag_frames);
/* Takes the next frame as skinmask_detect and skinmask_measure take a picture. */
SKINMASK_API skinmask_status skinmask_stream_detect(skinmask_stream* stream,
                                                    const skinmask_picture* frame,
                                                    int output /* skinmask_output */, uint8_t* out,
                                                    size_t out_stride);
SKINMASK_API skinmask_measurement* skinmask_stream_measure(skinmask_stream* stream,
                                                           const skinmask_picture* frame,
                                                           int output /* skinmask_output */,
                                                           uint8_t* out, size_t out_stride);
SKINMASK_API void skinmask_stream_free(skinmask_stream* stream);

/* -- Image files ------------------------------------------------------------------------------ */

typedef struct skinmask_image skinmask_image;

/* Reads a file (JPEG, PNG, WebP, TIFF, HEIC, ...) or the bytes of one, decoded to BGR and
 * upright, by the rules of `skinmask detect`: truncated and damaged files fail. Files that
 * declare more than `max_pixels` pixels (0: 2^28) fail before memory is allocated for them;
 * choose a smaller number for files from strangers. */
SKINMASK_API skinmask_image* skinmask_image_read(const char* path, int64_t max_pixels);
SKINMASK_API skinmask_image* skinmask_image_decode(const void* bytes, size_t size,
                                                   int64_t max_pixels);
/* The image's pixels, valid as long as `image`. */
SKINMASK_API skinmask_status skinmask_image_picture(const skinmask_image* image,
                                                    skinmask_picture* picture);
SKINMASK_API void skinmask_image_free(skinmask_image* image);

#ifdef __cplusplus
}
#endif

#endif /* SKINMASK_H_ */
