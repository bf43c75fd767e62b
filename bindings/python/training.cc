// Tables of labelled pixels, the pairs of files that they are read from, and the training of
// models.
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <map>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bindings.h"
#include "skinmask/base/error.h"
#include "skinmask/data/color_counter.h"
#include "skinmask/media/inputs.h"
#include "skinmask/pipeline/collect_samples.h"
#include "skinmask/pipeline/train.h"

namespace skinmask::python {
namespace {

using Path = std::filesystem::path;

// A table of pixels (n, 3), B G R. Each has the class `names[index]`, group 0 or its own group, and
// counts once or `counts` times.
Samples SamplesOf(const py::object& object,
                  const py::array_t<std::uint8_t, py::array::c_style>& index,
                  const std::vector<std::string>& names,
                  const std::optional<py::array_t<std::uint32_t, py::array::c_style>>& groups,
                  const std::optional<py::array_t<std::uint64_t, py::array::c_style>>& counts) {
  const PixelArray pixels = PixelsOf(object);
  const auto count = static_cast<py::ssize_t>(pixels.count);
  if (index.ndim() != 1 || index.size() != count)
    throw Error("labels", "are not one for each pixel");
  if (groups && groups->size() != count) throw Error("groups", "are not one for each pixel");
  if (counts && counts->size() != count) throw Error("counts", "are not one for each pixel");
  for (const std::string& name : names)
    if (!IsClassName(name))
      throw Error("class '" + name + "'",
                  "is no name for a class (1 to 100 bytes, not digits alone, no commas, quotes or "
                  "equals signs, no blank at an end)");
  const std::uint8_t* const classes = index.data();
  if (std::any_of(classes, classes + count, [&](std::uint8_t k) { return k >= names.size(); }))
    throw Error("labels", "are of a class that has no name");
  const std::uint32_t* const group_of = groups ? groups->data() : nullptr;
  const std::uint64_t* const count_of = counts ? counts->data() : nullptr;
  const WithoutGil unlocked;
  SampleCounter all;
  for (const std::string& name : names) all.ClassIndex(name);  // they all differ
  if (group_of || count_of) {
    std::uint64_t left = Samples::kMaxTotal;
    for (std::size_t i = 0; i < pixels.count; ++i) {
      const std::uint8_t* const p = pixels.bgr + 3 * i;
      const std::uint64_t times = count_of ? count_of[i] : 1;
      if (times > left) throw Error("counts", "are more pixels than 2^43 together");
      left -= times;
      if (times > 0)
        all.Add(SampleRow{group_of ? group_of[i] : 0, classes[i], p[0], p[1], p[2], times});
    }
  } else {
    ColorCounter counter(names.size());
    counter.CountRow(pixels.bgr, classes, pixels.count);
    all.Add(counter.Flush(0));
  }
  return std::move(all).Finish();
}

Samples Merged(const std::vector<const Samples*>& tables) {
  SampleCounter all;
  for (const Samples* table : tables) all.Add(*table);
  return std::move(all).Finish();
}

// The table's pixels (rows, 3), class indices, counts and groups.
py::tuple Columns(const Samples& samples) {
  const auto count = static_cast<py::ssize_t>(samples.rows().size());
  py::array_t<std::uint8_t> pixels({count, py::ssize_t{3}}), classes(count);
  py::array_t<std::uint64_t> counts(count);
  py::array_t<std::uint32_t> groups(count);
  std::uint8_t *bgr = pixels.mutable_data(), *class_index = classes.mutable_data();
  std::uint64_t* row_count = counts.mutable_data();
  std::uint32_t* group = groups.mutable_data();
  {
    const WithoutGil unlocked;
    for (const SampleRow& row : samples.rows()) {
      for (const std::uint8_t byte : {row.b, row.g, row.r}) *bgr++ = byte;
      *class_index++ = static_cast<std::uint8_t>(row.class_index);
      *row_count++ = row.count;
      *group++ = row.group;
    }
  }
  return py::make_tuple(pixels, classes, counts, groups);
}

Samples Collect(const PairOptions& pairs, Stop& stop, const py::object& progress,
                const py::object& problem) {
  const WithoutGil unlocked;
  return CollectSamples(pairs, RunOf(stop, progress, problem));
}

ModelPtr TrainModel(const Samples& samples, const TrainOptions& options, Stop& stop,
                    const py::object& progress, const py::object& problem) {
  const WithoutGil unlocked;
  return std::make_shared<ModelObject>(Train(samples, options, RunOf(stop, progress, problem)));
}

void SetRule(TrainOptions& options, const std::string& name, double value, double fn_cost) {
  using Rule = DecisionRule::Kind;
  for (const auto& [known, kind] : {std::pair("threshold", Rule::kFixed),
                                    {"max_f1", Rule::kMaxF1},
                                    {"max_fpr", Rule::kMaxFpr},
                                    {"min_recall", Rule::kMinRecall},
                                    {"cost", Rule::kCost}})
    if (name == known) options.rule = {kind, value, fn_cost};
}

// Pictures and masks in memory, which stand among the pairs of files of a run, by the names that
// stand for files.
using ByteArray = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;
using Pictures = std::map<std::string, ByteArray>;

// The picture as a PNM file, which keeps every value, so that a picture in memory is treated like a
// file.
std::string PnmOf(const cv::Mat& picture) {
  const bool grey = picture.channels() == 1;
  cv::Mat pixels;
  if (grey)
    pixels = picture;
  else
    cv::cvtColor(picture, pixels, cv::COLOR_BGR2RGB);
  std::string bytes = fmt::format("{} {} {} 255\n", grey ? "P5" : "P6", pixels.cols, pixels.rows);
  return bytes.append(pixels.ptr<char>(), pixels.total() * pixels.elemSize());
}

// Copies of the options share the arrays. The last copy may be destroyed without the GIL, so the
// deleter acquires it.
void SetPictures(PairOptions& pairs, const py::dict& arrays) {
  const std::shared_ptr<Pictures> kept(new Pictures, [](Pictures* pictures) {
    const py::gil_scoped_acquire locked;
    delete pictures;
  });
  for (const auto& [name, object] : arrays)
    kept->emplace(name.cast<std::string>(), py::reinterpret_borrow<py::object>(object));
  pairs.bytes = [kept](const std::filesystem::path& path) -> std::optional<std::string> {
    const auto found = kept->find(path.string());
    if (found == kept->end()) return std::nullopt;
    const ByteArray& array = found->second;
    return PnmOf(cv::Mat(static_cast<int>(array.shape(0)), static_cast<int>(array.shape(1)),
                         array.ndim() == 3 ? CV_8UC3 : CV_8UC1,
                         const_cast<std::uint8_t*>(array.data())));
  };
}

void DefineTrainOptions(py::class_<TrainOptions> options) {
  using Options = TrainOptions;
  options.def(py::init<>())
      .def("rule", &SetRule)
      .def("set", [](Options& o, const std::string& name,
                     const std::string& text) { SetByKeyword(FitTable(), o.fit, name, text); })
      .def("validation",
           [](Options& o, const PairOptions& pairs) {
             o.validation = pairs;
             o.validation_name = pairs.listed.empty()
                                     ? NameOfFolder(pairs.images).string()
                                     : std::to_string(pairs.listed.size()) + " images";
           })
      .def("calibration",
           [](Options& o, const Samples& samples) {
             o.calibration = samples;
             o.calibration_name = "calibration samples";
           })
      .def("note", [](Options& o, const std::string& name, const std::string& text) {
        o.notes.emplace_back(name, text);
      });
}

void DefineSamples(py::module_& module) {
  py::class_<Samples>(module, "Samples")
      .def_static("of", &SamplesOf)
      .def_static("merged", &Merged, Unlocked())
      .def_static("collect", &Collect)
      .def_static("read", &ReadSamples, Unlocked())
      .def("format", &FormatSamples, Unlocked())
      .def(
          "save",
          [](const Samples& samples, const Path& path, bool overwrite) {
            SaveText(path, FormatSamples(samples), overwrite);
          },
          Unlocked())
      .def("ungrouped", &Samples::Ungrouped, Unlocked())
      .def("columns", &Columns)
      .def("total_of", [](const Samples& s, std::size_t index) { return s.Total(index); })
      .def_property_readonly("classes", &Samples::classes);
  py::class_<PairOptions>(module, "PairOptions")
      .def(py::init<>())
      .def_readwrite("images", &PairOptions::images)
      .def_readwrite("masks", &PairOptions::masks)
      .def_readwrite("listed", &PairOptions::listed)
      .def_readwrite("image_name", &PairOptions::image_name)
      .def_readwrite("mask_name", &PairOptions::mask_name)
      .def_readwrite("labels", &PairOptions::labels)
      .def_readwrite("ignored", &PairOptions::ignored)
      .def_readwrite("invert", &PairOptions::invert)
      .def_readwrite("whole", &PairOptions::whole_class)
      .def_readwrite("allow_missing", &PairOptions::allow_missing)
      .def_readwrite("step", &PairOptions::step)
      .def_readwrite("groups", &PairOptions::groups)
      .def_readwrite("max_pixels", &PairOptions::max_pixels);
  module.def("set_pictures", &SetPictures);
}

}  // namespace

void DefineTraining(py::module_& module) {
  DefineSamples(module);
  DefineTrainOptions(py::class_<TrainOptions>(module, "TrainOptions"));
  module.def("train", &TrainModel);
}

}  // namespace skinmask::python
