// Megapixels a second of adaptation, on one thread. First the search for faces, in pictures with
// one face, none and a crowd; then what is done after the faces are found, on a photograph that is
// enlarged: the fit (the small image, both mixtures), then masks, probabilities or log-odds,
// refined and not, beside detection without adaptation and OpenCV's grabCut with the same face as
// its seed.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <cmath>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <vector>

#include "found.h"
#include "results.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/detect_image.h"

namespace skinmask::bench {
namespace {

constexpr int kGrabCutSteps = 5;

std::vector<Seed> Enlarged(std::vector<Seed> seeds, const cv::Size& from, const cv::Size& to) {
  const double x = static_cast<double>(to.width) / from.width;
  const double y = static_cast<double>(to.height) / from.height;
  for (Seed& seed : seeds) {
    seed.face->centre = {seed.face->centre.x * x, seed.face->centre.y * y};
    seed.face->size *= std::sqrt(x * y);
    seed.box = seed.face->Box(to);
  }
  return seeds;
}

Adapter AdapterOf(const Model& model, const std::vector<Seed>& seeds, bool refined) {
  std::vector<std::unique_ptr<SeedFinder>> finders;
  finders.push_back(std::make_unique<Found>(seeds));
  AdaptOptions options;
  options.refinement.enabled = refined;
  return Adapter(model, model.decision.threshold, std::move(finders), options);
}

// The face is skin; all else may be.
void GrabCut(const cv::Mat& bgr, const std::vector<Seed>& seeds) {
  cv::Mat mask(bgr.size(), CV_8UC1, cv::Scalar(cv::GC_PR_BGD)), skin, rest;
  for (const Seed& seed : seeds) mask(seed.box).setTo(cv::GC_FGD);
  cv::grabCut(bgr, mask, {}, skin, rest, kGrabCutSteps, cv::GC_INIT_WITH_MASK);
}

// Where no face is found, more ways of searching follow, and where a crowd is, one for smaller
// faces.
void BenchSearch(const cv::Mat& photo, Results& results) {
  constexpr double kPixels = 1.5e6;  // which are searched as they are
  cv::Mat crowd;
  cv::repeat(photo, 2, 4, crowd);
  const struct {
    const char* name;
    cv::Mat picture;
    std::size_t faces;
  } searched[] = {{"adapt/search-one-face", photo, 1},
                  {"adapt/search-no-face", photo.rowRange(photo.rows / 2, photo.rows), 0},
                  {"adapt/search-crowd", crowd, 8}};
  const std::unique_ptr<SeedFinder> finder = HogFaceFinder();
  for (const auto& [name, picture, faces] : searched) {
    const double scale = std::sqrt(kPixels / static_cast<double>(picture.total()));
    cv::Mat bgr;
    cv::resize(picture, bgr, {}, scale, scale, scale < 1 ? cv::INTER_AREA : cv::INTER_CUBIC);
    if (finder->Find(bgr).size() != faces)
      throw std::runtime_error(std::string("faces of ") + name);
    results.push_back(
        {name, fmt::format("{}x{}", bgr.cols, bgr.rows), 1,
         static_cast<double>(bgr.total()) / 1e6 / FastestSeconds([&] { finder->Find(bgr); })});
  }
}

}  // namespace

void BenchAdapt(const std::string& samples, Results& results) {
  const cv::Mat photo = cv::imread(samples + "/photos/grace_hopper.jpg");
  const std::vector<Seed> found = HogFaceFinder()->Find(photo);
  if (found.empty()) throw std::runtime_error("no face in the photograph");
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
  cv::setNumThreads(1);
  BenchSearch(photo, results);
  const Model model = DefaultModel();
  const Posterior posterior(model);
  const double threshold = model.decision.threshold;
  for (const cv::Size size : {cv::Size(1000, 1000), cv::Size(4000, 3000)}) {
    cv::Mat bgr, out;
    cv::resize(photo, bgr, size, 0, 0, cv::INTER_CUBIC);
    const std::vector<Seed> seeds = Enlarged(found, photo.size(), size);
    const Adapter refining = AdapterOf(model, seeds, true), plain = AdapterOf(model, seeds, false);
    const std::optional<Adaptation> adaptation = refining.Adapt(bgr);
    if (!adaptation) throw std::runtime_error("no adaptation to the photograph");
    const auto time = [&](const char* name, const std::function<void()>& run) {
      results.push_back({name, fmt::format("{}x{}", size.width, size.height), 1,
                         size.area() / 1e6 / FastestSeconds(run)});
    };
    time("adapt/off", [&] { out = DetectMask(posterior, bgr, out); });
    time("adapt/fit", [&] { refining.Adapt(bgr); });
    time("adapt/fit-and-mask-not-refined",
         [&] { out = plain.Mask(bgr, *plain.Adapt(bgr), threshold, out); });
    time("adapt/mask", [&] { out = refining.Mask(bgr, *adaptation, threshold, out); });
    time("adapt/fit-and-mask",
         [&] { out = refining.Mask(bgr, *refining.Adapt(bgr), threshold, out); });
    time("adapt/probability", [&] { out = refining.Probability(bgr, *adaptation, out); });
    time("adapt/log-odds", [&] { out = refining.LogOdds(bgr, *adaptation); });
    // Minutes on the larger one.
    if (size.area() <= 1000000) time("opencv/grabcut", [&] { GrabCut(bgr, seeds); });
  }
}

}  // namespace skinmask::bench
