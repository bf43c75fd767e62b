// Includes dlib's detector of frontal faces. dlib's configuration selects BLAS and LAPACK. Without
// them dlib's own code is compiled, which gives the same numbers on every machine and loads neither
// library.
#pragma once

// These two compare the configuration with that of dlib's library, so they come before its change.
#include <dlib/assert.h>
#include <dlib/test_for_odr_violations.h>
#undef DLIB_USE_BLAS
#undef DLIB_USE_LAPACK
#include <dlib/array2d.h>
#include <dlib/image_processing/frontal_face_detector.h>
