// The tone of skin, from its colour in CIELAB: the individual typology angle (ITA) with its six
// classes, and the nearest of the ten tones of the Monk scale (docs/math.md, 'Tone'). All functions
// take colours as they are in a picture; the illumination makes these lighter, darker or yellower
// than the skin is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// CIELAB of a colour under D65, 2 degrees: l is from 0 to 100; for sRGB colours a and b are within
// +-128.
struct Lab {
  double l, a, b;
  bool operator==(const Lab&) const = default;
};

// The CIELAB of an sRGB colour (IEC 61966-2-1). White is (100, 0, 0). Cost: 60 ns.
Lab LabOfSrgb(std::uint8_t b, std::uint8_t g, std::uint8_t r);

// The medians of l, a and b over pixels, each channel separately, to 1/128. Of two middle values
// the lower one is taken. Memory: 160 kB after the first Add, for any number of pixels up to 2^32 -
// 1.
class MedianLab {
 public:
  void Add(const Lab& lab);
  std::optional<Lab> Median() const;  // absent without pixels

 private:
  std::vector<std::uint32_t> l_, a_, b_;
};

// The individual typology angle arctan((l - 50) / b) in degrees (Chardon, Cretois, Hourseau 1991).
// Where b is 0 or less, as for skin in blue light, the angle continues beyond 90 or below -90.
double ItaDegrees(const Lab& lab);

// The six usual classes, from the lightest: very light (above 55), light (above 41), intermediate
// (above 28), tan (above 10), brown (above -30), dark.
std::span<const std::string_view> ItaClasses();
std::size_t ItaClass(double degrees);  // an index into ItaClasses()

// The Monk Skin Tone scale (Monk 2019) has ten tones; 1 is the lightest. Returns the nearest tone,
// 1 to 10, by the Euclidean distance in CIELAB (Delta E of 1976).
inline constexpr int kMonkTones = 10;
int NearestMonkTone(const Lab& lab);

}  // namespace skinmask
