// The properties of the element.
#pragma once

#include <gst/gst.h>

#include <exception>
#include <map>
#include <string>

#include "skinmask/detect/detector.h"
#include "skinmask/detect/outputs.h"

namespace skinmask::gstreamer {

// How faces are searched for.
enum class Search {
  kAuto,   // kAside in live pipelines, else kWait
  kWait,   // as `skinmask detect` does: frames wait for the search
  kAside,  // as `skinmask live` does: on a thread of its own, in fewer pixels, for later
           // frames
};

struct Settings {
  Output output = Output::kMask;
  Search search = Search::kAuto;
  std::string model;  // empty: built in
  // The options of DetectorTable that were set, by name; all others have their defaults.
  std::map<std::string, std::string> texts;

  std::string Text(const std::string& name) const;
  // Whether the model is adapted at all.
  bool Adapts() const;
  // Throws Error for a text that is no value of its option.
  DetectorOptions options() const;
  // Whether everything but output and threshold is the same.
  bool SameStream(const Settings& other) const;
  // Takes everything but output and threshold from `other`.
  void TakeStream(const Settings& other);
  bool operator==(const Settings&) const = default;
};

// A line of the library with the names of properties.
std::string LineOf(const std::exception& error);

void InstallProperties(GObjectClass* type);
// Set and get an installed property.
void SetProperty(Settings& settings, guint id, const GValue* value);
void GetProperty(const Settings& settings, guint id, GValue* value);

// The formats of an output, as in caps, best first.
const char* FormatsOf(Output output);
// The formats of all outputs.
inline constexpr char kOutputFormats[] =
    "{ GRAY8, BGR, BGRx, RGBx, RGB, I420, NV12, YV12, YUY2, BGRA }";

}  // namespace skinmask::gstreamer
