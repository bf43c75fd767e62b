#include "c/handles.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "skinmask/base/options.h"
#include "skinmask/base/version.h"
#include "skinmask/media/image.h"

namespace skinmask::c {
namespace {

thread_local std::string last_error;

// Names options as skinmask_options_set does. Without memory for the text it is empty.
skinmask_status Failed(skinmask_status status, const char* text) noexcept {
  try {
    last_error = WithOptionNames(text, [](const std::string& name) { return name; });
  } catch (...) {
    last_error.clear();
  }
  return status;
}

// Negative: absent.
std::optional<double> Given(double number, const char* name) {
  if (std::isnan(number)) throw BadArgument(name, "is no number (negative: the model's own)");
  return number < 0 ? std::nullopt : std::optional(number);
}

// A caller built with a later version may have more options, which must be 0; one built with an
// earlier version has fewer.
skinmask_options Known(const skinmask_options& given) {
  constexpr std::size_t kLeast = offsetof(skinmask_options, faces) + sizeof(const char*);  // first
  constexpr std::size_t kMax = 4096;
  if (given.size < kLeast || given.size > kMax)
    throw BadArgument("options.size",
                      "is " + std::to_string(given.size) + " (begin with SKINMASK_OPTIONS)");
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&given);
  skinmask_options known = SKINMASK_OPTIONS;
  const std::size_t shared = std::min(given.size, sizeof known);
  if (std::any_of(bytes + shared, bytes + given.size, [](unsigned char b) { return b != 0; }))
    throw BadArgument("options", "has some of a later version than this library's");
  std::memcpy(&known, bytes, shared);
  return known;
}

// The options that were set by name: lines of names and texts, "refine=off".
using Texts = std::vector<std::pair<std::string, std::string>>;

Texts ByName(const skinmask_options& options) {
  Texts texts;
  std::istringstream lines(
      std::string(options.by_name, strnlen(options.by_name, sizeof options.by_name)));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = std::min(line.find('='), line.size());
    texts.emplace_back(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
  }
  return texts;
}

void SetByName(skinmask_options& options, const std::string& name, const std::string& text) {
  if (options.size < sizeof options)
    throw BadArgument("options.size", "has no room for options by name (SKINMASK_OPTIONS has)");
  DetectorOptions known;
  try {
    DetectorTable().Set(known, name, text);
  } catch (const Error& e) {
    throw BadArgument("options", e.what());
  }
  Texts texts = ByName(options);
  std::erase_if(texts, [&](const auto& before) { return before.first == name; });
  if (!text.empty()) texts.emplace_back(name, text);
  std::string lines;
  for (const auto& [of, value] : texts) lines += of + "=" + value + "\n";
  if (text.find('\n') != text.npos || lines.size() >= sizeof options.by_name)
    throw BadArgument("options", "have no room for this text (a line, of some 2000 bytes in all)");
  std::memcpy(options.by_name, lines.c_str(), lines.size() + 1);
}

DetectorOptions OptionsOf(const skinmask_options& given) {
  const skinmask_options options = Known(given);
  using Adapt = DetectorOptions::Adapt;
  static_assert(static_cast<int>(Adapt::kFaces) == SKINMASK_ADAPT_FACES &&
                static_cast<int>(Adapt::kOff) == SKINMASK_ADAPT_OFF);
  DetectorOptions result;
  result.adapt =
      ValueOf<Adapt>(options.adapt, SKINMASK_ADAPT_OFF + 1, "options.adapt", "skinmask_adapt");
  result.adaptation.refinement.enabled = options.refine != 0;
  result.threshold = Given(options.threshold, "options.threshold");
  result.prior = Given(options.prior, "options.prior");
  if (options.faces) DetectorTable().Set(result, "faces", options.faces);
  for (const auto& [name, text] : ByName(options)) DetectorTable().Set(result, name, text);
  return result;
}

void RequirePath(const char* path) {
  RequireGiven(path, "path");
  if (!*path) throw BadArgument("path", "is empty (a file's path is wanted)");
}

DecodeOptions WithLimit(std::int64_t max_pixels) {
  if (max_pixels < 0)
    throw BadArgument("max_pixels", "is " + std::to_string(max_pixels) + " (0: 2^28)");
  DecodeOptions options;
  if (max_pixels > 0) options.max_pixels = max_pixels;
  return options;
}

}  // namespace

