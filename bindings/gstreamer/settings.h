// The properties of the element.
#pragma once

#include <gst/gst.h>

#include <exception>
#include <map>
#include <string>
#include <vector>

#include "skinmask/detect/detector.h"
#include "skinmask/detect/outputs.h"

namespace skinmask::gstreamer {

// How faces are searched for.
enum class Search {
  kAuto,   // kAside in live pipelines, else kWait
  kWait,   // as `skinmask detect` does: frames wait for it
  kAside,  // as `skinmask live` does: on a thread of its own, in a smaller picture, for later
           // frames
};

struct Settings {
  Output output = Output::kMask;
  Search search = Search::kAuto;
  std::string model;  // empty: built in
  // Of DetectorTable by their names, as they were set; others are as they are by default.
  std::map<std::string, std::string> texts;

  std::string Text(const std::string& name) const;
  // Whether frames are adapted to anything.
  bool Adapts() const;
  // Throws Error for what is no value of an option.
  DetectorOptions options() const;
  // Whether all but output and threshold is the same.
  bool SameStream(const Settings& other) const;
  // Sets one of FallibleProperties to what it is in `from`.
  void Take(const std::string& name, const Settings& from);
  // Of these properties each that still is as in `refused` becomes what it is in `good`.
  void TakeBack(const Settings& refused, const Settings& good);
  bool operator==(const Settings&) const = default;
};

// Those that may be set to what cannot be had: all but output, search and threshold.
const std::vector<std::string>& FallibleProperties();

// A line of the library with the names of properties.
std::string LineOf(const std::exception& error);

// Declares all of them to the class.
void InstallProperties(GObjectClass* type);
// Of the properties that are declared.
void SetProperty(Settings& settings, guint id, const GValue* value);
void GetProperty(const Settings& settings, guint id, GValue* value);

// What the bytes of an output may be, as caps have it, best first.
const char* FormatsOf(Output output);
// Those of all.
inline constexpr char kOutputFormats[] =
    "{ GRAY8, BGR, BGRx, RGBx, RGB, I420, NV12, YV12, YUY2, BGRA }";

}  // namespace skinmask::gstreamer
