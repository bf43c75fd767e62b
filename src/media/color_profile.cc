// Colours of profiles as sRGB.
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "base/parallel_rows.h"
#include "media/late_module.h"
#include "media/picture_tags.h"
#include "media/picture_type.h"

namespace skinmask {
namespace {

template <class Function>
Function* InIccModule(const char* name) {
  return reinterpret_cast<Function*>(FindInModule("skinmask-icc.so", name));
}

struct OpenedProfile {
  std::string icc, problem;
  std::shared_ptr<void> conversion;  // null: colours are taken as they are
};

OpenedProfile OpenProfile(const std::string& icc) {
  static auto* const open = InIccModule<decltype(skinmask_open_profile)>("skinmask_open_profile");
  static auto* const close =
      InIccModule<decltype(skinmask_close_profile)>("skinmask_close_profile");
  OpenedProfile opened{icc, {}, {}};
  if (void* const conversion = open(icc, opened.problem)) opened.conversion = {conversion, close};
  return opened;
}

// The photographs of a run have few profiles, of which the last ones are kept.
OpenedProfile Opened(const std::string& icc) {
  constexpr std::size_t kMaxKept = 8;
  static std::mutex mutex;
  static std::deque<OpenedProfile> kept;
  const std::lock_guard lock(mutex);
  for (const OpenedProfile& each : kept)
    if (each.icc == icc) return each;
  OpenedProfile opened = OpenProfile(icc);
  if (kept.size() == kMaxKept) kept.pop_front();
  return kept.emplace_back(std::move(opened));
}

}  // namespace

bool IsTakenAsSrgb(const std::string& icc) { return icc.empty() || !Opened(icc).conversion; }

cv::Mat InSrgb(const cv::Mat& bgr, const std::string& icc, std::string* problem, cv::Mat memory) {
  if (icc.empty() || bgr.type() == CV_8UC1) return bgr;
  RequireType(bgr, CV_8UC3, "image");
  const OpenedProfile opened = Opened(icc);
  if (problem && !opened.problem.empty())
    *problem = "its profile of colours " + opened.problem + ", so they are taken as sRGB";
  if (!opened.conversion) return bgr;
  static auto* const convert =
      InIccModule<decltype(skinmask_convert_colors)>("skinmask_convert_colors");
  memory.create(bgr.size(), CV_8UC3);
  ForRowsOf(bgr.cols, bgr.rows, [&](int y) {
    convert(opened.conversion.get(), bgr.ptr(y), memory.ptr(y), static_cast<unsigned>(bgr.cols));
  });
  return memory;
}

}  // namespace skinmask
