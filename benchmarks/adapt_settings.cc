// Adaptation with other options than the program's, for scripts/experiment:
//   adapt_settings IMAGES TRUTH MASK_NAME
// TRUTH is a folder of masks, or '-' for images without skin; MASK_NAME has {stem}, and a '!'
// before it says that black is skin. Each line of the standard input is a variant, 'NAME=VALUE
// ...'; for each one there is a line of output with 'tp fp fn tn' of each image, images parted by
// commas, in the order of their names. Names are those of AdaptOptions, as 'fit.em_steps'. Beside
// them there is what was tried and left out: 'light' 1 (grey world: the means of the channels
// become equal) or 2 (white patch: their 99th percentiles); 'specks': parts and holes of the mask
// below this share of the image are removed; 'profiles' 1: profiles too, to either side.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <ranges>
#include <sstream>

#include "skinmask/base/error.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"

namespace {

namespace fs = std::filesystem;
using skinmask::Seed;

struct Variant {
  skinmask::AdaptOptions options;
  int light = 0;
  double specks = 0;
  bool profiles = false;
};

template <class T>
void Assign(T& field, double value) {
  field = static_cast<T>(value);
}

// Sets options.GROUP.FIELD.
template <auto Group, auto Field>
void Set(Variant& variant, double value) {
  Assign(variant.options.*Group.*Field, value);
}

using A = skinmask::AdaptOptions;
using Search = skinmask::FaceSearchOptions;
using Skin = skinmask::SeedSkinOptions;
using Fit = skinmask::ImageFitOptions;
using Prior = skinmask::SpatialPriorOptions;
using Refinement = skinmask::RefinementOptions;

struct Setting {
  const char* name;
  void (*set)(Variant&, double);
};
constexpr Setting kSettings[] = {
    {"search.searched_pixels", Set<&A::search, &Search::searched_pixels>},
    {"search.scale_factor", Set<&A::search, &Search::scale_factor>},
    {"search.min_face_share", Set<&A::search, &Search::min_face_share>},
    {"search.min_neighbours", Set<&A::search, &Search::min_neighbours>},
    {"search.certain_neighbours", Set<&A::search, &Search::certain_neighbours>},
    {"skin.verified_log_odds", Set<&A::skin, &Skin::verified_log_odds>},
    {"skin.verified_share", Set<&A::skin, &Skin::verified_share>},
    {"skin.inner_half_width", Set<&A::skin, &Skin::inner_half_width>},
    {"skin.inner_half_height", Set<&A::skin, &Skin::inner_half_height>},
    {"skin.min_log_odds", Set<&A::skin, &Skin::min_log_odds>},
    {"skin.trim_fraction", Set<&A::skin, &Skin::trim_fraction>},
    {"skin.covariance_inflation", Set<&A::skin, &Skin::covariance_inflation>},
    {"skin.covariance_floor", Set<&A::skin, &Skin::covariance_floor>},
    {"fit.pixels", Set<&A::fit, &Fit::pixels>},
    {"fit.background_components", Set<&A::fit, &Fit::background_components>},
    {"fit.background_covariance_floor", Set<&A::fit, &Fit::background_covariance_floor>},
    {"fit.background_min_distance", Set<&A::fit, &Fit::background_min_distance>},
    {"fit.em_steps", Set<&A::fit, &Fit::em_steps>},
    {"fit.prior_strength", Set<&A::fit, &Fit::prior_strength>},
    {"local_weight", [](Variant& v, double x) { v.options.local_weight = x; }},
    {"max_global_log_odds", [](Variant& v, double x) { v.options.max_global_log_odds = x; }},
    {"prior.head", Set<&A::prior, &Prior::head>},
    {"prior.above", Set<&A::prior, &Prior::above>},
    {"prior.below", Set<&A::prior, &Prior::below>},
    {"prior.decay_per_face_width", Set<&A::prior, &Prior::decay_per_face_width>},
    {"prior.max_decay_widths", Set<&A::prior, &Prior::max_decay_widths>},
    {"prior.head_half_width", Set<&A::prior, &Prior::head_half_width>},
    {"prior.head_half_height", Set<&A::prior, &Prior::head_half_height>},
    {"refinement.enabled", Set<&A::refinement, &Refinement::enabled>},
    {"refinement.rounds", Set<&A::refinement, &Refinement::rounds>},
    {"refinement.pairwise_weight", Set<&A::refinement, &Refinement::pairwise_weight>},
    {"refinement.epsilon", Set<&A::refinement, &Refinement::epsilon>},
    {"refinement.radii_per_side", Set<&A::refinement, &Refinement::radii_per_side>},
    {"light", [](Variant& v, double x) { v.light = static_cast<int>(x); }},
    {"specks", [](Variant& v, double x) { v.specks = x; }},
    {"profiles", [](Variant& v, double x) { v.profiles = x != 0; }},
};

Variant Parse(const std::string& line) {
  Variant variant;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const auto setting = std::ranges::find(kSettings, word.substr(0, equals), &Setting::name);
    if (equals == std::string::npos || setting == std::end(kSettings))
      throw skinmask::Error(
          word, fmt::format("is not NAME=VALUE with one of these names: {}",
                            fmt::join(kSettings | std::views::transform(&Setting::name), " ")));
    setting->set(variant, std::stod(word.substr(equals + 1)));
  }
  return variant;
}

