// The rows of a picture that a model judges.
#pragma once

#include <opencv2/core.hpp>
#include <string_view>

#include "base/parallel_rows.h"
#include "base/stream.h"
#include "skinmask/model/posterior.h"

namespace skinmask {

// As ForRowsOf. If each new colour takes long, a picture may take a minute. So that an interrupt of
// the program need not wait for it, this then throws WaitStopped.
template <class Row>
void ForJudgedRows(const Posterior& posterior, const cv::Size& size, const Row& row) {
  const bool is_slow = std::string_view(posterior.form()) == "memo";
  ForRowsOf(size.width, size.height, [&](int y) {
    if (is_slow) RequireNoStop("a picture");
    row(y);
  });
}

}  // namespace skinmask
