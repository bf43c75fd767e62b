#include <string>
#include <string_view>

#include "base/json.h"
#include "skinmask/report/comparison.h"
#include "skinmask/report/gallery.h"
#include "skinmask/report/report.h"

// The pages of an evaluation and of a comparison, their style and scripts, and Chart.js, compiled
// in as texts (cmake/embed_text.cmake).
namespace skinmask::assets {

std::string_view Page();              // page/report.html, between head.html and foot.html
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

// The template with every {{name}} of `parts` replaced; replacements are not searched again.
std::string Fill(std::string_view text,
                 const std::vector<std::pair<std::string_view, std::string_view>>& parts) {
  std::string filled;
  for (std::size_t start; (start = text.find("{{")) != text.npos;) {
    filled += text.substr(0, start);
    text.remove_prefix(start);
    const std::size_t end = text.find("}}");
    const std::string_view name = text.substr(2, end - 2);
    for (const auto& [part, content] : parts)
      if (part == name) filled += content;
    text.remove_prefix(end + 2);
  }
  return filled.append(text);
}

}  // namespace

std::string ReportToHtml(const std::string& json, const std::vector<GalleryPictures>& pictures) {
  const std::string evaluation = ForScript(json), gallery = ForScript(PicturesJson(pictures));
  return Fill(assets::Page(), {{"title", "evaluation"},
                               {"style", assets::Style()},
                               {"chart", assets::ChartJs()},
                               {"evaluation", evaluation},
                               {"pictures", gallery},
                               {"script", assets::Script()}});
}

std::string ComparisonToHtml(const std::string& json) {
  const std::string comparison = ForScript(json);
  return Fill(assets::ComparisonPage(), {{"title", "comparison"},
                                         {"style", assets::Style()},
                                         {"chart", assets::ChartJs()},
                                         {"comparison", comparison},
                                         {"script", assets::ComparisonScript()}});
}

}  // namespace skinmask
