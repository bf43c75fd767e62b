#include "frames.h"

#include "skinmask/base/error.h"

namespace skinmask::gstreamer {
namespace {

using Layout = VideoFrame::Layout;

bool HasKnownColors(const GstVideoInfo& info) {
  switch (info.colorimetry.matrix) {
    case GST_VIDEO_COLOR_MATRIX_UNKNOWN:
    case GST_VIDEO_COLOR_MATRIX_BT601:
    case GST_VIDEO_COLOR_MATRIX_BT709:
      return true;
    default:
      return false;
  }
}

Layout LayoutOf(const GstVideoInfo& info) {
  if (GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_BGR) return Layout::kBgr;
  if (!HasKnownColors(info)) return Layout::kOther;
  switch (GST_VIDEO_INFO_FORMAT(&info)) {
    case GST_VIDEO_FORMAT_NV12:
      return Layout::kNv12;
    case GST_VIDEO_FORMAT_I420:
      return Layout::kI420;
    case GST_VIDEO_FORMAT_YUY2:
      return Layout::kYuyv;
    case GST_VIDEO_FORMAT_Y42B:
      return Layout::kI422;
    default:
      return Layout::kOther;
  }
}

}  // namespace

cv::Mat Packed(const GstVideoFrame& frame) {
  return cv::Mat(GST_VIDEO_FRAME_HEIGHT(&frame), GST_VIDEO_FRAME_WIDTH(&frame),
                 CV_8UC(GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, 0)),
                 GST_VIDEO_FRAME_PLANE_DATA(&frame, 0),
                 static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0)));
}

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

ToBgr::ToBgr(const GstVideoInfo& input) {
  gst_video_info_set_format(&bgr_, GST_VIDEO_FORMAT_BGR,
                            static_cast<guint>(GST_VIDEO_INFO_WIDTH(&input)),
                            static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&input)));
  if (LayoutOf(input) != Layout::kOther) return;
  bgr_.fps_n = input.fps_n;
  bgr_.fps_d = input.fps_d;
  bgr_.interlace_mode = input.interlace_mode;
  GstVideoInfo from = input;
  converter_.reset(gst_video_converter_new(&from, &bgr_, nullptr));
  if (!converter_)
    throw Error(gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&input)),
                "cannot be converted to BGR (put videoconvert before)");
}

cv::Mat ToBgr::operator()(GstVideoFrame& mapped, const VideoFrame& frame) {
  if (frame.layout == Layout::kBgr) return Packed(mapped);
  return converter_ ? Converted(mapped) : frame.StoredBgr();
}

cv::Mat ToBgr::Converted(GstVideoFrame& mapped) {
  cv::Mat bgr(GST_VIDEO_INFO_HEIGHT(&bgr_), GST_VIDEO_INFO_WIDTH(&bgr_), CV_8UC3);
  GstVideoFrame to{};
  to.info = bgr_;
  to.info.stride[0] = static_cast<gint>(bgr.step);
  to.data[0] = bgr.data;
  gst_video_converter_frame(converter_.get(), &mapped, &to);
  return bgr;
}

}  // namespace skinmask::gstreamer
