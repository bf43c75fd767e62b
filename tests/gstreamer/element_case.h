// The element skinmask in a harness, and frames for it.
#pragma once

#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "skinmask/media/image.h"
#include "skinmask/media/video.h"
#include "support/files.h"

namespace skinmask::testing {

// A frame of raw video in memory of its own: planes with rows of whatever length.
struct RawFrame {
  GstVideoInfo info;
  std::vector<std::uint8_t> bytes;

  std::uint8_t* plane(std::size_t i) { return bytes.data() + info.offset[i]; }
};

// The photograph of a face, moved by some pixels for each index.
inline cv::Mat Photo(const cv::Size& size, int index) {
  static const cv::Mat photo = ReadImage(SamplesFolder() / "photos/grace_hopper.jpg");
  const cv::Rect part(3 * index, 2 * index, photo.cols - 60, photo.rows - 60);
  cv::Mat scaled;
  cv::resize(photo(part), scaled, size, 0, 0, cv::INTER_AREA);
  return scaled;
}

// With `padding` bytes more than there need be after each row.
inline RawFrame EmptyFrame(GstVideoFormat format, const cv::Size& size, int padding) {
  RawFrame frame;
  gst_video_info_set_format(&frame.info, format, static_cast<guint>(size.width),
                            static_cast<guint>(size.height));
  gsize offset = 0;
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES(&frame.info); ++i) {
    frame.info.stride[i] += padding;
    frame.info.offset[i] = offset;
    offset += static_cast<gsize>(frame.info.stride[i]) *
              static_cast<gsize>(GST_VIDEO_INFO_COMP_HEIGHT(&frame.info, i));
  }
  frame.info.size = offset;
  frame.bytes.assign(offset, 0xee);
  return frame;
}

// Component `c` of a frame at x, y of the picture.
inline std::uint8_t& Component(RawFrame& frame, guint c, int x, int y) {
  const GstVideoInfo& info = frame.info;
  const int column = x >> info.finfo->w_sub[c], row = y >> info.finfo->h_sub[c];
  return frame.bytes[GST_VIDEO_INFO_COMP_OFFSET(&info, c) +
                     static_cast<gsize>(row * GST_VIDEO_INFO_COMP_STRIDE(&info, c) +
                                        column * GST_VIDEO_INFO_COMP_PSTRIDE(&info, c))];
}

// A picture in a format; YUV by BT.601 of limited range, with the chroma of the last pixel of each
// group.
inline RawFrame FrameOf(const cv::Mat& bgr, GstVideoFormat format, int padding = 0) {
  RawFrame frame = EmptyFrame(format, bgr.size(), padding);
  const bool yuv = GST_VIDEO_INFO_IS_YUV(&frame.info);
  for (int y = 0; y < bgr.rows; ++y)
    for (int x = 0; x < bgr.cols; ++x) {
      const cv::Vec3b& pixel = bgr.at<cv::Vec3b>(y, x);
      const double b = pixel[0], g = pixel[1], r = pixel[2];
      // GStreamer counts R as the first component.
      const double values[3] = {yuv ? 16 + 0.257 * r + 0.504 * g + 0.098 * b : r,
                                yuv ? 128 - 0.148 * r - 0.291 * g + 0.439 * b : g,
                                yuv ? 128 + 0.439 * r - 0.368 * g - 0.071 * b : b};
      for (guint c = 0; c < 3; ++c)
        Component(frame, c, x, y) = cv::saturate_cast<std::uint8_t>(values[c]);
    }
  return frame;
}

// The element in a harness. What it posts stands on `bus`.
class Element {
 public:
  explicit Element(const std::string& properties = "") {
    static const bool ready = [] {
      setenv("GST_PLUGIN_SYSTEM_PATH_1_0", "", 1);  // no other plug-in is asked for
      setenv("GST_REGISTRY", SKINMASK_PLUGIN ".test-registry", 1);
      gst_init(nullptr, nullptr);
      GstPlugin* const plugin = gst_plugin_load_file(SKINMASK_PLUGIN, nullptr);
      return plugin != nullptr;
    }();
    EXPECT_TRUE(ready) << SKINMASK_PLUGIN;
    harness_ = gst_harness_new_parse(("skinmask name=it " + properties).c_str());
    element_ = gst_bin_get_by_name(GST_BIN(harness_->element), "it");
    bus_ = gst_bus_new();
    gst_element_set_bus(harness_->element, bus_);
  }
  ~Element() {
    gst_element_set_bus(harness_->element, nullptr);
    gst_object_unref(bus_);
    gst_object_unref(element_);
    gst_harness_teardown(harness_);
  }
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  GstHarness* harness() const { return harness_; }
  GstElement* get() const { return element_; }

  void SetCaps(const GstVideoInfo& info) {
    GstVideoInfo plain = info;
    plain.fps_n = 25;
    plain.fps_d = 1;
    gst_harness_set_src_caps(harness_, gst_video_info_to_caps(&plain));
  }
  // What one frame becomes: its first plane, without what is between rows.
  cv::Mat Draw(const RawFrame& frame) {
    GstBuffer* const in = gst_buffer_new_memdup(frame.bytes.data(), frame.bytes.size());
    GST_BUFFER_PTS(in) = static_cast<GstClockTime>(frames_++) * 40 * GST_MSECOND;
    GstVideoInfo layout = frame.info;
    gst_buffer_add_video_meta_full(in, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&layout),
                                   static_cast<guint>(layout.width),
                                   static_cast<guint>(layout.height), layout.finfo->n_planes,
                                   layout.offset, layout.stride);
    if (gst_harness_push(harness_, in) != GST_FLOW_OK) return {};
    GstBuffer* const out = gst_harness_pull(harness_);
    GstCaps* const caps = gst_pad_get_current_caps(harness_->sinkpad);
    GstVideoInfo info;
    gst_video_info_from_caps(&info, caps);
    gst_caps_unref(caps);
    GstVideoFrame mapped;
    EXPECT_TRUE(gst_video_frame_map(&mapped, &info, out, GST_MAP_READ));
    format_ = gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&info));
    const cv::Mat pixels =
        cv::Mat(info.height, info.width, CV_8UC(GST_VIDEO_FRAME_COMP_PSTRIDE(&mapped, 0)),
                GST_VIDEO_FRAME_PLANE_DATA(&mapped, 0),
                static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&mapped, 0)))
            .clone();
    gst_video_frame_unmap(&mapped);
    gst_buffer_unref(out);
    return pixels;
  }
  // Of the last frame.
  const std::string& format() const { return format_; }

  // The text of the next message of a kind; empty where there is none.
  std::string Message(GstMessageType type) {
    GstMessage* const message = gst_bus_pop_filtered(bus_, type);
    if (!message) return "";
    GError* error = nullptr;
    if (type == GST_MESSAGE_ERROR) gst_message_parse_error(message, &error, nullptr);
    if (type == GST_MESSAGE_WARNING) gst_message_parse_warning(message, &error, nullptr);
    const std::string text = error ? error->message : "posted";
    g_clear_error(&error);
    gst_message_unref(message);
    return text;
  }

 private:
  GstHarness* harness_;
  GstElement* element_;
  GstBus* bus_;
  int frames_ = 0;
  std::string format_;
};

// Whether both are the same to the byte.
inline bool Same(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

}  // namespace skinmask::testing
