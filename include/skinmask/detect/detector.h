// A detector: a model ready to classify pictures, alone or as the frames of a stream, with the
// options of `skinmask detect`.
#pragma once

#include <filesystem>
#include <memory>
#include <opencv2/core.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "skinmask/base/lazy.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/adapt_stream.h"
#include "skinmask/detect/frame_posterior.h"
#include "skinmask/detect/judgement.h"
#include "skinmask/model/model.h"
#include "skinmask/model/outliers.h"

namespace [[gnu::visibility("default")]] skinmask {

// The default of DetectorOptions::outlier for maps of uncertainty.
inline constexpr double kOutlierOfMaps = 0.999;

// What is drawn into overlays in addition to the border of the skin.
struct Drawing {
  bool faces = false;    // boxes, numbers and measured parts of the faces (DrawFaces)
  bool ellipse = false;  // the ellipse of the mask with its long axis (DrawRegion)

  bool operator==(const Drawing&) const = default;
};

struct DetectorOptions {
  // kAuto: the model is adapted to the faces of each picture or, without a face, to the division of
  // the picture's own colours; kFaces: to its faces alone; kOff: the same model for all pictures,
  // which is the fastest.
  enum class Adapt { kAuto, kFaces, kOff };
  Adapt adapt = Adapt::kAuto;
  // Whether the user asked for kAuto by name. If so, models with any positive class are adapted,
  // and faces are searched for even if there are seeds. If not, only models whose positive class is
  // called skin are adapted, and seeds replace the search. Setting `adapt`, or a file of `faces`,
  // by name in DetectorTable sets this.
  bool insist = false;
  // Seeds: where skin is in every picture, as a rectangle or as the file of a mask, whose bytes
  // above 127 are skin. Each picture is adapted to its seeds, even with kOff.
  std::optional<cv::Rect> seed_rect{};
  std::filesystem::path seed_mask{};
  std::filesystem::path faces{};  // YuNet's file; empty: the built-in face detector
  HogOptions hog{};               // of the built-in face detector
  AdaptOptions adaptation{};      // of the adaptation to faces, seeds and images
  // 0 to 1; above 0 and below 1. Absent: the model's own.
  std::optional<double> threshold{}, prior{};
  ClassCosts class_costs{};  // for Judgement::Classes; empty: the model's own
  // A pixel with P(skin) above the first and at most the second is unsure. 0 to 1. Absent: 0.25 and
  // 0.75 in maps of uncertainty, and masks do not abstain.
  std::optional<std::pair<double, double>> abstain{};
  // A component of a class explains the colours of its region of highest density that holds this
  // share of it (Outliers). Above 0, at most 1; 1: all colours are explained. Absent: 1 in masks
  // that abstain; in maps of uncertainty kOutlierOfMaps, but 1 for logistic models, because they
  // have no densities.
  std::optional<double> outlier{};
  // The erosion of the mask in pixels for Judgement::Measured (see Measure); absent: kUsualErosion.
  std::optional<int> erode{};
  std::optional<Drawing> draw{};
  // kYuv: pictures with YUV planes are classified by their planes, if the model allows it and the
  // picture is not adapted to.
  FramePosterior::Pixels pixels = FramePosterior::Pixels::kYuv;
  PosteriorOptions expected{};  // changes speed, never results

  bool has_seeds() const { return seed_rect || !seed_mask.empty(); }
  // Whether images without a seed are divided by their own colours; whether faces are searched for.
  bool by_image() const { return adapt == Adapt::kAuto && (insist || !has_seeds()); }
  bool by_faces() const { return by_image() || adapt == Adapt::kFaces; }
};
// The options that users can set, by name, including those of AdaptTable.
const OptionTable<DetectorOptions>& DetectorTable();
// The rectangle of "X,Y,WIDTH,HEIGHT" in pixels; absent for any other text and for an empty
// rectangle.
std::optional<cv::Rect> RectangleFromText(std::string_view text);

// Throws Error for a number out of range, for an `outlier` below 1 with a logistic model, and for
// class costs of another number of classes.
void Validate(const DetectorOptions& options, const Model& model);

// The face detectors. The first whose takes_file agrees with DetectorOptions::faces is used.
struct FaceFinder {
  std::string_view name;  // SeedFinder::name of the finder that it makes
  bool takes_file;        // whether it needs DetectorOptions::faces
  std::unique_ptr<SeedFinder> (*make)(const DetectorOptions& options);
};
const std::vector<FaceFinder>& FaceFinders();

// Safe from many threads; results do not depend on their number. Copies share the large parts.
class Detector {
 public:
  // Throws Error for options out of range, for a missing or wrong file of faces or seeds, and for a
  // model that Validate refuses.
  explicit Detector(const Model& model, const DetectorOptions& options = {});
  // With an existing adapter of the same model; null: no adaptation. Only those `options` are used
  // that With takes.
  Detector(const Model& model, std::shared_ptr<const Adapter> adapter,
           const DetectorOptions& options = {});
  // The same detector with the threshold, prior, class costs, abstaining interval, outlier share,
  // pixels, expected use, drawing and erosion of `options`. Everything else stays as it is,
  // whatever the options say, and earlier adaptations stay valid. Throws Error if one of those is
  // out of range.
  Detector With(const DetectorOptions& options) const;

