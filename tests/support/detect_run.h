// Runs of Detect over a folder of images.
#pragma once

#include <string>
#include <vector>

#include "skinmask/pipeline/detect_run.h"
#include "support/files.h"
#include "support/pictures.h"

namespace skinmask::testing {

class DetectRunTest : public FolderTest {
 protected:
  DetectRunTest() {
    for (int i = 0; i < 20; ++i)
      Put("in/sub/" + std::to_string(i) + ".png", Encode(".png", Gradient(64, 48)));
    options_.inputs = {Path("in")};
    options_.output_folder = Path("out");
    run_.problem = [&](const Problem& problem) { problems_.push_back(problem.line); };
  }
  DetectOptions options_;
  skinmask::Run run_;
  std::vector<std::string> problems_;
};

}  // namespace skinmask::testing
