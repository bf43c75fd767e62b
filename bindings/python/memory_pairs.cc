// Pictures and masks in memory, among the pairs of files that runs are over.
#include <pybind11/numpy.h>

#include <map>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "skinmask/pipeline/collect_samples.h"

namespace skinmask::python {
namespace {

// The arrays by the names that stand for their files.
struct Pictures {
  std::vector<py::array> owners;
  std::map<std::string, cv::Mat> named;
};

// As a file, which keeps every value: so a picture in memory is judged as one on the disk is.
std::string PnmOf(const cv::Mat& picture) {
  const bool grey = picture.channels() == 1;
  std::string bytes = (grey ? "P5 " : "P6 ") + std::to_string(picture.cols) + " " +
                      std::to_string(picture.rows) + " 255\n";
  const std::size_t head = bytes.size();
  bytes.resize(head + picture.total() * picture.elemSize());
  cv::Mat pixels(picture.size(), picture.type(), bytes.data() + head);
  if (grey)
    picture.copyTo(pixels);
  else
    cv::cvtColor(picture, pixels, cv::COLOR_BGR2RGB);
  return bytes;
}

// Copies of the options share the arrays, and the last one may go where there is no GIL.
void SetPictures(PairOptions& pairs, const py::dict& arrays) {
  const std::shared_ptr<Pictures> kept(new Pictures, [](Pictures* pictures) {
    const py::gil_scoped_acquire locked;
    delete pictures;
  });
  for (const auto& [name, object] : arrays) {
    using Array = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;
    const Array array = py::reinterpret_borrow<py::object>(object);
    kept->named[name.cast<std::string>()] =
        cv::Mat(static_cast<int>(array.shape(0)), static_cast<int>(array.shape(1)),
                array.ndim() == 3 ? CV_8UC3 : CV_8UC1, const_cast<std::uint8_t*>(array.data()));
    kept->owners.push_back(array);
  }
  pairs.bytes = [kept](const std::filesystem::path& path) -> std::optional<std::string> {
    const auto found = kept->named.find(path.string());
    if (found == kept->named.end()) return std::nullopt;
    return PnmOf(found->second);
  };
}

}  // namespace

void DefineMemoryPairs(py::module_& module) { module.def("set_pictures", &SetPictures); }

}  // namespace skinmask::python
