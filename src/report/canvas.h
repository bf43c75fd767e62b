// A Canvas for pictures, with lines and letters by Cairo (docs/decisions/0021-pictures.md).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace skinmask {

// Red, green, blue and opacity, 0..1.
struct Ink {
  double red = 0, green = 0, blue = 0, opacity = 1;
};

// A place in points from the top left, like all coordinates on a canvas.
struct Spot {
  double x = 0, y = 0;
};

struct Box {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

struct Pen {
  Ink ink;
  double width = 1;
  bool dashed = false;
};

struct Font {
  double size = 11;
  bool bold = false;
};

// One line of text. `along` is the share of its width that lies before the spot, which is on the
// baseline.
struct Text {
  std::string text;
  Spot spot;
  Font font;
  double along = 0;
  bool upwards = false;
};

// Pixels with 8 bits each for alpha, red, green and blue, premultiplied by alpha, from the top row
// on.
struct Raster {
  int width = 0, height = 0;
  std::vector<std::uint32_t> argb;
};

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void Line(std::span<const Spot> line, const Pen& pen) = 0;
  virtual void Fill(std::span<const Spot> area, const Ink& ink) = 0;
  // Draws the raster over the box; the centres of its outermost pixels are on the edges.
  virtual void Spread(const Raster& raster, const Box& box) = 0;
  virtual void Write(const Text& text, const Ink& ink) = 0;
  virtual double WidthOf(const std::string& text, const Font& font) = 0;
  // Between these two calls nothing is drawn outside the box.
  virtual void Enclose(const Box& box) = 0;
  virtual void Release() = 0;
  // The drawing, of this width and height, on white, as SVG or PNG. Empty if there is a problem.
  virtual std::string File(Spot size, bool svg, std::string& problem) = 0;
};

std::unique_ptr<Canvas> NewCanvas();

}  // namespace skinmask

// The function of the module.
extern "C" void skinmask_new_canvas(std::unique_ptr<skinmask::Canvas>& canvas);
