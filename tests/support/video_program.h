// Running the program on clips.
#pragma once

#include <string>

#include "support/clips.h"
#include "support/program.h"

namespace skinmask::testing {

constexpr char kH264[] = "-c:v libx264 -preset ultrafast -bf 2 -pix_fmt yuv420p -color_range tv";

// Skipped without the program ffmpeg.
class VideoProgramTest : public ProgramTest {
 protected:
  void SetUp() override { SKIP_WITHOUT_FFMPEG(); }
  // A clip of a photograph that scrolls.
  void Make(const std::string& name, int frames = 10,
            const std::string& encode = "-c:v libx264 -pix_fmt yuv420p -color_range tv",
            const std::string& size = "176x144") const {
    fs::create_directories(Path(name).parent_path());
    Shell(folder_, "ffmpeg -v error -y" + Scrolling(size) + "-frames:v " + std::to_string(frames) +
                       " " + encode + " '" + name + "'");
  }
};

}  // namespace skinmask::testing
