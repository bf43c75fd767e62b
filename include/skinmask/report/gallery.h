// The gallery is the images that a report shows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "skinmask/detect/detector.h"
#include "skinmask/pipeline/evaluate.h"

namespace [[gnu::visibility("default")]] skinmask {

// The images that a gallery shows: indices into EvaluationReport::images, worst and best first. At
// most 12 of either, none in both. By F1, an image where nothing was to be found and nothing was
// counting as 1; equals by accuracy, then in the order of the images.
struct GalleryChoice {
  std::vector<std::size_t> worst, best;
};
GalleryChoice ChooseGallery(const EvaluationReport& report);

// Small pictures of one image as data URIs (JPEG); no photograph and no probability for masks that
// were made before. `thumbnail` (WebP, of the photograph or the mask) is all that images beside the
// gallery have.
struct GalleryPictures {
  std::string name;
  std::optional<std::string> photograph, truth, probability, predicted, errors, thumbnail;
};

// Of whose images there are pictures: all of them, or a thumbnail.
struct GalleryNames {
  std::vector<std::string> whole, thumbnails;
};
// The chosen ones, and of a report of at most kMaxThumbnails images the others.
constexpr std::size_t kMaxThumbnails = 2000;
GalleryNames NamesOfGallery(const EvaluationReport& report);

// Reads these images a second time, so that evaluation need not keep pictures. Problems go to
// `run`; an image that cannot be read again is left out. `detector` is null for predicted masks.
std::vector<GalleryPictures> DrawGallery(const PairOptions& options, const Detector* detector,
                                         const GalleryNames& names, const Run& run);

}  // namespace skinmask
