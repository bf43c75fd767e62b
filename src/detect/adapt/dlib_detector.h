// This includes dlib's detector of frontal faces. Its configuration names BLAS and LAPACK; without
// them its own code is compiled, which gives the same numbers on every machine, and nothing of them
// is loaded.
#pragma once

// These two come first, since they are what would notice.
#include <dlib/assert.h>
#include <dlib/test_for_odr_violations.h>
#undef DLIB_USE_BLAS
#undef DLIB_USE_LAPACK
#include <dlib/array2d.h>
#include <dlib/image_processing/frontal_face_detector.h>
