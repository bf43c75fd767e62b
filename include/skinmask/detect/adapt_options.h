// The options of adaptation. docs/adaptation.md has the method and its equations; docs/accuracy.md
// ('What choosing the options is worth') has the cost of halving and doubling each option.
#pragma once

#include "skinmask/base/options.h"

namespace [[gnu::visibility("default")]] skinmask {

// Each comment ends with the option's range and names the data that its default was chosen on:
// 'ECU' for F1 on ECU's 101 photographs, 'groups' for 23 photographs of several people, 'people'
// for the sets ECU, groups, bodies, street, street_dark, heads and heads_dark together. Log-odds
// are natural logarithms. 'Global' log-odds are those of the trained model less those of its own
// threshold.

// How the built-in finder searches for faces.
struct HogOptions {
  // The image is searched at this size, in pixels. The smallest faces that are found are 80 pixels
  // high at this size, so small faces need a large image. 'groups' and ECU. 10^4 to 10^8.
  int min_searched_pixels = 1500000;
  // Larger images are searched at this share of their pixels, but at no more than
  // max_searched_pixels, because the faces of a large group are small. 0 to 1; 10^4 to 10^8.
  double searched_share = 0.5;
  int max_searched_pixels = 6000000;
  // An image with three faces or more may show a crowd with smaller faces. It is searched once more
  // at this size, unless the first search had about as many pixels; max_searched_pixels is a bound
  // here, too. 0: no second search. On 'groups' 152 true faces instead of 144, and 4 false ones
  // instead of 2. 0 to 10^8.
  int crowd_pixels = 3000000;
  // A small image is enlarged by this much a side at most. 1 to 8.
  double max_enlargement = 4;
  // A window with at least this detector score is a face. dlib has 0; 0.2 loses 0.015 of F1 on ECU.
  // -2 to 2.
  double min_score = 0;
  // The same for the two templates of tilted heads. On ECU and 'groups' no true face has less than
  // 0.3, and false ones have up to 0.1. -2 to 2.
  double min_tilted_score = 0.2;
  // In an image with such a face, other windows of similar colour may score this much less: on
  // 'groups' 144 true faces instead of 136, on everyday people 44 instead of 36. 0 to 2.
  double further_slack = 0.4;
  // For faces that fill the image or are cut by its border, the image is searched once more:
  // reduced so that its shorter side is at most close_up_side pixels, and padded with its border
  // pixels by this share of that side. 0: no such search. heads, heads_dark and ECU, zoomed in by
  // 1.25 to 1.7. 0 to 2; 64 to 4000.
  double padding = 0.3;
  int close_up_side = 240;
  // If no face is found, an image larger than this is searched once more at this size, in pixels.
  // The sizes of this pyramid lie between those of the first, so faces that the first search missed
  // between two sizes are found, and the result depends less on the size of the file. ECU, at 8
  // megapixels. 1 to 10^8.
  int again_pixels = 200000;
  // For tilted heads the image is searched at this size, in pixels, turned by 30 degrees to either
  // side. If there is still no face, it is searched with equalised contrast, and then turned by 90
  // and 180 degrees. 0: none of these. On ECU's 101 photographs, turned by 20 to 40 degrees, 116
  // faces are found instead of 95. 0 to 10^8.
  int turned_pixels = 100000;

  bool operator==(const HogOptions&) const = default;
  void Validate() const;  // throws Error for the first value out of range
};

// How YuNet searches for faces.
struct YuNetOptions {
  // The longer side of the searched image, in pixels, is this times the square root of the image's
  // pixel count, clamped to min_side and max_side. A photograph of up to 1.6 megapixels is searched
  // in 10 ms, one of 6.5 megapixels or more in 20 ms, where 47 of 49 faces of a group are found. 0
  // to 10; 32 to 10000.
  double side_per_root_pixel = 0.25;
  int min_side = 320;
  int max_side = 640;
  // A small image is enlarged by this much a side at most. 1 to 8.
  double max_enlargement = 4;
  // A face has at least this score, the square root of the product of its class and place
  // confidences. 0.6 finds 21 faces in the 101 scenes without people, 0.7 six. 0 to 1.
  double min_score = 0.7;

