// The options of adaptation. docs/adaptation.md has the method, its equations, and the data that
// each default was chosen on; docs/accuracy.md ('What choosing the options is worth') has the cost
// of halving and doubling each option.
#pragma once

#include "skinmask/base/options.h"

namespace [[gnu::visibility("default")]] skinmask {

// Each comment ends with the ranges. Log-odds are natural logarithms. 'Global' log-odds are those
// of the trained model less those of its own threshold.

// How the built-in finder searches for faces.
struct HogOptions {
  // This share of the image's pixels is searched, within these bounds. The smallest faces that are
  // found are 80 pixels high in the searched image. 10^4 to 10^8; 0 to 1; 10^4 to 10^8.
  int min_searched_pixels = 1500000;
  double searched_share = 0.5;
  int max_searched_pixels = 6000000;
  // An image with three faces or more is searched once more with this many pixels, but at most
  // max_searched_pixels, for the smaller faces of a crowd. 0: no such search. 0 to 10^8.
  int crowd_pixels = 3000000;
  // A small image is enlarged by this much a side at most. 1 to 8.
  double max_enlargement = 4;
  // A window with at least this detector score is a face, the second for templates of tilted heads.
  // -2 to 2.
  double min_score = 0;
  double min_tilted_score = 0.2;
  // In an image with such a face, other windows of similar colour may score this much less. 0 to 2.
  double further_slack = 0.4;
  // Faces below this share of the size of one that is certain are left out of the search in which
  // that one was found, and of the search of tilted heads if it is upright, but not of the search
  // of a crowd. 0: none is. 0 to 1.
  double min_relative_size = 0.45;
  // For faces that fill the image or are cut by its border, the image is searched once more:
  // reduced so that its shorter side is at most close_up_side pixels, and padded with its border
  // pixels by this share of that side. 0: no such search. 0 to 2; 64 to 4000.
  double padding = 0.3;
  int close_up_side = 240;
  // If no face is found, a larger image is searched once more with this many pixels. 1 to 10^8.
  int again_pixels = 200000;
  // With this many pixels the image is searched for tilted and lying heads, and with equalised
  // contrast. 0: none of these. 0 to 10^8.
  int turned_pixels = 100000;

  bool operator==(const HogOptions&) const = default;
  void Validate() const;  // throws Error for the first value out of range
};

// How YuNet searches for faces.
struct YuNetOptions {
  // The longer side of the searched image, in pixels, is this times the square root of the image's
  // pixel count, within these bounds. 0 to 10; 32 to 10000.
  double side_per_root_pixel = 0.25;
  int min_side = 320;
  int max_side = 640;
  // A small image is enlarged by this much a side at most. 1 to 8.
  double max_enlargement = 4;
  // A face has at least this score, the square root of the product of its class and place
  // confidences. 0 to 1.
  double min_score = 0.7;

