// Pictures, streams of them, videos, and where the skin is.
#include <pybind11/operators.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <memory>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>

#include "arrays.h"
#include "bindings.h"
#include "judged.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/detect/region.h"
#include "skinmask/media/image.h"
#include "skinmask/media/video.h"

namespace skinmask::python {
namespace {

using DetectorPtr = std::shared_ptr<KeptDetector>;

// What is asked of a picture.
struct Request {
  Output output = Output::kMask;
  OutputForm form;
  KeptDetector::Interval abstain;
};

// Drawn pictures are of the channels that the caller's picture has; results go where he wants them.
cv::Mat Delivered(cv::Mat result, bool rgb, const cv::Mat& out) {
  if (rgb && result.channels() > 1)
    cv::cvtColor(result, result, result.channels() == 3 ? cv::COLOR_BGR2RGB : cv::COLOR_BGRA2RGBA);
  if (out.empty()) return result;
  if (result.data != out.data) result.copyTo(out);
  return out;
}

// judge(detector, picture) judges a picture of its own, or the next frame of a stream.
template <class Judge>
py::object Answered(const KeptDetector& kept, const py::object& image, const Request& request,
                    bool rgb, const py::object& out, const Judge& judge) {
  const ImageArray array = ImageOf(image, rgb);
  const int type = TypeOf(request.output, request.form);
  const cv::Mat memory = WritableOf(out, array.pixels.size(), type, array.pixels);
  cv::Mat result;
  {
    const WithoutGil unlocked;
    const std::shared_ptr<const Detector> detector = kept.Abstaining(request.abstain);
    Judgement judgement = judge(*detector, array.Bgr());
    result = Draw(request.output, judgement, request.form, memory);
    result = Delivered(std::move(result), rgb, memory);
  }
  return memory.empty() ? py::object(ArrayOf(result)) : out;
}

py::object Detect(const KeptDetector& kept, const py::object& image, const Request& request,
                  bool rgb, const py::object& out) {
  DetectorOptions asked = kept.asked();
  asked.abstain = request.abstain;
  RequireShown(asked, {request.output});
  // An array has no room for what is measured.
  if (asked.erode) throw Error("`erode`", "is of what judge, Stream and video measure");
  return Answered(kept, image, request, rgb, out,
                  [](const Detector& detector, const cv::Mat& bgr) { return detector.Judge(bgr); });
}

// A copy, since it is looked at when something is asked for.
Picture KeptPicture(const py::object& image, bool rgb) {
  const ImageArray array = ImageOf(image, rgb);
  const WithoutGil unlocked;
  return Picture(array.Bgr().clone());
}

std::shared_ptr<Judged> Judge(std::shared_ptr<KeptDetector> kept, const py::object& image,
                              bool rgb) {
  RequireShown(kept->asked(), {Output::kMask});
  Picture picture = KeptPicture(image, rgb);
  Judgement judgement = kept->detector().Judge(std::move(picture));
  return std::make_shared<Judged>(std::move(kept), std::move(judgement));
}

// Frames of one camera, one after the other.
class Frames {
 public:
  explicit Frames(DetectorPtr detector)
      : detector_(std::move(detector)), stream_(detector_->detector()) {}

  py::object Detect(const py::object& image, const Request& request, bool rgb,
                    const py::object& out) {
    DetectorOptions asked = detector_->asked();
    asked.abstain = request.abstain;  // its own, and outliers, are for the outputs that show them
    asked.outlier.reset();
    asked.draw.reset();
    RequireShown(asked, {request.output});
    return Answered(*detector_, image, request, rgb, out,
                    [this](const Detector& detector, const Picture& picture) {
                      return Judge(detector, picture);
                    });
  }
  // By the stream's detector, or one with other options.
  Judgement Judge(const Detector& detector, const Picture& picture) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const Adaptation> adaptation = stream_.Follow(picture);
    return {detector, picture, std::move(adaptation)};
  }

  std::shared_ptr<Judged> Judge(const std::shared_ptr<Frames>& self, const py::object& image,
                                bool rgb) {
    const Picture picture = KeptPicture(image, rgb);
    const WithoutGil unlocked;
    return std::make_shared<Judged>(self, Judge(detector(), picture));
  }

  const Detector& detector() const { return stream_.detector(); }
  // Before the first frame.
  void SetRate(double frames_per_second) { stream_.SetRate(frames_per_second); }

 private:
  DetectorPtr detector_;
  std::mutex mutex_;
  Stream stream_;
};

class Video {
 public:
  Video(const std::filesystem::path& path, DetectorPtr detector, const VideoRange& range)
      : clip_(std::in_place, path.string(), VideoOpenOptions{.addresses = false}, range),
        stream_(std::make_shared<Frames>(std::move(detector))) {
    stream_->SetRate(clip_->info().rate.Value());
  }

