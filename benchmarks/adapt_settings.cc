// Adaptation with other settings than the program's, for scripts/experiment. The sources of
// src/detect/adapt are compiled into it with variables for settings (src/detect/adapt/settings.h).
//   adapt_settings IMAGES TRUTH MASK_NAME    TRUTH: a folder of masks, or '-' for images without
//   skin
//                                            MASK_NAME: with {stem}; a '!' before it: black is skin
// Beside the settings there is what was tried and left out: kLight=1 (grey world: the means of the
// channels become equal) or 2 (white patch: their 99th percentiles); kSpecks: parts and holes of
// the mask below this share of the image are removed; kProfile=1: profiles too, to either side.
// Each line of the standard input is a variant, 'NAME=VALUE ...'; for each one there is a line of
// output with 'tp fp fn tn' of each image, images parted by commas, in the order of their names.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>
#include <ranges>
#include <sstream>

#include "detect/adapt/settings.h"
#include "skinmask/base/error.h"
#include "skinmask/detect/adapt.h"
#include "skinmask/detect/detect_image.h"
#include "skinmask/media/image.h"
#include "skinmask/model/model.h"
#include "skinmask/model/posterior.h"

namespace skinmask {
SKINMASK_SETTING(kLight, 0);
SKINMASK_SETTING(kSpecks, 0);
SKINMASK_SETTING(kProfile, 0);
}  // namespace skinmask

namespace {

namespace fs = std::filesystem;
using skinmask::Seed;

struct Item {
  cv::Mat bgr, truth;  // truth is 0 or 255
  std::vector<Seed> seeds;
};

// What was found before: settings that are not of the search need no other one.
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
cv::Mat Corrected(const cv::Mat& bgr) {
  const int rule = static_cast<int>(skinmask::kLight);
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
cv::Mat WithoutSpecks(cv::Mat mask) {
  if (skinmask::kSpecks == 0) return mask;
  for (int side = 0; side < 2; ++side) {
    cv::Mat labels, stats, centroids;
    const int count = cv::connectedComponentsWithStats(mask, labels, stats, centroids, 8);
    cv::Mat kept(1, count, CV_8U, cv::Scalar(0));
    for (int i = 1; i < count; ++i)
      kept.at<std::uint8_t>(i) = stats.at<int>(i, cv::CC_STAT_AREA) >=
                                         skinmask::kSpecks * static_cast<double>(mask.total())
                                     ? 255
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

std::string Score(const Item& item, const skinmask::Model& model,
                  const skinmask::Posterior& posterior) {
  const cv::Mat bgr = Corrected(item.bgr);
  std::vector<std::unique_ptr<skinmask::SeedFinder>> finders;
  finders.push_back(std::make_unique<Found>(item.seeds));
  const double threshold = model.decision.threshold;
  const skinmask::Adapter adapter(
      model, threshold, std::move(finders),
      skinmask::kStrength > 0 ? skinmask::Refine::kGuided : skinmask::Refine::kOff);
  const cv::Mat z = adapter.LogOdds(bgr);
  const cv::Mat mask = WithoutSpecks(z.empty() ? skinmask::DetectMask(posterior, bgr)
                                               : skinmask::MaskOf(z, threshold));
  const int tp = cv::countNonZero(mask & item.truth), called = cv::countNonZero(mask),
            skin = cv::countNonZero(item.truth);
  return fmt::format("{} {} {} {}", tp, called - tp, skin - tp,
                     static_cast<int>(mask.total()) - called - skin + tp);
}

// Sets what the line says and gives the search's settings as text.
std::string Set(const std::string& line, const std::map<std::string, double>& defaults) {
  auto& settings = skinmask::SettingsByName();
  for (const auto& [name, value] : defaults) *settings.at(name) = value;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || !settings.count(word.substr(0, equals)))
      throw skinmask::Error(word, fmt::format("is not NAME=VALUE with one of these names: {}",
                                              fmt::join(defaults | std::views::keys, " ")));
    *settings.at(word.substr(0, equals)) = std::stod(word.substr(equals + 1));
  }
  std::string search;
  for (const char* name : {"kSearchedPixels", "kSearchStep", "kLeastFaceShare", "kFaceHits",
                           "kCertainHits", "kProfile"})
    search += fmt::format("{} ", *settings.at(name));
  return search;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw skinmask::Error("adapt_settings", "needs IMAGES TRUTH MASK_NAME");
  cv::setNumThreads(1);
  const skinmask::Model model = skinmask::DefaultModel();
  std::vector<Item> items = ReadAll(argv[1], argv[2], argv[3]);
  std::map<std::string, double> defaults;
  for (const auto& [name, value] : skinmask::SettingsByName()) defaults[name] = *value;
  const skinmask::Posterior posterior(model);
  const auto faces = skinmask::FaceFinder();
  const auto profiles =
      skinmask::FaceFinder("/usr/share/opencv4/haarcascades/haarcascade_profileface.xml");
  std::string searched;
  for (std::string line; std::getline(std::cin, line);) {
    const std::string search = Set(line, defaults);
    std::vector<std::string> scores(items.size());
    tbb::parallel_for(std::size_t{0}, items.size(), [&](std::size_t i) {
      if (search != searched) {
        items[i].seeds = faces->Find(items[i].bgr);
        if (skinmask::kProfile > 0) Join(items[i].seeds, Profiles(*profiles, items[i].bgr));
      }
      scores[i] = Score(items[i], model, posterior);
    });
    searched = search;
    fmt::print("{}\n", fmt::join(scores, ","));
    std::fflush(stdout);
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
