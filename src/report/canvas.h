// Pictures are drawn on a Canvas, whose lines and letters are Cairo's
// (docs/decisions/0021-pictures.md).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace skinmask {

// Of red, green and blue, and how opaque, 0..1.
struct Ink {
  double red = 0, green = 0, blue = 0, opacity = 1;
};

// In points from the top left, as everything on a canvas.
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

// One line of text. `along` says which share of it lies before the spot, which is on the base line.
struct Text {
  std::string text;
  Spot spot;
  Font font;
  double along = 0;
  bool upwards = false;
};

// Pixels of 8 bits for alpha, red, green and blue each, from the top, colours times alpha.
struct Raster {
  int width = 0, height = 0;
  std::vector<std::uint32_t> argb;
};

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void Line(std::span<const Spot> line, const Pen& pen) = 0;
  virtual void Fill(std::span<const Spot> area, const Ink& ink) = 0;
  // The raster over the box, its pixels' middles from edge to edge.
  virtual void Spread(const Raster& raster, const Box& box) = 0;
  virtual void Write(const Text& text, const Ink& ink) = 0;
  virtual double WidthOf(const std::string& text, const Font& font) = 0;
  // Between these two nothing is drawn outside the box.
  virtual void Enclose(const Box& box) = 0;
  virtual void Release() = 0;
  // What was drawn, so wide and high, on white: as SVG, or PNG. Empty where there is a problem.
  virtual std::string File(Spot size, bool svg, std::string& problem) = 0;
};

std::unique_ptr<Canvas> NewCanvas();

}  // namespace skinmask

// What the module has.
extern "C" void skinmask_new_canvas(std::unique_ptr<skinmask::Canvas>& canvas);
