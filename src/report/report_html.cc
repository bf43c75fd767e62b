#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/json.h"
#include "skinmask/report/comparison.h"
#include "skinmask/report/gallery.h"
#include "skinmask/report/report.h"

// The pages of an evaluation and of a comparison, their style and scripts, and Chart.js, compiled
// in as texts (cmake/embed_text.cmake).
namespace skinmask::assets {

std::string_view Page();              // page/report.html, between head.html and foot.html: a format
std::string_view ComparisonPage();    // page/comparison.html, likewise
std::string_view Style();             // page/report.css
std::string_view Script();            // the page's page/*.js, as one script
std::string_view ComparisonScript();  // the same for the comparison
std::string_view ChartJs();           // of Debian's libjs-chart.js

}  // namespace skinmask::assets

namespace skinmask {
namespace {

// Escapes JSON for a script element: '<' could end the element.
std::string ForScript(std::string_view json) {
  std::string text;
  for (const char c : json) c == '<' ? text.append("\\u003c") : text.append(1, c);
  return text;
}

std::string PicturesJson(const std::vector<GalleryPictures>& pictures) {
  Json json = Json::object();
  for (const GalleryPictures& one : pictures) {
    Json& entry = json[std::to_string(one.image)] = Json::object();
    for (const auto& [name, picture] : one.pictures) entry[name] = picture;
  }
  return JsonText(json);
}

}  // namespace

std::string ReportToHtml(const std::string& json, const std::vector<GalleryPictures>& pictures) {
  return fmt::format(fmt::runtime(assets::Page()), fmt::arg("title", "evaluation"),
                     fmt::arg("style", assets::Style()), fmt::arg("chart", assets::ChartJs()),
                     fmt::arg("evaluation", ForScript(json)),
                     fmt::arg("pictures", ForScript(PicturesJson(pictures))),
                     fmt::arg("script", assets::Script()));
}

std::string ComparisonToHtml(const std::string& json) {
  return fmt::format(fmt::runtime(assets::ComparisonPage()), fmt::arg("title", "comparison"),
                     fmt::arg("style", assets::Style()), fmt::arg("chart", assets::ChartJs()),
                     fmt::arg("comparison", ForScript(json)),
                     fmt::arg("script", assets::ComparisonScript()));
}

}  // namespace skinmask
