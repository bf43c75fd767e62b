// The options of adaptation. docs/adaptation.md has the method and the equations they stand in;
// docs/accuracy.md ('What choosing the options is worth') says what half and double of each cost.
#pragma once

#include "skinmask/base/options.h"

namespace [[gnu::visibility("default")]] skinmask {

// Each comment ends with the option's range, and says where the default comes from: 'ECU' for what
// was chosen by F1 on its 101 photographs, 'groups' for 23 of several people, 'people' for these,
// bodies, street, street_dark, heads and heads_dark together. Log-odds are natural
// logarithms. 'Global' log-odds are those of the model that was trained, less those of its own
// threshold.

// How the built-in finder searches for faces.
struct HogOptions {
  // The image is searched at this size, in pixels: its smallest faces are 80 pixels high, so small
  // ones need a large image. 'groups' and ECU. 10^4 to 10^8.
  int min_searched_pixels = 1500000;
  // Images larger than that are searched at this share of their pixels, but no more than
  // max_searched_pixels: faces of a large group are small in them. 0 to 1; 10^4 to 10^8.
  double searched_share = 0.5;
  int max_searched_pixels = 6000000;
  // An image with three faces may show a crowd, some of whose faces are smaller: it is searched
  // once more at this size, unless the first search had about as many pixels or
  // max_searched_pixels are fewer; 0: not at all. On 'groups' 152 true faces instead of 144, and 4
  // false ones instead of 2. 0 to 10^8.
  int crowd_pixels = 3000000;
  // A small image is enlarged by this much a side at most. 1 to 8.
  double max_enlargement = 4;
  // The detector's own score above which there is a face: 0 as dlib has it; 0.2 loses 0.015 of F1
  // on ECU. -2 to 2.
  double min_score = 0;
  // Likewise of the two detectors of tilted heads: on ECU and 'groups' no true face has less than
  // 0.3, and false ones up to 0.1. -2 to 2.
  double min_tilted_score = 0.2;
  // In an image that has such a face, others whose colours are like its may score so much less: on
  // 'groups' 144 true faces instead of 136, on everyday people 44 instead of 36. 0 to 2.
  double further_slack = 0.4;
  // Faces that fill the image or are cut by its border: it is searched once more, with its shorter
  // side at most close_up_side pixels long, and with the pixels of its border repeated around it
  // for this share of that side; 0: not at all. heads, heads_dark and ECU, zoomed in by 1.25
  // to 1.7. 0 to 2; 64 to 4000.
  double padding = 0.3;
  int close_up_side = 240;
  // Where no face is found, a larger image is searched once more at this size, in pixels: a face
  // that is missed between two steps of the first pyramid is found in this one, so that less
  // depends on the size of the file. ECU, at 8 megapixels. 1 to 10^8.
  int again_pixels = 200000;
  // Heads that are tilted: the image is searched at this size, in pixels, turned by 30 degrees to
  // either side, and where there is still no face with its contrast equalised, and by 90 and 180
  // degrees; 0: not at all. Of 101 photographs of ECU that are turned by 20 to 40 degrees, 116
  // faces instead of 95. 0 to 10^8.
  int turned_pixels = 100000;

  bool operator==(const HogOptions&) const = default;
  void Validate() const;  // throws Error for the first value out of range
};

// How YuNet searches for faces.
struct YuNetOptions {
  // The longer side of what is searched, in pixels, is this times the square root of the image's
  // pixels, between two bounds: the search of a photograph of up to 1.6 megapixels takes 10 ms, of
  // 6.5 and more 20 ms, which finds 47 of 49 faces of a group. 0 to 10; 32 to 10000.
  double side_per_root_pixel = 0.25;
  int min_side = 320;
  int max_side = 640;
  // A small image is enlarged by this much a side at most. 1 to 8.
  double max_enlargement = 4;
  // Of a face: the square root of its confidences in class and place. 0.6 finds 21 faces in the 101
  // scenes without people, 0.7 six. 0 to 1.
  double min_score = 0.7;

