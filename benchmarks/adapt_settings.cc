// Adaptation with other settings than the program's, for scripts/experiment. The sources of src/adapt are
// compiled into it with variables for settings (src/adapt/settings.h).
//   adapt_settings IMAGES TRUTH MASK_NAME    TRUTH: a folder of masks, or '-' for images without skin
//                                            MASK_NAME: with {stem}; a '!' before it: black is skin
// Each line of the standard input is a variant, 'NAME=VALUE ...'; for each one there is a line of output with
// 'tp fp fn tn' of each image, images parted by commas, in the order of their names.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgcodecs.hpp>
#include <map>
#include <ranges>
#include <sstream>

#include "adapt/settings.h"
#include "skinmask/adapt.h"
#include "skinmask/error.h"
#include "skinmask/image.h"
#include "skinmask/pipeline.h"

namespace {

namespace fs = std::filesystem;
using skinmask::Seed;

struct Item {
  cv::Mat bgr, truth, global;  // truth and the global mask are 0 or 255
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

cv::Mat TruthOf(const fs::path& image, const fs::path& folder, std::string name, const cv::Size& size) {
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

std::vector<Item> ReadAll(const fs::path& images, const fs::path& truth, const std::string& name,
                          const skinmask::Posterior& posterior) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(images))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Item> items(files.size());
  tbb::parallel_for(std::size_t{0}, files.size(), [&](std::size_t i) {
    items[i].bgr = skinmask::ReadImage(files[i]);
    items[i].truth = TruthOf(files[i], truth, name, items[i].bgr.size());
    items[i].global = skinmask::DetectMask(posterior, items[i].bgr);
  });
  return items;
}

std::string Score(const Item& item, const skinmask::Model& model) {
  std::vector<std::unique_ptr<skinmask::SeedFinder>> finders;
  finders.push_back(std::make_unique<Found>(item.seeds));
  const double threshold = model.decision.threshold;
  const skinmask::Adapter adapter(model, threshold, std::move(finders),
                                  skinmask::kStrength > 0 ? skinmask::Refine::kGuided : skinmask::Refine::kOff);
  const cv::Mat z = adapter.LogOdds(item.bgr);
  const cv::Mat mask = z.empty() ? item.global : skinmask::MaskOf(z, threshold);
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
  for (const char* name : {"kSearchedPixels", "kSearchStep", "kLeastFaceShare", "kFaceHits", "kCertainHits"})
    search += fmt::format("{} ", *settings.at(name));
  return search;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw skinmask::Error("adapt_settings", "needs IMAGES TRUTH MASK_NAME");
  cv::setNumThreads(1);
  const skinmask::Model model = skinmask::DefaultModel();
  std::vector<Item> items = ReadAll(argv[1], argv[2], argv[3], skinmask::Posterior(model));
  std::map<std::string, double> defaults;
  for (const auto& [name, value] : skinmask::SettingsByName()) defaults[name] = *value;
  const auto faces = skinmask::FaceFinder();
  std::string searched;
  for (std::string line; std::getline(std::cin, line);) {
    const std::string search = Set(line, defaults);
    std::vector<std::string> scores(items.size());
    tbb::parallel_for(std::size_t{0}, items.size(), [&](std::size_t i) {
      if (search != searched) items[i].seeds = faces->Find(items[i].bgr);
      scores[i] = Score(items[i], model);
    });
    searched = search;
    fmt::print("{}\n", fmt::join(scores, ","));
    std::fflush(stdout);
  }
} catch (const std::exception& e) {
  fmt::print(stderr, "{}\n", e.what());
  return 1;
}
