// The sandbox alone: libraries that do more than decode, without the lists of formats that keep
// strangers' files from them.
#include "programs/cli/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "media/ffmpeg.h"
#include "media/image_codec.h"
#include "skinmask/base/error.h"
#include "skinmask/media/image.h"
#include "support/clips.h"
#include "support/files.h"
#include "support/hostile.h"
#include "support/listener.h"

namespace skinmask::cli {
namespace {

using testing::Encode;
using testing::Gradient;
namespace fs = std::filesystem;

class SandboxTest : public testing::FolderTest {
 protected:
  SandboxTest() {
    Put("in/a.png", Encode(".png", Gradient(64, 48)));
    Put("outside/secret.png", Encode(".png", Gradient(64, 48)));
    Put("outside/linked.png", Encode(".png", Gradient(64, 48)));
    fs::create_symlink(Path("outside/linked.png"), Path("in/link.png"));
    fs::create_directories(Path("out"));
  }
  // What `call` returns in a process of its own, which is in the sandbox.
  template <class Call>
  bool Within(const Call& call) const {
    return Within(call, {{Path("in")}, {Path("out")}, {}});
  }
  template <class Call>
  bool Within(const Call& call, const Access& access) const {
    const pid_t child = fork();
    if (child == 0) {
      EnterSandbox(access);
      _exit(call() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status)) << status;
    return WEXITSTATUS(status) == 1;
  }
  // As the kernel says it, not the sandbox.
  static bool HasLandlock() { return LandlockVersion() > 0; }
  static bool CanOpen(const fs::path& path, int flags) {
    return open(path.c_str(), flags | O_CLOEXEC, 0666) >= 0;
  }
};

bool CanConnect(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return socket >= 0 &&
         (connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ||
          errno == ECONNREFUSED);
}

// Whether a frame comes out of FFmpeg with no list of formats and protocols.
bool HasFrame(const std::string& url) {
  const Ffmpeg& av = Ffmpeg::Get();
  AVFormatContext* format = nullptr;
  if (av.avformat_open_input(&format, url.c_str(), nullptr, nullptr) < 0) return false;
  PacketPtr packet(av.av_packet_alloc());
  const bool there = av.av_read_frame(format, packet.get()) >= 0;
  av.avformat_close_input(&format);
  return there;
}

TEST_F(SandboxTest, NoNetworkAndNoOtherProgram) {
  EXPECT_TRUE(CanConnect(9));
  EXPECT_FALSE(Within([] { return CanConnect(9); }));
  EXPECT_FALSE(Within([] { return socket(AF_INET6, SOCK_DGRAM, 0) >= 0; }));
  EXPECT_TRUE(Within([] { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }));
  EXPECT_FALSE(Within([] { return execl("/bin/true", "true", nullptr) == 0 || errno == ENOENT; }));
  EXPECT_FALSE(Within([] { return std::system("exit 0") == 0; }));
}

TEST_F(SandboxTest, LiveLeavesTheNetworkAlone) {
  const auto without_network = [](const auto& call) {
    const pid_t child = fork();
    if (child == 0) {
      ForbidNetwork();
      _exit(call() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 1;
  };
  EXPECT_FALSE(without_network([] { return CanConnect(9); }));
  EXPECT_FALSE(without_network([] { return socket(AF_INET6, SOCK_DGRAM, 0) >= 0; }));
  EXPECT_TRUE(without_network([] { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }));
  EXPECT_TRUE(without_network([] { return std::system("exit 0") == 0; }));
}

TEST_F(SandboxTest, InputsAreReadAndOutputsWritten) {
  if (!HasLandlock()) GTEST_SKIP() << "needs a kernel with Landlock";
  EXPECT_TRUE(Within([&] { return CanOpen(Path("in/a.png"), O_RDONLY); }));
  EXPECT_TRUE(Within([&] { return CanOpen(Path("in/link.png"), O_RDONLY); }));
  EXPECT_FALSE(Within([&] { return CanOpen(Path("in/a.png"), O_WRONLY); }));
  EXPECT_FALSE(Within([&] { return CanOpen(Path("in/new.png"), O_WRONLY | O_CREAT); }));
  EXPECT_FALSE(Within([&] { return CanOpen(Path("outside/secret.png"), O_RDONLY); }));
  EXPECT_FALSE(Within([&] { return CanOpen("/etc/passwd", O_RDONLY); }));
  EXPECT_FALSE(Within([&] { return unlink(Path("outside/secret.png").c_str()) == 0; }));
  EXPECT_TRUE(Within([&] {
    WriteFile(Path("out/a.png"), "x", IfExists::kFail);
    return ReadFile(Path("out/a.png")) == "x";
  }));
  EXPECT_TRUE(Within([&] { return fs::create_directories(Path("out/b/c")); }));
}

// A link in the output folder, whoever made it, opens no other folder; one that an option names
// does.
TEST_F(SandboxTest, ALinkAmongOutputsLeadsNowhere) {
  if (!HasLandlock()) GTEST_SKIP() << "needs a kernel with Landlock";
  Put("far/a.png", "old");
  fs::create_symlink(Path("far/a.png"), Path("out/link.png"));
  EXPECT_FALSE(Within([&] { return CanOpen(Path("far/b.png"), O_WRONLY | O_CREAT); }));
  EXPECT_FALSE(Within([&] { return unlink(Path("far/a.png").c_str()) == 0; }));
  EXPECT_TRUE(Within([&] {
    EXPECT_ERROR(WriteFile(Path("out/link.png"), "y", IfExists::kReplace),
                 "out/link.png: cannot be written: a link leads out of the folders of the outputs");
    return !::testing::Test::HasFailure();
  }));
  EXPECT_EQ(ReadFile(Path("far/a.png")), "old");
  fs::create_directory_symlink(Path("far"), Path("out/sub"));
  EXPECT_TRUE(Within([&] {
    EXPECT_ERROR(
        WriteFile(Path("out/sub/b.png"), "y", IfExists::kReplace),
        "out/sub/b.png: cannot be written: a link leads out of the folders of the outputs");
    return !::testing::Test::HasFailure();
  }));
  const auto write = [&] {
    WriteFile(Path("out/link.png"), "y", IfExists::kReplace);
    return true;
  };
  EXPECT_TRUE(Within(write, {{}, {}, {Path("out/link.png")}}));
  EXPECT_EQ(ReadFile(Path("far/a.png")), "y");
}

// What Landlock leaves open: to change what is about a file, before Linux 6.2 to empty it, and to
// send signals.
TEST_F(SandboxTest, OthersAreLeftAlone) {
  const std::string file = Path("outside/secret.png").string();
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  const auto written = fs::last_write_time(file);
  EXPECT_FALSE(Within([&] { return chmod(file.c_str(), 0777) == 0; }));
  EXPECT_FALSE(Within([&] { return fchmodat(AT_FDCWD, file.c_str(), 0777, 0) == 0; }));
  EXPECT_FALSE(Within([&] { return chown(file.c_str(), getuid(), getgid()) == 0; }));
  EXPECT_FALSE(Within([&] { return utimensat(AT_FDCWD, file.c_str(), nullptr, 0) == 0; }));
  EXPECT_FALSE(
      Within([&] { return setxattr(file.c_str(), "user.a", "b", 1, 0) == 0 || errno != EPERM; }));
  EXPECT_FALSE(Within([&] {
    const int own = open(Path("out/own").c_str(), O_CREAT | O_WRONLY, 0600);
    return own < 0 || fchmod(own, 0777) == 0;
  }));
  EXPECT_FALSE(Within([&] { return truncate(file.c_str(), 0) == 0 || errno != EPERM; }));
  EXPECT_FALSE(Within([&] { return CanOpen(file, O_RDONLY | O_TRUNC) || errno != EPERM; }));
  EXPECT_GT(fs::file_size(file), 0u);
  EXPECT_TRUE(Within([&] { return CanOpen(Path("out/own"), O_CREAT | O_WRONLY | O_TRUNC); }));
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::last_write_time(file), written);
  EXPECT_FALSE(Within([] { return kill(getppid(), 0) == 0; }));
  EXPECT_FALSE(Within([] { return kill(0, 0) == 0 || kill(-1, 0) == 0; }));
  EXPECT_TRUE(
      Within([] { return kill(getpid(), 0) == 0 && pthread_kill(pthread_self(), 0) == 0; }));
}

// Each file alone, or the folders of many; what a link among them leads to in either case.
TEST_F(SandboxTest, ListedFilesAreRead) {
  if (!HasLandlock()) GTEST_SKIP() << "needs a kernel with Landlock";
  std::vector<std::string> listed{Path("in/a.png").string(), Path("in/link.png").string()};
  Put("in/b.png", "x");
  for (const bool many : {false, true}) {
    if (many) listed.resize(2000, listed[0]);
    const Access access{{}, {Path("out")}, {}, listed};
    const auto can_open = [&](const char* name) {
      return Within([&] { return CanOpen(Path(name), O_RDONLY); }, access);
    };
    EXPECT_TRUE(can_open("in/a.png") && can_open("in/link.png"));
    EXPECT_EQ(can_open("in/b.png"), many);
    EXPECT_FALSE(can_open("outside/secret.png"));
  }
}

// What row (a) of hostile files does where nothing looks at the format first.
TEST_F(SandboxTest, GdalOpensNoOtherPicture) {
  if (!HasLandlock()) GTEST_SKIP() << "needs a kernel with Landlock";
  const std::string nitf = testing::NitfOf(Path("outside/secret.png"), 64, 48);
  const auto draws = [&] {
    cv::Mat image;
    try {
      image = DecodeInImgcodecs(nitf, "x", {}, {}).pixels;
    } catch (const std::exception&) {
    }
    return !image.empty() && cv::countNonZero(image.reshape(1)) > 0;
  };
  EXPECT_TRUE(draws());  // so that the next line says something
  EXPECT_FALSE(Within(draws));
}

TEST_F(SandboxTest, GdalAsksNoAddress) {
  const testing::Listener listener;
  const std::string nitf = testing::NitfOf("/vsicurl/" + listener.Address() + "/a.png", 64, 48);
  EXPECT_FALSE(Within([&] {
    try {
      DecodeInImgcodecs(nitf, "x", {}, {});
    } catch (const std::exception&) {
    }
    return false;
  }));
  EXPECT_FALSE(listener.WasCalled());
}

TEST_F(SandboxTest, PlaylistsOpenNoOtherVideo) {
  SKIP_WITHOUT_FFMPEG();
  if (!HasLandlock()) GTEST_SKIP() << "needs a kernel with Landlock";
  testing::MakeOnce(folder_, testing::Scrolling("64x48") + "-frames:v 3 outside/v.ts",
                    {"outside/v.ts"});
  fs::copy_file(Path("outside/v.ts"), Path("in/own.ts"));
  Put("in/list.m3u8", testing::HlsOf(Path("outside/v.ts"), 1, true));
  Put("in/near.m3u8", testing::HlsOf("own.ts", 1, true));
  const std::string other = "file:" + Path("in/list.m3u8").string();
  EXPECT_TRUE(HasFrame(other));  // so that the next line says something
  EXPECT_FALSE(Within([&] { return HasFrame(other); }));
  EXPECT_TRUE(Within([&] { return HasFrame("file:" + Path("in/near.m3u8").string()); }));
}

}  // namespace
}  // namespace skinmask::cli
