// The module skinmask-cairo.
#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cstring>
#include <numbers>

#include "report/canvas.h"

namespace skinmask {
namespace {

// The bounds of recordings. Without bounds, cairo 1.16 reads uninitialised memory, and writes
// transforms that depend on it.
constexpr cairo_rectangle_t kEnough = {0, 0, 16384, 16384};
constexpr double kPixelsPerPoint = 2;  // of PNG files, for sharp letters

cairo_status_t Append(void* bytes, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

// Draws on a recording, which is replayed to the file when its size is known.
class CairoCanvas : public Canvas {
 public:
  CairoCanvas()
      : recording_(cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &kEnough)),
        cairo_(cairo_create(recording_)) {
    // Letters have the same width in every file.
    cairo_font_options_t* const options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo_, options);
    cairo_font_options_destroy(options);
    cairo_set_line_join(cairo_, CAIRO_LINE_JOIN_ROUND);
  }
  ~CairoCanvas() override {
    cairo_destroy(cairo_);
    cairo_surface_destroy(recording_);
  }
  CairoCanvas(const CairoCanvas&) = delete;
  CairoCanvas& operator=(const CairoCanvas&) = delete;

  void Line(std::span<const Spot> line, const Pen& pen) override {
    Trace(line);
    constexpr double kDashes[] = {5, 4};
    cairo_set_dash(cairo_, kDashes, pen.dashed ? 2 : 0, 0);
    cairo_set_line_width(cairo_, pen.width);
    SetInk(pen.ink);
    cairo_stroke(cairo_);
  }

  void Fill(std::span<const Spot> area, const Ink& ink) override {
    Trace(area);
    SetInk(ink);
    cairo_fill(cairo_);
  }

  void Spread(const Raster& raster, const Box& box) override {
    cairo_surface_t* const image =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, raster.width, raster.height);
    if (cairo_surface_status(image) == CAIRO_STATUS_SUCCESS) {
      const auto width = static_cast<std::size_t>(raster.width);
      const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(image));
      for (std::size_t y = 0; y < static_cast<std::size_t>(raster.height); ++y)
        std::memcpy(cairo_image_surface_get_data(image) + y * stride, &raster.argb[y * width],
                    4 * width);
      cairo_surface_mark_dirty(image);
    }
    Enclose(box);
    cairo_translate(cairo_, box.left, box.top);
    cairo_scale(cairo_, box.width / std::max(1, raster.width - 1),
                box.height / std::max(1, raster.height - 1));
    cairo_set_source_surface(cairo_, image, -0.5, -0.5);
    cairo_pattern_set_extend(cairo_get_source(cairo_), CAIRO_EXTEND_PAD);
    cairo_paint(cairo_);
    Release();
    cairo_surface_destroy(image);
  }

  void Write(const Text& text, const Ink& ink) override {
    const double before = text.along * WidthOf(text.text, text.font);
    cairo_save(cairo_);
    cairo_translate(cairo_, text.spot.x, text.spot.y);
    if (text.upwards) cairo_rotate(cairo_, -std::numbers::pi / 2);
    cairo_move_to(cairo_, -before, 0);
    SetInk(ink);
    cairo_show_text(cairo_, text.text.c_str());
    cairo_restore(cairo_);
  }

  double WidthOf(const std::string& text, const Font& font) override {
    cairo_select_font_face(cairo_, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           font.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo_, font.size);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_, text.c_str(), &extents);
    return extents.x_advance;
  }

  void Enclose(const Box& box) override {
    cairo_save(cairo_);
    cairo_rectangle(cairo_, box.left, box.top, box.width, box.height);
    cairo_clip(cairo_);
  }

  void Release() override { cairo_restore(cairo_); }

  std::string File(Spot size, bool svg, std::string& problem) override {
    std::string bytes;
    const double scale = svg ? 1 : kPixelsPerPoint;
    cairo_surface_t* const file =
        svg ? cairo_svg_surface_create_for_stream(Append, &bytes, size.x, size.y)
            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(size.x * scale),
                                         static_cast<int>(size.y * scale));
    if (svg) cairo_svg_surface_set_document_unit(file, CAIRO_SVG_UNIT_PX);
    cairo_t* const player = cairo_create(file);
    cairo_set_source_rgb(player, 1, 1, 1);
    cairo_paint(player);
    cairo_scale(player, scale, scale);
    cairo_set_source_surface(player, recording_, 0, 0);
    cairo_paint(player);
    cairo_status_t status = cairo_status(cairo_);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_status(player);
    cairo_destroy(player);
    if (!svg && status == CAIRO_STATUS_SUCCESS)
      status = cairo_surface_write_to_png_stream(file, Append, &bytes);
    cairo_surface_finish(file);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(file);
    cairo_surface_destroy(file);
    if (status == CAIRO_STATUS_SUCCESS) return bytes;
    problem = cairo_status_to_string(status);
    return {};
  }

 private:
  void SetInk(const Ink& ink) {
    cairo_set_source_rgba(cairo_, ink.red, ink.green, ink.blue, ink.opacity);
  }
  void Trace(std::span<const Spot> line) {
    cairo_new_path(cairo_);
    for (const Spot& spot : line) cairo_line_to(cairo_, spot.x, spot.y);
  }

  cairo_surface_t* const recording_;
  cairo_t* const cairo_;
};

}  // namespace
}  // namespace skinmask

void skinmask_new_canvas(std::unique_ptr<skinmask::Canvas>& canvas) {
  canvas = std::make_unique<skinmask::CairoCanvas>();
}
