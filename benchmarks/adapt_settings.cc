// Adaptation with other options than the program's, for scripts/experiment:
//   adapt_settings IMAGES TRUTH MASK_NAME [MODEL]
// TRUTH is a folder of masks, or '-' for images without skin; MASK_NAME has {stem}, and a '!'
// before it says that black is skin. Each line of the standard input is a variant, 'NAME=VALUE
// ...'; for each one there is a line of output with 'tp fp fn tn true false' of each image, images
// parted by commas, in the order of their names: pixels, and faces (one is true where skin covers
// 40 % of its middle). Names are those of AdaptOptions, as 'fit.em_steps'. Beside
// them there is what was tried and left out: 'light' 1 (grey world: the means of the channels
// become equal) or 2 (white patch: their 99th percentiles); 'specks': parts and holes of the mask
// below this share of the image are removed; 'grabcut' 1: cv::grabCut, 5 iterations, with the
// faces as its seeds. Faces are found by the built-in detector, or by the
// YuNet that SKINMASK_FACES names.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <sstream>
#include <vector>

#include "found.h"
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
  bool grabcut = false;
  skinmask::HogOptions hog;
  skinmask::YuNetOptions yunet;
};

// Sets the member of this name if the table has it.
template <class Options>
bool Set(const skinmask::OptionTable<Options>& table, Options& options, const std::string& member,
         const std::string& value) {
  const auto row = std::ranges::find(table.rows(), member, &skinmask::OptionRow::member);
  if (row == table.rows().end()) return false;
  row->set(*row, &options, value);
  return true;
}

Variant Parse(const std::string& line) {
  Variant variant;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const auto equals = std::min(word.find('='), word.size() - 1);
    const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
    if (Set(skinmask::AdaptTable(), variant.options, name, value) ||
        Set(skinmask::HogTable(), variant.hog, name, value) ||
        Set(skinmask::YuNetTable(), variant.yunet, name, value))
      continue;
    if (name == "light")
      variant.light = std::stoi(value);
    else if (name == "grabcut")
      variant.grabcut = value == "1";
    else if (name == "specks")
      variant.specks = std::stod(value);
    else
      throw skinmask::Error(word, "is not NAME=VALUE with a name of adapt_options.h");
  }
  return variant;
}

struct Item {
  cv::Mat bgr, truth;  // truth is 0 or 255
  std::vector<Seed> seeds;
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

// The inner ellipse of each face is skin, all else may be; none without a face.
cv::Mat GrabCut(const cv::Mat& bgr, const std::vector<Seed>& seeds) {
  cv::Mat mask(bgr.size(), CV_8UC1, cv::Scalar(cv::GC_PR_BGD)), skin, rest;
  if (seeds.empty()) return cv::Mat::zeros(bgr.size(), CV_8UC1);
  const skinmask::SeedSkinOptions inner;
  for (const Seed& seed : seeds)
    cv::ellipse(mask, seed.face->centre,
                cv::Size2d(inner.inner_half_width, inner.inner_half_height) * seed.face->size,
                seed.face->tilt * 180 / CV_PI, 0, 360, cv::GC_FGD, cv::FILLED);
  cv::grabCut(bgr, mask, {}, skin, rest, 5, cv::GC_INIT_WITH_MASK);
  return (mask == cv::GC_FGD) | (mask == cv::GC_PR_FGD);
}

int TrueFaces(const Item& item) {
  return static_cast<int>(std::ranges::count_if(item.seeds, [&](const Seed& seed) {
    const skinmask::FaceFrame middle{seed.face->centre, seed.face->size / 2, seed.face->tilt};
    const cv::Rect box = middle.Box(item.truth.size());
    return 10 * cv::countNonZero(item.truth(box)) > 4 * box.area();
  }));
}

std::string Score(const Item& item, const Variant& variant, const skinmask::Model& model,
                  const skinmask::Posterior& posterior) {
  const cv::Mat bgr = Corrected(item.bgr, variant.light);
  std::vector<std::unique_ptr<skinmask::SeedFinder>> finders;
  finders.push_back(std::make_unique<skinmask::bench::Found>(item.seeds));
  const double threshold = model.decision.threshold;
  const skinmask::Adapter adapter(model, threshold, std::move(finders), variant.options);
  const auto adaptation = adapter.Adapt(bgr);
  const cv::Mat z = adaptation ? adapter.LogOdds(bgr, *adaptation) : cv::Mat();
  const cv::Mat mask = WithoutSpecks(variant.grabcut ? GrabCut(bgr, item.seeds)
                                     : z.empty()     ? skinmask::DetectMask(posterior, bgr)
                                                     : skinmask::MaskOf(z, threshold),
                                     variant.specks);
  const int tp = cv::countNonZero(mask & item.truth), called = cv::countNonZero(mask),
            skin = cv::countNonZero(item.truth);
  const int faces = TrueFaces(item);
  return fmt::format("{} {} {} {} {} {}", tp, called - tp, skin - tp,
                     static_cast<int>(mask.total()) - called - skin + tp, faces,
                     static_cast<int>(item.seeds.size()) - faces);
}

std::unique_ptr<skinmask::SeedFinder> FinderOf(const Variant& variant) {
  if (const char* const file = std::getenv("SKINMASK_FACES"))
    return skinmask::YuNetFaceFinder(file, variant.yunet);
  return skinmask::HogFaceFinder(variant.hog);
}

void FindSeeds(const Variant& variant, std::vector<Item>& items) {
  const auto faces = FinderOf(variant);
  tbb::parallel_for(std::size_t{0}, items.size(),
                    [&](std::size_t i) { items[i].seeds = faces->Find(items[i].bgr); });
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4 && argc != 5)
    throw skinmask::Error("adapt_settings", "needs IMAGES TRUTH MASK_NAME [MODEL]");
  cv::setNumThreads(1);
  const skinmask::Model model = argc == 5 ? skinmask::ReadModel(argv[4]) : skinmask::DefaultModel();
  std::vector<Item> items = ReadAll(argv[1], argv[2], argv[3]);
  const skinmask::Posterior posterior(model);
  std::optional<Variant> searched;
  for (std::string line; std::getline(std::cin, line);) {
    const Variant variant = Parse(line);
    if (!searched || variant.hog != searched->hog || variant.yunet != searched->yunet)
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
