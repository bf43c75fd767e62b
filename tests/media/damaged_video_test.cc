// Videos with a hole in the middle, in every container that FFmpeg can go on reading behind it.
#include <algorithm>
#include <limits>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/media/video.h"
#include "support/clips.h"

namespace skinmask {
namespace {

using testing::Scrolling;
using testing::Shell;

struct Container {
  std::string name, encode;
  bool tells = true;  // its decoder tells of every picture that is not as it was
  friend std::ostream& operator<<(std::ostream& out, const Container& c) { return out << c.name; }
};

struct Frames {
  std::vector<cv::Mat> frames;
  std::string problem;
};

Frames ReadAll(const std::string& path) {
  Frames read;
  try {
    VideoReader reader(path);
    while (auto frame = reader.Read()) read.frames.push_back(frame->Bgr().clone());
  } catch (const Error& error) {
    read.problem = error.what();
  }
  return read;
}

bool Same(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && cv::norm(a, b, cv::NORM_INF) == 0;
}

class DamagedVideos : public testing::FolderTest, public ::testing::WithParamInterface<Container> {
 protected:
  void SetUp() override { SKIP_WITHOUT_FFMPEG(); }

  // What can be read of a file with these bytes begins as `good`, and is all of it or ends with the
  // number of the first frame that is lost.
  void ExpectNoSilentLoss(const std::string& what, const std::string& bytes,
                          const Frames& good) const {
    const std::string path = Put(what + GetParam().name, bytes).string();
    SCOPED_TRACE(path);
    const Frames read = ReadAll(path);
    const std::size_t count = read.frames.size();
    ASSERT_LE(count, good.frames.size());
    std::size_t same = 0;
    while (same < count && Same(read.frames[same], good.frames[same])) ++same;
    EXPECT_TRUE(same == count || !GetParam().tells)
        << same << " of " << count << " are as they were";
    if (read.problem.empty()) {
      EXPECT_EQ(count, good.frames.size());
    } else if (count > 0) {
      EXPECT_TRUE(
          read.problem.starts_with(path + ": stops at frame " + std::to_string(count) + ":"))
          << read.problem;
    }
  }
};

TEST_P(DamagedVideos, LoseNoFrameWithoutAWord) {
  const auto& [name, encode, tells] = GetParam();
  constexpr std::size_t kFrames = 40;
  Shell(folder_, "ffmpeg -v error -y" + Scrolling("96x64", "10") + "-frames:v 40 " + encode +
                     " good" + name);
  const Frames good = ReadAll(Path("good" + name).string());
  ASSERT_EQ(good.problem, "");
  ASSERT_EQ(good.frames.size(), kFrames);
  const std::string bytes = ReadFile(Path("good" + name));
  const std::size_t hole = bytes.size() / 20;
  for (const std::size_t percent : {30u, 45u, 60u, 75u}) {
    SCOPED_TRACE(percent);
    const std::size_t at = bytes.size() * percent / 100;
    std::string zeroed = bytes, without = bytes;
    std::fill_n(zeroed.begin() + static_cast<std::ptrdiff_t>(at), hole, '\0');
    ExpectNoSilentLoss("zeroed", zeroed, good);
    ExpectNoSilentLoss("without", without.erase(at, hole), good);
    ExpectNoSilentLoss("cut", bytes.substr(0, at), good);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Video, DamagedVideos,
    ::testing::Values(Container{".gif", "-c:v gif"}, Container{".mkv", "-c:v mjpeg"},
                      Container{".h264.mkv", "-c:v libx264 -g 5 -bf 0"},
                      Container{".ffv1.mkv", "-c:v ffv1 -level 3"},
                      Container{".webm", "-c:v libvpx -g 5", false},
                      Container{".avi", "-c:v mjpeg", false},
                      Container{".mpeg4.avi", "-c:v mpeg4 -g 5"}, Container{".mov", "-c:v mjpeg"},
                      Container{".flv", "-c:v flv -g 5"}, Container{".ogv", "-c:v libtheora -g 5"},
                      Container{".ts", "-c:v mpeg2video -g 5"},
                      Container{".mpg", "-c:v mpeg2video -g 5"}),
    [](const auto& test) {
      std::string name = test.param.name.substr(1);
      std::ranges::replace(name, '.', '_');
      return name;
    });

// A clip of bare packets behind each other, overwritten within one packet after the other.
struct Stored {
  std::string name, encode;
  bool checks = false;    // its pictures have checksums
  std::size_t delay = 0;  // how many pictures its decoder holds back to put them into order
  std::size_t lost = 0;   // how many of them go with a picture whose beginning is overwritten
  friend std::ostream& operator<<(std::ostream& out, const Stored& s) { return out << s.name; }
};

struct Packet {
  std::int64_t pts = 0, size = 0, pos = 0;
};

class DamagedPlaces : public testing::FolderTest, public ::testing::WithParamInterface<Stored> {
 protected:
  void SetUp() override { SKIP_WITHOUT_FFMPEG(); }

  // In the order that they are stored in, as ffprobe tells of them.
  std::vector<Packet> Packets(const std::string& clip) const {
    const auto numbers = testing::Probe(folder_, clip, "packet=pts,size,pos");
    std::vector<Packet> packets;
    for (std::size_t i = 0; i + 2 < numbers.size(); i += 3)
      packets.push_back(
          {std::stoll(numbers[i]), std::stoll(numbers[i + 1]), std::stoll(numbers[i + 2])});
    return packets;
  }
};

// How many frames are shown before all that are stored from packet `damaged` on.
std::size_t FramesBefore(const std::vector<Packet>& packets, std::size_t damaged) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = damaged; i < packets.size(); ++i) first = std::min(first, packets[i].pts);
  return static_cast<std::size_t>(
      std::ranges::count_if(packets, [&](const Packet& p) { return p.pts < first; }));
}

// What docs/formats.md promises of damage at every place, whatever bytes the encoder wrote.
TEST_P(DamagedPlaces, LeaveTheFramesBeforeAsTheyAre) {
  const auto& [name, encode, checks, delay, lost] = GetParam();
  constexpr std::size_t kPlaces = 10;  // in each packet
  Shell(folder_,
        "ffmpeg -v error -y" + Scrolling("96x64", "10") + "-frames:v 12 " + encode + " " + name);
  const Frames good = ReadAll(Path(name).string());
  const std::vector<Packet> packets = Packets(name);
  const std::string bytes = ReadFile(Path(name));
  ASSERT_EQ(good.problem, "");
  ASSERT_EQ(good.frames.size(), 12u);
  ASSERT_EQ(packets.size(), 12u);
  for (std::size_t i = 0; i < packets.size() * kPlaces; ++i) {
    const Packet& packet = packets[i / kPlaces];
    const auto size = static_cast<std::size_t>(packet.size);
    const std::size_t offset = size * (i % kPlaces) / kPlaces;
    const std::size_t length = std::min<std::size_t>(size - offset, i % 2 ? 1 : 300);
    std::string damaged = bytes;
    for (std::size_t k = 0; k < length; ++k)
      damaged[static_cast<std::size_t>(packet.pos) + offset + k] ^=
          static_cast<char>(1 + (k * 7 + i) % 255);
    SCOPED_TRACE(fmt::format("packet {}, byte {}, {} bytes", i / kPlaces, offset, length));
    const std::string path = Put("damaged" + name, damaged).string();
    const Frames read = ReadAll(path);
    const std::size_t count = read.frames.size(), before = FramesBefore(packets, i / kPlaces);
    std::size_t same = 0;
    while (same < std::min(count, good.frames.size()) && Same(read.frames[same], good.frames[same]))
      ++same;
    EXPECT_GE(same + lost, std::min(count, before));
    EXPECT_GE(count + delay, before);
    EXPECT_LE(count, good.frames.size());
    if (!read.problem.empty() && count > 0) {
      EXPECT_TRUE(read.problem.starts_with(fmt::format("{}: stops at frame {}:", path, count)))
          << read.problem;
    }
    if (checks) {
      EXPECT_EQ(same, count) << "a frame is not as it was";
      EXPECT_TRUE(!read.problem.empty() || count == good.frames.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Video, DamagedPlaces,
    ::testing::Values(Stored{"ffv1.mov", "-c:v ffv1 -level 3 -slicecrc 1 -g 1", true},
                      Stored{"png.mov", "-c:v png", true},
                      Stored{"h264.mp4", "-c:v libx264 -g 5 -bf 0 -pix_fmt yuv420p"},
                      Stored{"ordered.mp4", "-c:v libx264 -bf 2 -pix_fmt yuv420p", false, 2},
                      Stored{"mpeg4.mp4", "-c:v mpeg4 -g 5"},
                      Stored{"bframes.mov", "-c:v mpeg4 -g 6 -bf 2", false, 1},
                      Stored{"mpeg2.mov", "-c:v mpeg2video -g 6 -bf 2", false, 1, 1},
                      Stored{"mjpeg.mov", "-c:v mjpeg"},
                      Stored{"vp9.mp4", "-c:v libvpx-vp9 -deadline realtime -g 5"},
                      Stored{"prores.mov", "-c:v prores_ks"}),
    [](const auto& test) { return test.param.name.substr(0, test.param.name.find('.')); });

}  // namespace
}  // namespace skinmask
