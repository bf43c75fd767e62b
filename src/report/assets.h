// The report's page, its style and script, and Chart.js, as texts compiled in
// (cmake/embed_text.cmake).
#pragma once

#include <string_view>

namespace skinmask::assets {

std::string_view Page();     // page/report.html
std::string_view Style();    // page/report.css
std::string_view Script();   // page/*.js, one script of all
std::string_view ChartJs();  // of Debian's libjs-chart.js

}  // namespace skinmask::assets
