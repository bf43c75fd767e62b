#include "judge.h"

#include <algorithm>
#include <string>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/detect/outputs.h"

namespace skinmask::gstreamer {
namespace {

using Layout = VideoFrame::Layout;

Layout LayoutOf(const GstVideoInfo& info) {
  const GstVideoFormat format = GST_VIDEO_INFO_FORMAT(&info);
  if (format == GST_VIDEO_FORMAT_BGR) return Layout::kBgr;
  const GstVideoColorMatrix matrix = info.colorimetry.matrix;
  if (matrix != GST_VIDEO_COLOR_MATRIX_UNKNOWN && matrix != GST_VIDEO_COLOR_MATRIX_BT601 &&
      matrix != GST_VIDEO_COLOR_MATRIX_BT709)
    return Layout::kOther;
  if (format == GST_VIDEO_FORMAT_NV12) return Layout::kNv12;
  if (format == GST_VIDEO_FORMAT_I420) return Layout::kI420;
  if (format == GST_VIDEO_FORMAT_YUY2) return Layout::kYuyv;
  return format == GST_VIDEO_FORMAT_Y42B ? Layout::kI422 : Layout::kOther;
}

// The first plane of a mapped frame of a packed format, without a copy.
cv::Mat Packed(const GstVideoFrame& frame) {
  return cv::Mat(GST_VIDEO_FRAME_HEIGHT(&frame), GST_VIDEO_FRAME_WIDTH(&frame),
                 CV_8UC(GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, 0)),
                 GST_VIDEO_FRAME_PLANE_DATA(&frame, 0),
                 static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0)));
}

// A mapped frame without a copy. The layout is kOther if the library has none for its format or its
// colours (BT.2020). Throws Error if rows are stored upside down.
VideoFrame FrameOf(const GstVideoFrame& mapped) {
  const GstVideoInfo& info = mapped.info;
  VideoFrame frame;
  frame.layout = LayoutOf(info);
  frame.size = {GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info)};
  if (info.colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_BT709)
    frame.encoding.matrix = YuvEncoding::Matrix::kBt709;
  if (info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255)
    frame.encoding.range = YuvEncoding::Range::kFull;
  for (guint i = 0; i < GST_VIDEO_FRAME_N_PLANES(&mapped) && i < frame.planes.size(); ++i) {
    if (GST_VIDEO_FRAME_PLANE_STRIDE(&mapped, i) < 0)
      throw Error("frame", "has its rows from the bottom to the top (put videoconvert before)");
    frame.planes[i] = static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&mapped, i));
    frame.strides[i] = GST_VIDEO_FRAME_PLANE_STRIDE(&mapped, i);
  }
  return frame;
}

// The format of B G R pictures with the size and rate of `other`.
GstVideoInfo BgrLike(const GstVideoInfo& other) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_BGR,
                            static_cast<guint>(GST_VIDEO_INFO_WIDTH(&other)),
                            static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&other)));
  info.fps_n = other.fps_n;
  info.fps_d = other.fps_d;
  info.interlace_mode = other.interlace_mode;
  return info;
}

ConverterPtr MakeConverter(GstVideoInfo from, GstVideoInfo to) {
  ConverterPtr converter(gst_video_converter_new(&from, &to, nullptr));
  if (!converter)
    throw Error(gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&from)),
                std::string("cannot be converted to ") +
                    gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&to)) +
                    " (put videoconvert before and after)");
  return converter;
}

// Wraps a picture in B G R as a frame with the size and rate of `other`.
GstVideoFrame Wrapped(const cv::Mat& bgr, const GstVideoFrame& other) {
  GstVideoFrame frame{};
  frame.info = BgrLike(other.info);
  frame.info.stride[0] = static_cast<gint>(bgr.step);
  frame.data[0] = bgr.data;
  return frame;
}

bool IsAside(const Settings& settings, bool live) {
  return settings.search == Search::kAside || (settings.search == Search::kAuto && live);
}

// The number of frames until a search has shown whether its settings are valid.
int FramesToTry(bool aside) { return aside ? kLiveStream.search_lag_frames + 1 : 1; }

}  // namespace

