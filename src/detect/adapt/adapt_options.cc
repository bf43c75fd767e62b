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

}  // namespace

void FaceSearchOptions::Validate() const {
  Check("search.searched_pixels", searched_pixels, 400, 1e8);
  Check("search.scale_factor", scale_factor, 1.01, 2);
  Check("search.min_face_share", min_face_share, 0, 1);
  Check("search.min_neighbours", min_neighbours, 1, 1000);
  Check("search.certain_neighbours", certain_neighbours, 1, 1000);
}

void AdaptOptions::Validate() const {
  search.Validate();
  Check("skin.verified_log_odds", skin.verified_log_odds, -20, 20);
  Check("skin.verified_share", skin.verified_share, 0, 1);
  Check("skin.inner_half_width", skin.inner_half_width, 0.05, 0.5);
  Check("skin.inner_half_height", skin.inner_half_height, 0.05, 0.5);
  Check("skin.min_log_odds", skin.min_log_odds, -20, 20);
  Check("skin.trim_fraction", skin.trim_fraction, 0, 0.5);
  Check("skin.covariance_inflation", skin.covariance_inflation, 0.1, 10);
  Check("skin.covariance_floor", skin.covariance_floor, 0.01, 1000);
  Check("fit.pixels", fit.pixels, 100, 1e8);
  Check("fit.background_components", fit.background_components, 1, 64);
  Check("fit.background_covariance_floor", fit.background_covariance_floor, 0.01, 1000);
  Check("fit.background_min_distance", fit.background_min_distance, 0, 1000);
  Check("fit.em_steps", fit.em_steps, 0, 1000);
  Check("fit.prior_strength", fit.prior_strength, 0, 100);
  Check("local_weight", local_weight, 0, 1);
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
  Check("refinement.radii_per_side", refinement.radii_per_side, 1, 10000);
}

}  // namespace skinmask
