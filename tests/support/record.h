// Runs of the program over a folder with images and other files, and their records.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "support/pictures.h"
#include "support/program.h"

namespace skinmask::testing {

class RecordTest : public ProgramTest {
 protected:
  RecordTest() {
    Put("in/a.png", Encode(".png", Gradient(64, 48)));
    Put("in/b.jpg", "no image");
    Put("in/notes.txt", "x");
    Put("in/sub/c.png", Encode(".png", Gradient(32, 48)));
  }
  nlohmann::ordered_json Record(const std::string& name = "r.json") const {
    return nlohmann::ordered_json::parse(ReadFile(Path(name)));
  }
};

}  // namespace skinmask::testing