  bool operator==(const YuNetOptions&) const = default;
  void Validate() const;  // throws Error for the first value out of range
};

// Which pixels of a face are taken for skin, and how their colours are estimated.
struct SeedSkinOptions {
  // Half axes of the ellipse of cheeks, nose and forehead, in sizes of the face. 0.05 to 0.5.
  double inner_half_width = 0.32;
  double inner_half_height = 0.36;
  // An upper half of the ellipse that is darker than this share of the lower half is left out: dark
  // glasses, a fringe, or the shade of a hat. 0 to 1.
  double min_upper_lightness = 0.8;
  // A pixel of the face with global log-odds of at most this is eye, beard or hair. -20 to 20.
  double min_log_odds = -8;
  double trim_fraction = 0.1;  // the share of the pixels that trimming leaves out. 0 to 0.5.
  // The covariance of the trimmed pixels is multiplied by this. 0.1 to 10.
  double covariance_inflation = 1;
  // Added to the variance of each channel, in grey levels squared. 0.01 to 1000.
  double covariance_floor = 4;
  // The number of Gaussians for all faces of an image, at most. 1 to 16.
  int max_components = 4;
};

// The two mixtures that are fitted to the image.
struct ImageFitOptions {
  // The image is reduced to about this many pixels before the fit. 100 to 10^8.
  int pixels = 39000;
  // Gaussians of the background, without the one of hair that is added if there are faces. 1 to 47.
  int background_components = 7;
  // Added to the variance of each channel of these, in grey levels squared. 0.01 to 1000.
  double background_covariance_floor = 16;
  // The background begins with the pixels whose squared Mahalanobis distance to each Gaussian of
  // skin is above this. For that distance skin may be darker and lighter by the share skin_shade of
  // its mean colour. 0 to 1000; 0 to 1.
  double background_min_distance = 13.2;
  double skin_shade = 0.2;
  int em_steps = 8;  // without messages of neighbours. 0 to 1000.
  // Weight of the seeds' colour priors, as a share of the image's pixels. 0 to 100.
  double prior_strength = 0.21;
  // Then, informed_times times over: informed_rounds rounds of mean field compute the messages of
  // neighbours, as in refinement, and informed_steps EM steps use them. 0 to 100; 1 to 100; 0 to
  // 100.
  int informed_times = 2;
  int informed_rounds = 1;
  int informed_steps = 3;
};

// The spatial prior: log-odds by position relative to the nearest face. Lengths are in widths and
// heights of the face's box.
struct SpatialPriorOptions {
  // Log-odds in the ellipse of the head; above and beside it, where hair and background are; and
  // below it, where neck, breast and hands are. -20 to 20.
  double head = 2.8;
  double above = -2.55;
  double below = 0;
  // To the left and right, log-odds fall by decay_per_face_width for each width beyond the first,
  // for at most max_decay_widths widths; and so below the head for each height. 0 to 20; 0 to 100.
  double decay_per_face_width = 1;
  double max_decay_widths = 2;
  double decay_per_face_height = 0.9;
  double max_decay_heights = 2;
  double head_half_width = 0.435;  // half axes of the head's ellipse. 0.05 to 2.
  double head_half_height = 0.6;
  // If the only seed is a face near the middle of the image's width, nobody else is taken to be
  // there: pixels far beside it and above it are less likely to be skin, and those of the legs
  // more. The weight of these terms; 0: without them. 0 to 10.
  double alone = 1;
};

// Refinement by mean field, with the weights of a guided filter between neighbours (He, Sun, Tang
// 2010).
struct RefinementOptions {
  bool enabled = true;
  int rounds = 4;              // of mean field. 1 to 100.
  double pairwise_weight = 8;  // log-odds that a neighbourhood of one class alone adds. 0 to 100.
  // The guided filter's epsilon: variances of grey levels (0 to 1) above it are edges. 10^-4 to 1.
  double epsilon = 6e-3;
  // The filter's radius, in sizes of the median face of the image. 0.01 to 1.
  double radius_per_face = 0.1;
  // The radius is at most the square root of the image's area over this, and half of that in images
  // without a face. 1 to 10000.
  double min_radii_per_side = 13;
};

// The decision for an image without a seed. Its threshold is a valley in the histogram of its own
// log-odds; without a valley, its colours are fitted to the pixels that are surely skin.
struct ImageDecisionOptions {
  bool enabled = true;        // false: the global model decides
  bool require_face = false;  // true: no pixel of such an image is skin
  // The image is brightened, by at most 2^max_stops, so that `exposed_share` of its pixels have a
  // greatest channel of at most `exposure` (linear light). exposure 0: no image is brightened. 0 to
  // 1; 0.5 to 1; 0 to 10.
  double exposure = 0.8;
  double exposed_share = 0.99;
  double max_stops = 4;
  // Before that, the gains of blue and red in linear light (green has 1), in the usual light and in
  // cool light, in which an image is judged if its skin stands apart only so. Monochrome images
  // have neither. 0.25 to 4.
  double usual_blue = 0.7;
  double usual_red = 1.04;
  double cool_blue = 0.77;
  double cool_red = 1.33;
  // A pixel is unsure if its log-odds are within 1 of the threshold. In cool light there may be at
  // most this many unsure pixels for each pixel of skin. 0: no image is judged in cool light. 0 to
  // 100.
  double max_unsure_cool = 0.045;
  // An image whose usual light leaves more than `max_unsure_dark` unsure pixels for each pixel of
  // skin is also judged after this further gain of all channels, and so judged if more than half of
  // it is skin then, with fewer unsure pixels. max_unsure_dark 0: none is. 1 to 16; 0 to 100.
  double dark_gain = 3;
  double max_unsure_dark = 0.15;
  // In an image with more unsure pixels for each pixel of skin, no part is skin, unless skin is
  // less than 5 % of the image. Without a valley the bound is `unsure_without_valley` times as
  // high. 0 to 10^6; 0 to 1.
  double max_unsure = 1.35;
  double unsure_without_valley = 0.4;
  // The valley is searched for between these global log-odds, downwards. -5 to 5.
  double max_log_odds = 2;
  double min_log_odds = -3.2;
  // Standard deviation of the Gaussian that smooths the histogram, in log-odds. 0.1 to 2.
  double smoothing = 0.3;
  // The share of the image above the threshold lies between these. 0 to 1.
  double min_share = 0.05;
  double max_share = 0.9;
  double max_valley = 0.3;  // a valley's height, as a share of the peak of skin above it. 0 to 1.
  // Below a valley the search ends where the histogram is this many times as high. 1 to 100.
  double max_rise = 1.5;
  // Without a valley, pixels with global log-odds above this are taken as skin. -20 to 20.
  double sure_log_odds = 0.6;
  // Weight of the log-odds of the two mixtures that are fitted to both sides of the threshold; the
  // global log-odds, bounded to +- max_global_log_odds, have the remaining weight. 0 to 1; 0 to
  // 100.
  double local_weight = 0.5;
  double max_global_log_odds = 6;
  // Connected components of the skin below this share of the image are removed. 0 to 1.
  double min_component = 0.003;
  ImageFitOptions fit{.background_components = 6, .em_steps = 3, .prior_strength = 0.1};
};

struct AdaptOptions {
  SeedSkinOptions skin;
  ImageFitOptions fit;
  // Log-odds of a pixel are local_weight * local + global_weight * global + spatial prior, with the
  // global ones bounded to +- max_global_log_odds. 0 to 1; 0 to 10; 0 to 100.
  double local_weight = 0.9;
  double global_weight = 0.25;
  double max_global_log_odds = 4;
  SpatialPriorOptions prior;
  RefinementOptions refinement;
  ImageDecisionOptions image;
  // Smoothing over the frames of a stream: the time constant in seconds; 0: none. Single images do
  // not use it. 0 to 1.
  double steady = 0.6;

  void Validate() const;  // throws Error for the first value out of range
};
// Every option by its name here, as "fit.em_steps", with its range, and with the text of the help
// where users see it.
const OptionTable<AdaptOptions>& AdaptTable();
const OptionTable<HogOptions>& HogTable();
const OptionTable<YuNetOptions>& YuNetTable();

}  // namespace skinmask
