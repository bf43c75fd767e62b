// Pictures, streams of them, and videos.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <memory>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>

#include "answer.h"
#include "arrays.h"
#include "bindings.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/adapt_stream.h"
#include "skinmask/detect/region.h"
#include "skinmask/media/image.h"
#include "skinmask/media/video_clip.h"

namespace skinmask::python {
namespace {

using AnswersPtr = std::shared_ptr<Answers>;

int TypeOf(const Request& request) {
  if (request.output == Output::kOverlay) return CV_8UC3;
  if (request.output == Output::kCutout) return CV_8UC4;
  if (request.output != Output::kProbability || request.bits == 8) return CV_8UC1;
  return request.bits == 16 ? CV_16UC1 : CV_32FC1;
}

// Drawn pictures are of the channels that the caller's picture has; results go where he wants them.
cv::Mat Delivered(cv::Mat result, bool rgb, const cv::Mat& out) {
  if (rgb && result.channels() > 1)
    cv::cvtColor(result, result, result.channels() == 3 ? cv::COLOR_BGR2RGB : cv::COLOR_BGRA2RGBA);
  if (out.empty()) return result;
  if (result.data != out.data) result.copyTo(out);
  return out;
}

// adapt(bgr) gives the adaptation of the picture, a pointer or an optional.
template <class Adapt>
py::object Answered(const Answers& answers, const py::object& image, const Request& request,
                    bool rgb, const py::object& out, const Adapt& adapt) {
  const ImageArray array = ImageOf(image, rgb);
  const cv::Mat memory = WritableOf(out, array.pixels.size(), TypeOf(request), array.pixels);
  cv::Mat result;
  {
    const WithoutGil unlocked;
    const cv::Mat bgr = array.Bgr();
    const auto adaptation = adapt(bgr);
    result = answers.Of(request, bgr, adaptation ? &*adaptation : nullptr, memory);
    result = Delivered(std::move(result), rgb, memory);
  }
  return memory.empty() ? py::object(ArrayOf(result)) : out;
}

py::object Detect(const Answers& answers, const py::object& image, const Request& request, bool rgb,
                  const py::object& out) {
  const Adapter* const adapter = request.output == Output::kClasses ? nullptr : answers.adapter();
  return Answered(answers, image, request, rgb, out,
                  [&](const cv::Mat& bgr) { return adapter ? adapter->Adapt(bgr) : std::nullopt; });
}

// Frames of one camera, one after the other.
class Stream {
 public:
  explicit Stream(AnswersPtr answers) : answers_(std::move(answers)) {
    if (answers_->adapter()) follower_.emplace(answers_->detector().adapter());
  }

  py::object Detect(const py::object& image, const Request& request, bool rgb,
                    const py::object& out) {
    return Answered(*answers_, image, request, rgb, out,
                    [&](const cv::Mat& bgr) { return Follow(bgr); });
  }

  std::shared_ptr<const Adaptation> Follow(const cv::Mat& bgr) {
    if (!follower_) return nullptr;
    const std::lock_guard lock(mutex_);
    return follower_->Follow(bgr);
  }

  const Detector& detector() const { return answers_->detector(); }

 private:
  AnswersPtr answers_;
  std::mutex mutex_;
  std::optional<StreamAdapter> follower_;
};

// One frame of a video; pictures are made when they are asked for. It may be handed to any thread.
class Frame {
 public:
  Frame(VideoFrame stored, std::shared_ptr<Stream> stream)
      : stored_(std::move(stored)), stream_(std::move(stream)) {
    if (detector().adapter()) adaptation_ = stream_->Follow(Bgr());
  }

  std::int64_t index() const { return stored_.index; }
  double seconds() const { return stored_.seconds; }
  const cv::Mat& Bgr() const {
    return bgr_.Get([this] { return stored_.Bgr(); });
  }
  const cv::Mat& Mask() const {
    return mask_.Get([this] { return Made([this](auto&&... of) { detector().Mask(of...); }); });
  }
  const cv::Mat& Probability() const {
    return probability_.Get(
        [this] { return Made([this](auto&&... of) { detector().Probability(of...); }); });
  }
  std::optional<Region> RegionIn() const { return RegionOf(MapMomentsOf(Probability())); }
  const char* AdaptedBy() const {
    if (!adaptation_) return "nothing";
    return adaptation_->summary.by == AdaptationSummary::By::kSeeds ? "faces" : "image";
  }

 private:
  const Detector& detector() const { return stream_->detector(); }
  // What is adapted was so upright; all else is judged as it is stored.
  template <class Make>
  cv::Mat Made(const Make& make) const {
    cv::Mat map;
    if (adaptation_) {
      make(stored_, Bgr(), adaptation_.get(), map);
      return map;
    }
    make(stored_, detector().TakesYuv(stored_) ? cv::Mat() : stored_.StoredBgr(), nullptr, map);
    return stored_.Upright(map);
  }

  VideoFrame stored_;
  std::shared_ptr<Stream> stream_;
  std::shared_ptr<const Adaptation> adaptation_;
  Lazy<cv::Mat> bgr_, mask_, probability_;
};

class Video {
 public:
  Video(const std::filesystem::path& path, AnswersPtr answers, const VideoRange& range)
      : clip_(path.string(), {.addresses = false}, range),
        stream_(std::make_shared<Stream>(std::move(answers))) {}

  std::shared_ptr<Frame> Next() {
    const std::lock_guard lock(mutex_);
    std::optional<VideoFrame> frame = clip_.Read();
    return frame ? std::make_shared<Frame>(std::move(*frame), stream_) : nullptr;
  }
  const VideoInfo& info() const { return clip_.info(); }

