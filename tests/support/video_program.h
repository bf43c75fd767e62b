// Running the program on clips.
#pragma once

#include <string>

#include "support/clips.h"
#include "support/program.h"

namespace skinmask::testing {

constexpr char kH264[] = "-c:v libx264 -preset ultrafast -bf 2 -pix_fmt yuv420p -color_range tv";

constexpr char kDefaultEncode[] = "-c:v libx264 -pix_fmt yuv420p -color_range tv";

// A file that ffmpeg makes of a clip by these arguments.
struct Derived {
  std::string name, arguments;
};

// Skipped without the program ffmpeg.
class VideoProgramTest : public ProgramTest {
 protected:
  void SetUp() override { SKIP_WITHOUT_FFMPEG(); }
  // A clip of a photograph that scrolls, with a source of sound of ffmpeg's, if any, and what is
  // made of that clip, if anything.
  void Make(const std::string& name, int frames = 10, const std::string& encode = kDefaultEncode,
            const std::string& size = "176x144", const std::string& sound = "",
            const Derived& derived = {}) const {
    fs::create_directories(Path(name).parent_path());
    const std::string also = sound.empty() ? "" : "-f lavfi -i '" + sound + "'";
    std::string arguments =
        fmt::format("{}{}-frames:v {} {} '{}'", also, Scrolling(size), frames, encode, name);
    std::vector<std::string> files{name};
    if (!derived.name.empty()) {
      arguments += " && ffmpeg -v error -y " + derived.arguments + " " + derived.name;
      files.push_back(derived.name);
    }
    MakeOnce(folder_, arguments, files);
  }
};

}  // namespace skinmask::testing
