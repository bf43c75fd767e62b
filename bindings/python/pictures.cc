// Pictures, streams and videos.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <memory>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "arrays.h"
#include "bindings.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/media/image.h"
#include "skinmask/media/video.h"

namespace skinmask::python {
namespace {

using DetectorPtr = std::shared_ptr<DetectorObject>;

// The requested output of a picture.
struct Request {
  Output output = Output::kMask;
  OutputForm form;
  DetectorObject::Interval abstain;
};

// Gives drawn pictures the caller's order of channels, and copies results to `out` if there is one.
cv::Mat Delivered(cv::Mat result, bool rgb, const cv::Mat& out) {
  if (rgb && result.channels() > 1)
    cv::cvtColor(result, result, result.channels() == 3 ? cv::COLOR_BGR2RGB : cv::COLOR_BGRA2RGBA);
  if (out.empty()) return result;
  if (result.data != out.data) result.copyTo(out);
  return out;
}

// The output of judge(detector, picture), which takes a single picture, or the next frame of a
// stream.
template <class Judge>
py::object Answered(const DetectorObject& kept, const py::object& image, const Request& request,
                    bool rgb, const py::object& out, const Judge& judge) {
  const ImageArray array = ImageOf(image, rgb);
  const int type = TypeOf(request.output, request.form);
  const cv::Mat memory = WritableOf(out, array.pixels.size(), type, array.pixels);
  const cv::Mat result = CallWithoutGil([&] {
    const std::shared_ptr<const Detector> detector = kept.Abstaining(request.abstain);
    Judgement judgement = judge(*detector, array.Bgr());
    return Delivered(Draw(request.output, judgement, request.form, memory), rgb, memory);
  });
  return memory.empty() ? py::object(ArrayOf(result)) : out;
}

py::object Detect(const DetectorObject& kept, const py::object& image, const Request& request,
                  bool rgb, const py::object& out) {
  DetectorOptions asked = kept.asked();
  asked.abstain = request.abstain;
  RequireShown(asked, {request.output});
  // An array cannot hold measurements, nor the share of skin, which the threshold decides also
  // where the output is of classes.
  if (asked.threshold && KindOf(request.output).of_model_alone)
    throw Error("`threshold`", "is of P(skin), and `output` 'classes' is the likeliest class");
  if (asked.erode) throw Error("`erode`", "is of what judge, Stream and video measure");
  return Answered(kept, image, request, rgb, out,
                  [](const Detector& detector, const cv::Mat& bgr) { return detector.Judge(bgr); });
}

// A copy, because the picture is used later.
Picture KeptPicture(const py::object& image, bool rgb) {
  const ImageArray array = ImageOf(image, rgb);
  const WithoutGil unlocked;
  return Picture(array.Bgr().clone());
}

std::shared_ptr<Judged> Judge(std::shared_ptr<DetectorObject> kept, const py::object& image,
                              bool rgb) {
  Picture picture = KeptPicture(image, rgb);
  Judgement judgement = kept->detector().Judge(std::move(picture));
  return std::make_shared<Judged>(std::move(kept), std::move(judgement));
}

// The frames of one camera, one after the other.
class Frames {
 public:
  explicit Frames(DetectorPtr detector)
      : detector_(std::move(detector)), stream_(detector_->detector()) {}

  py::object Detect(const py::object& image, const Request& request, bool rgb,
                    const py::object& out) {
    DetectorOptions of_call;  // the stream's own options need not show in every output
    of_call.abstain = request.abstain;
    RequireShown(of_call, {request.output});
    return Answered(*detector_, image, request, rgb, out,
                    [this](const Detector& detector, const Picture& picture) {
                      return Judge(detector, picture);
                    });
  }
  // `detector` is the stream's, or one with other options.
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
  // Call before the first frame.
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
    if (!frame && !has_frame_) throw Error("video", "holds no frame between start and end");
    if (!frame) return nullptr;
    has_frame_ = true;
    return std::make_shared<Frame>(stream_, stream_->Judge(stream_->detector(), Picture(*frame)),
                                   frame->index, frame->seconds);
  }
  // Closes the file and its decoder after the frame that is being read; earlier frames stay valid.
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
  VideoInfo info_;                 // after that
  std::shared_ptr<Frames> stream_;
  bool has_frame_ = false;  // one was read
};

VideoRange RangeOf(const std::optional<std::string>& from, const std::optional<std::string>& to) {
  VideoRange range;
  if (from) range.from = VideoTimeFromText(*from, "start");
  if (to) range.to = VideoTimeFromText(*to, "end");
  if (range.empty())
    throw Error("start and end", "leave no frame between them (" +
                                     (range.from ? TextOf(*range.from) : "the start") + " and " +
                                     TextOf(*range.to) + ")");
  return range;
}

// decode() gives B G R.
template <class Decode>
py::array Decoded(bool rgb, const Decode& decode) {
  return ArrayOf(CallWithoutGil([&] {
    cv::Mat picture = decode();
    if (rgb) cv::cvtColor(picture, picture, cv::COLOR_BGR2RGB);
    return picture;
  }));
}

py::array ReadPicture(const std::filesystem::path& path, const DecodeOptions& options, bool rgb) {
  return Decoded(rgb, [&] { return ReadImage(path, options); });
}

py::array DecodePicture(std::string_view data, const std::string& name,
                        const DecodeOptions& options, bool rgb) {
  return Decoded(rgb, [&] { return DecodeImage(data, name, options); });
}

void DefineVideo(py::module_& module) {
  py::class_<Video> type(module, "Video",
                         "The frames of a video: an iterator, which `with` closes.");
  type.def(py::init([](const std::filesystem::path& path, DetectorPtr detector,
                       const std::optional<std::string>& from,
                       const std::optional<std::string>& to) {
        const VideoRange range = RangeOf(from, to);
        // Not as a guard of the call, which would include pybind11's own table of objects.
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
      .def("close", &Video::Close,
           "Closes the file. Earlier frames stay valid; asking for the next one raises an Error.")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](Video& video, const py::args&) { video.Close(); })
      .def_property_readonly(
          "frames", [](Video& v) { return v.info().frames; },
          "The number of frames by the container, or an estimate.")
      .def_property_readonly(
          "rate", [](Video& v) { return v.info().rate.Value(); },
          "Frames a second; 0 if it is unknown.");
  Show(type, [](Video& v) {
    const VideoInfo info = v.info();
    const py::str text("<skinmask.Video {}x{}, {:.6g} frames/s>");
    return text.format(info.size.width, info.size.height, info.rate.Value());
  });
}

}  // namespace

std::shared_ptr<const Detector> DetectorObject::Abstaining(const Interval& interval) const {
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
  py::class_<DecodeOptions>(module, "DecodeOptions")
      .def(py::init([](std::int64_t max_pixels, const std::string& isolate, double max_seconds) {
        DecodeOptions options;
        options.max_pixels = max_pixels;
        options.isolation = Isolation{IsolateFromName(isolate), max_seconds};
        return options;
      }));
  module.def("read_image", &ReadPicture);
  module.def("decode_image", &DecodePicture);
  DefineVideo(module);
}

}  // namespace skinmask::python
