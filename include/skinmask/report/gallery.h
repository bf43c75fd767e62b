// The gallery: the images that a report shows.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/detect/detector.h"
#include "skinmask/pipeline/evaluate.h"

namespace [[gnu::visibility("default")]] skinmask {

// The images of a gallery: indices into EvaluationReport::images, worst and best first, at most 12
// of each, and none in both. They are ordered by F1 (1 for an image in which there was no skin and
// none was found), then by accuracy, then in the order of the images.
struct GalleryChoice {
  std::vector<std::size_t> worst, best;
};
GalleryChoice ChooseGallery(const EvaluationReport& report);

// Small pictures of one image as data URIs (JPEG), by their names: 'photograph', 'truth',
// 'probability' and 'errors'; of a mask that was made before 'truth', 'predicted' and 'errors'.
// Images outside of the gallery have 'thumbnail' alone (WebP, of the photograph or the mask).
struct GalleryPictures {
  std::size_t image;  // its place in EvaluationReport::images
  std::vector<std::pair<std::string, std::string>> pictures;
};

// The pictures of the chosen images, and, if the report has at most 2,000 images, thumbnails of all
// others. Reads these images a second time, so that the evaluation need not keep pictures. Problems
// go to `run`; an image that cannot be read again is left out. `detector` is null for predicted
// masks.
std::vector<GalleryPictures> DrawGallery(const PairOptions& options, const Detector* detector,
                                         const EvaluationReport& report, const Run& run);

}  // namespace skinmask
