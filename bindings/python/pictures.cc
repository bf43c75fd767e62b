// Pictures, streams and videos.
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <memory>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/outputs.h"
#include "skinmask/media/image.h"
#include "skinmask/media/video.h"

namespace skinmask::python {
namespace {

using Interval = std::optional<std::pair<double, double>>;

// Gives drawn pictures the caller's order of channels, and copies results to `out` if there is one.
cv::Mat Delivered(cv::Mat result, bool rgb, const cv::Mat& out) {
  if (rgb && result.channels() > 1)
    cv::cvtColor(result, result, result.channels() == 3 ? cv::COLOR_BGR2RGB : cv::COLOR_BGRA2RGBA);
  if (out.empty()) return result;
  if (result.data != out.data) result.copyTo(out);
  return out;
}

// The output of judge(picture), which takes a single picture, or the next frame of a stream.
template <class Judge>
py::object Answered(const py::object& image, Output output, int bits, bool rgb,
                    const py::object& out, const Judge& judge) {
  const ImageArray array = ImageOf(image, rgb);
  const OutputForm form{.bits = bits};
  const cv::Mat memory = WritableOf(out, array.pixels.size(), TypeOf(output, form), array.pixels);
  const cv::Mat result = CallWithoutGil([&] {
    Judgement judgement = judge(array.Bgr());
    return Delivered(Draw(output, judgement, form, memory), rgb, memory);
  });
  return memory.empty() ? py::object(ArrayOf(result)) : out;
}

py::object Detect(const Detector& detector, const py::object& image, const std::string& name,
                  int bits, bool rgb, const py::object& out) {
  const Output output = OutputFromName(name);
  const DetectorOptions& asked = detector.options();
  RequireShown(asked, {output});
  // An array cannot hold measurements, nor the share of skin, which the threshold decides also
  // where the output is of classes.
  if (asked.threshold && KindOf(output).of_model_alone)
    throw Error("`threshold`", "is of P(skin), and `output` 'classes' is the likeliest class");
  if (asked.erode) throw Error("`erode`", "is of what judge, Stream and video measure");
  return Answered(image, output, bits, rgb, out,
                  [&](const cv::Mat& bgr) { return detector.Judge(bgr); });
}

// A copy, because the picture is used later.
Picture KeptPicture(const py::object& image, bool rgb) {
  const ImageArray array = ImageOf(image, rgb);
  const WithoutGil unlocked;
  return Picture(array.Bgr().clone());
}

std::shared_ptr<Judged> Judge(std::shared_ptr<Detector> detector, const py::object& image,
                              bool rgb) {
  Judgement judgement = detector->Judge(KeptPicture(image, rgb));
  return std::make_shared<Judged>(std::move(detector), std::move(judgement));
}

// The frames of one camera, one after the other.
class Frames : public std::enable_shared_from_this<Frames> {
 public:
  // A rate of 0 frames a second is unknown.
  Frames(const Detector& detector, double rate) : stream_(detector) { stream_.SetRate(rate); }

  py::object Detect(const py::object& image, const std::string& name, int bits,
                    const Interval& abstain, bool rgb, const py::object& out) {
    const Output output = OutputFromName(name);
    DetectorOptions of_call;  // the stream's own options need not show in every output
    of_call.abstain = abstain;
    RequireShown(of_call, {output});
    std::shared_ptr<const Detector> detector;  // which the judgement needs
    return Answered(image, output, bits, rgb, out, [&](const cv::Mat& bgr) {
      detector = Abstaining(abstain);
      return Judge(bgr, *detector);
    });
  }
  std::shared_ptr<const Adaptation> Follow(const Picture& picture) {
    const std::lock_guard lock(mutex_);
    return stream_.Follow(picture);
  }
  // `detector` is the stream's, or one with other options.
  Judgement Judge(const Picture& picture, const Detector& detector) {
    return {detector, picture, Follow(picture)};
  }
  std::shared_ptr<Judged> JudgeImage(const py::object& image, bool rgb) {
    const Picture picture = KeptPicture(image, rgb);
    const WithoutGil unlocked;
    return std::make_shared<Judged>(shared_from_this(), Judge(picture, detector()));
  }

  const Detector& detector() const { return stream_.detector(); }

