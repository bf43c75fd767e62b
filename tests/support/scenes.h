// Photographs of the samples as frames of a camera, and adapters for them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/detect/adapt.h"
#include "skinmask/detect/adapt_stream.h"
#include "skinmask/media/image.h"
#include "support/files.h"
#include "support/world.h"

namespace skinmask::testing {

struct Scene {
  cv::Mat bgr, truth;
};

inline Scene SceneOf(const std::string& photo, const std::string& mask) {
  Scene scene{ReadImage(SamplesFolder() / "photos" / photo),
              ReadImage(SamplesFolder() / "masks" / mask)};
  cv::extractChannel(scene.truth, scene.truth, 0);
  return scene;
}

inline Scene Astronaut() { return SceneOf("astronaut.png", "astronaut.png"); }
inline Scene Hopper() { return SceneOf("grace_hopper.jpg", "grace_hopper.png"); }

// A window of 400x400 that moves over the scene.
inline Scene Window(const Scene& scene, int frame) {
  const cv::Rect at(56 + static_cast<int>(40 * std::sin(frame / 10.)), 0, 400, 400);
  return {scene.bgr(at).clone(), scene.truth(at).clone()};
}

inline cv::Mat Noisy(const cv::Mat& bgr, std::uint64_t seed) {
  cv::RNG random(Random(seed).Next());
  cv::Mat noise(bgr.size(), CV_16SC3), noisy;
  random.fill(noise, cv::RNG::NORMAL, 0, 3);
  cv::add(bgr, noise, noisy, cv::noArray(), CV_8U);
  return noisy;
}

// The built-in finder of faces, which searches a picture once, since it finds the same in it each
// time: searches are most of the time of tests that show a picture again and again.
class KnownFaces : public SeedFinder {
 public:
  explicit KnownFaces(const HogOptions& options)
      : options_(options), faces_(HogFaceFinder(options)) {}
  std::string_view name() const override { return faces_->name(); }
  std::vector<Seed> Find(const cv::Mat& bgr) const override {
    const std::lock_guard lock(mutex_);
    for (const Known& known : known_)
      if (known.options == options_ && known.picture.size() == bgr.size() &&
          cv::norm(known.picture, bgr, cv::NORM_INF) == 0)
        return known.seeds;
    known_.push_back({options_, bgr.clone(), faces_->Find(bgr)});
    return known_.back().seeds;
  }

 private:
  struct Known {
    HogOptions options;
    cv::Mat picture;
    std::vector<Seed> seeds;
  };
  static inline std::mutex mutex_;
  static inline std::vector<Known> known_;  // of all of these finders
  HogOptions options_;
  std::unique_ptr<SeedFinder> faces_;
};

// Finds the faces of these photographs, which are large, in fewer pixels than usual.
inline std::unique_ptr<SeedFinder> QuickFaces(HogOptions options = {}) {
  options.min_searched_pixels = 400'000;
  return std::make_unique<KnownFaces>(options);
}

// To faces alone, unless `image` says otherwise.
inline std::shared_ptr<const Adapter> AdapterOf(std::unique_ptr<SeedFinder> finder,
                                                bool image = false) {
  std::vector<std::unique_ptr<SeedFinder>> finders;
  finders.push_back(std::move(finder));
  const Model model = DefaultModel();
  AdaptOptions options;
  options.image.enabled = image;
  return std::make_shared<const Adapter>(model, model.decision.threshold, std::move(finders),
                                         options);
}

// The log-odds of a picture that is adapted to; empty if there is nothing to adapt to.
inline cv::Mat LogOddsOf(const Adapter& adapter, const cv::Mat& bgr) {
  const std::optional<Adaptation> adaptation = adapter.Adapt(bgr);
  return adaptation ? adapter.LogOdds(bgr, *adaptation) : cv::Mat();
}

// A stream that also gives them for each frame.
class ScoredStream : public StreamAdapter {
 public:
  ScoredStream(const std::shared_ptr<const Adapter>& adapter, const StreamOptions& options = {})
      : StreamAdapter(adapter, options), adapter_(adapter) {}
  cv::Mat LogOdds(const cv::Mat& bgr) {
    const std::shared_ptr<const Adaptation> adaptation = Follow(bgr);
    return adaptation ? adapter_->LogOdds(bgr, *adaptation) : cv::Mat();
  }

 private:
  std::shared_ptr<const Adapter> adapter_;
};

// Of the masks that are 255 at skin; a truth may be grey.
inline double F1(const cv::Mat& mask, const cv::Mat& truth) {
  const double both = cv::countNonZero(mask & (truth > 127));
  return 2 * both / std::max(1, cv::countNonZero(mask) + cv::countNonZero(truth > 127));
}

inline bool Same(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && (a.empty() || cv::norm(a, b, cv::NORM_INF) == 0);
}

}  // namespace skinmask::testing
