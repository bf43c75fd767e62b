// The module skinmask-icc: colour profiles, by LittleCMS.
#include <lcms2.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "media/image_codec.h"

namespace {

using Profile = std::unique_ptr<void, decltype(&cmsCloseProfile)>;

// The reason why the profile does not define the colours of RGB values, or empty.
std::string WhyNotUsed(cmsHPROFILE profile) {
  if (!profile) return "is damaged";
  const cmsProfileClassSignature kind = cmsGetDeviceClass(profile);
  if (kind != cmsSigInputClass && kind != cmsSigDisplayClass && kind != cmsSigOutputClass &&
      kind != cmsSigColorSpaceClass)
    return "is of a kind that pictures do not have";
  if (cmsGetColorSpace(profile) != cmsSigRgbData) return "is not one of RGB";
  const cmsColorSpaceSignature connection = cmsGetPCS(profile);
  if (connection != cmsSigXYZData && connection != cmsSigLabData) return "leads to no colours";
  // LittleCMS takes quadratic time for their elements, of which half a million fit into a profile.
  for (const auto tag : {cmsSigDToB0Tag, cmsSigDToB1Tag, cmsSigDToB2Tag, cmsSigDToB3Tag})
    if (cmsIsTag(profile, tag)) return "has tables of elements (D2B), which are not read";
  if (!cmsIsMatrixShaper(profile) && !cmsIsTag(profile, cmsSigAToB0Tag) &&
      !cmsIsTag(profile, cmsSigAToB1Tag))
    return "has neither a matrix nor a table";
  return {};
}

// The conversion of colours on a regular lattice of the RGB cube.
struct Lattice {
  std::vector<unsigned char> from, to;
  explicit Lattice(cmsHTRANSFORM transform) {
    constexpr int kSide = 18, kStep = 15;  // 17 * 15 = 255
    for (int i = 0; i < kSide * kSide * kSide; ++i)
      for (const int level : {i % kSide, i / kSide % kSide, i / kSide / kSide})
        from.push_back(static_cast<unsigned char>(kStep * level));
    to.resize(from.size());
    cmsDoTransform(transform, from.data(), to.data(),
                   static_cast<cmsUInt32Number>(from.size() / 3));
  }
  bool IsUnmoved() const {
    constexpr int kMax = 2;  // the rounding errors of sRGB profiles
    return std::ranges::equal(from, to, [](int a, int b) { return std::abs(a - b) <= kMax; });
  }
  // White must stay light, and black dark.
  bool IsPlausible() const {
    return std::all_of(to.end() - 3, to.end(), [](int level) { return level >= 128; }) &&
           std::all_of(to.begin(), to.begin() + 3, [](int level) { return level < 128; });
  }
};

}  // namespace

void skinmask_open_profile(std::string_view icc, std::string& problem,
                           skinmask::ColorConversion& conversion) {
  const std::shared_ptr<std::remove_pointer_t<cmsContext>> context(
      cmsCreateContext(nullptr, nullptr), cmsDeleteContext);
  cmsSetLogErrorHandlerTHR(context.get(), [](cmsContext, cmsUInt32Number, const char*) {});
  const Profile profile(
      cmsOpenProfileFromMemTHR(context.get(), icc.data(), static_cast<cmsUInt32Number>(icc.size())),
      cmsCloseProfile);
  problem = WhyNotUsed(profile.get());
  if (!problem.empty()) return;
  const Profile srgb(cmsCreate_sRGBProfileTHR(context.get()), cmsCloseProfile);
  // Without the cache of the last colour, which is not thread-safe. The context lives as long.
  const std::shared_ptr<void> transform(
      cmsCreateTransformTHR(context.get(), profile.get(), TYPE_BGR_8, srgb.get(), TYPE_BGR_8,
                            INTENT_RELATIVE_COLORIMETRIC, cmsFLAGS_NOCACHE),
      [context](cmsHTRANSFORM made) {
        if (made) cmsDeleteTransform(made);
      });
  problem = "is damaged";
  if (!transform) return;
  const Lattice lattice(transform.get());
  problem = lattice.IsPlausible() ? "" : "makes white dark, or black light";
  if (problem.empty() && !lattice.IsUnmoved())
    conversion = [transform](const uchar* from, uchar* to, unsigned pixels) {
      cmsDoTransform(transform.get(), from, to, pixels);
    };
}
