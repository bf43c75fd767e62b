// Between numpy's arrays and the library's pictures, without a copy wherever memory allows it.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <opencv2/core.hpp>

namespace skinmask::python {

namespace py = pybind11;

// A picture that a caller gave: CV_8UC3 over the memory of `owner`, which is the caller's array, or
// a copy of it where its pixels do not follow each other within a row.
struct ImageArray {
  cv::Mat pixels;
  bool rgb = false;  // the channels are in the order R G B
  py::array owner;

  // With the channels B G R, for which it may be copied. Needs no GIL.
  cv::Mat Bgr() const;
};

// Of uint8 (height, width, 3), `rgb` telling the order of its channels. Reversed channels, as
// image[..., ::-1] has them, are the memory of the other order. Throws TypeError for anything else.
ImageArray ImageOf(const py::handle& object, bool rgb);

// Of uint8 (height, width), its elements one after the other. Throws TypeError for anything else.
py::array MapOf(const py::handle& object);

// Of uint8 (n, 3), B G R, as one row of n pixels.
struct PixelArray {
  const std::uint8_t* bgr = nullptr;
  std::size_t count = 0;
  py::array owner;
};
PixelArray PixelsOf(const py::handle& object);

// The caller's array as a picture to write to; empty for None. Throws TypeError where it is not
// writable or aligned, of another shape or type, shares memory with `image`, or has gaps within its
// rows.
cv::Mat WritableOf(const py::handle& object, const cv::Size& size, int type, const cv::Mat& image);

// An array over the picture's memory, which it keeps: (height, width), or with channels.
py::array ArrayOf(const cv::Mat& picture);

}  // namespace skinmask::python