struct Item {
  cv::Mat bgr, truth;  // truth is 0 or 255
  std::vector<Seed> seeds;
};

// What was found before: options that are not of the search need no other one.
class Found : public skinmask::SeedFinder {
 public:
  explicit Found(std::vector<Seed> seeds) : seeds_(std::move(seeds)) {}
  std::vector<Seed> Find(const cv::Mat&) const override { return seeds_; }

 private:
  std::vector<Seed> seeds_;
};

std::string Replaced(std::string text, const std::string& stem) {
  for (std::size_t at; (at = text.find("{stem}")) != std::string::npos;) text.replace(at, 6, stem);
  return text;
}

cv::Mat TruthOf(const fs::path& image, const fs::path& folder, std::string name,
                const cv::Size& size) {
  if (folder == "-") return cv::Mat::zeros(size, CV_8UC1);
  const bool invert = name.starts_with('!');
  if (invert) name.erase(0, 1);
  const std::string stem = Replaced(name, image.stem().string());
  for (const fs::path& file : fs::directory_iterator(folder))
    if (file.stem() == stem) {
      cv::Mat mask;
      cv::extractChannel(skinmask::ReadImage(file), mask, 0);
      mask = invert ? mask <= 127 : mask > 127;
      if (mask.size() == size) return mask;
    }
  throw skinmask::Error(image.string(), "has no mask");
}

std::vector<Item> ReadAll(const fs::path& images, const fs::path& truth, const std::string& name) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(images))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Item> items(files.size());
  tbb::parallel_for(std::size_t{0}, files.size(), [&](std::size_t i) {
    items[i].bgr = skinmask::ReadImage(files[i]);
    items[i].truth = TruthOf(files[i], truth, name, items[i].bgr.size());
  });
  return items;
}

// Each channel scaled so that all of them have the green one's level.
cv::Mat Corrected(const cv::Mat& bgr, int rule) {
  if (rule == 0) return bgr;
  std::vector<cv::Mat> channels;
  cv::split(bgr, channels);
  double level[3];
  for (int c = 0; c < 3; ++c) {
    std::vector<std::uint8_t> values(channels[c].begin<std::uint8_t>(),
                                     channels[c].end<std::uint8_t>());
    const auto high = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 99 / 100);
    std::ranges::nth_element(values, high);
    level[c] = std::max(1., rule == 1 ? cv::mean(channels[c])[0] : static_cast<double>(*high));
  }
  for (int c = 0; c < 3; ++c) channels[c].convertTo(channels[c], CV_8U, level[1] / level[c]);
  cv::Mat corrected;
  cv::merge(channels, corrected);
  return corrected;
}