  // For single pictures. A Judgement must not outlive the detector.
  Judgement Judge(Picture picture) const { return {*this, std::move(picture)}; }
  // Null if there is nothing to adapt to, or no adaptation.
  std::shared_ptr<const Adaptation> Adapt(const Picture& picture) const;

  const DetectorOptions& options() const { return options_; }
  const Model& model() const { return *model_; }  // with the options' prior, threshold and costs
  double threshold() const { return model_->decision.threshold; }
  // The model without adaptation.
  const FramePosterior& posterior() const { return *posterior_; }
  // Null without adaptation.
  const std::shared_ptr<const Adapter>& adapter() const { return adapter_; }

 private:
  friend class Judgement;
  // The abstaining interval, and the model with each of its ends as the threshold.
  struct Interval {
    std::pair<double, double> ends;
    Posterior low, high;
  };

  void SetOptions(const DetectorOptions& options);
  const Interval& interval() const;
  // For masks that abstain, or for maps of uncertainty; null if all colours are explained.
  const Outliers* OutliersOf(bool masks) const;
  double ExplainedShare(bool masks) const;
  // The shift of all log-odds by a prior that differs from the adapter's.
  double prior_shift() const;

  DetectorOptions options_;
  std::shared_ptr<const Model> made_, model_;  // as trained; with the options
  std::shared_ptr<const FramePosterior> posterior_;
  std::shared_ptr<const Adapter> adapter_;
  double adapter_prior_ = 0;  // the prior of the adapter's model
  // Made when they are first needed, because tables take time.
  std::shared_ptr<const Lazy<Interval>> interval_;
  std::shared_ptr<const Lazy<Outliers>> outliers_of_masks_, outliers_of_maps_;
};

// A detector for the frames of one camera or video, with the adaptation of StreamAdapter.
class Stream {
 public:
  explicit Stream(Detector detector, const StreamOptions& options = {});

  // Takes the next frame, in order, from one thread at a time. The Judgement must not outlive the
  // stream.
  Judgement Judge(Picture picture) {
    std::shared_ptr<const Adaptation> adaptation = Follow(picture);
    return {detector_, std::move(picture), std::move(adaptation)};
  }
  // The part of Judge that must run in order; null if there is nothing to adapt to.
  std::shared_ptr<const Adaptation> Follow(const Picture& picture) {
    return AdaptTo(Observe(picture).get());
  }
  // The two halves of Follow, as in StreamAdapter; null without adaptation.
  std::shared_ptr<const StreamAdapter::Observation> Observe(const Picture& picture);
  std::shared_ptr<const Adaptation> AdaptTo(const StreamAdapter::Observation* observation);

  // As StreamAdapter::SetRate.
  void SetRate(double frames_per_second) {
    if (adapter_) adapter_->SetRate(frames_per_second);
  }

  const Detector& detector() const { return detector_; }
  // Changes the options, as Detector::With does; what was learnt from earlier frames stays. Earlier
  // judgements use the new options for all maps that they have not made yet, so finish these
  // before.
  void Set(const DetectorOptions& options) { detector_ = detector_.With(options); }

 private:
  Detector detector_;
  std::optional<StreamAdapter> adapter_;  // absent without adaptation
};

// Skin in a picture, by one call: the mask of `skinmask detect`, CV_8UC1 of the picture's size, 255
// where skin is, else 0. It uses the built-in model, adapted to the faces in the picture or,
// without a face, to the division of its own colours (docs/adaptation.md). `bgr` is CV_8UC3,
// channels B G R, upright, as cv::imread and ReadImage give it; anything else is an Error. Safe
// from many threads; the result does not depend on their number. A photograph of a megapixel takes
// some 20 ms on one core, half of it for finding faces; the first call takes a few milliseconds
// more to prepare the model. Detector has all other choices; DetectMask (detect_image.h), without
// adaptation, takes a third of a millisecond.
cv::Mat Detect(const cv::Mat& bgr);

}  // namespace skinmask
