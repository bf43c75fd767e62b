// A model made ready to judge pictures, alone or as the frames of a stream, with the choices that
// `skinmask detect` offers.
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

inline constexpr double kOutlierOfMaps = 0.999;  // DetectorOptions::outlier of maps of the unknown

// What is drawn into overlays beside the border of the skin.
struct Drawing {
  bool faces = false;    // their boxes and numbers, and what is measured of them (DrawFaces)
  bool ellipse = false;  // of the mask, with its long axis (DrawRegion)

  bool operator==(const Drawing&) const = default;
};

struct DetectorOptions {
  // kAuto: each picture is adapted to its faces, or, where there is none, divided where its own
  // colours divide; kFaces: to its faces alone; kOff: the same model for all, which is the fastest.
  enum class Adapt { kAuto, kFaces, kOff };
  Adapt adapt = Adapt::kAuto;
  // Whether kAuto was asked for by name. Then it adapts models of any class, and searches for faces
  // beside seeds; else it adapts only models whose positive class is called skin, and seeds are all
  // that counts. Setting `adapt`, or a file of `faces`, by name in DetectorTable sets it.
  bool insist = false;
  // Where skin is in every picture, which is adapted to that, with kOff, too: a rectangle; a file
  // of a mask, whose bytes above 127 are skin.
  std::optional<cv::Rect> seed_rect{};
  std::filesystem::path seed_mask{};
  std::filesystem::path faces{};  // a file of YuNet's; empty: the finder that is built in
  HogOptions hog{};               // how that one searches
  AdaptOptions adaptation{};      // to what the finders find
  // Absent: the model's own. 0 to 1; above 0 and below 1.
  std::optional<double> threshold{}, prior{};
  ClassCosts class_costs{};  // of Judgement::Classes; empty: the model's own
  // P(skin) above the first and at most the second is not known, 0 to 1; absent: 0.25 and 0.75, and
  // masks as outputs do not abstain.
  std::optional<std::pair<double, double>> abstain{};
  // Each component of a class explains the colours of its region of highest density that holds this
  // share of it (Outliers); above 0, and 1: all colours are explained. Absent: in masks that
  // abstain 1, in maps of the unknown kOutlierOfMaps, and 1 for logistic models, which have no
  // densities.
  std::optional<double> outlier{};
  // What Judgement::Measured leaves out at the border of the mask, in pixels, as Measure has it;
  // absent: kUsualErosion.
  std::optional<int> erode{};
  std::optional<Drawing> draw{};
  // What pictures are judged by that have planes, where the model allows it, and they are not
  // adapted to.
  FramePosterior::Pixels pixels = FramePosterior::Pixels::kYuv;
  PosteriorOptions expected{};  // changes speed, never results

  bool has_seeds() const { return seed_rect || !seed_mask.empty(); }
  // Whether images without a seed are divided, and whether faces are searched for.
  bool by_image() const { return adapt == Adapt::kAuto && (insist || !has_seeds()); }
  bool by_faces() const { return by_image() || adapt == Adapt::kFaces; }
};
// What users can set, by the names that they have for it, with those of AdaptTable.
const OptionTable<DetectorOptions>& DetectorTable();
// "X,Y,WIDTH,HEIGHT" in pixels; absent where the text is anything else, or holds no pixel.
std::optional<cv::Rect> RectangleFromText(std::string_view text);

// Throws Error for numbers out of range, and for an `outlier` below 1 of a logistic model.
void Validate(const DetectorOptions& options, const Model& model);

// The finders of faces, of which the options choose the first that takes their file, or none.
struct FaceFinder {
  std::string_view name;  // SeedFinder::name of what it makes
  bool takes_file;        // DetectorOptions::faces
  std::unique_ptr<SeedFinder> (*make)(const DetectorOptions& options);
};
const std::vector<FaceFinder>& FaceFinders();

// Safe from many threads; the same for any number. Copies share what is large.
class Detector {
 public:
  // Throws Error: options out of range, no such file of faces, what Validate refuses of a model.
  explicit Detector(const Model& model, const DetectorOptions& options = {});
  // With an adapter that was made before, of the same model; null: nothing is adapted. Of `options`
  // count those that With takes.
  Detector(const Model& model, std::shared_ptr<const Adapter> adapter,
           const DetectorOptions& options = {});
  // The same with another threshold, prior, class costs, interval that is not known, outliers,
  // pixels, expectation, and what is drawn and measured: what was adapted to stays valid, and all
  // else as it is, whatever the options say. Throws Error out of range.
  Detector With(const DetectorOptions& options) const;

