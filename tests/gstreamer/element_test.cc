// What the element makes of frames is what the library makes of them, whatever their format, size
// and strides.
#include <memory>

#include "element_case.h"
#include "skinmask/detect/adapt_stream.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/detector.h"
#include "skinmask/detect/draw.h"
#include "skinmask/detect/frame_posterior.h"
#include "skinmask/detect/outputs.h"

namespace skinmask {
namespace {

using testing::Element;
using testing::FrameOf;
using testing::Photo;
using testing::RawFrame;
using testing::Same;
using Layout = VideoFrame::Layout;

// The same frame for the library.
VideoFrame LibraryFrame(RawFrame& raw) {
  VideoFrame frame;
  switch (GST_VIDEO_INFO_FORMAT(&raw.info)) {
    case GST_VIDEO_FORMAT_NV12:
      frame.layout = Layout::kNv12;
      break;
    case GST_VIDEO_FORMAT_I420:
      frame.layout = Layout::kI420;
      break;
    case GST_VIDEO_FORMAT_Y42B:
      frame.layout = Layout::kI422;
      break;
    case GST_VIDEO_FORMAT_YUY2:
      frame.layout = Layout::kYuyv;
      break;
    default:
      break;
  }
  frame.size = {raw.info.width, raw.info.height};
  for (std::size_t i = 0; i < raw.info.finfo->n_planes; ++i) {
    frame.planes[i] = raw.plane(i);
    frame.strides[i] = raw.info.stride[i];
  }
  return frame;
}

// Its BGR: of formats that are that already, the picture itself.
cv::Mat BgrOf(RawFrame& raw, const cv::Mat& picture) {
  return GST_VIDEO_INFO_IS_YUV(&raw.info) ? LibraryFrame(raw).StoredBgr() : picture;
}

constexpr GstVideoFormat kFormats[] = {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420,
                                       GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_Y42B,
                                       GST_VIDEO_FORMAT_BGR,  GST_VIDEO_FORMAT_BGRx};

TEST(GstreamerElement, DrawsWhatTheLibraryDrawsOfEveryFormat) {
  const FramePosterior posterior(DefaultModel());
  for (const cv::Size size : {cv::Size(320, 240), cv::Size(321, 243), cv::Size(1, 1)})
    for (const GstVideoFormat format : kFormats)
      for (const int padding : {0, 20}) {
        SCOPED_TRACE(std::string(gst_video_format_to_string(format)) + " " +
                     std::to_string(size.width) + " padded by " + std::to_string(padding));
        const cv::Mat picture = Photo(size, 0);
        RawFrame raw = FrameOf(picture, format, padding);
        const VideoFrame frame = LibraryFrame(raw);
        const cv::Mat bgr = BgrOf(raw, picture);
        const cv::Mat mask = GST_VIDEO_INFO_IS_YUV(&raw.info)
                                 ? posterior.Mask(frame)
                                 : DetectMask(posterior.posterior(), bgr);
        static const double kThreshold = DefaultModel().decision.threshold;
        const auto drawn = [&](const char* output) {
          Element element(std::string("adapt=off output=") + output);
          element.SetCaps(raw.info);
          return element.Draw(raw);
        };
        EXPECT_TRUE(Same(drawn("mask"), mask));
        EXPECT_TRUE(
            Same(drawn("probability"), GST_VIDEO_INFO_IS_YUV(&raw.info)
                                           ? posterior.Probability(frame)
                                           : DetectProbability(posterior.posterior(), bgr)));
        EXPECT_TRUE(Same(drawn("overlay"), DrawOverlay(bgr, mask)));
        EXPECT_TRUE(Same(
            drawn("cutout"),
            CutOut(bgr, FeatheredAlpha(mask, drawn("probability"), kThreshold, FeatherOf(size)))));
        if (format == GST_VIDEO_FORMAT_BGR) {
          const Detector detector(DefaultModel(), nullptr);
          for (const OutputKind& kind : OutputKinds()) {
            Judgement judgement = detector.Judge(picture);
            EXPECT_TRUE(Same(drawn(kind.name.data()), Draw(kind.output, judgement))) << kind.name;
          }
        }
      }
}

// A stream: the model is carried from frame to frame as StreamAdapter carries it.
TEST(GstreamerElement, AdaptsAsTheLibraryDoes) {
  const Model model = DefaultModel();
  for (const bool by_image : {true, false}) {
    std::vector<std::unique_ptr<SeedFinder>> finders;
    finders.push_back(HogFaceFinder());
    AdaptOptions options;
    options.image.enabled = by_image;
    const auto adapter = std::make_shared<const Adapter>(model, model.decision.threshold,
                                                         std::move(finders), options);
    StreamAdapter stream(adapter);
    Element element(std::string("search=wait output=overlay adapt=") +
                    (by_image ? "auto" : "faces"));
    for (int i = 0; i < 10; ++i) {
      const cv::Mat picture = Photo({200, 240}, i);
      if (i == 0) element.SetCaps(FrameOf(picture, GST_VIDEO_FORMAT_BGR).info);
      const auto adaptation = stream.Follow(picture);
      ASSERT_TRUE(adaptation);
      EXPECT_EQ(adaptation->summary.faces, 1);
      const cv::Mat mask = adapter->Mask(picture, *adaptation, model.decision.threshold);
      EXPECT_TRUE(
          Same(element.Draw(FrameOf(picture, GST_VIDEO_FORMAT_BGR)), DrawOverlay(picture, mask)));
    }
  }
}

// Encodings that are told in the caps are obeyed; those that the library does not know go through
// GStreamer's own conversion.
TEST(GstreamerElement, ObeysTheColorimetry) {
  const FramePosterior posterior(DefaultModel());
  RawFrame raw = FrameOf(Photo({320, 240}, 0), GST_VIDEO_FORMAT_I420);
  VideoFrame frame = LibraryFrame(raw);
  const cv::Mat of_601 = posterior.Mask(frame);
  frame.encoding = {YuvEncoding::Matrix::kBt709, YuvEncoding::Range::kFull};
  const cv::Mat of_709 = posterior.Mask(frame);
  ASSERT_FALSE(Same(of_601, of_709));
  frame.encoding.matrix = YuvEncoding::Matrix::kBt601;
  const cv::Mat of_full = posterior.Mask(frame);
  const auto drawn = [&](const char* colorimetry) {
    EXPECT_TRUE(gst_video_colorimetry_from_string(&raw.info.colorimetry, colorimetry));
    Element element("adapt=off");
    element.SetCaps(raw.info);
    return element.Draw(raw);
  };
  EXPECT_TRUE(Same(drawn("bt601"), of_601));
  EXPECT_TRUE(Same(drawn("1:3:0:0"), of_709));
  EXPECT_TRUE(Same(drawn("1:0:0:0"), of_full));  // untold: BT.601, as in files
  const cv::Mat of_2020 = drawn("bt2020");
  EXPECT_EQ(of_2020.size(), of_601.size());
  EXPECT_LT(cv::norm(of_2020, of_601, cv::NORM_L1) / 255, 0.1 * 320 * 240);
}

// Overlays come out as what sinks show, too.
TEST(GstreamerElement, OverlaysTakeTheFormatThatIsWanted) {
  const cv::Mat picture = Photo({322, 240}, 0);
  const RawFrame raw = FrameOf(picture, GST_VIDEO_FORMAT_BGR);
  const auto drawn = [&](const char* format) {
    Element element("adapt=off output=overlay");
    const std::string caps = std::string("video/x-raw,format=") + format;
    gst_harness_set_sink_caps_str(element.harness(), caps.c_str());
    element.SetCaps(raw.info);
    const cv::Mat pixels = element.Draw(raw);
    EXPECT_EQ(element.format(), format);
    return pixels;
  };
  const cv::Mat overlay = DrawOverlay(picture, DetectMask(Posterior(DefaultModel()), picture));
  EXPECT_TRUE(Same(drawn("BGR"), overlay));
  cv::Mat bgr;
  cv::cvtColor(drawn("BGRx"), bgr, cv::COLOR_BGRA2BGR);
  EXPECT_TRUE(Same(bgr, overlay));
  cv::cvtColor(drawn("RGB"), bgr, cv::COLOR_RGB2BGR);
  EXPECT_TRUE(Same(bgr, overlay));
  cv::Mat luma;  // of limited range
  cv::cvtColor(overlay, luma, cv::COLOR_BGR2GRAY);
  luma.convertTo(luma, CV_8U, 219 / 255., 16);
  for (const char* const format : {"I420", "NV12", "YV12"})
    EXPECT_LE(cv::norm(drawn(format), luma, cv::NORM_INF), 2) << format;
}

TEST(GstreamerElement, KeepsTimesAndSizes) {
  Element element("adapt=off output=cutout");
  const RawFrame raw = FrameOf(Photo({66, 50}, 0), GST_VIDEO_FORMAT_BGR);
  element.SetCaps(raw.info);
  element.Draw(raw);
  GstCaps* const caps = gst_pad_get_current_caps(element.harness()->sinkpad);
  const GstStructure* const structure = gst_caps_get_structure(caps, 0);
  gint width = 0, height = 0, num = 0, den = 0;
  EXPECT_TRUE(gst_structure_get(structure, "width", G_TYPE_INT, &width, "height", G_TYPE_INT,
                                &height, "framerate", GST_TYPE_FRACTION, &num, &den, nullptr));
  EXPECT_EQ(cv::Size(width, height), cv::Size(66, 50));
  EXPECT_EQ(num, 25);
  EXPECT_EQ(den, 1);
  gst_caps_unref(caps);
  const RawFrame other = FrameOf(Photo({66, 50}, 1), GST_VIDEO_FORMAT_BGR);
  gst_harness_push(element.harness(),
                   gst_harness_create_buffer(element.harness(), other.bytes.size()));
  GstBuffer* const buffer = gst_harness_pull(element.harness());
  EXPECT_FALSE(GST_BUFFER_PTS_IS_VALID(buffer));
  gst_buffer_unref(buffer);
}

}  // namespace
}  // namespace skinmask
