// Every number that adaptation was tuned by. In the program they are constants; the experiment
// (benchmarks/adapt_settings.cc) compiles the same sources with variables, to set them by name.
#pragma once

#ifdef SKINMASK_EXPERIMENT
#include <map>
#include <string>
namespace skinmask {
inline std::map<std::string, double*>& SettingsByName() {
  static std::map<std::string, double*> settings;
  return settings;
}
struct Setting {
  double value;
  Setting(const char* name, double initial) : value(initial) { SettingsByName()[name] = &value; }
  Setting(const Setting&) = delete;
  operator double() const { return value; }
};
}  // namespace skinmask
#define SKINMASK_SETTING(name, value) inline Setting name(#name, value)
#else
#define SKINMASK_SETTING(name, value) inline constexpr double name = value
#endif

namespace skinmask {

// Faces: the picture that is searched, in pixels; from one size of face to the next; the least
// face, of the picture's shorter side; so many hits of nearly one place make a face, and so many
// one that the colours need not confirm.
SKINMASK_SETTING(kSearchedPixels, 115000);
SKINMASK_SETTING(kSearchStep, 1.15);
SKINMASK_SETTING(kLeastFaceShare, 0.06);
SKINMASK_SETTING(kFaceHits, 3);
SKINMASK_SETTING(kCertainHits, 8);
// Log-odds of the global model, less its threshold's, that a face is verified by, and the share of
// its middle that must have them.
SKINMASK_SETTING(kPlausible, -2);
SKINMASK_SETTING(kVerified, 0.4);

// A face's skin: the half axes of its inner ellipse, in boxes; log-odds under which a pixel is eye,
// beard or hair; the share that trimming leaves; what trimming took from the covariance, and other
// lights on it; variances below which colours are not told apart.
SKINMASK_SETTING(kInnerWidth, 0.32);
SKINMASK_SETTING(kInnerHeight, 0.38);
SKINMASK_SETTING(kImplausible, -4);
SKINMASK_SETTING(kKept, 0.9);
SKINMASK_SETTING(kWidened, 1.2);
SKINMASK_SETTING(kSkinNoise, 4);

// The fit: pixels of its picture; Gaussians for what is not skin, their least variance, and the
// squared Mahalanobis distance from all skin of those that it begins with; rounds; weight of the
// seeds, in shares of the image's pixels.
SKINMASK_SETTING(kFitPixels, 60000);
SKINMASK_SETTING(kRest, 4);
SKINMASK_SETTING(kRestNoise, 16);
SKINMASK_SETTING(kFar, 14);
SKINMASK_SETTING(kFitRounds, 3);
SKINMASK_SETTING(kAnchor, 0.1);

// Log-odds of a pixel are  share * local + (1 - share) * global + place. Beyond kMostGlobal the
// global ones are not believed: that model was fitted to colours in other lights.
SKINMASK_SETTING(kLocalShare, 0.8);
SKINMASK_SETTING(kMostGlobal, 6);

// Log-odds by place, in face boxes. A head is an ellipse; what is left of it, right of it or over
// it is hair and background, mostly; below are neck, breast and hands: kFall less per box beyond
// the first, for kFarthest of them.
SKINMASK_SETTING(kFace, 2.5);
SKINMASK_SETTING(kAbove, -3);
SKINMASK_SETTING(kBelow, -0.75);
SKINMASK_SETTING(kFall, 0.5);
SKINMASK_SETTING(kFarthest, 2);
SKINMASK_SETTING(kHeadWidth, 0.42);
SKINMASK_SETTING(kHeadHeight, 0.55);

// Refinement: rounds; log-odds that a neighbourhood wholly of one class adds; variance of grey, of
// 1, above which there is an edge; neighbourhoods' radii that a picture's side holds.
SKINMASK_SETTING(kRefineRounds, 3);
SKINMASK_SETTING(kStrength, 4);
SKINMASK_SETTING(kEdge, 1e-3);
SKINMASK_SETTING(kRadii, 26);

}  // namespace skinmask
