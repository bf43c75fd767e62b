/* Human skin in pictures: the interface in C of libskinmask, which other languages can call as
 * well. docs/c.md has a whole program.
 *
 * What can fail returns a status, or NULL in place of a handle, and skinmask_error() says why in
 * one line. Nothing here ends the process or throws. The decoders of some formats (BMP, PNM, JPEG
 * XL) print lines about damaged files on standard error; those of FFmpeg and libtiff are made
 * silent, for the whole process, when they are first used.
 *
 * Threads: models, detectors and images do not change once they are made, so that any number of
 * threads may use one at a time. Only *_free must come after all other uses of that handle. A
 * stream is for one thread at a time.
 * skinmask_error() is of the calling thread. A call may use all cores; its results do not depend on
 * how many there are. */
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
  SKINMASK_BAD_ARGUMENT = 1, /* NULL, a size or a number that cannot be: the caller's mistake */
  SKINMASK_FAILED = 2,       /* a file, a model or a picture that cannot be used */
  SKINMASK_NO_MEMORY = 3
} skinmask_status;

/* "0.1.0" */
SKINMASK_API const char* skinmask_version(void);

/* Why the last call of this thread that failed did: 'subject: what is wrong (what would be right)'.
 * "" where none did. It stays until another call of this thread fails. */
SKINMASK_API const char* skinmask_error(void);

/* -- Models ----------------------------------------------------------------------------------- */

typedef struct skinmask_model skinmask_model;

/* The model that is built in; a file that `skinmask train` wrote; the text of such a file, `size`
 * bytes. */
SKINMASK_API skinmask_model* skinmask_model_default(void);
SKINMASK_API skinmask_model* skinmask_model_read(const char* path);
SKINMASK_API skinmask_model* skinmask_model_parse(const char* json, size_t size);
/* NULL is allowed, here and in the other functions of that name. */
SKINMASK_API void skinmask_model_free(skinmask_model* model);

/* -- Detectors -------------------------------------------------------------------------------- */

typedef enum skinmask_adapt {
  SKINMASK_ADAPT_AUTO = 0,  /* to the faces in each picture, or else to its own colours */
  SKINMASK_ADAPT_FACES = 1, /* to the faces alone */
  SKINMASK_ADAPT_OFF = 2    /* the model as it was trained: 65 times as fast, less accurate */
} skinmask_adapt;

/* The same as the options of `skinmask detect`. Begin with SKINMASK_OPTIONS, or, where there are no
 * macros, with its values. */
typedef struct skinmask_options {
  size_t size; /* of this struct, so that later versions can add to it */
  int adapt;   /* skinmask_adapt */
  int refine;  /* neighbouring pixels help each other, where faces were found; 0: they do not */
  double threshold;   /* P(skin) above which a pixel is skin, 0 to 1; negative: the model's own */
  double prior;       /* P(skin) of any pixel, above 0 and below 1; negative: the model's own */
  const char* faces;  /* a file of YuNet's, which finds faces better; NULL: the finder built in */
  char by_name[2000]; /* what skinmask_options_set said, for nobody else to read */
} skinmask_options;
#define SKINMASK_OPTIONS \
  { sizeof(skinmask_options), SKINMASK_ADAPT_AUTO, 1, -1.0, -1.0, NULL, "" }

/* Sets an option by the name and the words of `skinmask detect`, with _ in place of -: "refine" to
 * "off", "seed_rect" to "10,10,80,80". All of its adaptation and its decision have one; "" takes
 * back what may be absent. It counts for more than the members above. Fails for a name that there
 * is not, for a text that is no value of it, and where texts are some 2000 bytes in all. */
SKINMASK_API skinmask_status skinmask_options_set(skinmask_options* options, const char* name,
                                                  const char* text);

typedef struct skinmask_detector skinmask_detector;

