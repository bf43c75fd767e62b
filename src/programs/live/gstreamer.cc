// OpenPipeline (programs/live/source.h) and OpenSink (programs/live/recorder.h).
#include <fmt/format.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <string_view>
#include <thread>

#include "base/elapsed.h"
#include "programs/live/recorder.h"
#include "programs/live/source.h"
#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

struct GstUnref {
  void operator()(void* object) const { gst_object_unref(object); }
};
template <class T>
using GstRef = std::unique_ptr<T, GstUnref>;

std::string MessageOf(const GError* error) {
  return error ? error->message : "for no reason that it tells";
}

std::string ErrorIn(GstMessage* message) {
  g_autoptr(GError) error = nullptr;
  g_autofree gchar* details = nullptr;
  gst_message_parse_error(message, &error, &details);
  const bool format =
      details && std::string_view(details).find("not-negotiated") != std::string_view::npos;
  const char* const hint = " Its parts do not agree on a format (put videoconvert between them)";
  return MessageOf(error) + (format ? hint : "");
}

// A pipeline in the syntax of gst-launch; the destructor stops it. `name` is the subject of errors.
class UserPipeline {
 protected:
  UserPipeline(const std::string& description, const std::string& name) : name_(name) {
    gst_init(nullptr, nullptr);  // only the first call does anything
    g_autoptr(GError) error = nullptr;
    pipeline_.reset(
        gst_parse_launch_full(description.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error));
    if (!pipeline_ || error || !GST_IS_BIN(pipeline_.get()))
      throw Error(name_, "is no GStreamer pipeline: " + MessageOf(error));
    NoteArrivals();
  }
  ~UserPipeline() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

  GstBin* bin() const { return GST_BIN(pipeline_.get()); }
  GstRef<GstBus> bus() const { return GstRef<GstBus>(gst_element_get_bus(pipeline_.get())); }
  void Start() {
    if (gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
      throw Error(name_, "does not start: " + Complaint());
  }
  // Throws Error of the pipeline's first error, if there is one.
  void RequireRunning() const {
    if (const std::string complaint = Complaint(); !complaint.empty())
      throw Error(name_, "stops: " + complaint);
  }

  const std::string name_;
  std::atomic<bool> arrived_ = false;  // a buffer at a sink, since the last look

 private:
  // The first error on the bus; empty if there is none. Messages of other types that come before it
  // are dropped; nobody needs them.
  std::string Complaint() const {
    g_autoptr(GstMessage) message = gst_bus_pop_filtered(bus().get(), GST_MESSAGE_ERROR);
    return message ? ErrorIn(message) : "";
  }

  void NoteArrivals() {
    const auto note_at = [](const GValue* sink, gpointer arrived) {
      const auto note = [](GstPad*, GstPadProbeInfo*, gpointer it) {
        *static_cast<std::atomic<bool>*>(it) = true;
        return GST_PAD_PROBE_OK;
      };
      const GstRef<GstPad> pad(
          gst_element_get_static_pad(GST_ELEMENT(g_value_get_object(sink)), "sink"));
      constexpr auto kBuffers =
          static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST);
      if (pad) gst_pad_add_probe(pad.get(), kBuffers, note, arrived, nullptr);
    };
    g_autoptr(GstIterator) sinks = gst_bin_iterate_sinks(bin());
    gst_iterator_foreach(sinks, note_at, &arrived_);
  }

  GstRef<GstElement> pipeline_;
};

using Layout = VideoFrame::Layout;

// The formats that the appsink accepts: the layouts with kernels, and JPEG.
constexpr char kCaps[] = "video/x-raw,format=(string){BGR,I420,NV12,YUY2,Y42B};image/jpeg";

// A mapped frame, which holds its buffer. Its last owner unmaps it.
using Mapped = std::shared_ptr<const GstVideoFrame>;

Layout LayoutOf(GstVideoFormat format) {
  return format == GST_VIDEO_FORMAT_I420   ? Layout::kI420
         : format == GST_VIDEO_FORMAT_Y42B ? Layout::kI422
         : format == GST_VIDEO_FORMAT_NV12 ? Layout::kNv12
         : format == GST_VIDEO_FORMAT_YUY2 ? Layout::kYuyv
                                           : Layout::kBgr;
}

