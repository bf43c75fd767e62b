// The options of adaptation. docs/adaptation.md has the method and the equations they stand in;
// docs/accuracy.md ('What choosing the options is worth') says what half and double of each cost.
#pragma once

namespace skinmask {

// Each comment ends with the option's range, and says where the default comes from: 'ECU' for what
// was chosen by F1 on its 101 photographs. Log-odds are natural logarithms. 'Global' log-odds are
// those of the model that was trained, less those of its own threshold.

// How faces are searched for (cv::CascadeClassifier::detectMultiScale).
struct FaceSearchOptions {
  // The image is made this small, in pixels, before the search; a search takes about 60 ms then.
  // 400 to 10^8.
  int searched_pixels = 115000;
  // From one size of face to the next. OpenCV has 1.1; 1.15 is a third cheaper. 1.01 to 2.
  double scale_factor = 1.15;
  // Width of the smallest face, in shares of the image's shorter side: ECU. 0 to 1.
  double min_face_share = 0.06;
  // So many overlapping hits make a face: OpenCV's default, and ECU. 1 to 1000.
  int min_neighbours = 3;
  // So many make one that the colours need not confirm, in whatever light: ECU. 1 to 1000.
  int certain_neighbours = 8;

  bool operator==(const FaceSearchOptions&) const = default;
  void Validate() const;  // throws Error for the first value out of range
};

// Whether a face is believed, and which of its pixels are skin.
struct SeedSkinOptions {
  // Global log-odds that are plausible for skin in odd light, and the share of the face's middle
  // that must have them; a false face is mostly of colours that no skin has. ECU. -20 to 20; 0
  // to 1.
  double verified_log_odds = -2;
  double verified_share = 0.4;
  // Half axes of the ellipse of cheeks, nose and forehead, in widths and heights of the face's box.
  // ECU. 0.05 to 0.5.
  double inner_half_width = 0.32;
  double inner_half_height = 0.38;
  // Global log-odds under which a pixel of the face is eye, beard or hair: ECU. -20 to 20.
  double min_log_odds = -4;
  // Share of the pixels that trimming leaves out: ECU. 0 to 0.5, beyond which no estimate of a
  // covariance is robust (Rousseeuw, Van Driessen 1999).
  double trim_fraction = 0.1;
  // What the covariance of the trimmed pixels is multiplied by. For a Gaussian in three dimensions
  // 1.25 gives back what trimming a tenth takes (Croux, Haesbroeck 1999). ECU. 0.1 to 10.
  double covariance_inflation = 1.2;
  // Added to the variance of each channel, in grey levels squared, so that noise of the camera is
  // not told apart: ECU. 0.01 to 1000.
  double covariance_floor = 4;
};

// The two mixtures that are fitted to the image.
struct ImageFitOptions {
  // The image is made this small, in pixels, before the fit: ECU. 100 to 10^8.
  int pixels = 60000;
  // Gaussians of the background: ECU. 1 to 64.
  int background_components = 4;
  // Added to the variance of each channel of these, in grey levels squared: ECU. 0.01 to 1000.
  double background_covariance_floor = 16;
  // The background begins with the pixels of more than this squared Mahalanobis distance from all
  // skin; 3 in 1000 pixels of a Gaussian are beyond 14. 0 to 1000.
  double background_min_distance = 14;
  // Steps of EM: on ECU one loses 0.007 of F1, and 25 lose 0.004. 0 to 1000.
  int em_steps = 3;
  // Weight of the seeds, in shares of the image's pixels: anything from 0.02 to 0.1 does on ECU,
  // and 0.1 is best after the many steps of a video. 0 to 100.
  double prior_strength = 0.1;
};

// Log-odds by position relative to the nearest face. Lengths in widths and heights of the face's
// box.
struct SpatialPriorOptions {
  // In the ellipse of the head; above and beside it, where hair and background are; below it, where
  // neck, breast and hands are. ECU. -20 to 20.
  double head = 2.5;
  double above = -3;
  double below = -0.75;
  // Below the head, log-odds fall by this for each width or height beyond the first, and fall no
  // more after so many: ECU. 0 to 20; 0 to 100.
  double decay_per_face_width = 0.5;
  double max_decay_widths = 2;
  // Half axes of the head's ellipse: ECU. 0.05 to 2.
  double head_half_width = 0.42;
  double head_half_height = 0.55;
};

// Mean field, neighbours weighing as a guided filter has them (He, Sun, Tang 2010).
struct RefinementOptions {
  bool enabled = true;
  // Rounds of mean field: ECU. 1 to 100.
  int rounds = 3;
  // Log-odds that a neighbourhood wholly of one class adds: ECU. 0 to 100.
  double pairwise_weight = 4;
  // The guided filter's epsilon: variance of grey levels, of 0 to 1, above which there is an edge.
  // ECU. 10^-9 to 1.
  double epsilon = 1e-3;
  // The filter's radius is the square root of the small image's area over this: ECU. 1 to 10000.
  double radii_per_side = 26;
};

struct AdaptOptions {
  FaceSearchOptions search;  // for FaceFinder, which is made before the adapter
  SeedSkinOptions skin;
  ImageFitOptions fit;
  // Log-odds of a pixel are local_weight * local + (1 - local_weight) * global + spatial prior.
  // ECU. 0 to 1.
  double local_weight = 0.8;
  // Global log-odds are believed up to this, of either sign: the global model was fitted to colours
  // in other lights, where it may be sure and wrong. ECU. 0 to 100.
  double max_global_log_odds = 6;
  SpatialPriorOptions prior;
  RefinementOptions refinement;

  void Validate() const;  // throws Error for the first value out of range
};

}  // namespace skinmask