/* A model (NULL: the one built in) made ready with these options (NULL: all as they are in
 * SKINMASK_OPTIONS). Neither need outlive the call. Takes some milliseconds; of histograms and of
 * models in HSV, Lab or Luv 0.2 s and 18 MiB. */
SKINMASK_API skinmask_detector* skinmask_detector_new(const skinmask_model* model,
                                                      const skinmask_options* options);
/* The threshold that it decides by; negative where `detector` is NULL. */
SKINMASK_API double skinmask_detector_threshold(const skinmask_detector* detector);
SKINMASK_API void skinmask_detector_free(skinmask_detector* detector);

/* -- Pictures --------------------------------------------------------------------------------- */

typedef enum skinmask_format {
  SKINMASK_BGR = 0,  /* planes[0], bytes B G R, as OpenCV has them */
  SKINMASK_RGB = 1,  /* planes[0] */
  SKINMASK_BGRA = 2, /* planes[0]; alpha, or whatever the fourth byte is, is not looked at */
  SKINMASK_RGBA = 3, /* planes[0] */
  SKINMASK_NV12 = 4, /* planes Y, UV: 4:2:0 as cameras and decoders have it */
  SKINMASK_I420 = 5  /* planes Y, U, V */
} skinmask_format;

/* How bytes of NV12 and I420 mean colours; flags. Without any: BT.601, limited range. */
#define SKINMASK_BT709 1
#define SKINMASK_FULL_RANGE 2

/* Pixels of the caller's, upright, which are not changed. Chroma of an odd size is rounded up. */
typedef struct skinmask_picture {
  int format; /* skinmask_format */
  int yuv;    /* 0, or SKINMASK_BT709 and SKINMASK_FULL_RANGE by | */
  int width, height;
  const uint8_t* planes[3];
  size_t strides[3]; /* bytes from row to row of each plane, at least those of a row */
} skinmask_picture;

typedef enum skinmask_output {
  SKINMASK_MASK = 0,        /* 1 byte a pixel: 255 skin, 0 not; 128 unsure (abstain) */
  SKINMASK_PROBABILITY = 1, /* 1 byte a pixel: round(255 P(skin)) */
  SKINMASK_OVERLAY = 2,     /* 3 bytes: the picture, darkened where there is no skin */
  SKINMASK_CUTOUT = 3,      /* 4 bytes: the picture, with the mask as alpha, soft at its border */
  SKINMASK_CLASSES = 4, /* 1 byte: the number of the likeliest class of the model, not adapted */
  SKINMASK_UNCERTAINTY = 5, /* 1 byte: 0 sure, 128 near the threshold, 255 of no class's colour */
  SKINMASK_HEATMAP = 6      /* 3 bytes: P(skin) as a colour, from black to yellow */
} skinmask_output;

/* Judges one picture and writes its `width` x `height` pixels to `out`, a row every `out_stride`
 * bytes (at least those of a row). Colours are in the order of the picture: R G B of RGB and RGBA,
 * else B G R. `out` must not overlap the picture, nor may rows of the one lie between those of
 * the other; what else lies between rows is left as it is. The bytes are those of `skinmask detect`
 * (for NV12 and I420 with `--pixels yuv`). Pictures of more than 2^28 pixels are refused. A
 * megapixel takes some 20 ms, half of it for finding faces; with SKINMASK_ADAPT_OFF 0.3 ms. On
 * failure `out` may hold anything. */
SKINMASK_API skinmask_status skinmask_detect(const skinmask_detector* detector,
                                             const skinmask_picture* picture,
                                             int output /* skinmask_output */, uint8_t* out,
                                             size_t out_stride);

/* -- Colours ---------------------------------------------------------------------------------- */

/* What is measured of a picture: the colours of its skin, and of each face in it. */
typedef struct skinmask_measurement skinmask_measurement;

/* Means and standard deviations (divided by the number of pixels) of red, green and blue, 0 to 255.
 * Of no pixel they are no numbers (NaN). */
