#include "report/boundary_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/gaussian_json.h"
#include "skinmask/base/logistic.h"
#include "skinmask/data/color.h"
#include "skinmask/detect/draw.h"
#include "skinmask/report/planes.h"

namespace skinmask {
namespace {

constexpr std::size_t kSamplesPerClass = 300;
constexpr int kPlaneSize = 129;

// Coordinates for plots, to 1e-4 of a channel's unit.
double Rounded(double value) { return std::round(value * 1e4) / 1e4; }

// The features of some of the evaluated pixels, chosen evenly from those that the report kept.
Json SamplesJson(const EvaluationReport& report, const Features& features, bool positive) {
  std::vector<std::array<std::uint8_t, 3>> colours;
  for (const DrawnPixel& pixel : report.drawn)
    if (pixel.positive == positive) colours.push_back(pixel.bgr);
  Json json = Json::array();
  const std::size_t shown = std::min(colours.size(), kSamplesPerClass);
  for (std::size_t i = 0; i < shown; ++i) {
    std::array<std::int32_t, 3> carrier;
    CarrierRow(features.space(), colours[i * colours.size() / shown].data(), 1, carrier.data());
    const Eigen::Vector3d c(carrier[0], carrier[1], carrier[2]);
    const FeatureVector f = features.Matrix() * c + features.Offset();
    Json point = Json::array();
    for (int k = 0; k < f.size(); ++k) point.push_back(Rounded(f(k)));
    json.push_back(point);
  }
  return json;
}

Json ClassesJson(const Model& model) {
  Json classes = Json::array();
  const std::string rgb = ClassPalette(model.classes.size());
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(rgb[i]) & 255; };
  for (std::size_t k = 0; k < model.classes.size(); ++k) {
    const ClassModel& c = model.classes[k];
    Json json{{"name", c.name},
              {"colour",
               fmt::format("#{:02x}{:02x}{:02x}", byte(3 * k), byte(3 * k + 1), byte(3 * k + 2))},
              {"gaussians", Json::array()}};
    for (const Gaussian& gaussian : c.gaussians())
      json["gaussians"].push_back(GaussianJson(gaussian));
    classes.push_back(json);
  }
  return classes;
}

Json SegmentsJson(const std::vector<Polyline>& lines) {
  Json json = Json::array();
  for (const Polyline& line : lines)
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
      json.push_back({Rounded(line[i][0]), Rounded(line[i][1]), Rounded(line[i + 1][0]),
                      Rounded(line[i + 1][1])});
  return json;
}

// The likeliest class along each row as runs, '12:- 40:0 77:1' ('-': no colour).
Json RegionsJson(const Plane& plane) {
  Json json = Json::array();
  for (int row = 0; row < plane.rows(); ++row) {
    std::string runs;
    const auto at = [&](int column) {
      return plane.ClassAt(static_cast<std::size_t>(row * plane.size + column));
    };
    for (int column = 0, next = 0; column < plane.size; column = next) {
      while (next < plane.size && at(next) == at(column)) ++next;
      const std::string of = at(column) == Plane::kNoColour ? "-" : std::to_string(at(column));
      runs += fmt::format("{}{}:{}", column == 0 ? "" : " ", next - column, of);
    }
    json.push_back(runs);
  }
  return json;
}

Json PlaneJson(const Model& model, const Plane& plane, const std::vector<Axis>& axes) {
  const auto name = [&](int feature) { return axes[static_cast<std::size_t>(feature)].name; };
  Json json{{"x", plane.x}, {"y", plane.y ? Json(*plane.y) : Json()}, {"held", nullptr}};
  if (plane.held)
    json["held"] = {{"channel", name(plane.held->first)}, {"value", plane.held->second}};
  for (std::size_t i = 0; !plane.y && i < plane.log_odds.size(); ++i) {
    const double z = plane.log_odds[i];
    json["probability"].push_back(std::isnan(z) ? Json() : Json(Logistic(z)));
  }
  const std::vector<double> densities = DensitiesOf(model, plane, axes);
  for (std::size_t i = 0; i < densities.size(); ++i)
    json["densities"][i % plane.class_count].push_back(densities[i]);
  json["size"] = plane.size;
  json["regions"] = RegionsJson(plane);
  json["boundary"] = SegmentsJson(BoundaryOf(plane, axes, Logit(model.decision.threshold)));
  json["borders"] = Json::array();
  for (const Border& border : BordersOf(plane, axes))
    json["borders"].push_back(
        {{"classes", {border.first, border.second}}, {"segments", SegmentsJson(border.lines)}});
  return json;
}

}  // namespace

Json BoundaryJson(const EvaluationReport& report, const Model& model) {
  const std::vector<Axis> axes = AxesOf(model);
  Json json{{"channels", Json::array()}, {"classes", ClassesJson(model)}};
  for (const Axis& axis : axes)
    json["channels"].push_back(
        {{"name", axis.name}, {"unit", axis.unit}, {"low", axis.low}, {"high", axis.high}});
  json["samples"] = {{"positive", SamplesJson(report, model.features, true)},
                     {"negative", SamplesJson(report, model.features, false)}};
  json["planes"] = Json::array();
  for (const Plane& plane : PlanesOf(model, kPlaneSize))
    json["planes"].push_back(PlaneJson(model, plane, axes));
  return json;
}

}  // namespace skinmask