class PipelineSource : public FrameSource, private UserPipeline {
 public:
  PipelineSource(const std::string& description, const SourceOptions& options)
      : UserPipeline(description, description), options_(options) {
    if (!sink_)
      throw Error(name_,
                  "has no appsink to take frames from (end it with '! videoconvert ! appsink')");
    g_autoptr(GstCaps) caps = gst_caps_from_string(kCaps);
    g_autoptr(GstCaps) own = gst_app_sink_get_caps(sink_.get());
    g_autoptr(GstCaps) both = own ? gst_caps_intersect(own, caps) : gst_caps_ref(caps);
    if (gst_caps_is_empty(both))
      throw Error(name_,
                  "has an appsink for what is not read (BGR, I420, NV12, YUY2, Y42B and JPEG are)");
    gst_app_sink_set_caps(sink_.get(), both);
    // A queue of a few frames, so that a short pause loses none.
    if (gst_app_sink_get_max_buffers(sink_.get()) == 0)
      gst_app_sink_set_max_buffers(sink_.get(), 4);
    Start();
  }

  std::optional<LiveFrame> Read() override {
    constexpr GstClockTime kPatience = 100 * GST_MSECOND;
    const auto begin = Clock::now();
    while (!(options_.stop && *options_.stop)) {
      g_autoptr(GstSample) sample = gst_app_sink_try_pull_sample(sink_.get(), kPatience);
      const auto captured = Clock::now();
      if (sample) return LiveFrame{Wrap(sample), captured, pixel_aspect_};
      RequireRunning();
      if (gst_app_sink_is_eos(sink_.get())) return std::nullopt;
      if (SecondsSince(begin) > options_.timeout_seconds)
        throw Error(name_, fmt::format("no frame came within {} s", options_.timeout_seconds));
    }
    return std::nullopt;
  }

  Rational rate() const override { return rate_; }

 private:
  // The first appsink; null if there is none.
  GstRef<GstAppSink> FindSink() const {
    g_autoptr(GstIterator) all = gst_bin_iterate_all_by_element_factory_name(bin(), "appsink");
    g_auto(GValue) value = G_VALUE_INIT;
    if (gst_iterator_next(all, &value) != GST_ITERATOR_OK) return nullptr;
    return GstRef<GstAppSink>(GST_APP_SINK(g_value_dup_object(&value)));
  }

  VideoFrame Wrap(GstSample* sample) {
    GstCaps* const caps = gst_sample_get_caps(sample);
    GstBuffer* const buffer = gst_sample_get_buffer(sample);
    const GstStructure* const structure = gst_caps_get_structure(caps, 0);
    gst_structure_get_fraction(structure, "framerate", &rate_.num, &rate_.den);
    gst_structure_get_fraction(structure, "pixel-aspect-ratio", &pixel_aspect_.num,
                               &pixel_aspect_.den);
    if (gst_structure_has_name(structure, "image/jpeg")) {
      std::string bytes(gst_buffer_get_size(buffer), '\0');
      gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
      return DecodeJpegFrame(bytes, name_);
    }
    GstVideoInfo info;
    GstVideoFrame frame;
    if (!gst_video_info_from_caps(&info, caps) ||
        !gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ))
      throw Error(name_, "gives no pictures");
    const Mapped mapped(new GstVideoFrame(frame), [](GstVideoFrame* last) {
      gst_video_frame_unmap(last);
      delete last;
    });
    return Describe(mapped, gst_structure_get_string(structure, "colorimetry"));
  }

  // `told`: the colours in the caps, or null. (Where these do not tell the matrix, GStreamer
  // assumes BT.709 or BT.2020, by the number of rows, and forgets the range. As in files it is
  // BT.601 here.)
  VideoFrame Describe(const Mapped& mapped, const char* told) const {
    const GstVideoInfo& info = mapped->info;
    VideoFrame frame;
    frame.layout = LayoutOf(GST_VIDEO_INFO_FORMAT(&info));
    frame.size = {GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info)};
    GstVideoColorimetry colors{};
    if (frame.layout == Layout::kBgr || (told && !gst_video_colorimetry_from_string(&colors, told)))
      colors = info.colorimetry;
    if (colors.transfer == GST_VIDEO_TRANSFER_SMPTE2084 ||
        colors.transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67)
      throw Error(name_,
                  "gives HDR (PQ or HLG), which is converted only in files and streams "
                  "that FFmpeg reads");
    if (colors.matrix == GST_VIDEO_COLOR_MATRIX_BT709)
      frame.encoding.matrix = YuvEncoding::Matrix::kBt709;
    else if (frame.layout != Layout::kBgr && colors.matrix != GST_VIDEO_COLOR_MATRIX_BT601 &&
             colors.matrix != GST_VIDEO_COLOR_MATRIX_UNKNOWN)
      throw Error(name_,
                  "gives colours that are neither BT.601's nor BT.709's "
                  "(end it with '! videoconvert ! video/x-raw,format=BGR ! appsink')");
    if (colors.range == GST_VIDEO_COLOR_RANGE_0_255)
      frame.encoding.range = YuvEncoding::Range::kFull;
    for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES(mapped); ++i) {
      frame.planes[i] = static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(mapped, i));
      frame.strides[i] = GST_VIDEO_FRAME_PLANE_STRIDE(mapped, i);
    }
    frame.owner = mapped;
    return frame;
  }

  SourceOptions options_;
  GstRef<GstAppSink> sink_ = FindSink();
  Rational rate_{0, 1}, pixel_aspect_{1, 1};
};

