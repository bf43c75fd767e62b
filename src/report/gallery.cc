#include "skinmask/report/gallery.h"

#include <algorithm>
#include <map>
#include <opencv2/imgproc.hpp>
#include <set>
#include <tuple>

#include "media/picture_type.h"
#include "pipeline/bytes_as_text.h"
#include "pipeline/labelled_pairs.h"
#include "skinmask/media/ground_truth.h"
#include "skinmask/media/image.h"

namespace skinmask {
namespace {

constexpr int kLongestSide = 560, kQuality = 80;
constexpr int kThumbnailSide = 48, kThumbnailQuality = 50;  // 0.7 kB
// Colours by Okabe and Ito (B G R), which colour-blind people can distinguish. page/report.css has
// the same.
const cv::Scalar kHit(115, 158, 0), kMiss(0, 94, 213), kFalseAlarm(233, 180, 86),
    kIgnored(128, 128, 128);

cv::Mat Smaller(const cv::Mat& image, int longest_side) {
  const double scale = longest_side / static_cast<double>(std::max(image.cols, image.rows));
  if (scale >= 1) return image;
  cv::Mat small;
  cv::resize(image, small, SizeTimes(image.size(), scale), 0, 0, cv::INTER_AREA);
  return small;
}

// True negatives show the photograph, grey and dimmed.
cv::Mat Errors(const LabelledImage& image, std::uint8_t positive, const cv::Mat& mask) {
  cv::Mat grey, errors;
  constexpr double kDimmed = 0.45;
  if (image.bgr.channels() == 3)
    cv::cvtColor(image.bgr, grey, cv::COLOR_BGR2GRAY);
  else
    grey = cv::Mat::zeros(image.bgr.size(), CV_8UC1);
  grey.convertTo(grey, CV_8U, kDimmed);
  cv::cvtColor(grey, errors, cv::COLOR_GRAY2BGR);
  const cv::Mat truth = image.classes == positive;
  errors.setTo(kFalseAlarm, mask);
  errors.setTo(kMiss, truth);
  errors.setTo(kHit, truth & mask);
  errors.setTo(kIgnored, image.classes == MaskRule::kIgnored);
  return errors;
}

// The mask of a label image that was made before: the index of skin among its classes is 0.
cv::Mat PredictedMask(const LabelledImage& image) { return image.bgr == 0; }

using Pictures = decltype(GalleryPictures::pictures);

Pictures Thumbnail(const LabelledImage& image, bool predicted) {
  const cv::Mat small = Smaller(predicted ? PredictedMask(image) : image.bgr, kThumbnailSide);
  const std::string webp = EncodeWebP(small, kThumbnailQuality);
  return {{"thumbnail", "data:image/webp;base64," + Base64(webp)}};
}

Pictures Draw(const LabelledImage& image, std::uint8_t positive,
              const std::optional<Detector>& detector) {
  Pictures pictures;
  const auto add = [&](const char* name, const cv::Mat& picture) {
    const std::string jpeg = EncodeJpeg(Smaller(picture, kLongestSide), kQuality);
    pictures.emplace_back(name, "data:image/jpeg;base64," + Base64(jpeg));
  };
  if (detector) add("photograph", image.bgr);
  cv::Mat truth = image.classes == positive;
  truth.setTo(128, image.classes == MaskRule::kIgnored);
  add("truth", truth);
  cv::Mat mask;
  if (detector) {
    Judgement judgement = detector->Judge(image.bgr);
    judgement.MakeMask(true, false);
    mask = judgement.Mask();
    add("probability", judgement.Probability());
  } else {
    mask = PredictedMask(image);
    add("predicted", mask);
  }
  add("errors", Errors(image, positive, mask));
  return pictures;
}

// The images that get pictures, those of `choice` first.
std::vector<std::size_t> ShownOf(const EvaluationReport& report, const GalleryChoice& choice) {
  constexpr std::size_t kMaxThumbnails = 2000;
  std::vector<std::size_t> shown = choice.worst;
  shown.insert(shown.end(), choice.best.begin(), choice.best.end());
  if (report.images.size() > kMaxThumbnails) return shown;
  const std::set<std::size_t> chosen(shown.begin(), shown.end());
  for (std::size_t i = 0; i < report.images.size(); ++i)
    if (!chosen.contains(i)) shown.push_back(i);
  return shown;
}

}  // namespace

GalleryChoice ChooseGallery(const EvaluationReport& report) {
  constexpr std::size_t kEach = 12;
  std::vector<std::size_t> order(report.images.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [&](std::size_t i) {
    const Metrics& metrics = report.images[i].second;
    return std::tuple(metrics.f1.value_or(1), metrics.accuracy.value_or(1), i);
  };
  std::ranges::sort(order, {}, key);
  const std::size_t worst = std::min(kEach, (order.size() + 1) / 2);
  const std::size_t best = std::min(kEach, order.size() - worst);
  GalleryChoice choice;
  choice.worst.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(worst));
  choice.best.assign(order.rbegin(), order.rbegin() + static_cast<std::ptrdiff_t>(best));
  return choice;
}

std::vector<GalleryPictures> DrawGallery(const PairOptions& options, const Detector* given,
                                         const EvaluationReport& report, const Run& run) {
  std::vector<GalleryPictures> gallery;
  const GalleryChoice choice = ChooseGallery(report);
  const std::size_t whole = choice.worst.size() + choice.best.size();
  const std::vector<std::size_t> all = ShownOf(report, choice);
  if (all.empty()) return gallery;
  const auto name_of = [&](std::size_t i) { return report.images[all[i]].first; };
  Run silent;  // the evaluation has reported problems of the folders already
  silent.stop = run.stop;
  const LabelledPairs pairs(options, given == nullptr, silent);
  std::map<std::string, std::size_t> index_of;
  for (std::size_t i = 0; i < pairs.size(); ++i) index_of[pairs.relative(i)] = i;
  const std::string skin = given ? given->model().positive().name : "skin";
  const std::uint8_t positive = pairs.IndexOf(skin).value_or(LabelledPairs::kNoClass);
  constexpr std::uint64_t kPixelsOfImage = 1 << 20;
  std::optional<Detector> detector;
  if (given) {
    DetectorOptions expecting = given->options();
    expecting.expected = {.expected_pixels = kPixelsOfImage * whole};
    detector = given->With(expecting);
  }
  struct Item {
    std::uint64_t pixels;
    Pictures pictures;
  };
  silent.problem = run.problem;
  RunOrdered(
      all.size(), silent, name_of,
      [&](std::size_t i, const TakePixels& take) {
        const auto place = index_of.find(name_of(i));
        if (place == index_of.end()) throw Error(name_of(i), "is not among the images any more");
        const LabelledImage image = pairs.Read(place->second, take);
        Item item{image.bgr.total(),
                  i < whole ? Draw(image, positive, detector) : Thumbnail(image, given == nullptr)};
        LabelledPairs::Done();
        return item;
      },
      [&](std::size_t i, Item&& item) {
        gallery.push_back({all[i], std::move(item.pictures)});
      });
  return gallery;
}

}  // namespace skinmask
