// A tone says how light skin is, by its colour in CIELAB: the individual typology angle with its
// six classes, and the nearest of the Monk scale's ten tones (docs/math.md, 'Tone'). All of it is
// of colours as they are in a picture, which light makes lighter, darker and yellower than skin is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// CIELAB of a colour under D65, 2 degrees: l from 0 to 100; of sRGB, a and b within +-128.
struct Lab {
  double l, a, b;
  bool operator==(const Lab&) const = default;
};

// Of an sRGB colour (IEC 61966-2-1). White is (100, 0, 0). Cost: 60 ns.
Lab LabOfSrgb(std::uint8_t b, std::uint8_t g, std::uint8_t r);

// The medians of l, a and b over pixels, each on its own, to 1/128; the lower one where two are in
// the middle. Memory: 160 kB once anything was added, however many pixels (up to 2^32 - 1) there
// are.
class MedianLab {
 public:
  void Add(const Lab& lab);
  std::optional<Lab> Median() const;  // absent without pixels

 private:
  std::vector<std::uint32_t> l_, a_, b_;
};

// The individual typology angle arctan((l - 50) / b) in degrees (Chardon, Cretois, Hourseau 1991).
// Where b is not above 0, as of skin in blue light, it goes on beyond 90 and below -90.
double ItaDegrees(const Lab& lab);

// The six usual classes, from the lightest: very light (above 55), light (above 41), intermediate
// (above 28), tan (above 10), brown (above -30), dark.
std::span<const std::string_view> ItaClasses();
std::size_t ItaClass(double degrees);  // an index into ItaClasses()

// The Monk Skin Tone scale (Monk 2019) has ten tones, 1 the lightest. The nearest one, 1 to 10, by
// the Euclidean distance in CIELAB (Delta E of 1976).
inline constexpr int kMonkTones = 10;
int NearestMonkTone(const Lab& lab);

}  // namespace skinmask