typedef struct skinmask_means {
  uint64_t pixels;
  double mean[3];
  double sd[3];
} skinmask_means;

/* A face that the picture was adapted to. */
typedef struct skinmask_face {
  int64_t id;              /* 1, 2, ... */
  int x, y, width, height; /* a box around it, upright, within the picture */
  double tilt_degrees;     /* clockwise, as the picture is seen */
} skinmask_face;

/* What is measured of a face. Left and right are those of the picture. */
typedef enum skinmask_part {
  SKINMASK_FACE = 0, /* without its outline */
  SKINMASK_FOREHEAD = 1,
  SKINMASK_LEFT_CHEEK = 2,
  SKINMASK_RIGHT_CHEEK = 3
} skinmask_part;

/* As skinmask_detect, and measures what the mask shows (P(skin) above the threshold), but for the
 * pixels that are at most so many columns and rows from what is no skin as the option "erode" says
 * (2). `out` may be NULL; then `output` and `out_stride` count for nothing. NULL on failure. */
SKINMASK_API skinmask_measurement* skinmask_measure(const skinmask_detector* detector,
                                                    const skinmask_picture* picture,
                                                    int output /* skinmask_output */, uint8_t* out,
                                                    size_t out_stride);
/* Of all the skin. */
SKINMASK_API skinmask_status skinmask_measurement_skin(const skinmask_measurement* measurement,
                                                       skinmask_means* means);
/* How many faces there are; 0 of NULL. */
SKINMASK_API size_t skinmask_measurement_faces(const skinmask_measurement* measurement);
/* One of them, from 0, and the skin of a part of it. */
SKINMASK_API skinmask_status skinmask_measurement_face(const skinmask_measurement* measurement,
                                                       size_t index, skinmask_face* face);
SKINMASK_API skinmask_status skinmask_measurement_part(const skinmask_measurement* measurement,
                                                       size_t index, int part /* skinmask_part */,
                                                       skinmask_means* means);
SKINMASK_API void skinmask_measurement_free(skinmask_measurement* measurement);

/* -- Streams ---------------------------------------------------------------------------------- */

/* The frames of a camera or a video, one after the other, of any sizes: faces are followed from
 * frame to frame and keep their numbers, nothing is carried over a cut, and masks are held still,
 * as the option "steady" says. */
typedef struct skinmask_stream skinmask_stream;

/* With a detector, which need not outlive the call, for so many frames a second (0, or above 1000:
 * not known, taken for 25). Faces are searched for in every fourth frame that changes: at once,
 * with which the bytes are those of `skinmask detect` of a video (search_lag_frames 0); or on a
 * thread of its own, of which that many frames later is heard, so that no frame waits if it is done
 * by then (3 for a camera of 30 frames a second). Such a stream must be freed before main returns.
 */
SKINMASK_API skinmask_stream* skinmask_stream_new(const skinmask_detector* detector,
                                                  double frames_per_second, int search_lag_frames);
/* The next frame, as skinmask_detect and skinmask_measure take a picture. */
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

/* A file (JPEG, PNG, WebP, TIFF, HEIC, ...) or the bytes of one, decoded to BGR and upright, by the
 * rules of `skinmask detect`: truncated and damaged ones fail. So do those that say to have more
 * than `max_pixels` pixels (0: 2^28), before memory is taken for them: for files of strangers a
 * smaller number is better. */
SKINMASK_API skinmask_image* skinmask_image_read(const char* path, int64_t max_pixels);
SKINMASK_API skinmask_image* skinmask_image_decode(const void* bytes, size_t size,
                                                   int64_t max_pixels);
/* Its pixels, which live as long as `image`. */
SKINMASK_API skinmask_status skinmask_image_picture(const skinmask_image* image,
                                                    skinmask_picture* picture);
SKINMASK_API void skinmask_image_free(skinmask_image* image);

#ifdef __cplusplus
}
#endif

#endif /* SKINMASK_H_ */
