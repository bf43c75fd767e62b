#include "skinmask/media/output_paths.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace skinmask {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

constexpr OutputSuffix kMask{".png", ".mkv"}, kOverlay{".overlay.png", ".overlay.mp4"},
    kProbability{".probability.png", ".probability.mkv"};

Strings Paths(const Strings& relative, std::vector<OutputSuffix> outputs = {kMask}) {
  InputList inputs;
  for (const fs::path path : relative)
    inputs.Add(inputs.AddRoot("in" / path.parent_path(), path.parent_path()),
               path.filename().string(), Media::kImage);
  Strings all;
  const ProblemSink sink = [&](const Problem& problem) { all.push_back("! " + problem.line); };
  const OutputPaths paths(inputs, std::move(outputs), sink);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (const fs::path& path : paths[i]) all.push_back(path.string());
  return all;
}

TEST(OutputPaths, KeepTheRelativePathAndNeverCollide) {
  EXPECT_EQ(Paths({"a/b.jpg", "c.tar.png"}), (Strings{"a/b.png", "c.tar.png"}));
  EXPECT_EQ(Paths({"b.jpg", "b.png", "c.jpg"}), (Strings{"b.jpg.png", "b.png.png", "c.png"}));
  EXPECT_EQ(Paths({"b.jpg", "b.png", "b.jpg.bmp"}),
            (Strings{"b.jpg.png", "b.png.png", "b.jpg.bmp.png"}));
  EXPECT_EQ(Paths({"b.jpg", "b.probability.jpg"}, {kMask, kProbability}),
            (Strings{"b.jpg.png", "b.jpg.probability.png", "b.probability.jpg.png",
                     "b.probability.jpg.probability.png"}));
  EXPECT_EQ(Paths({"b.jpg", "b.png"}, {kMask, kOverlay, kProbability}).size(), 6u);
  // A mask may not be called as a folder that other masks need.
  EXPECT_EQ(Paths({"b.jpg", "b.png/c.jpg"}), (Strings{"b.jpg.png", "b.png/c.png"}));
  EXPECT_EQ(Paths({"b.jpg", "b.jpg"}),
            (Strings{"! in/b.jpg: would have the output 'b.jpg.png' of 'in/b.jpg' (run them apart)",
                     "b.jpg.png"}));
}

}  // namespace
}  // namespace skinmask