  bool operator==(const YuNetOptions&) const = default;
  void Validate() const;  // throws Error for the first value out of range
};

// Which pixels of a face are skin, and of what colours it is.
struct SeedSkinOptions {
  // Half axes of the ellipse of cheeks, nose and forehead, in sizes of the
  // face. ECU. 0.05 to 0.5.
  double inner_half_width = 0.32;
  double inner_half_height = 0.36;
  // Where its upper half is darker than this share of the lower one, it shows dark glasses, a
  // fringe or the shade of a hat, and only the lower half counts. All sets of people. 0 to 1.
  double min_upper_lightness = 0.8;
  // Global log-odds under which a pixel of the face is eye, beard or hair: ECU. -20 to 20.
  double min_log_odds = -8;
  // Share of the pixels that trimming leaves out: people. 0 to 0.5, beyond which no estimate of a
  // covariance is robust (Rousseeuw, Van Driessen 1999).
  double trim_fraction = 0.1;
  // What the covariance of the trimmed pixels is multiplied by. For a Gaussian in three dimensions
  // 1.25 gives back what trimming a tenth takes (Croux, Haesbroeck 1999); less is better in images
  // of several people. ECU and 'groups'. 0.1 to 10.
  double covariance_inflation = 1;
  // Added to the variance of each channel, in grey levels squared, so that noise of the camera is
  // not told apart: ECU. 0.01 to 1000.
  double covariance_floor = 4;
  // So many Gaussians stand for all faces of an image: the most alike are joined, and where there
  // is room for two of each, they are divided into light and shade. 1 to 16.
  int max_components = 4;
};

// The two mixtures that are fitted to the image.
struct ImageFitOptions {
  // The image is made this small, in pixels, before the fit: ECU. 100 to 10^8.
  int pixels = 39000;
  // Gaussians of the background, beside that of hair where there are faces: people. 1 to 47.
  int background_components = 7;
  // Added to the variance of each channel of these, in grey levels squared: people. 0.01 to 1000.
  double background_covariance_floor = 16;
  // The background begins with the pixels of more than this squared Mahalanobis distance from all
  // skin; 3 in 1000 pixels of a Gaussian are beyond 14: people. 0 to 1000.
  double background_min_distance = 13.2;
  // For that distance skin is allowed to be darker and lighter by this share of its colour, which
  // keeps shaded arms out of the background: 'groups'. 0 to 1.
  double skin_shade = 0.2;
  // Steps of EM before neighbours are heard: ECU and 'groups'. 0 to 1000.
  int em_steps = 8;
  // Weight of the seeds, in shares of the image's pixels: people. 0 to 100.
  double prior_strength = 0.21;
  // After these steps neighbours tell each other what they are (as in refinement, by so many
  // rounds), and so many more steps of EM listen to them; so many times over. F1 on ECU
  // gains 0.004, on 'groups' 0.007 (three times; two do as much). 0 to 100; 1 to 100; 0 to 100.
  int informed_times = 2;
  int informed_rounds = 1;
  int informed_steps = 3;
};

// Log-odds by position relative to the nearest face. Lengths in widths and heights of the face's
// box.
struct SpatialPriorOptions {
  // In the ellipse of the head; above and beside it, where hair and background are; below it, where
  // neck, breast and hands are. people. -20 to 20.
  double head = 2.8;
  double above = -2.55;
  double below = 0;
  // On the left and right, log-odds fall by this for each width beyond the first, and fall no more
  // after so many: people. 0 to 20; 0 to 100.
  double decay_per_face_width = 1;
  double max_decay_widths = 2;
  // Likewise below the head, for each height: people. 0 to 20; 0 to 100.
  double decay_per_face_height = 0.9;
  double max_decay_heights = 2;
  // Half axes of the head's ellipse: people. 0.05 to 2.
  double head_half_width = 0.435;
  double head_half_height = 0.6;
};

// Mean field, neighbours weighing as a guided filter has them (He, Sun, Tang 2010).
struct RefinementOptions {
  bool enabled = true;
  // Rounds of mean field: ECU. 1 to 100.
  int rounds = 4;
  // Log-odds that a neighbourhood wholly of one class adds: all sets of people, and the calibration
  // of `groups`. 0 to 100.
  double pairwise_weight = 8;
  // The guided filter's epsilon: variance of grey levels, of 0 to 1, above which there is an edge.
  // All sets of people. 10^-4 to 1.
  double epsilon = 6e-3;
  // The filter's radius, in sizes of the middle one of the image's faces: all sets of
  // people. 0.01 to 1.
  double radius_per_face = 0.1;
  // It is at most the square root of the image's area over this, and half of that in images
  // without a face: ECU. 1 to 10000.
  double min_radii_per_side = 13;
};

// The decision of an image in which no seed was found: where its own log-odds divide, or where
// they are sure of skin, its colours are fitted to.
struct ImageDecisionOptions {
  bool enabled = true;        // false: the global model is the answer
  bool require_face = false;  // true: no pixel of such an image is skin, whatever else stands here
  // The image is taken to be so much lighter that `exposed_share` of its pixels are at most
  // `exposure` in their greatest channel, in linear light, of 1; an image that is so light already
  // is taken as it is. At most 2^max_stops times as light, since noise is no light. 0: every image
  // as it is. All sets, in five lights. 0 to 1; 0.5 to 1; 0 to 10.
  double exposure = 0.8;
  double exposed_share = 0.99;
  double max_stops = 4;
  // The division is searched for between these global log-odds, from above: at the lower bound
  // scenes without people stay empty. hgr, negatives. -5 to 5.
  double max_log_odds = 2;
  double min_log_odds = -3.2;
  // Standard deviation of the Gaussian that smooths the histogram of log-odds: hgr. 0.1 to 2.
  double smoothing = 0.3;
  // Shares of the image that may lie above the division: less is no skin, more is no part of the
  // image but a close-up. hgr, torsos_dark and negatives. 0 to 1.
  double min_share = 0.03;
  double max_share = 0.9;
  // A valley is at most this high, in shares of the peak of skin above it: hgr. 0 to 1.
  double max_valley = 0.3;
  // Below a valley the search ends where the histogram is this many times as high as there: hgr. 1
  // to 100.
  double max_rise = 1.5;
  // Without a valley, global log-odds above which pixels are surely skin: hgr, bodies and
  // negatives. -20 to 20.
  double sure_log_odds = 1.5;
  // Weight of the log-odds of the fit to the colours on either side, and that fit: hgr and
  // negatives. 0 to 1.
  double local_weight = 0.5;
  // Bound of the global log-odds, whose weight is the rest. 0 to 100.
  double max_global_log_odds = 6;
  // Connected parts of the skin that are smaller than this share of the image are no skin: hgr and
  // negatives. 0 to 1.
  double min_component = 0.003;
  ImageFitOptions fit{.background_components = 4, .em_steps = 3, .prior_strength = 0.1};
};

struct AdaptOptions {
  SeedSkinOptions skin;
  ImageFitOptions fit;
  // Log-odds of a pixel are local_weight * local + global_weight * global + spatial prior. ECU and
  // 'groups'. 0 to 1; 0 to 10.
  double local_weight = 0.9;
  double global_weight = 0.25;
  // Global log-odds are believed up to this, of either sign: the global model was fitted to colours
  // in other lights, where it may be sure and wrong. people. 0 to 100.
  double max_global_log_odds = 4;
  SpatialPriorOptions prior;
  RefinementOptions refinement;
  ImageDecisionOptions image;
  // How still the frames of a stream are held: 1 is a time constant of a second; 0: each frame is
  // as it is for itself. Single images do not know it. Videos of ECU, groups and bodies. 0 to 1.
  double steady = 0.5;

  void Validate() const;  // throws Error for the first value out of range
};
// Every option by its name here, as "fit.em_steps"; ranges stand in it, and what users see.
const OptionTable<AdaptOptions>& AdaptTable();
const OptionTable<HogOptions>& HogTable();
const OptionTable<YuNetOptions>& YuNetTable();

}  // namespace skinmask
