// Against the levels that ITU-R BT.2408 and BT.2087 publish.
#include <gtest/gtest.h>

#include <cmath>

#include "media/ffmpeg.h"
#include "media/video_frame.h"

namespace skinmask {
namespace {

cv::Vec3b SdrOf(AVColorTransferCharacteristic transfer, const cv::Vec3b& bgr,
                AVColorPrimaries primaries = AVCOL_PRI_BT2020) {
  const FramePtr frame(Ffmpeg::Get().av_frame_alloc());
  frame->color_trc = transfer;
  frame->color_primaries = primaries;
  EXPECT_TRUE(IsHdr(*frame));
  cv::Mat3b picture(1, 1, bgr);
  ToSdr(*frame, picture);
  return picture(0, 0);
}

cv::Vec3b Grey(double signal) {
  return cv::Vec3b::all(static_cast<std::uint8_t>(std::lround(255 * signal)));
}

constexpr auto kPq = AVCOL_TRC_SMPTE2084;
constexpr auto kHlg = AVCOL_TRC_ARIB_STD_B67;

// BT.2408, table 1: reference white, 203 cd/m2, is 75 % of HLG and 58 % of PQ; a grey card of 18 %,
// 26 cd/m2, is 38 % of both.
TEST(Hdr, ReferenceLevels) {
  const double grey = 255 * std::pow(26. / 203, 1 / 2.4);
  for (int i = 0; i < 3; ++i) {
    EXPECT_GE(SdrOf(kPq, Grey(.58))[i], 251);
    EXPECT_GE(SdrOf(kHlg, Grey(.75))[i], 251);
    EXPECT_NEAR(SdrOf(kPq, Grey(.38))[i], grey, 4);
    EXPECT_NEAR(SdrOf(kHlg, Grey(.38))[i], grey, 4);
    EXPECT_EQ(SdrOf(kPq, Grey(0))[i], 0);
    EXPECT_EQ(SdrOf(kHlg, Grey(1))[i], 255);
  }
}

TEST(Hdr, GreyStaysGreyAndKeepsItsOrder) {
  for (const auto transfer : {kPq, kHlg}) {
    int last = 0;
    for (int level = 0; level < 256; ++level) {
      const cv::Vec3b sdr = SdrOf(transfer, cv::Vec3b::all(static_cast<std::uint8_t>(level)));
      EXPECT_NEAR(sdr[0], sdr[2], 1);
      EXPECT_NEAR(sdr[0], sdr[1], 1);
      EXPECT_GE(sdr[1], last);
      last = sdr[1];
    }
  }
}

// BT.709's red has the shares .6274, .0691 and .0164 of BT.2020's primaries (BT.2087).
TEST(Hdr, PrimariesBecomeThoseOfSdr) {
  const auto pq = [](double light) {  // the inverse of PQ's EOTF
    const double y = std::pow(light * 203 / 10000, 2610. / 16384);
    return static_cast<std::uint8_t>(
        std::lround(255 * std::pow((.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375)));
  };
  const cv::Vec3b red = SdrOf(kPq, {pq(.5 * .0164), pq(.5 * .0691), pq(.5 * .6274)});
  EXPECT_NEAR(red[2], 255 * std::pow(.5, 1 / 2.4), 4);
  EXPECT_LT(red[1], 40);  // a step of PQ in 8 bits is much in the dark
  EXPECT_LT(red[0], 40);
}

// Grey is grey in all primaries, and a colour of narrower primaries is less saturated.
TEST(Hdr, WiderPrimariesAreMoreSaturated) {
  const cv::Vec3b skin(80, 95, 120);
  int last = 0;
  for (const auto primaries : {AVCOL_PRI_BT709, AVCOL_PRI_SMPTE432, AVCOL_PRI_BT2020}) {
    EXPECT_NEAR(SdrOf(kPq, Grey(.5), primaries)[0], SdrOf(kPq, Grey(.5))[2], 1);
    const cv::Vec3b sdr = SdrOf(kPq, skin, primaries);
    EXPECT_GT(sdr[2] - sdr[0], last);
    last = sdr[2] - sdr[0];
  }
}

TEST(Hdr, OtherTransfersAreSdr) {
  const FramePtr frame(Ffmpeg::Get().av_frame_alloc());
  for (const auto transfer : {AVCOL_TRC_BT709, AVCOL_TRC_UNSPECIFIED, AVCOL_TRC_BT2020_10}) {
    frame->color_trc = transfer;
    EXPECT_FALSE(IsHdr(*frame));
  }
}

}  // namespace
}  // namespace skinmask
