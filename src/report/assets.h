// The pages of an evaluation and of a comparison, their style and scripts, and Chart.js, as texts
// compiled in (cmake/embed_text.cmake).
#pragma once

#include <string_view>

namespace skinmask::assets {

std::string_view Page();              // page/report.html
std::string_view ComparisonPage();    // page/comparison.html
std::string_view Style();             // page/report.css
std::string_view Script();            // of page/*.js what the page needs, as one script
std::string_view ComparisonScript();  // likewise
std::string_view ChartJs();           // of Debian's libjs-chart.js

}  // namespace skinmask::assets