  bool operator==(const YuNetOptions&) const = default;
  void Validate() const;  // throws Error for the first value out of range
};

// Which pixels of a face are taken for skin, and how their colours are estimated.
struct SeedSkinOptions {
  // Half axes of the ellipse of cheeks, nose and forehead, in sizes of the face. ECU. 0.05 to 0.5.
  double inner_half_width = 0.32;
  double inner_half_height = 0.36;
  // If the upper half of the ellipse is darker than this share of the lower half, it shows dark
  // glasses, a fringe or the shade of a hat, and only the lower half is used. All sets of people. 0
  // to 1.
  double min_upper_lightness = 0.8;
  // A pixel of the face with global log-odds of at most this is eye, beard or hair. ECU. -20 to 20.
  double min_log_odds = -8;
  // Share of the pixels that trimming leaves out. people. 0 to 0.5: above, no estimate of a
  // covariance is robust (Rousseeuw, Van Driessen 1999).
  double trim_fraction = 0.1;
  // The covariance of the trimmed pixels is multiplied by this. For a Gaussian in three dimensions
  // 1.25 compensates for trimming a tenth (Croux, Haesbroeck 1999); less is better in images of
  // several people. ECU and 'groups'. 0.1 to 10.
  double covariance_inflation = 1;
  // Added to the variance of each channel, in grey levels squared, so that noise of the camera does
  // not separate colours. ECU. 0.01 to 1000.
  double covariance_floor = 4;
  // The number of Gaussians for all faces of an image, at most. The most similar faces are joined;
  // if at most half as many Gaussians remain, each is divided into light and shade. 1 to 16.
  int max_components = 4;
};

// The two mixtures that are fitted to the image.
struct ImageFitOptions {
  // The image is reduced to about this many pixels before the fit. ECU. 100 to 10^8.
  int pixels = 39000;
  // Gaussians of the background, without the one of hair that is added if there are faces. people.
  // 1 to 47.
  int background_components = 7;
  // Added to the variance of each channel of the background's Gaussians, in grey levels squared.
  // people. 0.01 to 1000.
  double background_covariance_floor = 16;
  // The background is initialised with the pixels whose squared Mahalanobis distance to each
  // Gaussian of skin is above this; 3 in 1000 pixels of a Gaussian are above 14. people. 0 to 1000.
  double background_min_distance = 13.2;
  // For that distance skin may be darker and lighter by this share of its mean colour, which keeps
  // shaded arms out of the background. 'groups'. 0 to 1.
  double skin_shade = 0.2;
  // EM steps without messages of neighbours. ECU and 'groups'. 0 to 1000.
  int em_steps = 8;
  // Weight of the seeds' colour priors, as a share of the image's pixels. people. 0 to 100.
  double prior_strength = 0.21;
  // Then, informed_times times over: informed_rounds rounds of mean field compute the messages of
  // neighbours, as in refinement, and informed_steps EM steps use them. F1 gains 0.004 on ECU and
  // 0.007 on 'groups' (with three times; two do as well). 0 to 100; 1 to 100; 0 to 100.
  int informed_times = 2;
  int informed_rounds = 1;
  int informed_steps = 3;
};

// The spatial prior: log-odds by position relative to the nearest face. Lengths are in widths and
// heights of the face's box.
struct SpatialPriorOptions {
  // Log-odds in the ellipse of the head; above and beside it, where hair and background are; and
  // below it, where neck, breast and hands are. people. -20 to 20.
  double head = 2.8;
  double above = -2.55;
  double below = 0;
  // To the left and right, log-odds fall by decay_per_face_width for each width beyond the first,
  // for at most max_decay_widths widths. people. 0 to 20; 0 to 100.
  double decay_per_face_width = 1;
  double max_decay_widths = 2;
  // The same below the head, for each height. people. 0 to 20; 0 to 100.
  double decay_per_face_height = 0.9;
  double max_decay_heights = 2;
  // Half axes of the head's ellipse: people. 0.05 to 2.
  double head_half_width = 0.435;
  double head_half_height = 0.6;
};

// Refinement by mean field, with the weights of a guided filter between neighbours (He, Sun, Tang
// 2010).
struct RefinementOptions {
  bool enabled = true;
  // Rounds of mean field: ECU. 1 to 100.
  int rounds = 4;
  // Log-odds that a neighbourhood of one class alone adds. All sets of people, and the calibration
  // of `groups`. 0 to 100.
  double pairwise_weight = 8;
  // The guided filter's epsilon: variances of grey levels (0 to 1) above it are edges. All sets of
  // people. 10^-4 to 1.
  double epsilon = 6e-3;
  // The filter's radius, in sizes of the median face of the image. All sets of people. 0.01 to 1.
  double radius_per_face = 0.1;
  // The radius is at most the square root of the image's area over this, and half of that in images
  // without a face. ECU. 1 to 10000.
  double min_radii_per_side = 13;
};

// The decision for an image without a seed. Its threshold is a valley in the histogram of its own
// log-odds; without a valley, its colours are fitted to the pixels that are surely skin.
struct ImageDecisionOptions {
  bool enabled = true;        // false: the global model decides
  bool require_face = false;  // true: no pixel of such an image is skin
  // The image is brightened so that `exposed_share` of its pixels have a greatest channel of at
  // most `exposure` (linear light, 0 to 1). Brighter images are not changed. The factor is at most
  // 2^max_stops, because brightened noise is no light. exposure 0: no image is brightened. All
  // sets, in five lights. 0 to 1; 0.5 to 1; 0 to 10.
  double exposure = 0.8;
  double exposed_share = 0.99;
  double max_stops = 4;
  // Before that, blue and red have these gains in linear light (green has 1): photographs without a
  // face are on the mean bluer than the skin that the global model was trained on. All sets without
  // their faces, in five lights. Monochrome images have neither these gains nor the second light.
  // 0.25 to 4.
  double usual_blue = 0.7;
  double usual_red = 1.04;
  // A second light, of shade or of a camera with a wrong white balance, in which the image is
  // judged if its skin stands apart there as it does not in the usual light. 0.25 to 4.
  double cool_blue = 0.77;
  double cool_red = 1.33;
  // A pixel is unsure if its log-odds are within 1 of the threshold. In cool light there may be at
  // most this many unsure pixels for each pixel of skin. Real skin in front of a plain ground has
  // some 0.01, walls and pavements in cool light have 0.05 or more. 0: the image is never judged in
  // cool light. hgr in cool light, street and negatives. 0 to 100.
  double max_unsure_cool = 0.045;
  // An image whose usual light leaves more than `max_unsure_dark` unsure pixels for each pixel of
  // skin is also judged after this further gain of all channels, and so judged if more than half of
  // it is skin then, with fewer unsure pixels: dark skin that fills an image is much darker than
  // white cloth or a wall, which set the exposure. torsos_dark, negatives. 1 to 16.
  double dark_gain = 3;
  double max_unsure_dark = 0.15;  // 0: no image is judged so. 0 to 100.
  // In an image with more unsure pixels for each pixel of skin, no part is skin, unless skin is
  // less than 5 % of the image: what has nearly the colours of skin is most often wood, sand or a
  // wall. negatives, torsos_dark, and all sets without their faces. 0 to 10^6.
  double max_unsure = 1.35;
  // The valley is searched for between these global log-odds, downwards. At the lower bound scenes
  // without people stay empty. hgr, negatives. -5 to 5.
  double max_log_odds = 2;
  double min_log_odds = -3.2;
  // Standard deviation of the Gaussian that smooths the histogram, in log-odds. hgr. 0.1 to 2.
  double smoothing = 0.3;
  // The share of the image above the threshold lies between these: a smaller share is no skin, and
  // a greater one is a close-up, which has no background to be divided from. hgr, torsos_dark and
  // negatives. 0 to 1.
  double min_share = 0.05;
  double max_share = 0.9;
  // A valley is at most this high, as a share of the peak of skin above it. hgr. 0 to 1.
  double max_valley = 0.3;
  // Below a valley the search ends where the histogram is this many times as high as in the valley.
  // hgr. 1 to 100.
  double max_rise = 1.5;
  // Without a valley, pixels with global log-odds above this are surely skin. hgr, bodies and
  // negatives. -20 to 20.
  double sure_log_odds = 1.5;
  // Weight of the log-odds of the two mixtures that are fitted to both sides of the threshold; the
  // global log-odds have the remaining weight. hgr and negatives. 0 to 1.
  double local_weight = 0.5;
  // Bound of the absolute value of the global log-odds. 0 to 100.
  double max_global_log_odds = 6;
  // Connected components of the skin that are smaller than this share of the image are removed. hgr
  // and negatives. 0 to 1.
  double min_component = 0.003;
  ImageFitOptions fit{.background_components = 6, .em_steps = 3, .prior_strength = 0.1};
};

struct AdaptOptions {
  SeedSkinOptions skin;
  ImageFitOptions fit;
  // Log-odds of a pixel are local_weight * local + global_weight * global + spatial prior. ECU and
  // 'groups'. 0 to 1; 0 to 10.
  double local_weight = 0.9;
  double global_weight = 0.25;
  // Global log-odds are clamped to +- this, because the global model was fitted to colours in other
  // lights, where it may be certain and wrong. people. 0 to 100.
  double max_global_log_odds = 4;
  SpatialPriorOptions prior;
  RefinementOptions refinement;
  ImageDecisionOptions image;
  // Smoothing over the frames of a stream: the time constant in seconds; 0: none. Single images do
  // not use it. Videos of ECU, groups and bodies. 0 to 1.
  double steady = 0.5;

  void Validate() const;  // throws Error for the first value out of range
};
// Every option by its name here, as "fit.em_steps", with its range, and with the text of the help
// where users see it.
const OptionTable<AdaptOptions>& AdaptTable();
const OptionTable<HogOptions>& HogTable();
const OptionTable<YuNetOptions>& YuNetTable();

}  // namespace skinmask
