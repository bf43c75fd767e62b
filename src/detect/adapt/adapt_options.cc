#include "skinmask/detect/adapt_options.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "skinmask/base/error.h"

namespace skinmask {
namespace {

constexpr std::string_view kSubject = "adaptation option";

OptionTable<SeedSkinOptions> SeedSkinTable() {
  using O = SeedSkinOptions;
  return {{"inner_half_width", &O::inner_half_width, 0.05, 0.5},
          {"inner_half_height", &O::inner_half_height, 0.05, 0.5},
          {"min_upper_lightness", &O::min_upper_lightness, 0, 1},
          {"min_log_odds", &O::min_log_odds, -20, 20},
          {"trim_fraction", &O::trim_fraction, 0, 0.5},
          {"covariance_inflation", &O::covariance_inflation, 0.1, 10},
          {"covariance_floor", &O::covariance_floor, 0.01, 1000},
          {"max_components", &O::max_components, 1, 16}};
}

OptionTable<ImageFitOptions> ImageFitTable() {
  using O = ImageFitOptions;
  return {{"pixels", &O::pixels, 100, 1e8},
          {"background_components", &O::background_components, 1, 47},
          {"background_covariance_floor", &O::background_covariance_floor, 0.01, 1000},
          {"background_min_distance", &O::background_min_distance, 0, 1000},
          {"skin_shade", &O::skin_shade, 0, 1},
          {"em_steps", &O::em_steps, 0, 1000},
          {"prior_strength", &O::prior_strength, 0, 100},
          {"informed_times", &O::informed_times, 0, 100},
          {"informed_rounds", &O::informed_rounds, 1, 100},
          {"informed_steps", &O::informed_steps, 0, 100}};
}

OptionTable<SpatialPriorOptions> SpatialPriorTable() {
  using O = SpatialPriorOptions;
  return {{"head", &O::head, -20, 20},
          {"above", &O::above, -20, 20},
          {"below", &O::below, -20, 20},
          {"decay_per_face_width", &O::decay_per_face_width, 0, 20},
          {"max_decay_widths", &O::max_decay_widths, 0, 100},
          {"decay_per_face_height", &O::decay_per_face_height, 0, 20},
          {"max_decay_heights", &O::max_decay_heights, 0, 100},
          {"head_half_width", &O::head_half_width, 0.05, 2},
          {"head_half_height", &O::head_half_height, 0.05, 2},
          {"alone", &O::alone, 0, 10}};
}

constexpr std::pair<bool, std::string_view> kRefine[] = {{false, "off"}, {true, "guided"}};

OptionTable<RefinementOptions> RefinementTable() {
  using O = RefinementOptions;
  return {Option("enabled", &O::enabled, kRefine)
              .Shown("refine", "Adaptation", "off|guided",
                     "How neighbouring pixels help each other in images that are fitted to faces "
                     "or seeds"),
          {"rounds", &O::rounds, 1, 100},
          {"pairwise_weight", &O::pairwise_weight, 0, 100},
          {"epsilon", &O::epsilon, 1e-4, 1},
          {"radius_per_face", &O::radius_per_face, 0.01, 1},
          {"min_radii_per_side", &O::min_radii_per_side, 1, 10000}};
}

constexpr std::pair<bool, std::string_view> kRequireFace[] = {{false, "off"}, {true, "on"}};

OptionTable<ImageDecisionOptions> ImageDecisionTable() {
  using O = ImageDecisionOptions;
  return {Option("require_face", &O::require_face, kRequireFace)
              .Shown("require_face", "Adaptation", "off|on",
                     "Find no skin at all in images in which no face and no seed is found"),
          {"exposure", &O::exposure, 0, 1},
          {"exposed_share", &O::exposed_share, 0.5, 1},
          {"max_stops", &O::max_stops, 0, 10},
          {"usual_blue", &O::usual_blue, 0.25, 4},
          {"usual_red", &O::usual_red, 0.25, 4},
          {"cool_blue", &O::cool_blue, 0.25, 4},
          {"cool_red", &O::cool_red, 0.25, 4},
          {"max_unsure_cool", &O::max_unsure_cool, 0, 100},
          {"dark_gain", &O::dark_gain, 1, 16},
          {"max_unsure_dark", &O::max_unsure_dark, 0, 100},
          {"max_unsure", &O::max_unsure, 0, 1e6},
          {"unsure_without_valley", &O::unsure_without_valley, 0, 1},
          {"max_log_odds", &O::max_log_odds, -5, 5},
          {"min_log_odds", &O::min_log_odds, -5, 5},
          {"smoothing", &O::smoothing, 0.1, 2},
          {"min_share", &O::min_share, 0, 1},
          {"max_share", &O::max_share, 0, 1},
          {"max_valley", &O::max_valley, 0, 1},
          {"max_rise", &O::max_rise, 1, 100},
          {"sure_log_odds", &O::sure_log_odds, -20, 20},
          {"local_weight", &O::local_weight, 0, 1},
          {"max_global_log_odds", &O::max_global_log_odds, 0, 100},
          Option("min_component", &O::min_component, 0, 1)
              .Shown("min_component", "Adaptation", "SHARE",
                     "In images without a face, connected parts of the skin below this share of "
                     "the image are no skin"),
          {"fit.", &O::fit, ImageFitTable()}};
}

// Throws Error where what ought to be the lesser of two is not.
void RequireOrder(std::string_view least, double low, std::string_view greatest, double high) {
  if (low <= high) return;
  throw Error(fmt::format("{} {}", kSubject, greatest),
              fmt::format("{} is less than {}, {}", high, least, low));
}

}  // namespace

const OptionTable<HogOptions>& HogTable() {
  using O = HogOptions;
  static const OptionTable<O> table{{"hog.min_searched_pixels", &O::min_searched_pixels, 1e4, 1e8},
                                    {"hog.searched_share", &O::searched_share, 0, 1},
                                    {"hog.max_searched_pixels", &O::max_searched_pixels, 1e4, 1e8},
                                    {"hog.crowd_pixels", &O::crowd_pixels, 0, 1e8},
                                    {"hog.max_enlargement", &O::max_enlargement, 1, 8},
                                    {"hog.min_score", &O::min_score, -2, 2},
                                    {"hog.min_tilted_score", &O::min_tilted_score, -2, 2},
                                    {"hog.further_slack", &O::further_slack, 0, 2},
                                    {"hog.min_relative_size", &O::min_relative_size, 0, 1},
                                    {"hog.padding", &O::padding, 0, 2},
                                    {"hog.close_up_side", &O::close_up_side, 64, 4000},
                                    {"hog.again_pixels", &O::again_pixels, 1, 1e8},
                                    {"hog.turned_pixels", &O::turned_pixels, 0, 1e8}};
  return table;
}

const OptionTable<YuNetOptions>& YuNetTable() {
  using O = YuNetOptions;
  static const OptionTable<O> table{{"yunet.side_per_root_pixel", &O::side_per_root_pixel, 0, 10},
                                    {"yunet.min_side", &O::min_side, 32, 10000},
                                    {"yunet.max_side", &O::max_side, 32, 10000},
                                    {"yunet.max_enlargement", &O::max_enlargement, 1, 8},
                                    {"yunet.min_score", &O::min_score, 0, 1}};
  return table;
}

const OptionTable<AdaptOptions>& AdaptTable() {
  using O = AdaptOptions;
  static const OptionTable<O> table{{"skin.", &O::skin, SeedSkinTable()},
                                    {"fit.", &O::fit, ImageFitTable()},
                                    {"local_weight", &O::local_weight, 0, 1},
                                    {"global_weight", &O::global_weight, 0, 10},
                                    {"max_global_log_odds", &O::max_global_log_odds, 0, 100},
                                    {"prior.", &O::prior, SpatialPriorTable()},
                                    {"refinement.", &O::refinement, RefinementTable()},
                                    {"image.", &O::image, ImageDecisionTable()},
                                    Option("steady", &O::steady, 0, 1)
                                        .Shown("steady", "Adaptation", "S",
                                               "Stabilise the masks of videos and cameras: average "
                                               "over about S seconds, along the motion (0: each "
                                               "frame for itself)")};
  return table;
}

void HogOptions::Validate() const { HogTable().Validate(*this, kSubject); }

void YuNetOptions::Validate() const {
  YuNetTable().Validate(*this, kSubject);
  RequireOrder("yunet.min_side", min_side, "yunet.max_side", max_side);
}

void AdaptOptions::Validate() const {
  AdaptTable().Validate(*this, kSubject);
  RequireOrder("image.min_log_odds", image.min_log_odds, "image.max_log_odds", image.max_log_odds);
}

}  // namespace skinmask
