#include "skinmask/detect/adapt_options.h"

#include <fmt/format.h>

#include <string_view>

#include "skinmask/base/error.h"

namespace skinmask {
namespace {

void Check(std::string_view option, double value, double least, double greatest) {
  if (value >= least && value <= greatest) return;  // false for a NaN
  throw Error(fmt::format("adaptation option {}", option),
              fmt::format("{} is out of range ({} to {})", value, least, greatest));
}

void CheckFit(std::string_view group, const ImageFitOptions& fit) {
  const auto check = [&](std::string_view option, double value, double least, double greatest) {
    Check(fmt::format("{}.{}", group, option), value, least, greatest);
  };
  check("pixels", fit.pixels, 100, 1e8);
  check("background_components", fit.background_components, 1, 48);
  check("background_covariance_floor", fit.background_covariance_floor, 0.01, 1000);
  check("background_min_distance", fit.background_min_distance, 0, 1000);
  check("skin_shade", fit.skin_shade, 0, 1);
  check("em_steps", fit.em_steps, 0, 1000);
  check("prior_strength", fit.prior_strength, 0, 100);
  check("informed_times", fit.informed_times, 0, 100);
  check("informed_rounds", fit.informed_rounds, 1, 100);
  check("informed_steps", fit.informed_steps, 0, 100);
}

}  // namespace

void HogOptions::Validate() const {
  Check("hog.min_searched_pixels", min_searched_pixels, 1e4, 1e8);
  Check("hog.searched_share", searched_share, 0, 1);
  Check("hog.max_searched_pixels", max_searched_pixels, 1e4, 1e8);
  Check("hog.max_enlargement", max_enlargement, 1, 8);
  Check("hog.min_score", min_score, -2, 2);
  Check("hog.min_tilted_score", min_tilted_score, -2, 2);
}

void YuNetOptions::Validate() const {
  Check("yunet.side_per_root_pixel", side_per_root_pixel, 0, 10);
  Check("yunet.min_side", min_side, 32, 10000);
  Check("yunet.max_side", max_side, min_side, 10000);
  Check("yunet.max_enlargement", max_enlargement, 1, 8);
  Check("yunet.min_score", min_score, 0, 1);
}

void AdaptOptions::Validate() const {
  Check("skin.inner_half_width", skin.inner_half_width, 0.05, 0.5);
  Check("skin.inner_half_height", skin.inner_half_height, 0.05, 0.5);
  Check("skin.min_log_odds", skin.min_log_odds, -20, 20);
  Check("skin.trim_fraction", skin.trim_fraction, 0, 0.5);
  Check("skin.covariance_inflation", skin.covariance_inflation, 0.1, 10);
  Check("skin.covariance_floor", skin.covariance_floor, 0.01, 1000);
  Check("skin.max_components", skin.max_components, 1, 16);
  CheckFit("fit", fit);
  Check("local_weight", local_weight, 0, 1);
  Check("global_weight", global_weight, 0, 10);
  Check("max_global_log_odds", max_global_log_odds, 0, 100);
  Check("prior.head", prior.head, -20, 20);
  Check("prior.above", prior.above, -20, 20);
  Check("prior.below", prior.below, -20, 20);
  Check("prior.decay_per_face_width", prior.decay_per_face_width, 0, 20);
  Check("prior.max_decay_widths", prior.max_decay_widths, 0, 100);
  Check("prior.head_half_width", prior.head_half_width, 0.05, 2);
  Check("prior.head_half_height", prior.head_half_height, 0.05, 2);
  Check("refinement.rounds", refinement.rounds, 1, 100);
  Check("refinement.pairwise_weight", refinement.pairwise_weight, 0, 100);
  Check("refinement.epsilon", refinement.epsilon, 1e-9, 1);
  Check("refinement.radius_per_face", refinement.radius_per_face, 0.01, 1);
  Check("refinement.min_radii_per_side", refinement.min_radii_per_side, 1, 10000);
  Check("image.min_log_odds", image.min_log_odds, -5, 5);
  Check("image.max_log_odds", image.max_log_odds, image.min_log_odds, 5);
  Check("image.smoothing", image.smoothing, 0.1, 2);
  Check("image.min_share", image.min_share, 0, 1);
  Check("image.max_share", image.max_share, 0, 1);
  Check("image.max_valley", image.max_valley, 0, 1);
  Check("image.max_rise", image.max_rise, 1, 100);
  Check("image.sure_log_odds", image.sure_log_odds, -20, 20);
  CheckFit("image.fit", image.fit);
  Check("image.max_global_log_odds", image.max_global_log_odds, 0, 100);
  Check("image.local_weight", image.local_weight, 0, 1);
}

}  // namespace skinmask
