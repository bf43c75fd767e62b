#include "programs/live/snapshot.h"

#include <string>

#include "programs/live/new_file_name.h"
#include "skinmask/base/file.h"
#include "skinmask/media/image.h"

namespace skinmask::live {

std::filesystem::path Snapshot(const std::filesystem::path& folder, Judgement& judgement) {
  const std::string suffix = ".frame.png";
  const std::filesystem::path first = NewFileName(folder, suffix);
  const std::string name = first.string();
  const std::string stem = name.substr(0, name.size() - suffix.size());
  WriteFile(first, EncodePng(judgement.Bgr()), Overwrite::kNo);
  WriteFile(stem + ".mask.png", EncodePng(judgement.Mask()), Overwrite::kNo);
  WriteFile(stem + ".probability.png", EncodePng(judgement.Probability()), Overwrite::kNo);
  return first;
}

}  // namespace skinmask::live