void RequireGiven(const void* pointer, std::string_view name) {
  if (!pointer) throw BadArgument(name, "is NULL");
}

skinmask_status Caught() noexcept {
  try {
    throw;
  } catch (const BadArgument& e) {
    return Failed(SKINMASK_BAD_ARGUMENT, e.what());
  } catch (const std::bad_alloc&) {
    return Failed(SKINMASK_NO_MEMORY, "memory: there is not enough");
  } catch (const cv::Exception& e) {
    if (e.code == cv::Error::StsNoMem)
      return Failed(SKINMASK_NO_MEMORY, "memory: there is not enough");
    return Failed(SKINMASK_FAILED, e.err.c_str());
  } catch (const std::exception& e) {
    return Failed(SKINMASK_FAILED, e.what());
  } catch (...) {
    return Failed(SKINMASK_FAILED, "skinmask: failed for no reason that it tells");
  }
}

}  // namespace skinmask::c

using namespace skinmask::c;

extern "C" {

const char* skinmask_error(void) { return skinmask::c::last_error.c_str(); }

const char* skinmask_version(void) { return skinmask::kVersion; }

skinmask_model* skinmask_model_default(void) {
  return GuardedHandle([] { return new skinmask_model{skinmask::DefaultModel()}; });
}

skinmask_model* skinmask_model_read(const char* path) {
  return GuardedHandle([&] {
    RequirePath(path);
    return new skinmask_model{skinmask::ReadModel(path)};
  });
}

skinmask_model* skinmask_model_parse(const char* json, size_t size) {
  return GuardedHandle([&] {
    RequireGiven(json, "json");
    return new skinmask_model{skinmask::ModelFromJson({json, size}, "model")};
  });
}

void skinmask_model_free(skinmask_model* model) { delete model; }

skinmask_status skinmask_options_set(skinmask_options* options, const char* name,
                                     const char* text) {
  return Guarded([&] {
    RequireGiven(options, "options");
    RequireGiven(name, "name");
    RequireGiven(text, "text");
    SetByName(*options, name, text);
  });
}

skinmask_detector* skinmask_detector_new(const skinmask_model* model,
                                         const skinmask_options* options) {
  return GuardedHandle([&] {
    return new skinmask_detector{
        skinmask::Detector(model ? model->model : skinmask::DefaultModel(),
                           options ? OptionsOf(*options) : skinmask::DetectorOptions())};
  });
}

double skinmask_detector_threshold(const skinmask_detector* detector) {
  return detector ? detector->core.model().decision.threshold : -1;
}

void skinmask_detector_free(skinmask_detector* detector) { delete detector; }

skinmask_image* skinmask_image_read(const char* path, int64_t max_pixels) {
  return GuardedHandle([&] {
    RequirePath(path);
    return new skinmask_image{skinmask::ReadImage(path, WithLimit(max_pixels))};
  });
}

skinmask_image* skinmask_image_decode(const void* bytes, size_t size, int64_t max_pixels) {
  return GuardedHandle([&] {
    RequireGiven(bytes, "bytes");
    return new skinmask_image{skinmask::DecodeImage({static_cast<const char*>(bytes), size},
                                                    "image", WithLimit(max_pixels))};
  });
}

skinmask_status skinmask_image_picture(const skinmask_image* image, skinmask_picture* picture) {
  return Guarded([&] {
    RequireGiven(image, "image");
    RequireGiven(picture, "picture");
    *picture = {};
    picture->format = SKINMASK_BGR;
    picture->width = image->bgr.cols;
    picture->height = image->bgr.rows;
    picture->planes[0] = image->bgr.data;
    picture->strides[0] = image->bgr.step;
  });
}

void skinmask_image_free(skinmask_image* image) { delete image; }

}  // extern "C"
