// Decodes an image in another process (skinmask/media/isolation.h).
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "skinmask/media/image.h"

namespace skinmask {

// As DecodeImage, but colours stay as they are stored; `tags`, if not null, is filled with what the
// file says of them. `module` is what holds the format's decoder, or empty. Throws Error, too,
// where the decoder crashes, or takes more than its time or memory, and WaitStopped where the run
// is stopped meanwhile.
cv::Mat DecodeIsolated(std::string_view bytes, std::string_view subject,
                       const DecodeOptions& options, std::string_view module, PictureTags* tags);

// What the options say, or where they do not, the program.
const Isolation& IsolationOf(const std::optional<Isolation>& chosen);

// What is said of a file whose decoder takes more than its time.
std::string TooLongToDecode(const Isolation& isolation);

}  // namespace skinmask
