#include <fmt/format.h>

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "skinmask/base/logistic.h"
#include "skinmask/report/planes.h"

namespace skinmask {
namespace {

constexpr int kSide = 512, kMargin = 56, kShift = 4;  // drawing is in 1/16 pixel
const cv::Scalar kInk(40, 40, 40), kNoColour(255, 255, 255);
// Okabe and Ito's colours, which colour-blind eyes tell apart: positive vermilion, others blue and
// on.
const cv::Scalar kClassColours[] = {{0, 94, 213}, {178, 114, 0}, {115, 158, 0}, {167, 121, 204}};

// A plane's drawing area within the picture, and where values lie in it.
struct Panel {
  cv::Mat picture;
  cv::Rect area;
  Axis x, y;

  cv::Point2d At(double vx, double vy) const {
    return {area.x + (vx - x.low) / (x.high - x.low) * (area.width - 1),
            area.y + area.height - 1 - (vy - y.low) / (y.high - y.low) * (area.height - 1)};
  }
  void Line(cv::Point2d a, cv::Point2d b, const cv::Scalar& colour, int thickness) const {
    const auto fixed = [](cv::Point2d p) {
      constexpr double kOne = 1 << kShift;
      return cv::Point(cvRound(p.x * kOne), cvRound(p.y * kOne));
    };
    cv::line(picture, fixed(a), fixed(b), colour, thickness, cv::LINE_AA, kShift);
  }
  void Text(const std::string& text, cv::Point origin, double size = 0.45) const {
    cv::putText(picture, text, origin, cv::FONT_HERSHEY_SIMPLEX, size, kInk, 1, cv::LINE_AA);
  }
};

// From white (0) to a light vermilion (1), so that lines stand out.
void Shade(const Panel& panel, const Plane& plane) {
  const int rows = plane.y ? plane.size : 1;
  cv::Mat shades(rows, plane.size, CV_8UC3);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < plane.size; ++column) {
      const double z =
          plane.log_odds[static_cast<std::size_t>((rows - 1 - row) * plane.size + column)];
      const double p = std::isnan(z) ? 0 : Logistic(z);
      shades.at<cv::Vec3b>(row, column) = {cv::saturate_cast<std::uint8_t>(240 - 110 * p),
                                           cv::saturate_cast<std::uint8_t>(240 - 60 * p), 240};
      if (std::isnan(z)) shades.at<cv::Vec3b>(row, column) = {255, 255, 255};
    }
  cv::resize(shades, panel.picture(panel.area), panel.area.size(), 0, 0, cv::INTER_LINEAR);
  cv::rectangle(panel.picture, panel.area, kInk, 1);
}

// The mean, and the ellipses of one and two standard deviations.
void DrawGaussian(const Panel& panel, const Plane& plane, const Gaussian& c,
                  const cv::Scalar& colour) {
  const int x = plane.x, y = plane.y.value_or(x);
  const double mx = c.mean(x), sx = std::sqrt(c.covariance(x, x));
  if (!plane.y) {
    const double middle = (panel.y.low + panel.y.high) / 2;
    panel.Line(panel.At(mx, panel.y.low), panel.At(mx, panel.y.high), colour, 2);
    panel.Line(panel.At(mx - 2 * sx, middle), panel.At(mx + 2 * sx, middle), colour, 1);
    return;
  }
  // Rows of the Cholesky factor carry the unit circle to the ellipse.
  const double l = c.covariance(x, y) / sx, d = std::sqrt(std::max(0., c.covariance(y, y) - l * l));
  for (const int deviations : {1, 2}) {
    constexpr int kCorners = 90;
    cv::Point2d last;
    for (int i = 0; i <= kCorners; ++i) {
      const double angle = 2 * CV_PI * i / kCorners, u = deviations * std::cos(angle),
                   v = deviations * std::sin(angle);
      const cv::Point2d here = panel.At(mx + sx * u, c.mean(y) + l * u + d * v);
      if (i > 0) panel.Line(last, here, colour, 3 - deviations);
      last = here;
    }
  }
  cv::circle(panel.picture, cv::Point(panel.At(mx, c.mean(y))), 4, colour, cv::FILLED, cv::LINE_AA);
}

void Label(const Panel& panel, const Plane& plane, const std::vector<Axis>& axes) {
  const auto number = [](double v) { return fmt::format("{:.4g}", v); };
  const int bottom = panel.area.y + panel.area.height;
  panel.Text(number(panel.x.low), {panel.area.x, bottom + 18});
  panel.Text(number(panel.x.high), {panel.area.x + panel.area.width - 28, bottom + 18});
  panel.Text(panel.x.name, {panel.area.x + panel.area.width / 2, bottom + 18});
  if (plane.y) {
    panel.Text(panel.y.name, {panel.area.x - 28, panel.area.y + panel.area.height / 2});
    panel.Text(number(panel.y.high), {panel.area.x - 40, panel.area.y + 12});
    panel.Text(number(panel.y.low), {panel.area.x - 40, bottom});
  }
  if (plane.held)
    panel.Text(
        fmt::format("slice at {} = {:.4g}", axes[static_cast<std::size_t>(plane.held->first)].name,
                    plane.held->second),
        {panel.area.x, bottom + 38});
}

// The classes' names in their colours, and what is drawn.
void Legend(const Panel& panel, const Model& model) {
  int x = panel.area.x;
  const auto entry = [&](const std::string& text, const cv::Scalar& colour) {
    cv::line(panel.picture, {x, 20}, {x + 18, 20}, colour, 3);
    panel.Text(text, {x + 24, 25});
    x += 44 + cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, 0.45, 1, nullptr).width;
  };
  std::size_t k = 0;
  for (const ClassModel& c : model.classes)
    entry(c.name, kClassColours[k++ % std::size(kClassColours)]);
  entry(fmt::format("P({}) = {:.3g}", model.positive().name, model.decision.threshold), kInk);
}

}  // namespace

cv::Mat DrawPlanes(const Model& model) {
  const std::vector<Axis> axes = AxesOf(model);
  const std::vector<Plane> planes = PlanesOf(model);
  const int height = planes[0].y ? kSide : kSide / 8, width = kSide + 2 * kMargin;
  cv::Mat picture(height + 2 * kMargin, width * static_cast<int>(planes.size()), CV_8UC3,
                  kNoColour);
  const double level = Logit(model.decision.threshold);
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const Plane& plane = planes[i];
    const Axis strip{"", 0, 1};
    Panel panel{picture,
                {static_cast<int>(i) * width + kMargin, kMargin - 16, kSide, height},
                axes[static_cast<std::size_t>(plane.x)],
                plane.y ? axes[static_cast<std::size_t>(*plane.y)] : strip};
    Shade(panel, plane);
    // Ellipses may reach beyond the values that colours have; they end at the frame.
    const cv::Mat kept = picture.clone();
    for (std::size_t k = 0; k < model.classes.size(); ++k)
      for (const Gaussian& gaussian : model.classes[k].gaussians())
        DrawGaussian(panel, plane, gaussian, kClassColours[k % std::size(kClassColours)]);
    for (const Segment& s : BoundaryOf(plane, axes, level))
      panel.Line(panel.At(s[0], s[1]), panel.At(s[2], s[3]), kInk, 2);
    cv::Mat inside = picture(panel.area).clone();
    kept.copyTo(picture);
    inside.copyTo(picture(panel.area));
    Label(panel, plane, axes);
    if (i == 0) Legend(panel, model);
  }
  return picture;
}

}  // namespace skinmask
