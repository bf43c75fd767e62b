// The ways into the program, and what is said of commands that have a slip in them.
#include <nlohmann/json.hpp>

#include "support/pictures.h"
#include "support/program.h"

namespace skinmask {
namespace {

using testing::Encode;
using testing::Gradient;
using testing::Lines;
using testing::Outcome;

class MessagesTest : public testing::ProgramTest {
 protected:
  void Expect(const std::string& arguments, int status, const std::string& part) const {
    const Outcome run = Run(arguments);
    EXPECT_EQ(run.status, status) << arguments << run.err;
    EXPECT_EQ(run.out, "") << arguments;
    EXPECT_EQ(Lines(run.err), 1) << arguments << ": " << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << arguments << ": " << run.err;
  }
  void ExpectUsage(const std::string& arguments, const std::string& part) const {
    Expect(arguments, 2, part);
  }
};

TEST_F(MessagesTest, HelpIsOneWordAway) {
  const Outcome alone = Run("");
  EXPECT_EQ(alone.status, 2);
  EXPECT_EQ(alone.out, "");
  const Outcome help = Run("--help");
  EXPECT_EQ(alone.err, help.out);
  EXPECT_EQ(Run("help").out, help.out);
  for (const char* verb :
       {"sample", "train", "compare", "detect", "live", "evaluate", "show", "version", "help"}) {
    const Outcome by_option = Run(std::string(verb) + " --help");
    const Outcome by_verb = Run(std::string("help ") + verb);
    EXPECT_EQ(by_verb.status, 0) << by_verb.err;
    EXPECT_EQ(by_verb.out, by_option.out);
    EXPECT_EQ(by_option.out.find(std::string("Usage: skinmask ") + verb + " "),
              by_option.out.find("Usage:"))
        << by_option.out;
  }
  for (const char* flag : {"-V", "--version"}) EXPECT_EQ(Run(flag).out, Run("version").out);
  ExpectUsage("help detct", "there is no verb 'detct', did you mean detect?");
}

TEST_F(MessagesTest, SlipsAreGuessed) {
  Put("a.png", Encode(".png", Gradient(20, 10)));
  Put("s.csv", "class,b,g,r\nskin,1,2,3\n");
  ExpectUsage("detct a.png -o out",
              "skinmask: there is no verb 'detct', did you mean detect? (see");
  ExpectUsage("a.png -o out", "there is no verb 'a.png', but a file of that name (detect makes");
  ExpectUsage("detect a.png -o out --treshold 0.4",
              "skinmask detect: there is no option --treshold, did you mean --threshold? (see");
  ExpectUsage("detect a.png --treshold=0.4", "--treshold, did you mean --threshold?");
  ExpectUsage("detect a.png -o out --frobnicate", "there is no option --frobnicate (see");
  ExpectUsage("--verison", "there is no option --verison, did you mean --version?");
  ExpectUsage("train --samples s.csv -o m.json --space RGB",
              "colour space 'RGB': is unknown (did you mean BGR? there are: BGR YCrCb");
  ExpectUsage("train --samples s.csv -o m.json --kind logistics", "(did you mean logistic? there");
  ExpectUsage("detect a.png -o out --output overlai", "(did you mean overlay? there are: mask");
  ExpectUsage("detect a.png -o out --adapt face",
              "--adapt: 'face' is unknown (did you mean faces? there are: auto faces off)");
  ExpectUsage("--threshold 0.4 detect a.png -o out",
              "skinmask detect: there is no option --threshold before the verb (see");
  ExpectUsage("detect a.png -o out --adapt off --adapt auto", "--adapt is given 2 times (once)");
  ExpectUsage("show a b", "'b' is one word too many");
  EXPECT_FALSE(std::filesystem::exists(Path("out")));
}

}  // namespace
}  // namespace skinmask
