#include <string>

#include <opencv2/imgproc.hpp>

#include "c/caller_picture.h"
#include "c/guard.h"
#include "c/handles.h"
#include "skinmask/detect/draw.h"

namespace skinmask::c {
namespace {

int ChannelsOf(int output) {
  switch (output) {
    case SKINMASK_MASK:
    case SKINMASK_PROBABILITY:
      return 1;
    case SKINMASK_OVERLAY:
      return 3;
    case SKINMASK_CUTOUT:
      return 4;
    default:
      throw BadArgument("output", "is " + std::to_string(output) + " (a skinmask_output)");
  }
}

void Draw(int output, const cv::Mat& bgr, const cv::Mat& mask, bool as_rgb, cv::Mat& room) {
  const bool cutout = output == SKINMASK_CUTOUT;
  const cv::Mat drawn = cutout ? CutOut(bgr, mask) : DrawOverlay(bgr, mask);
  if (as_rgb)
    cv::cvtColor(drawn, room, cutout ? cv::COLOR_BGRA2RGBA : cv::COLOR_BGR2RGB);
  else
    drawn.copyTo(room);
}

void Detect(const Detector& detector, const skinmask_picture& picture, int output,
            std::uint8_t* out, std::size_t out_stride) {
  const VideoFrame frame = FrameOf(picture);
  cv::Mat room = RoomFor(picture, ChannelsOf(output), out, out_stride);
  const bool drawn = room.channels() > 1;
  cv::Mat bgr;
  if (detector.adapter() || drawn || !detector.TakesYuv(frame)) bgr = BgrOf(picture, frame);
  std::optional<Adaptation> adaptation;
  if (detector.adapter()) adaptation = detector.adapter()->Adapt(bgr);
  const Adaptation* const adapted = adaptation ? &*adaptation : nullptr;
  if (output == SKINMASK_PROBABILITY) return detector.Probability(frame, bgr, adapted, room);
  cv::Mat mask;
  detector.Mask(frame, bgr, adapted, drawn ? mask : room);
  if (drawn) Draw(output, bgr, mask, IsRgb(picture), room);
}

}  // namespace
}  // namespace skinmask::c

extern "C" skinmask_status skinmask_detect(const skinmask_detector* detector,
                                           const skinmask_picture* picture, int output,
                                           uint8_t* out, size_t out_stride) {
  using namespace skinmask::c;
  return Guarded([&] {
    RequireGiven(detector, "detector");
    RequireGiven(picture, "picture");
    Detect(detector->detector, *picture, output, out, out_stride);
  });
}
