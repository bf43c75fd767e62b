#include <fmt/format.h>
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

#include "programs/live/gstreamer.h"
#include "programs/live/source.h"
#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

using Layout = VideoFrame::Layout;

// What the appsink takes unless the pipeline says: the layouts that there are kernels for, and
// JPEG.
constexpr char kCaps[] = "video/x-raw,format=(string){BGR,I420,NV12,YUY2,Y42B};image/jpeg";

// A mapped frame; unmapped with its last user.
struct Mapped {
  GstSample* sample = nullptr;
  GstVideoFrame frame{};
  bool mapped = false;
  ~Mapped() {
    if (mapped) gst_video_frame_unmap(&frame);
    if (sample) gst_sample_unref(sample);
  }
};

Layout LayoutOf(GstVideoFormat format) {
  switch (format) {
    case GST_VIDEO_FORMAT_I420:
      return Layout::kI420;
    case GST_VIDEO_FORMAT_Y42B:
      return Layout::kI422;
    case GST_VIDEO_FORMAT_NV12:
      return Layout::kNv12;
    case GST_VIDEO_FORMAT_YUY2:
      return Layout::kYuyv;
    default:
      return Layout::kBgr;
  }
}

class Pipeline : public FrameSource {
 public:
  Pipeline(const std::string& description, const SourceOptions& options)
      : name_(description), options_(options), pipeline_(description, description) {
    GstRef<GstElement> sink = pipeline_.Find("appsink");
    if (!sink)
      throw Error(name_,
                  "has no appsink to take frames from (end it with '! videoconvert ! appsink')");
    sink_.reset(GST_APP_SINK(sink.release()));
    Prepare();
    pipeline_.Start();
  }

  std::optional<LiveFrame> Read() override {
    constexpr GstClockTime kPatience = 100 * GST_MSECOND;
    const auto begin = Clock::now();
    while (!(options_.stop && *options_.stop)) {
      if (GstSample* const sample = gst_app_sink_try_pull_sample(sink_.get(), kPatience)) {
        const auto captured = Clock::now();
        return LiveFrame{Wrap(sample), captured};
      }
      if (const std::string complaint = pipeline_.Complaint(); !complaint.empty())
        throw Error(name_, "stops: " + complaint);
      if (gst_app_sink_is_eos(sink_.get())) return std::nullopt;
      if (SecondsSince(begin) > options_.timeout_seconds)
        throw Error(name_, fmt::format("no frame came within {} s", options_.timeout_seconds));
    }
    return std::nullopt;
  }

  Rational rate() const override { return rate_; }

 private:
  // Frames are taken as they come: a few may wait, so that a short pause loses none.
  void Prepare() {
    if (GstCaps* const own = gst_app_sink_get_caps(sink_.get())) {
      gst_caps_unref(own);
    } else {
      GstCaps* const caps = gst_caps_from_string(kCaps);
      gst_app_sink_set_caps(sink_.get(), caps);
      gst_caps_unref(caps);
    }
    if (gst_app_sink_get_max_buffers(sink_.get()) == 0)
      gst_app_sink_set_max_buffers(sink_.get(), 4);
  }

  VideoFrame Wrap(GstSample* sample) {
    const auto kept = std::make_shared<Mapped>();
    kept->sample = sample;
    GstCaps* const caps = gst_sample_get_caps(sample);
    GstBuffer* const buffer = gst_sample_get_buffer(sample);
    const GstStructure* const structure = gst_caps_get_structure(caps, 0);
    gst_structure_get_fraction(structure, "framerate", &rate_.num, &rate_.den);
    if (gst_structure_has_name(structure, "image/jpeg")) {
      std::string bytes(gst_buffer_get_size(buffer), '\0');
      gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
      return DecodeJpegFrame(bytes, name_);
    }
    GstVideoInfo info;
    if (!gst_video_info_from_caps(&info, caps) ||
        !gst_video_frame_map(&kept->frame, &info, buffer, GST_MAP_READ))
      throw Error(name_, "gives no pictures");
    kept->mapped = true;
    return Describe(kept);
  }

  VideoFrame Describe(const std::shared_ptr<Mapped>& kept) const {
    const GstVideoInfo& info = kept->frame.info;
    const GstVideoFormat format = GST_VIDEO_INFO_FORMAT(&info);
    VideoFrame frame;
    frame.layout = LayoutOf(format);
    if (frame.layout == Layout::kBgr && format != GST_VIDEO_FORMAT_BGR)
      throw Error(name_, fmt::format("gives {} (end it with '! videoconvert ! appsink')",
                                     gst_video_format_to_string(format)));
    frame.size = {GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info)};
    frame.encoding.matrix = info.colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_BT709
                                ? YuvEncoding::Matrix::kBt709
                                : YuvEncoding::Matrix::kBt601;
    frame.encoding.range = info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255
                               ? YuvEncoding::Range::kFull
                               : YuvEncoding::Range::kLimited;
    for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES(&kept->frame); ++i) {
      frame.planes[i] =
          static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&kept->frame, i));
      frame.strides[i] = GST_VIDEO_FRAME_PLANE_STRIDE(&kept->frame, i);
    }
    frame.owner = kept;
    return frame;
  }

  std::string name_;
  SourceOptions options_;
  GstPipeline pipeline_;
  GstRef<GstAppSink> sink_;
  Rational rate_{0, 1};
};

}  // namespace

std::unique_ptr<FrameSource> OpenPipeline(const std::string& description,
                                          const SourceOptions& options) {
  return std::make_unique<Pipeline>(description, options);
}

}  // namespace skinmask::live