 private:
  // The stream's detector with this interval, which is kept for the next frame.
  std::shared_ptr<const Detector> Abstaining(const Interval& interval) {
    const std::lock_guard lock(mutex_);
    DetectorOptions options = detector().options();
    if (interval) options.abstain = interval;
    if (!with_interval_ || with_interval_->options().abstain != options.abstain)
      with_interval_ = std::make_shared<const Detector>(detector().With(options));
    return with_interval_;
  }

  std::mutex mutex_;
  Stream stream_;
  std::shared_ptr<const Detector> with_interval_;
};

class Video {
 public:
  Video(const std::filesystem::path& path, const Detector& detector, const VideoRange& range,
        bool seek)
      : clip_(std::in_place, path.string(), VideoOpenOptions{.addresses = false}, range),
        follows_(!seek && detector.adapter()),
        stream_(std::make_shared<Frames>(detector, clip_->info().rate.Value())) {}

  // Takes a frame before the range as that of the whole video; false if there is no further one.
  bool FollowOneBefore() {
    const WithoutGil unlocked;
    const auto lock = Lock();
    std::optional<VideoFrame> frame;
    if (clip_ && follows_) frame = clip_->ReadBefore();
    if (frame) stream_->Follow(Picture(*frame));
    return frame.has_value();
  }
  std::shared_ptr<Frame> Next() {
    const WithoutGil unlocked;
    const auto lock = Lock();
    if (!clip_) throw Error("video", "is closed (skinmask.video opens it anew)");
    std::optional<VideoFrame> frame = clip_->Read();
    if (!frame && !has_frame_) throw Error("video", "holds no frame between start and end");
    if (!frame) return nullptr;
    has_frame_ = true;
    return std::make_shared<Frame>(stream_, stream_->Judge(Picture(*frame), stream_->detector()),
                                   frame->index, frame->seconds);
  }
  // Closes the file and its decoder after the frame that is being read; earlier frames stay valid.
  void Close() {
    const WithoutGil unlocked;
    const auto lock = Lock();
    if (clip_) info_ = clip_->info();
    clip_.reset();
  }
  VideoInfo info() {
    const WithoutGil unlocked;
    const auto lock = Lock();
    return clip_ ? clip_->info() : info_;
  }

 private:
  // Threads take turns. Otherwise the one that follows frames would take the lock again before
  // another one that waits for it.
  std::unique_lock<std::mutex> Lock() {
    const std::lock_guard turn(turn_);
    return std::unique_lock(mutex_);
  }

  std::mutex turn_, mutex_;
  std::optional<VideoClip> clip_;  // until it is closed
  VideoInfo info_;                 // after that
  const bool follows_;             // the frames before the range
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

// The picture in the file `name`, or in `data` if that is given.
py::array ReadPicture(const std::string& name, const std::optional<std::string_view>& data,
                      const DecodeOptions& options, bool rgb) {
  return ArrayOf(CallWithoutGil([&] {
    cv::Mat picture = data ? DecodeImage(*data, name, options) : ReadImage(name, options);
    if (rgb) cv::cvtColor(picture, picture, cv::COLOR_BGR2RGB);
    return picture;
  }));
}

void DefineVideo(py::module_& module) {
  py::class_<Video> type(module, "Video",
                         "The frames of a video: an iterator, which `with` closes.");
  type.def(py::init([](const std::filesystem::path& path, const Detector& detector,
                       const std::optional<std::string>& from, const std::optional<std::string>& to,
                       bool seek) {
        const VideoRange range = RangeOf(from, to);
        // Not as a guard of the call, which would include pybind11's own table of objects.
        const WithoutGil unlocked;
        return std::make_unique<Video>(path, detector, range, seek);
      }))
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__",
           [](Video& video) {
             while (video.FollowOneBefore())  // perhaps many: Ctrl-C must end them
               if (PyErr_CheckSignals() != 0) throw py::error_already_set();
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

void DefinePictures(py::module_& module) {
  DefineJudged(module);
  py::class_<Frames, std::shared_ptr<Frames>>(module, "Stream")
      .def(py::init<const Detector&, double>(), Unlocked())
      .def("detect", &Frames::Detect)
      .def("judge", &Frames::JudgeImage);
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
  DefineVideo(module);
}

}  // namespace skinmask::python
