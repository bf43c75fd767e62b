#include "arrays.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

namespace skinmask::python {
namespace {

// What the caller gave: 'float64 of shape (480, 640, 3)', 'list'.
std::string TypeAndShape(const py::handle& object) {
  if (!py::isinstance<py::array>(object))
    return py::str(py::type::of(object).attr("__name__")).cast<std::string>();
  const std::string masked = py::hasattr(object, "mask") ? "masked " : "";
  return masked + py::str(object.attr("dtype")).cast<std::string>() + " of shape " +
         py::str(object.attr("shape")).cast<std::string>();
}

[[noreturn]] void Refuse(const std::string& name, const py::handle& object,
                         const std::string& wanted) {
  throw py::type_error(name + ": is " + TypeAndShape(object) + " (" + wanted + ")");
}

// `object` as an array; subclasses that hide elements, such as masked arrays, are refused.
py::array ArrayIn(const py::handle& object, const std::string& name, const std::string& wanted) {
  if (!py::isinstance<py::array>(object) || py::hasattr(object, "mask"))
    Refuse(name, object, wanted);
  return py::reinterpret_borrow<py::array>(object);
}

// numpy's type of numbers for OpenCV's.
py::dtype NumbersOf(int depth) {
  if (depth == CV_32F) return py::dtype::of<float>();
  return depth == CV_16U ? py::dtype::of<std::uint16_t>() : py::dtype::of<std::uint8_t>();
}

bool IsOfBytes(const py::array& array) { return array.dtype().equal(NumbersOf(CV_8U)); }

py::array Contiguous(const py::array& array) {
  return py::module_::import("numpy").attr("ascontiguousarray")(array);
}

cv::Mat HeaderOf(const py::array& array, int type, const std::uint8_t* first) {
  const auto height = static_cast<int>(array.shape(0)), width = static_cast<int>(array.shape(1));
  std::size_t step = cv::Mat::AUTO_STEP;
  if (height > 1) step = static_cast<std::size_t>(array.strides(0));
  return cv::Mat(height, width, type, const_cast<std::uint8_t*>(first), step);
}

// OpenCV counts rows and columns as int.
bool HasSizeOfPicture(const py::array& array) {
  constexpr py::ssize_t kMaxSide = std::numeric_limits<int>::max();
  return array.size() > 0 && array.shape(0) <= kMaxSide && array.shape(1) <= kMaxSide;
}

// Whether the pixels of every row, of `size` bytes, are contiguous, and rows do not overlap.
bool HasWholeRows(const py::array& array, py::ssize_t size) {
  return (array.shape(1) == 1 || array.strides(1) == size) &&
         (array.shape(0) == 1 || array.strides(0) >= size * array.shape(1));
}

}  // namespace

cv::Mat ImageArray::Bgr() const {
  if (!rgb) return pixels;
  cv::Mat bgr;
  cv::cvtColor(pixels, bgr, cv::COLOR_RGB2BGR);
  return bgr;
}

ImageArray ImageOf(const py::handle& object, bool rgb) {
  const std::string wanted =
      "a numpy array of uint8 and shape (height, width, 3) is wanted, as cv2.imread gives it, or "
      "with rgb=True numpy.asarray of a PIL image";
  py::array array = ArrayIn(object, "image", wanted);
  if (!IsOfBytes(array) || array.ndim() != 3 || array.shape(2) != 3 || !HasSizeOfPicture(array))
    Refuse("image", object, wanted);
  const bool reversed = array.strides(2) == -1;
  if (!HasWholeRows(array, 3) || (array.strides(2) != 1 && !reversed)) {
    array = Contiguous(array);
    return {HeaderOf(array, CV_8UC3, static_cast<const std::uint8_t*>(array.data())), rgb, array};
  }
  const auto* const first = static_cast<const std::uint8_t*>(array.data()) - (reversed ? 2 : 0);
  return {HeaderOf(array, CV_8UC3, first), rgb != reversed, array};
}

ImageArray MapOf(const py::handle& object) {
  const std::string wanted = "a numpy array of uint8 and shape (height, width) is wanted";
  py::array array = ArrayIn(object, "probability", wanted);
  if (!IsOfBytes(array) || array.ndim() != 2 || !HasSizeOfPicture(array))
    Refuse("probability", object, wanted);
  array = Contiguous(array);
  return {HeaderOf(array, CV_8UC1, static_cast<const std::uint8_t*>(array.data())), false, array};
}

PixelArray PixelsOf(const py::handle& object) {
  const std::string wanted = "a numpy array of uint8 and shape (n, 3), each row B G R, is wanted";
  py::array array = ArrayIn(object, "pixels", wanted);
  if (!IsOfBytes(array) || array.ndim() != 2 || array.shape(1) != 3)
    Refuse("pixels", object, wanted);
  array = Contiguous(array);  // the same array if it is contiguous
  return {static_cast<const std::uint8_t*>(array.data()), static_cast<std::size_t>(array.shape(0)),
          array};
}

cv::Mat WritableOf(const py::handle& object, const cv::Size& size, int type, const cv::Mat& image) {
  if (object.is_none()) return {};
  const int channels = CV_MAT_CN(type);
  const auto item = static_cast<py::ssize_t>(CV_ELEM_SIZE1(type));
  const py::dtype numbers = NumbersOf(CV_MAT_DEPTH(type));
  const std::string wanted = fmt::format(
      "a writable and aligned {} array of shape ({}, {}{}) is wanted, without gaps within its rows "
      "and apart from the image",
      numbers.attr("name").cast<std::string>(), size.height, size.width,
      channels > 1 ? fmt::format(", {}", channels) : "");
  const py::array array = ArrayIn(object, "out", wanted);
  const bool fits = array.dtype().equal(numbers) && array.writeable() &&
                    array.attr("flags").attr("aligned").cast<bool>() &&
                    array.ndim() == (channels > 1 ? 3 : 2) && array.shape(0) == size.height &&
                    array.shape(1) == size.width &&
                    (channels == 1 || (array.shape(2) == channels && array.strides(2) == item)) &&
                    HasWholeRows(array, item * channels);
  if (!fits) Refuse("out", object, wanted);
  const cv::Mat header = HeaderOf(array, type, static_cast<const std::uint8_t*>(array.data()));
  const auto end = [](const cv::Mat& m) {
    return m.ptr(m.rows - 1) + m.elemSize() * static_cast<std::size_t>(m.cols);
  };
  if (header.data < end(image) && image.data < end(header)) Refuse("out", object, wanted);
  return header;
}

py::array ArrayOf(const cv::Mat& picture) {
  auto kept = std::make_unique<cv::Mat>(picture);
  const py::capsule owner(kept.get(), [](void* mat) { delete static_cast<cv::Mat*>(mat); });
  const cv::Mat& mat = *kept.release();
  std::vector<py::ssize_t> shape{mat.rows, mat.cols};
  std::vector<py::ssize_t> strides{static_cast<py::ssize_t>(mat.step),
                                   static_cast<py::ssize_t>(mat.elemSize())};
  if (mat.channels() > 1) {
    shape.push_back(mat.channels());
    strides.push_back(static_cast<py::ssize_t>(mat.elemSize1()));
  }
  return py::array(NumbersOf(mat.depth()), shape, strides, mat.data, owner);
}

}  // namespace skinmask::python
