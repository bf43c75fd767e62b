#include "programs/live/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "programs/live/controls.h"

namespace skinmask::live {
namespace {

template <View view>
void Choose(Controls& controls) {
  controls.ChooseView(view);
}

// docs/live.md has the same keys (a test compares them).
constexpr Key kKeys[] = {
    {' ', "space", "pause", [](Controls& c) { c.TogglePause(); }},
    {'v', "v", "next view", [](Controls& c) { c.NextView(); }},
    {'1', "1", "overlay: what is not skin is dark", Choose<View::kOverlay>},
    {'2', "2", "mask: skin is white", Choose<View::kMask>},
    {'3', "3", "probability of skin as a heat map", Choose<View::kProbability>},
    {'4', "4", "overlay and heat map beside each other", Choose<View::kBoth>},
    {'5', "5", "before | after: the frame, and the overlay right of a divider",
     Choose<View::kSplit>},
    {'6', "6", "cut-out: the skin alone, on the background of --background", Choose<View::kCutout>},
    {'7', "7", "uncertainty: yellow near the threshold, blue where no class explains the colour",
     Choose<View::kUncertainty>},
    {'e', "e", "ellipse and axis of the region, on or off", [](Controls& c) { c.ToggleRegion(); }},
    {'t', "t", "follow one region; drag a rectangle to choose it",
     [](Controls& c) { c.ToggleTracking(); }},
    {'a', "a", "adapt the model to each frame, on or off", [](Controls& c) { c.ToggleAdapting(); }},
    {'s', "s", "sample skin: drag a rectangle over it",
     [](Controls& c) { c.ToggleSampling(Sampling::kSkin); }},
    {'b', "b", "sample background: drag a rectangle over it",
     [](Controls& c) { c.ToggleSampling(Sampling::kBackground); }},
    {'u', "u", "take the last sample back", [](Controls& c) { c.UndoSample(); }},
    {'z', "z", "forget all samples", [](Controls& c) { c.ForgetSamples(); }},
    {'w', "w", "write the model as it is now", [](Controls& c) { c.WriteModel(); }},
    {'p', "p", "snapshot: frame, mask and probability", [](Controls& c) { c.TakeSnapshot(); }},
    {'r', "r", "record the view, and end it", [](Controls& c) { c.ToggleRecording(); }},
    {'i', "i", "the panel at the side, on or off", nullptr},
    {'h', "h", "these keys", nullptr},
    {'q', "q", "quit (or Escape)", nullptr},
    {'\x1b', "Escape", "", nullptr},
};

}  // namespace

std::span<const Key> Keys() { return kKeys; }

const Key& KeyOf(char key) {
  const auto found = std::ranges::find(kKeys, key, &Key::key);
  if (found == std::end(kKeys)) throw std::logic_error(fmt::format("no key '{}'", key));
  return *found;
}

std::string TipOf(char key) {
  const Key& found = KeyOf(key);
  return fmt::format("{} ({})", found.help, found.name);
}

}  // namespace skinmask::live