 private:
  std::mutex mutex_;
  VideoClip clip_;
  std::shared_ptr<Stream> stream_;
};

VideoRange RangeOf(const std::optional<std::string>& from, const std::optional<std::string>& to) {
  VideoRange range;
  if (from) range.from = VideoTimeFromText(*from);
  if (to) range.to = VideoTimeFromText(*to);
  if (range.empty())
    throw Error("start and end", "leave no frame between them (" +
                                     (range.from ? TextOf(*range.from) : "the start") + " and " +
                                     TextOf(*range.to) + ")");
  return range;
}

// A picture of a frame as an array, which is not to be written to: the frame keeps it.
template <const cv::Mat& (Frame::*picture)() const>
py::array Shown(const Frame& frame) {
  const cv::Mat* made = nullptr;
  {
    const WithoutGil unlocked;
    made = &(frame.*picture)();
  }
  py::array array = ArrayOf(*made);
  array.attr("flags").attr("writeable") = false;
  return array;
}

std::optional<Region> RegionOfMap(const py::object& map) {
  const py::array array = MapOf(map);
  const cv::Mat picture(static_cast<int>(array.shape(0)), static_cast<int>(array.shape(1)), CV_8UC1,
                        const_cast<void*>(array.data()));
  const WithoutGil unlocked;
  return RegionOf(MapMomentsOf(picture));
}

py::array ReadPicture(const std::filesystem::path& path, bool rgb, std::int64_t max_pixels) {
  cv::Mat picture;
  {
    const WithoutGil unlocked;
    DecodeOptions options;
    options.max_pixels = max_pixels;
    picture = ReadImage(path, options);
    if (rgb) cv::cvtColor(picture, picture, cv::COLOR_BGR2RGB);
  }
  return ArrayOf(picture);
}

void DefineRegion(py::module_& module) {
  py::class_<Region> region(
      module, "Region", "Where skin is: the ellipse with the moments of a map of probabilities.");
  region.def_readonly("pixels", &Region::pixels)
      .def_property_readonly(
          "centroid", [](const Region& r) { return py::make_tuple(r.centroid.x, r.centroid.y); })
      .def_readonly("semi_major", &Region::semi_major)
      .def_readonly("semi_minor", &Region::semi_minor)
      .def_readonly("angle_degrees", &Region::angle_degrees)
      .def(py::pickle(
          [](const Region& r) {
            return py::make_tuple(r.pixels, r.centroid.x, r.centroid.y, r.semi_major, r.semi_minor,
                                  r.angle_degrees);
          },
          [](const py::tuple& t) {
            const auto number = [&](std::size_t i) { return t[i].cast<double>(); };
            return Region{number(0), {number(1), number(2)}, number(3), number(4), number(5)};
          }));
  Show(region, [](const Region& r) {
    const py::str text(
        "<skinmask.Region {:.1f} pixels at ({:.1f}, {:.1f}), half axes {:.1f} and {:.1f}, {:.1f} "
        "degrees>");
    return text.format(r.pixels, r.centroid.x, r.centroid.y, r.semi_major, r.semi_minor,
                       r.angle_degrees);
  });
}

void DefineFrame(py::module_& module) {
  py::class_<Frame, std::shared_ptr<Frame>> frame(
      module, "Frame",
      "One frame of a video. Its pictures are made when they are asked for; they are read-only.");
  frame.def_property_readonly("index", &Frame::index)
      .def_property_readonly("seconds", &Frame::seconds)
      .def_property_readonly("bgr", &Shown<&Frame::Bgr>)
      .def_property_readonly("mask", &Shown<&Frame::Mask>)
      .def_property_readonly("probability", &Shown<&Frame::Probability>)
      .def_property_readonly("adapted_by", &Frame::AdaptedBy)
      .def_property_readonly("region", py::cpp_function(&Frame::RegionIn, Unlocked()));
  Show(frame, [](const Frame& f) {
    return py::str("<skinmask.Frame {} at {:.3f} s>").format(f.index(), f.seconds());
  });
}

void DefineVideo(py::module_& module) {
  py::class_<Video> type(module, "Video",
                         "The frames of a video, one after the other: an iterator.");
  type.def(py::init([](const std::filesystem::path& path, AnswersPtr answers,
                       const std::optional<std::string>& from,
                       const std::optional<std::string>& to) {
        const VideoRange range = RangeOf(from, to);
        // A guard of the call would also be one of pybind11's own table of objects.
        const WithoutGil unlocked;
        return std::make_unique<Video>(path, std::move(answers), range);
      }))
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__",
           [](Video& video) {
             std::shared_ptr<Frame> frame;
             {
               const WithoutGil unlocked;
               frame = video.Next();
             }
             if (!frame) throw py::stop_iteration();
             return frame;
           })
      .def_property_readonly("frames", [](const Video& v) { return v.info().frames; })
      .def_property_readonly("rate", [](const Video& v) { return v.info().rate.Value(); });
  Show(type, [](const Video& v) {
    const VideoInfo& info = v.info();
    const py::str text("<skinmask.Video {}x{}, {:.6g} frames/s>");
    return text.format(info.size.width, info.size.height, info.rate.Value());
  });
}

}  // namespace

void DefinePictures(py::module_& module) {
  py::class_<Request>(module, "Request")
      .def(py::init([](const std::string& output, int bits,
                       std::optional<std::pair<double, double>> abstain) {
        return Request{OutputFromName(output), bits, abstain};
      }));
  DefineRegion(module);
  py::class_<Stream, std::shared_ptr<Stream>>(module, "Stream")
      .def(py::init<AnswersPtr>(), Unlocked())
      .def("detect", &Stream::Detect);
  module.def("detect", &Detect);
  module.def("region", &RegionOfMap);
  module.def("read_image", &ReadPicture);
  DefineFrame(module);
  DefineVideo(module);
}

}  // namespace skinmask::python
