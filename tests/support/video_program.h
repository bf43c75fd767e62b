// Running the program on clips.
#pragma once

#include <string>

#include "support/clips.h"
#include "support/program.h"

namespace skinmask::testing {

constexpr char kH264[] = "-c:v libx264 -preset ultrafast -bf 2 -pix_fmt yuv420p -color_range tv";

constexpr char kDefaultEncode[] = "-c:v libx264 -pix_fmt yuv420p -color_range tv";

// Skipped without the program ffmpeg.
class VideoProgramTest : public ProgramTest {
 protected:
  void SetUp() override { SKIP_WITHOUT_FFMPEG(); }
  // A clip of a photograph that scrolls, with a source of sound of ffmpeg's, if any.
  void Make(const std::string& name, int frames = 10, const std::string& encode = kDefaultEncode,
            const std::string& size = "176x144", const std::string& sound = "") const {
    fs::create_directories(Path(name).parent_path());
    const std::string also = sound.empty() ? "" : "-f lavfi -i '" + sound + "'";
    MakeOnce(folder_,
             fmt::format("{}{}-frames:v {} {} '{}'", also, Scrolling(size), frames, encode, name),
             {name});
  }
};

}  // namespace skinmask::testing
