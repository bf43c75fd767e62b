// Standard streams that are closed or full, and limits of the system.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/pictures.h"
#include "support/program.h"

namespace skinmask {
namespace {

using testing::Encode;
using testing::Gradient;
namespace fs = std::filesystem;
using testing::Outcome;

class StreamsTest : public testing::ProgramTest {
 protected:
  StreamsTest() {
    for (int i = 0; i < 3; ++i)
      Put("in/good" + std::to_string(i) + ".png", Encode(".png", Gradient(64, 48)));
    Put("in/bad.png", "no picture");
  }
  // The status of a piece of shell in which PROGRAM stands for the program.
  int StatusOf(const std::string& shell) const {
    const int raw = std::system(
        ("cd '" + folder_.string() + "'; PROGRAM='" SKINMASK_PROGRAM "'; " + shell).c_str());
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
  }
};

TEST_F(StreamsTest, LostMessagesLoseNothingElse) {
  for (const char* redirection :
       {">log 2>&-", ">log 2>/dev/full", "<&- >log 2>&-", "2>&1 >log | true"}) {
    EXPECT_LE(StatusOf("\"$PROGRAM\" detect in -o out --adapt off " + std::string(redirection)), 1)
        << redirection;
    EXPECT_EQ(Names(Path("out")).size(), 3u) << redirection;
    fs::remove_all(Path("out"));
  }
  EXPECT_EQ(StatusOf("\"$PROGRAM\" detect in -o out --adapt off >log 2>&-"), 1);
}

// A result that could not be printed is a failure; files get no closed stream's number.
TEST_F(StreamsTest, LostResultsAreTold) {
  fs::remove(Path("in/bad.png"));
  for (const char* redirection : {">&- 2>log", ">/dev/full 2>log", "<&- >&- 2>&-", ">&- 2>&-"}) {
    EXPECT_EQ(StatusOf("\"$PROGRAM\" detect in -o out --adapt off " + std::string(redirection)), 1)
        << redirection;
    EXPECT_EQ(Names(Path("out")).size(), 3u) << redirection;
    for (const std::string& name : Names(Path("out")))
      EXPECT_TRUE(ReadFile(Path("out/" + name)).starts_with("\x89PNG")) << redirection;
    fs::remove_all(Path("out"));
  }
  for (const char* help : {"--help", "detect --help", "--version"}) {
    EXPECT_EQ(StatusOf("\"$PROGRAM\" " + std::string(help) + " >/dev/full 2>log"), 1) << help;
    EXPECT_EQ(testing::Lines(ReadFile(Path("log"))), 1) << help;
  }
}

TEST_F(StreamsTest, OneInterruptEndsAWaitForAPipe) {
  cv::Mat noise(300, 300, CV_8UC3);
  cv::RNG(1).fill(noise, cv::RNG::UNIFORM, 0, 256);
  Put("noise.png", Encode(".png", noise));
  for (const char* words :
       {"detect - -o - <silent >log", "detect --files-from - -o out <silent",
        "detect in --model /dev/stdin -o out <silent", "detect - -o out <half",
        "detect in/good0.png -o unread", "detect noise.png --output cutout -o - >full"}) {
    EXPECT_EQ(StatusOf("rm -rf out silent half unread full; mkfifo silent half unread full;"
                       "exec 3<>silent 4<>half 5<>full; head -c 100 in/good0.png >&4;"
                       "\"$PROGRAM\" " +
                       std::string(words) + " 2>err & pid=$!;" + testing::kUntilItTakesInterrupts +
                       "kill -INT $pid; wait $pid"),
              130)
        << words;
    EXPECT_NE(ReadFile(Path("err")).find("(interrupted)"), std::string::npos) << words;
  }
}

// Even where a variable turns on the log of OpenCV, which would go there.
TEST_F(StreamsTest, StandardOutputHoldsTheResultAlone) {
  const std::string detect = "\"$PROGRAM\" detect in/good0.png --adapt off -o ";
  EXPECT_EQ(StatusOf(detect + "out && OPENCV_LOG_LEVEL=DEBUG " + detect + "- >log"), 0);
  EXPECT_TRUE(ReadFile(Path("log")) == ReadFile(Path("out/good0.png")));
}

// /proc tells the program its own folder. Without it nothing is taken from the working folder.
TEST_F(StreamsTest, WithoutProcPartsAreMissingAndSaidSo) {
#ifdef SKINMASK_SANITIZED
  GTEST_SKIP() << "sanitizers need /proc";
#endif
  const std::string hidden =
      "unshare -rm sh -c 'mount -t tmpfs none /proc && exec \"$@\" 2>log' x ";
  if (StatusOf(hidden + "true") != 0) GTEST_SKIP() << "needs user namespaces";
  Put("skinmask-live", "#!/bin/sh\ntouch taken\n");
  fs::permissions(Path("skinmask-live"), fs::perms::owner_all);
  EXPECT_EQ(StatusOf(hidden + "\"$PROGRAM\" live 0"), 1);
  EXPECT_EQ(ReadFile(Path("log")),
            "skinmask: skinmask-live: cannot be found: /proc is not mounted\n");
  EXPECT_FALSE(fs::exists(Path("taken")));
  EXPECT_EQ(StatusOf(hidden + "\"$PROGRAM\" detect in -o out"), 1);
  EXPECT_NE(ReadFile(Path("log")).find("as /proc is not mounted"), std::string::npos)
      << ReadFile(Path("log"));
}

// By why the first write failed, though that is known no longer at the end.
TEST_F(StreamsTest, AFullDiskIsToldAsSuch) {
  for (const char* words :
       {"detect in/good0.png -o out --force --csv - >/dev/full",
        "detect in/good0.png -o out --force --csv /dev/full",
        "detect in/good0.png -o out --force --json >/dev/full",
        "detect in/good0.png -o out --force --jsonl - >/dev/full", "show --json >/dev/full"}) {
    EXPECT_EQ(StatusOf("\"$PROGRAM\" " + std::string(words) + " 2>err"), 1) << words;
    EXPECT_NE(ReadFile(Path("err")).find(" cannot be written: No space left on device\n"),
              std::string::npos)
        << words << ReadFile(Path("err"));
  }
}

// What cannot be written does not keep the other records from being so.
TEST_F(StreamsTest, AFullDiskOfOneRecordLosesNoOther) {
  EXPECT_EQ(StatusOf("\"$PROGRAM\" detect in/good0.png -q -o out --csv /dev/full --json=r.json "
                     "--faces-csv f.csv --jsonl r.jsonl 2>err"),
            1);
  for (const char* const name : {"r.json", "f.csv", "r.jsonl"})
    EXPECT_TRUE(fs::exists(Path(name))) << name;
  EXPECT_EQ(ReadFile(Path("err")),
            "skinmask: /dev/full: cannot be written: No space left on "
            "device\n");
}

// Which another program makes while the run waits for its input.
TEST_F(StreamsTest, AFileThatAppearsIsNotReplaced) {
  EXPECT_EQ(StatusOf("mkfifo a.png; \"$PROGRAM\" detect a.png in/good0.png -q -o out --adapt off "
                     "--jsonl r.jsonl --csv r.csv 2>err & exec 3>a.png; echo precious >r.jsonl; "
                     "cat in/good0.png >&3; exec 3>&-; wait $!"),
            1);
  EXPECT_EQ(ReadFile(Path("r.jsonl")), "precious\n");
  EXPECT_EQ(ReadFile(Path("err")), "skinmask: r.jsonl: exists already (--force replaces it)\n")
      << ReadFile(Path("err"));
  EXPECT_EQ(testing::Lines(ReadFile(Path("r.csv"))), 3);
}

// A socket cannot be opened; only a named pipe is waited for.
TEST_F(StreamsTest, ASocketAsOutputIsAnError) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{AF_UNIX, {}};
  const std::string path = Path("s").string();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(StatusOf("\"$PROGRAM\" detect in/good0.png --adapt off -o s 2>err"), 1);
  EXPECT_NE(ReadFile(Path("err")).find("s: cannot be written: "), std::string::npos);
  close(fd);
}

TEST_F(StreamsTest, AFileThatGrowsTooLargeIsAnError) {
  Put("in/noise.png", [] {
    cv::Mat noise(300, 300, CV_8UC3);
    cv::randu(noise, 0, 255);
    return Encode(".png", noise);
  }());
  for (const char* flags : {"", " --force --max-failures 100%"}) {  // no input has failed
    const int status =
        StatusOf("(ulimit -f 8; \"$PROGRAM\" detect in -o out --output overlay --adapt off" +
                 std::string(flags) + ") 2>err");
    EXPECT_EQ(status, 1) << flags;
    EXPECT_NE(ReadFile(Path("err")).find("File too large"), std::string::npos);
  }
  EXPECT_EQ(Names(Path("out")).size(), 3u);  // the small ones
}

}  // namespace
}  // namespace skinmask