// Of the mask and then of its complement.
cv::Mat WithoutSpecks(cv::Mat mask, double specks) {
  if (specks == 0) return mask;
  for (int side = 0; side < 2; ++side) {
    cv::Mat labels, stats, centroids;
    const int count = cv::connectedComponentsWithStats(mask, labels, stats, centroids, 8);
    cv::Mat kept(1, count, CV_8U, cv::Scalar(0));
    for (int i = 1; i < count; ++i)
      kept.at<std::uint8_t>(i) =
          stats.at<int>(i, cv::CC_STAT_AREA) >= specks * static_cast<double>(mask.total()) ? 255
                                                                                           : 0;
    for (int y = 0; y < mask.rows; ++y)
      for (int x = 0; x < mask.cols; ++x)
        mask.at<std::uint8_t>(y, x) = kept.at<std::uint8_t>(labels.at<int>(y, x));
    cv::bitwise_not(mask, mask);
  }
  return mask;
}

std::vector<Seed> Profiles(const skinmask::SeedFinder& finder, const cv::Mat& bgr) {
  std::vector<Seed> seeds = finder.Find(bgr);
  cv::Mat mirrored;
  cv::flip(bgr, mirrored, 1);
  for (Seed& seed : finder.Find(mirrored)) {
    seed.box.x = bgr.cols - seed.box.br().x;
    seeds.push_back(seed);
  }
  for (Seed& seed : seeds) seed.certain = false;
  return seeds;
}

// What the frontal faces do not cover already.
void Join(std::vector<Seed>& seeds, const std::vector<Seed>& more) {
  for (const Seed& seed : more)
    if (std::ranges::none_of(seeds, [&](const Seed& s) { return !(s.box & seed.box).empty(); }))
      seeds.push_back(seed);
}

std::string Score(const Item& item, const Variant& variant, const skinmask::Model& model,
                  const skinmask::Posterior& posterior) {
  const cv::Mat bgr = Corrected(item.bgr, variant.light);
  std::vector<std::unique_ptr<skinmask::SeedFinder>> finders;
  finders.push_back(std::make_unique<Found>(item.seeds));
  const double threshold = model.decision.threshold;
  const skinmask::Adapter adapter(model, threshold, std::move(finders), variant.options);
  const cv::Mat z = adapter.LogOdds(bgr);
  const cv::Mat mask = WithoutSpecks(
      z.empty() ? skinmask::DetectMask(posterior, bgr) : skinmask::MaskOf(z, threshold),
      variant.specks);
  const int tp = cv::countNonZero(mask & item.truth), called = cv::countNonZero(mask),
            skin = cv::countNonZero(item.truth);
  return fmt::format("{} {} {} {}", tp, called - tp, skin - tp,
                     static_cast<int>(mask.total()) - called - skin + tp);
}

void FindSeeds(const Variant& variant, std::vector<Item>& items) {
  const auto faces = skinmask::FaceFinder({}, variant.options.search);
  const auto profiles = skinmask::FaceFinder(
      "/usr/share/opencv4/haarcascades/haarcascade_profileface.xml", variant.options.search);
  tbb::parallel_for(std::size_t{0}, items.size(), [&](std::size_t i) {
    items[i].seeds = faces->Find(items[i].bgr);
    if (variant.profiles) Join(items[i].seeds, Profiles(*profiles, items[i].bgr));
  });
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw skinmask::Error("adapt_settings", "needs IMAGES TRUTH MASK_NAME");
  cv::setNumThreads(1);
  const skinmask::Model model = skinmask::DefaultModel();
  std::vector<Item> items = ReadAll(argv[1], argv[2], argv[3]);
  const skinmask::Posterior posterior(model);
  std::optional<Variant> searched;
  for (std::string line; std::getline(std::cin, line);) {
    const Variant variant = Parse(line);
    if (!searched || variant.options.search != searched->options.search ||
        variant.profiles != searched->profiles)
      FindSeeds(variant, items);
    searched = variant;
    std::vector<std::string> scores(items.size());
    tbb::parallel_for(std::size_t{0}, items.size(), [&](std::size_t i) {
      scores[i] = Score(items[i], variant, model, posterior);
    });
    fmt::print("{}\n", fmt::join(scores, ","));
    std::fflush(stdout);
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
