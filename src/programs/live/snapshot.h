// One frame as pictures.
#pragma once

#include <filesystem>

#include "skinmask/detect/judgement.h"

namespace skinmask::live {

// STEM.frame.png, STEM.mask.png and STEM.probability.png; returns the first.
std::filesystem::path Snapshot(const std::filesystem::path& folder, Judgement& judgement);

}  // namespace skinmask::live