void Judge::SetFormats(const GstVideoInfo& input, const GstVideoInfo& output) {
  const GstVideoTransferFunction transfer = input.colorimetry.transfer;
  if (transfer == GST_VIDEO_TRANSFER_SMPTE2084 || transfer == GST_VIDEO_TRANSFER_ARIB_STD_B67)
    throw Error("frames",
                "are HDR (PQ or HLG), which is converted only in files (skinmask detect)");
  to_bgr_.reset();
  from_bgr_.reset();
  if (LayoutOf(input) == Layout::kOther) to_bgr_ = MakeConverter(input, BgrLike(input));
  if (GST_VIDEO_INFO_FORMAT(&output) != GST_VIDEO_FORMAT_BGR)
    from_bgr_ = MakeConverter(BgrLike(output), output);
  rate_ = input.fps_d > 0 ? static_cast<double>(input.fps_n) / input.fps_d : 0;
  if (stream_) stream_->SetRate(rate_);
}

cv::Mat Judge::BgrOf(GstVideoFrame& mapped, const VideoFrame& frame) {
  if (frame.layout == Layout::kBgr) return Packed(mapped);
  if (!to_bgr_) return frame.StoredBgr();
  const cv::Mat bgr(frame.size, CV_8UC3);
  GstVideoFrame to = Wrapped(bgr, mapped);
  gst_video_converter_frame(to_bgr_.get(), &mapped, &to);
  return bgr;
}

void Judge::Prepare(const Settings& settings, bool live) {
  const bool aside = IsAside(settings, live);
  if (!prepared_ || aside != aside_ || !prepared_->SameStream(settings))
    return BeginAnew(settings, aside);
  const std::string threshold = settings.Text("threshold");
  if (prepared_->Text("threshold") == threshold) return;
  DetectorOptions options = stream_->detector().options();
  DetectorTable().Set(options, "threshold", threshold);
  stream_->Set(options);
  prepared_->texts["threshold"] = threshold;
}

void Judge::BeginAnew(const Settings& settings, bool aside) {
  const Model made = settings.model.empty() ? DefaultModel() : ReadModel(settings.model);
  DetectorOptions options = settings.options();
  // A file of faces while `adapt` is off is no mistake here, because `adapt` may be switched on
  // again. But it must be there.
  if (!options.by_faces() && !options.faces.empty()) {
    ReadFile(options.faces);
    options.faces.clear();
  }
  if (aside) options.hog.max_searched_pixels = options.hog.min_searched_pixels;
  const Detector detector(made, options);
  if (untried_frames_ == 0 || !before_) before_ = prepared_;
  prepared_ = settings;
  aside_ = aside;
  untried_frames_ = FramesToTry(aside);
  BeginStream(detector);
}

void Judge::BeginStream(const Detector& detector) {
  stream_.emplace(detector, aside_ ? kLiveStream : StreamOptions());
  stream_->SetRate(rate_);
}

void Judge::BeginScene() {
  if (!stream_) return;
  BeginStream(Detector(stream_->detector()));
  if (untried_frames_ > 0) untried_frames_ = FramesToTry(aside_);
}

void Judge::Draw(GstVideoFrame& in, Output output, GstVideoFrame& out) {
  const VideoFrame frame = FrameOf(in);
  Judgement judgement = stream_->Judge(Picture(frame, [&] { return BgrOf(in, frame); }));
  const int type = TypeOf(output);
  const bool as_it_is = type != CV_8UC3 || !from_bgr_;
  cv::Mat memory = as_it_is ? Packed(out) : drawn_;
  mask_.create(frame.size, CV_8UC1);
  judgement.SetMaskMemory(mask_);
  const cv::Mat drawn = skinmask::Draw(output, judgement, {}, memory);
  if (!as_it_is) {
    drawn_ = drawn;
    GstVideoFrame from = Wrapped(drawn, out);
    gst_video_converter_frame(from_bgr_.get(), &from, &out);
  } else if (drawn.data != memory.data) {
    drawn.copyTo(memory);
  }
  untried_frames_ = std::max(untried_frames_ - 1, 0);
}

bool Judge::TakeBack(const Settings& refused, bool live) {
  if (!prepared_->SameStream(refused)) return true;
  // Only the search differs, because the source turned out to be live: the stream goes on.
  if (const bool aside = IsAside(refused, live); aside != aside_) {
    aside_ = aside;
    return true;
  }
  if (!before_ || before_->SameStream(refused)) return false;
  const Settings good = *before_;
  BeginAnew(good, IsAside(good, live));
  before_.reset();
  untried_frames_ = 0;
  return true;
}

}  // namespace skinmask::gstreamer
