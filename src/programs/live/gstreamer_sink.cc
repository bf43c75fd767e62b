#include "programs/live/gstreamer_sink.h"

#include <gst/video/video.h>

#include <algorithm>
#include <chrono>
#include <opencv2/imgproc.hpp>
#include <thread>

#include "base/elapsed.h"
#include "skinmask/base/error.h"

namespace skinmask::live {
namespace {

constexpr double kPatienceSeconds = 5;
constexpr std::uint64_t kMaxWaiting = 4;  // frames

// Rows of raw video begin at multiples of four bytes.
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

}  // namespace

PipelineSink::PipelineSink(const std::string& rest)
    : name_("sink '" + rest + "'"),
      pipeline_(
          "appsrc name=skinmask format=time is-live=true do-timestamp=true ! videoconvert ! " +
              rest,
          name_),
      source_(gst_bin_get_by_name(GST_BIN(pipeline_.get()), "skinmask")) {
  pipeline_.Start();
}

void PipelineSink::SetFormat(const cv::Size& size, Rational rate) {
  size_ = size;
  GstCaps* const caps =
      gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "BGR", "width", G_TYPE_INT,
                          size.width, "height", G_TYPE_INT, size.height, "framerate",
                          GST_TYPE_FRACTION, rate.num, std::max(1, rate.den), nullptr);
  gst_app_src_set_caps(GST_APP_SRC(source_.get()), caps);
  gst_caps_unref(caps);
}

void PipelineSink::ThrowComplaint() {
  if (const std::string complaint = pipeline_.Complaint(); !complaint.empty())
    throw Error(name_, "stops: " + complaint);
}

void PipelineSink::WaitForRoom() {
  const std::uint64_t frame = 3 * static_cast<std::uint64_t>(size_.area());
  const auto start = Clock::now();
  while (gst_app_src_get_current_level_bytes(GST_APP_SRC(source_.get())) > kMaxWaiting * frame) {
    ThrowComplaint();
    if (SecondsSince(start) > kPatienceSeconds) throw Error(name_, "takes no frames any more");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void PipelineSink::Write(const cv::Mat& picture, Rational rate) {
  ThrowComplaint();
  cv::Mat bgr = picture;
  if (picture.channels() == 1) cv::cvtColor(picture, bgr, cv::COLOR_GRAY2BGR);
  if (size_.empty()) SetFormat(bgr.size(), rate);
  if (bgr.size() != size_) cv::resize(bgr, bgr, size_, 0, 0, cv::INTER_AREA);
  WaitForRoom();
  GstBuffer* const buffer = BufferOf(bgr);
  if (gst_app_src_push_buffer(GST_APP_SRC(source_.get()), buffer) != GST_FLOW_OK) {
    ThrowComplaint();
    throw Error(name_, "takes no frames any more");
  }
}

void PipelineSink::Finish() {
  ThrowComplaint();
  gst_app_src_end_of_stream(GST_APP_SRC(source_.get()));
  if (!pipeline_.WaitForEnd(kPatienceSeconds)) throw Error(name_, "did not come to its end");
}

}  // namespace skinmask::live
