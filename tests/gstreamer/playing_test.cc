// The element while frames come: properties that change, caps that change, files that are none, and
// the latency.
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

#include <atomic>
#include <memory>
#include <thread>

#include "element_case.h"
#include "skinmask/data/samples.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/detect/draw.h"
#include "skinmask/learn/fit.h"
#include "support/files.h"

namespace skinmask {
namespace {

using testing::Element;
using testing::FrameOf;
using testing::Photo;
using testing::RawFrame;
using testing::Same;

class GstreamerPlaying : public testing::FolderTest {
 protected:
  // A frame in BGR, which the global model judges.
  cv::Mat picture_ = Photo({160, 120}, 0);
  RawFrame frame_ = FrameOf(picture_, GST_VIDEO_FORMAT_BGR);

  cv::Mat MaskBy(const Model& model) const { return DetectMask(Posterior(model), picture_); }
  cv::Mat MaskAt(double threshold) const {
    Model model = DefaultModel();
    model.decision.threshold = threshold;
    return MaskBy(model);
  }
};

void Set(Element& element, const char* property, const std::string& value) {
  gst_util_set_object_arg(G_OBJECT(element.get()), property, value.c_str());
}

TEST_F(GstreamerPlaying, TheOutputChangesWithTheNextFrame) {
  Element element("adapt=off");
  element.SetCaps(frame_.info);
  const cv::Mat mask = MaskBy(DefaultModel());
  for (int i = 0; i < 2; ++i) {
    Set(element, "output", "mask");
    EXPECT_TRUE(Same(element.Draw(frame_), mask));
    EXPECT_EQ(element.format(), "GRAY8");
    Set(element, "output", "probability");
    EXPECT_TRUE(Same(element.Draw(frame_), DetectProbability(Posterior(DefaultModel()), picture_)));
    Set(element, "output", "cutout");
    const cv::Mat alpha =
        FeatheredAlpha(mask, DetectProbability(Posterior(DefaultModel()), picture_),
                       DefaultModel().decision.threshold, FeatherOf(picture_.size()));
    EXPECT_TRUE(Same(element.Draw(frame_), CutOut(picture_, alpha)));
    EXPECT_EQ(element.format(), "BGRA");
    Set(element, "output", "overlay");
    EXPECT_TRUE(Same(element.Draw(frame_), DrawOverlay(picture_, mask)));
    EXPECT_EQ(element.format(), "BGR");
  }
}

TEST_F(GstreamerPlaying, ThresholdPriorAndModelChangeWithTheNextFrame) {
  Element element("adapt=off");
  element.SetCaps(frame_.info);
  const cv::Mat own = MaskBy(DefaultModel());
  ASSERT_FALSE(Same(own, MaskAt(0.9)));
  EXPECT_TRUE(Same(element.Draw(frame_), own));
  Set(element, "threshold", "0.9");
  EXPECT_TRUE(Same(element.Draw(frame_), MaskAt(0.9)));
  Set(element, "threshold", "-1");
  EXPECT_TRUE(Same(element.Draw(frame_), own));
  Set(element, "prior", "0.01");
  EXPECT_TRUE(Same(element.Draw(frame_), MaskBy(WithPrior(DefaultModel(), 0.01))));
  Set(element, "prior", "-1");
  const std::string file = (testing::fs::path(SKINMASK_SOURCE) / "models/uci.json").string();
  Set(element, "model", file);
  EXPECT_TRUE(Same(element.Draw(frame_), MaskBy(ReadModel(file))));
  Set(element, "model", "");
  EXPECT_TRUE(Same(element.Draw(frame_), own));
}

// The threshold follows a curve in time.
TEST_F(GstreamerPlaying, AControllerMovesTheThreshold) {
  Element element("adapt=off");
  element.SetCaps(frame_.info);
  GstControlSource* const curve = gst_interpolation_control_source_new();
  auto* const values = reinterpret_cast<GstTimedValueControlSource*>(curve);
  gst_timed_value_control_source_set(values, 0, 0.9);
  gst_timed_value_control_source_set(values, 40 * GST_MSECOND, 0.2);
  gst_object_add_control_binding(
      GST_OBJECT(element.get()),
      gst_direct_control_binding_new_absolute(GST_OBJECT(element.get()), "threshold", curve));
  gst_object_unref(curve);
  EXPECT_TRUE(Same(element.Draw(frame_), MaskAt(0.9)));
  EXPECT_TRUE(Same(element.Draw(frame_), MaskAt(0.2)));
}

// What cannot be had is one line on the bus, once, and what was set before holds.
TEST_F(GstreamerPlaying, WhatCannotBeHadIsAWarning) {
  Element element("adapt=off");
  element.SetCaps(frame_.info);
  const cv::Mat own = MaskBy(DefaultModel());
  element.Draw(frame_);
  Set(element, "model", "none.json");
  EXPECT_TRUE(Same(element.Draw(frame_), own));
  EXPECT_TRUE(Same(element.Draw(frame_), own));
  EXPECT_EQ(element.Message(GST_MESSAGE_WARNING).substr(0, 11), "none.json: ");
  EXPECT_EQ(element.Message(GST_MESSAGE_WARNING), "");
  Set(element, "model", "");
  Set(element, "prior", "1");
  EXPECT_TRUE(Same(element.Draw(frame_), own));
  EXPECT_NE(element.Message(GST_MESSAGE_WARNING).find("prior"), std::string::npos);
  Set(element, "prior", "-1");
  Set(element, "threshold", "0.9");
  EXPECT_TRUE(Same(element.Draw(frame_), MaskAt(0.9)));
  EXPECT_EQ(element.Message(GST_MESSAGE_WARNING), "");
}

std::string Get(Element& element, const char* property) {
  char* text = nullptr;
  g_object_get(element.get(), property, &text, nullptr);
  const std::string copy = text ? text : "";
  g_free(text);
  return copy;
}

// What was refused is what it was, as all that was set with it, and does not stand in the way of
// what is set after it.
TEST_F(GstreamerPlaying, WhatIsRefusedKeepsNothingLaterAway) {
  Element wanted("adapt=off abstain=0.2,0.8 prior=0.01");
  wanted.SetCaps(frame_.info);
  const cv::Mat other = wanted.Draw(frame_);
  Element element("adapt=off abstain=0.2,0.8");
  element.SetCaps(frame_.info);
  const cv::Mat own = element.Draw(frame_);
  ASSERT_FALSE(Same(own, other));
  Set(element, "abstain", "x");
  Set(element, "prior", "0.01");
  EXPECT_TRUE(Same(element.Draw(frame_), own));
  EXPECT_NE(element.Message(GST_MESSAGE_WARNING).find("abstain"), std::string::npos);
  EXPECT_EQ(Get(element, "abstain"), "0.2,0.8");
  Set(element, "prior", "0.01");
  EXPECT_TRUE(Same(element.Draw(frame_), other));
  EXPECT_EQ(element.Message(GST_MESSAGE_WARNING), "");
}

// Two that can only be had together are no warning.
TEST_F(GstreamerPlaying, WhatIsSetTogetherIsTriedTogether) {
  Element element("adapt=off outlier=0.9");
  element.SetCaps(frame_.info);
  element.Draw(frame_);
  FitOptions logistic;  // has no densities, and nothing is an outlier of it
  logistic.kind = Kind::kLogistic;
  const Model model = Fit(ReadSamples(testing::SamplesFolder() / "labelled-pixels.csv"), logistic);
  Put("logistic.json", ModelToJson(model));
  Set(element, "model", Path("logistic.json").string());
  Set(element, "outlier", "-1");
  EXPECT_TRUE(Same(element.Draw(frame_), MaskBy(model)));
  EXPECT_EQ(element.Message(GST_MESSAGE_WARNING), "");
}

// A seed that no frame can have, which is seen when one comes.
TEST_F(GstreamerPlaying, SeedsBeyondTheFrameAreAWarning) {
  for (const char* search : {"wait", "aside"}) {
    Element element(std::string("adapt=faces search=") + search);
    element.SetCaps(frame_.info);
    const cv::Mat own = element.Draw(frame_);
    Set(element, "seed-rect", "100000,0,50,50");
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(Same(element.Draw(frame_), own));
    const std::string warning = element.Message(GST_MESSAGE_WARNING);
    EXPECT_NE(warning.find("is not within the image"), std::string::npos) << search << warning;
    EXPECT_EQ(Get(element, "seed-rect"), "");
    Set(element, "steady", "0.1");
    for (int i = 0; i < 6; ++i) element.Draw(frame_);
    EXPECT_EQ(element.Message(GST_MESSAGE_WARNING), "");
  }
}

// Settings that no frame was drawn by yet are none to go back to: a search aside tells of the seed
// three frames later.
TEST_F(GstreamerPlaying, ChangesBeforeASeedIsTriedAreNoLastResort) {
  Element element("adapt=faces search=aside");
  element.SetCaps(frame_.info);
  for (int i = 0; i < 5; ++i) element.Draw(frame_);
  for (int i = 0; i < 3; ++i) {
    Set(element, "seed-rect", std::to_string(100000 + i) + ",0,50,50");
    EXPECT_FALSE(element.Draw(frame_).empty());
    Set(element, "steady", i % 2 ? "0.2" : "0.3");
    EXPECT_FALSE(element.Draw(frame_).empty());
  }
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(element.Draw(frame_).empty());
  EXPECT_NE(element.Message(GST_MESSAGE_WARNING).find("is not within"), std::string::npos);
  EXPECT_EQ(element.Message(GST_MESSAGE_ERROR), "");
}

// The search that the seed beyond the border began fails when the second mistake is refused.
TEST_F(GstreamerPlaying, TwoMistakesInAFewFramesAreTwoWarnings) {
  Element element("adapt=faces search=aside");
  element.SetCaps(frame_.info);
  for (int i = 0; i < 4; ++i) element.Draw(frame_);
  Set(element, "seed-rect", "9999,9999,10,10");
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(element.Draw(frame_).empty());
  Set(element, "abstain", "x");
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(element.Draw(frame_).empty());
  for (int i = 0; i < 2; ++i) EXPECT_NE(element.Message(GST_MESSAGE_WARNING), "");
  EXPECT_EQ(element.Message(GST_MESSAGE_ERROR), "");
}

// After a flush, as of a seek, frames are those of a stream that begins there.
TEST_F(GstreamerPlaying, AFlushBeginsAnew) {
  Element element("adapt=faces search=wait");
  const auto photo = [](int i) { return FrameOf(Photo({200, 240}, i), GST_VIDEO_FORMAT_BGR); };
  element.SetCaps(photo(0).info);
  const cv::Mat first = element.Draw(photo(0));
  cv::Mat last;
  for (int i = 1; i < 8; ++i) last = element.Draw(photo(i));
  ASSERT_FALSE(Same(first, last));
  EXPECT_FALSE(Same(element.Draw(photo(0)), first));
  GstHarness* const harness = element.harness();
  gst_harness_push_event(harness, gst_event_new_flush_start());
  gst_harness_push_event(harness, gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(harness, gst_event_new_segment(&segment));
  EXPECT_TRUE(Same(element.Draw(photo(0)), first));
}

// Thresholds go on moving beside a file that is not there.
TEST_F(GstreamerPlaying, ThresholdsChangeWhateverElseCannotBeHad) {
  Element element("adapt=off");
  element.SetCaps(frame_.info);
  Set(element, "model", "none.json");
  element.Draw(frame_);
  for (const double threshold : {0.9, 0.1, 0.7}) {
    Set(element, "threshold", std::to_string(threshold));
    EXPECT_TRUE(Same(element.Draw(frame_), MaskAt(threshold)));
  }
  EXPECT_NE(element.Message(GST_MESSAGE_WARNING), "");
  EXPECT_EQ(element.Message(GST_MESSAGE_WARNING), "");
}

// Before there are frames it is an error, and the element does not start.
TEST_F(GstreamerPlaying, WhatCannotBeHadAtTheStartIsAnError) {
  Put("broken.json", "{\"kind\": ");
  Put("photo.onnx", "no network");
  struct Case {
    const char *properties, *name, *file;
  };
  for (const auto& [properties, property, file] : {Case{"", "model", "none.json"},
                                                   {"", "model", "broken.json"},
                                                   {"", "faces", "photo.onnx"},
                                                   {"adapt=off", "faces", "none.onnx"}}) {
    Element element(properties);
    gst_element_set_state(element.get(), GST_STATE_NULL);
    const std::string path = Path(file).string();
    Set(element, property, path);
    EXPECT_EQ(gst_element_set_state(element.get(), GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    const std::string text = element.Message(GST_MESSAGE_ERROR);
    EXPECT_EQ(text.substr(0, path.size() + 2), path + ": ") << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
    Set(element, property, "");
    EXPECT_NE(gst_element_set_state(element.get(), GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
  }
}

// Adaptation goes on through a change of size, of format, and of its own properties.
TEST_F(GstreamerPlaying, CapsChange) {
  Element element("output=mask");
  for (const cv::Size size : {cv::Size(160, 120), cv::Size(201, 151), cv::Size(160, 120)})
    for (const GstVideoFormat format : {GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_NV12}) {
      const RawFrame raw = FrameOf(Photo(size, 0), format);
      element.SetCaps(raw.info);
      for (const char* const adapt : {"faces", "off", "auto"}) {
        Set(element, "adapt", adapt);
        const cv::Mat mask = element.Draw(raw);
        EXPECT_EQ(mask.size(), size);
        EXPECT_GT(cv::countNonZero(mask), 0);
      }
    }
}

// It would be judged as if it were SDR.
TEST_F(GstreamerPlaying, HdrIsRefused) {
  for (const char* const colors :
       {GST_VIDEO_COLORIMETRY_BT2100_PQ, GST_VIDEO_COLORIMETRY_BT2100_HLG,
        GST_VIDEO_COLORIMETRY_BT2020}) {
    Element element("adapt=off");
    RawFrame raw = FrameOf(picture_, GST_VIDEO_FORMAT_I420);
    gst_video_colorimetry_from_string(&raw.info.colorimetry, colors);
    element.SetCaps(raw.info);
    const bool is_sdr = std::string(colors) == GST_VIDEO_COLORIMETRY_BT2020;
    EXPECT_EQ(element.Draw(raw).empty(), !is_sdr) << colors;
    const std::string text = element.Message(GST_MESSAGE_ERROR);
    EXPECT_EQ(text.find("frames: are HDR (PQ or HLG)") != text.npos, !is_sdr) << text;
  }
}

// Other threads set properties as they please.
TEST_F(GstreamerPlaying, PropertiesAreOfAnyThread) {
  Element element("adapt=off");
  element.SetCaps(frame_.info);
  std::atomic<bool> done = false;
  std::thread other([&] {
    for (int i = 0; !done; ++i) {
      Set(element, "output", i % 3 ? "mask" : "overlay");
      Set(element, "threshold", i % 2 ? "0.3" : "0.9");
    }
  });
  for (int i = 0; i < 200; ++i) EXPECT_EQ(element.Draw(frame_).size(), picture_.size());
  done = true;
  other.join();
  EXPECT_EQ(element.Message(GST_MESSAGE_ERROR), "");
}

// Downstream takes no colours: then no overlay can go there.
TEST_F(GstreamerPlaying, AnOutputThatNobodyTakesIsRefused) {
  Element element("adapt=off output=overlay");
  gst_harness_set_sink_caps_str(element.harness(), "video/x-raw,format=GRAY8");
  element.SetCaps(frame_.info);
  GstBuffer* const buffer = gst_harness_create_buffer(element.harness(), frame_.bytes.size());
  EXPECT_EQ(gst_harness_push(element.harness(), buffer), GST_FLOW_NOT_NEGOTIATED);
}

// Of a frame: it takes less, or frames would be dropped.
TEST_F(GstreamerPlaying, TheLatencyIsAFramesTimeWhereItAdapts) {
  Element element;
  element.SetCaps(frame_.info);
  element.Draw(frame_);
  gst_harness_set_upstream_latency(element.harness(), 10 * GST_MSECOND);
  EXPECT_EQ(gst_harness_query_latency(element.harness()), 50 * GST_MSECOND);
  while (!element.Message(GST_MESSAGE_LATENCY).empty()) continue;
  Set(element, "adapt", "off");
  EXPECT_EQ(element.Message(GST_MESSAGE_LATENCY), "posted");
  EXPECT_EQ(gst_harness_query_latency(element.harness()), 10 * GST_MSECOND);
  Set(element, "seed-rect", "1,1,9,9");
  EXPECT_EQ(element.Message(GST_MESSAGE_LATENCY), "posted");
  EXPECT_EQ(gst_harness_query_latency(element.harness()), 50 * GST_MSECOND);
}

// A search aside is in time three frames later, and no frame waits for it before. That is what live
// pipelines get.
TEST_F(GstreamerPlaying, ASearchAsideCountsThreeFramesLater) {
  const RawFrame face = FrameOf(Photo({200, 240}, 0), GST_VIDEO_FORMAT_BGR);
  Element waiting("adapt=faces search=wait"), aside("adapt=faces search=aside"), off("adapt=off"),
      live("adapt=faces"), from_file("adapt=faces");
  gst_harness_set_live(from_file.harness(), FALSE);
  for (Element* const element : {&waiting, &aside, &off, &live, &from_file})
    element->SetCaps(face.info);
  const cv::Mat adapted = waiting.Draw(face), global = off.Draw(face);
  ASSERT_FALSE(Same(adapted, global));
  EXPECT_TRUE(Same(from_file.Draw(face), adapted));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(Same(aside.Draw(face), global)) << i;
    EXPECT_TRUE(Same(live.Draw(face), global)) << i;
  }
  const cv::Mat later = aside.Draw(face);
  EXPECT_FALSE(Same(later, global));
  EXPECT_TRUE(Same(live.Draw(face), later));
}

}  // namespace
}  // namespace skinmask
