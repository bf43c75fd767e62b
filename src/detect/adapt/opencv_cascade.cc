#include "detect/adapt/opencv_cascade.h"

#include "media/late_module.h"

namespace skinmask {

Cascade ReadCascade(const std::string& file) {
  static auto* const read = reinterpret_cast<decltype(&skinmask_read_cascade)>(
      FindInModule("skinmask-objdetect.so", "skinmask_read_cascade"));
  Cascade cascade;
  read(file, cascade);
  return cascade;
}

}  // namespace skinmask