// GStreamer aligns rows of raw video to four bytes.
GstBuffer* BufferOf(const cv::Mat& bgr) {
  const std::size_t row = 3 * static_cast<std::size_t>(bgr.cols), stride = (row + 3) / 4 * 4;
  const std::size_t bytes = stride * static_cast<std::size_t>(bgr.rows);
  GstBuffer* const buffer = gst_buffer_new_allocate(nullptr, bytes, nullptr);
  GstMapInfo map;
  gst_buffer_map(buffer, &map, GST_MAP_WRITE);
  bgr.copyTo(cv::Mat(bgr.size(), CV_8UC3, map.data, stride));
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

class PipelineSink : public FrameSink, private UserPipeline {
 public:
  PipelineSink(const std::string& rest, bool own_times)
      : UserPipeline(fmt::format("appsrc name=skinmask format=time is-live={0} do-timestamp={0} ! "
                                 "videoconvert ! {1}",
                                 !own_times, rest),
                     "sink '" + rest + "'"),
        own_times_(own_times) {
    // Without a clock sinks do not wait for timestamps, so frames pass as fast as possible.
    if (own_times_) gst_pipeline_use_clock(GST_PIPELINE(bin()), nullptr);
    Start();
  }

  void Write(const cv::Mat& picture, double seconds, Rational rate) override {
    RequireRunning();
    cv::Mat bgr = picture;
    if (picture.channels() == 1) cv::cvtColor(picture, bgr, cv::COLOR_GRAY2BGR);
    if (size_.empty()) SetFormat(bgr.size(), rate);
    if (bgr.size() != size_) cv::resize(bgr, bgr, size_, 0, 0, cv::INTER_AREA);
    WaitForRoom();
    GstBuffer* const buffer = BufferOf(bgr);
    if (own_times_) GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(seconds * GST_SECOND);
    if (gst_app_src_push_buffer(source_.get(), buffer) != GST_FLOW_OK) {
      RequireRunning();
      throw Error(name_, "takes no frames any more");
    }
  }

  void Finish() override {
    RequireRunning();
    gst_app_src_end_of_stream(source_.get());
    g_autoptr(GstMessage) message = nullptr;
    // An encoder may still have much to do.
    for (auto begin = Clock::now(); !message;) {
      message = gst_bus_timed_pop_filtered(
          bus().get(), 100 * GST_MSECOND,
          static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
      if (arrived_.exchange(false)) begin = Clock::now();
      if (!message && SecondsSince(begin) > kPatienceSeconds)
        throw Error(name_, "did not come to its end");
    }
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
      throw Error(name_, "stops: " + ErrorIn(message));
  }

 private:
  static constexpr double kPatienceSeconds = 5;

  void SetFormat(const cv::Size& size, Rational rate) {
    size_ = size;
    g_autoptr(GstCaps) caps =
        gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "BGR", "width", G_TYPE_INT,
                            size.width, "height", G_TYPE_INT, size.height, "framerate",
                            GST_TYPE_FRACTION, rate.num, std::max(1, rate.den), nullptr);
    gst_app_src_set_caps(source_.get(), caps);
  }

  void WaitForRoom() {
    constexpr std::uint64_t kMaxWaiting = 4;  // frames
    const auto start = Clock::now();
    while (gst_app_src_get_current_level_buffers(source_.get()) > kMaxWaiting) {
      RequireRunning();
      if (SecondsSince(start) > kPatienceSeconds) throw Error(name_, "takes no frames any more");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  bool own_times_;
  GstRef<GstAppSrc> source_{GST_APP_SRC(gst_bin_get_by_name(bin(), "skinmask"))};
  cv::Size size_;
};

}  // namespace

std::unique_ptr<FrameSource> OpenPipeline(const std::string& description,
                                          const SourceOptions& options) {
  return std::make_unique<PipelineSource>(description, options);
}

std::unique_ptr<FrameSink> OpenSink(const std::string& rest, bool own_times) {
  return std::make_unique<PipelineSink>(rest, own_times);
}

}  // namespace skinmask::live