  std::shared_ptr<Frame> Next() {
    const WithoutGil unlocked;
    const std::lock_guard lock(mutex_);
    if (!clip_) throw Error("video", "is closed (skinmask.video opens it anew)");
    std::optional<VideoFrame> frame = clip_->Read();
    if (!frame) return nullptr;
    return std::make_shared<Frame>(stream_, stream_->Judge(stream_->detector(), Picture(*frame)),
                                   frame->index, frame->seconds);
  }
  // The file and its decoder go, after the frame that is being read; frames that were given stay.
  void Close() {
    const WithoutGil unlocked;
    const std::lock_guard lock(mutex_);
    if (clip_) info_ = clip_->info();
    clip_.reset();
  }
  VideoInfo info() {
    const WithoutGil unlocked;
    const std::lock_guard lock(mutex_);
    return clip_ ? clip_->info() : info_;
  }

 private:
  std::mutex mutex_;
  std::optional<VideoClip> clip_;  // until it is closed
  VideoInfo info_;                 // from then on
  std::shared_ptr<Frames> stream_;
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

std::optional<Region> RegionOfMap(const py::object& map) {
  const py::array array = MapOf(map);
  const cv::Mat picture(static_cast<int>(array.shape(0)), static_cast<int>(array.shape(1)), CV_8UC1,
                        const_cast<void*>(array.data()));
  const WithoutGil unlocked;
  return RegionOf(MapMomentsOf(picture));
}

void DefineRegion(py::module_& module) {
  py::class_<Region> region(
      module, "Region", "Where skin is: the ellipse with the moments of a map of probabilities.");
  region.def(py::self == py::self)
      .def("__hash__", [](const Region& r) { return py::hash(py::float_(r.pixels)); })
      .def_readonly("pixels", &Region::pixels)
      .def_property_readonly(
          "centroid", [](const Region& r) { return py::make_tuple(r.centroid.x, r.centroid.y); })
      .def_readonly("semi_major", &Region::semi_major)
      .def_readonly("semi_minor", &Region::semi_minor)
      .def_readonly("angle_degrees", &Region::angle_degrees)
      .def(py::pickle(
          [](const Region& r) {
            return std::array{r.pixels,     r.centroid.x, r.centroid.y,
                              r.semi_major, r.semi_minor, r.angle_degrees};
          },
          [](const std::array<double, 6>& n) {
            return Region{n[0], {n[1], n[2]}, n[3], n[4], n[5]};
          }));
  Show(region, [](const Region& r) {
    const py::str text(
        "<skinmask.Region {:.1f} pixels at ({:.1f}, {:.1f}), half axes {:.1f} and {:.1f}, {:.1f} "
        "degrees>");
    return text.format(r.pixels, r.centroid.x, r.centroid.y, r.semi_major, r.semi_minor,
                       r.angle_degrees);
  });
  module.def("region", &RegionOfMap);
}

void DefineVideo(py::module_& module) {
  py::class_<Video> type(
      module, "Video",
      "The frames of a video, one after the other: an iterator, which `with` closes.");
  type.def(py::init([](const std::filesystem::path& path, DetectorPtr detector,
                       const std::optional<std::string>& from,
                       const std::optional<std::string>& to) {
        const VideoRange range = RangeOf(from, to);
        RequireShown(detector->asked(), {Output::kMask});
        // A guard of the call would also be one of pybind11's own table of objects.
        const WithoutGil unlocked;
        return std::make_unique<Video>(path, std::move(detector), range);
      }))
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__",
           [](Video& video) {
             std::shared_ptr<Frame> frame = video.Next();
             if (!frame) throw py::stop_iteration();
             return frame;
           })
      .def("close", &Video::Close)
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](Video& video, const py::args&) { video.Close(); })
      .def_property_readonly("frames", [](Video& v) { return v.info().frames; })
      .def_property_readonly("rate", [](Video& v) { return v.info().rate.Value(); });
  Show(type, [](Video& v) {
    const VideoInfo info = v.info();
    const py::str text("<skinmask.Video {}x{}, {:.6g} frames/s>");
    return text.format(info.size.width, info.size.height, info.rate.Value());
  });
}

}  // namespace

std::shared_ptr<const Detector> KeptDetector::Abstaining(const Interval& interval) const {
  if (!interval || interval == detector_->options().abstain) return detector_;
  const std::lock_guard lock(mutex_);
  for (const auto& kept : abstaining_)
    if (kept->options().abstain == interval) return kept;
  DetectorOptions options = detector_->options();
  options.abstain = interval;
  constexpr std::size_t kMaxKept = 4;
  if (abstaining_.size() == kMaxKept) abstaining_.pop_front();
  return abstaining_.emplace_back(std::make_shared<const Detector>(detector_->With(options)));
}

void DefinePictures(py::module_& module) {
  py::class_<Request>(module, "Request")
      .def(py::init([](const std::string& output, int bits,
                       std::optional<std::pair<double, double>> abstain) {
        return Request{OutputFromName(output), {.bits = bits}, abstain};
      }));
  DefineRegion(module);
  DefineJudged(module);
  py::class_<Frames, std::shared_ptr<Frames>>(module, "Stream")
      .def(py::init<DetectorPtr>(), Unlocked())
      .def("set_rate", &Frames::SetRate)
      .def("detect", &Frames::Detect)
      .def("judge", [](const std::shared_ptr<Frames>& frames, const py::object& image, bool rgb) {
        return frames->Judge(frames, image, rgb);
      });
  module.def("detect", &Detect);
  module.def("judge", &Judge);
  module.def("read_image", &ReadPicture);
  DefineVideo(module);
}

}  // namespace skinmask::python
