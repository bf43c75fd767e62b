// The report's page, its style and script, and Chart.js, as texts compiled in
// (cmake/embed_text.cmake).
#pragma once

#include <string_view>

namespace skinmask::assets {

std::string_view Page();     // report.html
std::string_view Style();    // report.css
std::string_view Script();   // report.js
std::string_view ChartJs();  // of Debian's libjs-chart.js

}  // namespace skinmask::assets
