#include "base/nearest.h"

#include <gtest/gtest.h>

namespace skinmask {
namespace {

const std::vector<std::string> kSpaces{"BGR", "YCrCb", "YUV", "opponent", "rg", "HSV", "Lab"};

TEST(Nearest, FindsWhatWasMeant) {
  const std::vector<std::string> options{"--threads", "--threshold", "--prior", "--predicted",
                                         "--max-f1"};
  EXPECT_EQ(Nearest("--treshold", options), "--threshold");
  EXPECT_EQ(Nearest("--threshhold", options), "--threshold");
  EXPECT_EQ(Nearest("--Prior", options), "--prior");
  EXPECT_EQ(Nearest("--pred", options), "--predicted");
  EXPECT_EQ(Nearest("--maxf1", options), "--max-f1");
  EXPECT_EQ(Nearest("-prior", options), "--prior");
  // The same channels in another order.
  EXPECT_EQ(Nearest("RGB", kSpaces), "BGR");
  EXPECT_EQ(Nearest("ycbcr", kSpaces), "YCrCb");
  EXPECT_EQ(Nearest("oponent", kSpaces), "opponent");
  // The last part of a word.
  EXPECT_EQ(Nearest("nb", {"qda", "lda", "gaussian-nb", "mixture", "histogram-nb"}), "gaussian-nb");
}

TEST(Nearest, SaysNothingWhereNothingIsNear) {
  for (const char* far : {"", "-", "x", "CIE", "frobnicate", "--"})
    EXPECT_EQ(Nearest(far, kSpaces), "") << far;
  EXPECT_EQ(Nearest(std::string(1 << 20, 'B'), kSpaces), "");
  EXPECT_EQ(Nearest("BGR", {}), "");
}

// One slip of a finger, of each kind, is found again in every word, unless it makes another word.
TEST(Nearest, EverySlipIsFound) {
  const std::vector<std::string> words{"probability", "overlay", "cutout", "histogram", "logistic"};
  for (const std::string& word : words)
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
      std::string left_out = word, put_in = word, changed = word, swapped = word;
      left_out.erase(i, 1);
      put_in.insert(i, "x");
      changed[i] = 'x';
      std::swap(swapped[i], swapped[i + 1]);
      for (const std::string& slip : {left_out, put_in, changed, swapped})
        EXPECT_EQ(Nearest(slip, words), word) << slip;
    }
}

TEST(Nearest, TheLineNamesOneAndListsAll) {
  EXPECT_EQ(UnknownAmong("msak", {"mask", "overlay"}),
            "is unknown (did you mean mask? there are: mask overlay)");
  EXPECT_EQ(UnknownAmong("picture", {"mask", "overlay"}), "is unknown (there are: mask overlay)");
}

}  // namespace
}  // namespace skinmask