  // Pictures of their own. A Judgement must not outlive this.
  Judgement Judge(Picture picture) const { return {*this, std::move(picture)}; }
  // Null where there is nothing to adapt to, or this adapts to nothing.
  std::shared_ptr<const Adaptation> Adapt(const Picture& picture) const;

  const DetectorOptions& options() const { return options_; }
  const Model& model() const { return *model_; }  // as the options have it
  double threshold() const { return model_->decision.threshold; }
  // The model without adaptation.
  const FramePosterior& posterior() const { return *posterior_; }
  // Null where nothing is adapted.
  const std::shared_ptr<const Adapter>& adapter() const { return adapter_; }

 private:
  friend class Judgement;
  // What is not known, and the model at both of its ends.
  struct Interval {
    std::pair<double, double> ends;
    Posterior low, high;
  };

  void SetOptions(const DetectorOptions& options);
  const Interval& interval() const;
  // Of masks that abstain, or of maps of what is not known; null where all colours are explained.
  const Outliers* OutliersOf(bool masks) const;
  double ExplainedShare(bool masks) const;
  // All log-odds, by another prior than the adapter's.
  double moved() const;

  DetectorOptions options_;
  std::shared_ptr<const Model> made_, model_;  // as it was trained; as the options have it
  std::shared_ptr<const FramePosterior> posterior_;
  std::shared_ptr<const Adapter> adapter_;
  double adapter_prior_ = 0;  // of the model that it was made of
  // Made when they are first needed, since tables take their time.
  std::shared_ptr<const Lazy<Interval>> interval_;
  std::shared_ptr<const Lazy<Outliers>> outliers_of_masks_, outliers_of_maps_;
};

// A detector of the frames of one camera or video, adapted to as StreamAdapter does.
class Stream {
 public:
  explicit Stream(Detector detector, const StreamOptions& options = {});

  // The next frame, in order, from one thread at a time; the Judgement must not outlive this.
  Judgement Judge(Picture picture) {
    std::shared_ptr<const Adaptation> adaptation = Follow(picture);
    return {detector_, std::move(picture), std::move(adaptation)};
  }
  // The part of it that must come in order: null where there is nothing to adapt to.
  std::shared_ptr<const Adaptation> Follow(const Picture& picture) {
    return Learn(See(picture).get());
  }
  // Follow in the two halves that StreamAdapter has; null where nothing is adapted.
  std::shared_ptr<const StreamAdapter::Sight> See(const Picture& picture);
  std::shared_ptr<const Adaptation> Learn(const StreamAdapter::Sight* sight);

  // How many frames a second there are, as StreamAdapter::SetRate takes it.
  void SetRate(double frames_per_second) {
    if (adapter_) adapter_->SetRate(frames_per_second);
  }

  const Detector& detector() const { return detector_; }
  // The same with other options, as Detector::With takes them; what was learnt of the frames stays.
  // Earlier judgements are by them, too, in what they have not made yet: ask, or end, these before.
  void Set(const DetectorOptions& options) { detector_ = detector_.With(options); }

 private:
  Detector detector_;
  std::optional<StreamAdapter> adapter_;  // where something is adapted
};

// Skin in a picture, by one call: the mask that `skinmask detect` makes of it, CV_8UC1 of its size,
// 255 where skin is, else 0, by the built-in model, adapted to the faces in the picture, or, where
// there is none, divided where its own colours divide (docs/adaptation.md). `bgr` is CV_8UC3, B G
// R, upright, as cv::imread and ReadImage give it; anything else is an Error. Safe from many
// threads; the same for any number. A photograph of a megapixel takes some 20 ms on one core,
// half of it for finding faces; the first call makes the model ready, a few milliseconds
// more. What else there is to choose: Detector, and DetectMask (detect_image.h), which takes a
// third of a millisecond without adaptation.
cv::Mat Detect(const cv::Mat& bgr);

// The threshold that `made`, a model as it was trained, has after its prior became `prior`, which
// moves all log-odds alike: what Adapter calls the model's own.
double OwnThreshold(const Model& made, double prior);

}  // namespace skinmask
