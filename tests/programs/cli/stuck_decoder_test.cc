// The first interrupt ends a run that a decoder keeps. The decoder is one of ours, which does not
// return, so that no machine is too fast or too slow for it.
#include <gtest/gtest.h>

#include "support/pictures.h"
#include "support/program.h"

namespace skinmask {
namespace {

using testing::Encode;
using testing::Gradient;

class StuckDecoderTest : public testing::ProgramTest,
                         public ::testing::WithParamInterface<const char*> {};

TEST_P(StuckDecoderTest, TheFirstSignalEndsTheRun) {
#ifdef SKINMASK_SANITIZED
  GTEST_SKIP() << "sanitizers want to be the first library";
#endif
  Put("a.png", Encode(".png", Gradient(64, 48)));
  Put("b.jpg", Encode(".jpg", Gradient(64, 48)));
  const std::string script =
      "LD_PRELOAD='" SKINMASK_STUCK_DECODER "' '" SKINMASK_PROGRAM
      "' detect a.png b.jpg -o out --adapt off --csv t.csv --sandbox off -q & pid=$!; "
      "until [ -e stuck ] && [ -e out/a.png ]; do sleep 0.02; done; kill -" +
      std::string(GetParam()) + " $pid; wait $pid";
  Put("run.sh", script);
  const int raw = std::system(("cd '" + folder_.string() + "' && bash run.sh 2>err").c_str());
  ASSERT_TRUE(WIFEXITED(raw));
  EXPECT_EQ(WEXITSTATUS(raw), 130) << ReadFile(Path("err"));
  EXPECT_EQ(Names(folder_), (std::vector<std::string>{".skinmask-t.csv.part", "a.png", "b.jpg",
                                                      "err", "out/a.png", "run.sh", "stuck"}));
  // The table is not written, and yet nothing is lost of it.
  EXPECT_EQ(Run("detect a.png b.jpg -o out --adapt off --csv t.csv --resume").status, 0);
  EXPECT_EQ(Run("detect a.png b.jpg -o whole --adapt off --csv whole.csv").status, 0);
  EXPECT_EQ(ReadFile(Path("t.csv")), ReadFile(Path("whole.csv")));
  EXPECT_FALSE(std::filesystem::exists(Path(".skinmask-t.csv.part")));
}

INSTANTIATE_TEST_SUITE_P(Signals, StuckDecoderTest, ::testing::Values("INT", "TERM"));

}  // namespace
}  // namespace skinmask
