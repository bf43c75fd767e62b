// Conversion between numpy's arrays and the library's pictures, without a copy wherever possible.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <opencv2/core.hpp>

namespace skinmask::python {

namespace py = pybind11;

// A caller's picture over the memory of `owner`, which is the caller's array, or a copy if its rows
// are not contiguous: CV_8UC3, or CV_8UC1 of a map.
struct ImageArray {
  cv::Mat pixels;
  bool rgb = false;  // the channels are in the order R G B
  py::array owner;

  // The picture with the channels B G R, copied if necessary. Needs no GIL.
  cv::Mat Bgr() const;
};

// The picture of a uint8 array (height, width, 3); `rgb` is the order of its channels. A view with
// reversed channels, as image[..., ::-1], is used as memory of the other order. Throws TypeError
// for anything else.
ImageArray ImageOf(const py::handle& object, bool rgb);

// The map of a uint8 array (height, width). Throws TypeError for anything else.
ImageArray MapOf(const py::handle& object);

// The pixels of a uint8 array (n, 3), B G R, as one row.
struct PixelArray {
  const std::uint8_t* bgr = nullptr;
  std::size_t count = 0;
  py::array owner;
};
PixelArray PixelsOf(const py::handle& object);

// The caller's array as a picture to write to; empty for None. Throws TypeError if it is not
// writable or aligned, has another shape or type, shares memory with `image`, or has gaps within
// its rows.
cv::Mat WritableOf(const py::handle& object, const cv::Size& size, int type, const cv::Mat& image);

// An array over the picture's memory, which it keeps alive: (height, width), or with channels.
py::array ArrayOf(const cv::Mat& picture);

}  // namespace skinmask::python
