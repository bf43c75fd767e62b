// Videos with a hole in the middle, in every container that FFmpeg can go on reading behind it.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "base/stream.h"
#include "media/ffmpeg.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/media/video.h"
#include "support/clips.h"

namespace skinmask {
namespace {

struct Container {
  std::string name, encode;
  bool tells = true;  // its decoder tells of every picture that is not as it was
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

struct Stored;

class DamagedVideoTest : public testing::FolderTest {
 protected:
  void SetUp() override { SKIP_WITHOUT_FFMPEG(); }
  void ExpectFramesBeforeDamage(const Stored& clip) const;

  // What can be read of a file with these bytes begins as `good`, and is all of it or ends with the
  // number of the first frame that is lost.
  void ExpectNoSilentLoss(const Container& container, const std::string& what,
                          const std::string& bytes, const Frames& good) const {
    const std::string path = Put(what + container.name, bytes).string();
    SCOPED_TRACE(path);
    const Frames read = ReadAll(path);
    const std::size_t count = read.frames.size();
    ASSERT_LE(count, good.frames.size());
    std::size_t same = 0;
    while (same < count && Same(read.frames[same], good.frames[same])) ++same;
    EXPECT_TRUE(same == count || !container.tells)
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

TEST_F(DamagedVideoTest, NoFrameIsLostWithoutAWord) {
  const std::vector<Container> containers{{".gif", "-c:v gif"},
                                          {".mkv", "-c:v mjpeg"},
                                          {".h264.mkv", "-c:v libx264 -g 5 -bf 0"},
                                          {".ffv1.mkv", "-c:v ffv1 -level 3"},
                                          {".webm", "-c:v libvpx -g 5", false},
                                          {".avi", "-c:v mjpeg", false},
                                          {".mpeg4.avi", "-c:v mpeg4 -g 5"},
                                          {".mov", "-c:v mjpeg"},
                                          {".flv", "-c:v flv -g 5"},
                                          {".ogv", "-c:v libtheora -g 5"},
                                          {".ts", "-c:v mpeg2video -g 5"},
                                          {".mpg", "-c:v mpeg2video -g 5"},
                                          {".av1.mp4", "-c:v libaom-av1 -cpu-used 8 -g 5", false}};
  constexpr std::size_t kFrames = 40;
  std::vector<testing::ClipToMake> clips;
  for (const Container& container : containers)
    clips.push_back({"good" + container.name, container.encode, "96x64"});
  testing::MakeClips(folder_, clips, kFrames, "10");
  for (const Container& container : containers) {
    const std::string clip = "good" + container.name;
    SCOPED_TRACE(clip);
    const Frames good = ReadAll(Path(clip).string());
    ASSERT_EQ(good.problem, "");
    ASSERT_EQ(good.frames.size(), kFrames);
    const std::string bytes = ReadFile(Path(clip));
    const std::size_t hole = bytes.size() / 20;
    for (const std::size_t percent : {30u, 45u, 60u, 75u}) {
      SCOPED_TRACE(percent);
      const std::size_t at = bytes.size() * percent / 100;
      std::string zeroed = bytes, without = bytes;
      std::fill_n(zeroed.begin() + static_cast<std::ptrdiff_t>(at), hole, '\0');
      ExpectNoSilentLoss(container, "zeroed", zeroed, good);
      ExpectNoSilentLoss(container, "without", without.erase(at, hole), good);
      ExpectNoSilentLoss(container, "cut", bytes.substr(0, at), good);
    }
  }
}

// A clip of bare packets behind each other, overwritten within one packet after the other.
struct Stored {
  std::string name, encode;
  bool checks = false;    // its pictures have checksums
  std::size_t delay = 0;  // how many pictures its decoder holds back to put them into order
  std::size_t lost = 0;   // how many of them go with a picture whose beginning is overwritten
};

struct Packet {
  std::int64_t pts = 0, size = 0, pos = 0;
};

// In the order that they are stored in.
std::vector<Packet> Packets(const std::string& path) {
  const Ffmpeg& av = Ffmpeg::Get();
  AVFormatContext* opened = nullptr;
  EXPECT_GE(av.avformat_open_input(&opened, path.c_str(), nullptr, nullptr), 0);
  const InputPtr input(opened);
  const PacketPtr packet(av.av_packet_alloc());
  std::vector<Packet> packets;
  for (; av.av_read_frame(opened, packet.get()) >= 0; av.av_packet_unref(packet.get()))
    packets.push_back({packet->pts, packet->size, packet->pos});
  return packets;
}

// What comes by a pipe, which holds all of these bytes.
Frames ReadThroughPipe(const std::string& bytes) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  EXPECT_GE(fcntl(to.get(), F_SETPIPE_SZ, 1 << 20), std::ssize(bytes));
  EXPECT_EQ(write(to.get(), bytes.data(), bytes.size()), std::ssize(bytes));
  to.Close();
  return ReadAll("/dev/fd/" + std::to_string(from.get()));
}

TEST_F(DamagedVideoTest, WhatIsCutOffOnItsWayThroughAPipeIsTold) {
  const std::vector<testing::ClipToMake> clips{{"good.mkv", "-c:v ffv1 -level 3", "96x64"},
                                               {"good.webm", "-c:v libvpx", "96x64"},
                                               {"good.avi", "-c:v mjpeg", "96x64"},
                                               {"good.y4m", "-pix_fmt yuv420p", "96x64"}};
  constexpr int kFrames = 12;
  testing::MakeClips(folder_, clips, kFrames);
  for (const testing::ClipToMake& clip : clips) {
    SCOPED_TRACE(clip.name);
    const std::string bytes = ReadFile(Path(clip.name));
    const Frames good = ReadThroughPipe(bytes);
    EXPECT_EQ(good.problem, "");
    EXPECT_EQ(good.frames.size(), std::size_t{kFrames});
    const auto last = static_cast<std::size_t>(Packets(Path(clip.name).string()).back().pos);
    for (const std::size_t size : {bytes.size() / 2, bytes.size() * 3 / 4, last, last + 1}) {
      SCOPED_TRACE(size);
      const std::string cut = bytes.substr(0, size);
      EXPECT_NE(ReadThroughPipe(cut).problem, "");
      EXPECT_NE(ReadAll(Put("cut" + clip.name, cut).string()).problem, "");
    }
  }
}

// FFmpeg would give the cut frame with the rest of the frame before.
TEST_F(DamagedVideoTest, ACutFrameOfDvIsNotGiven) {
  testing::MakeClips(folder_, {{"good.dv", "-c:v dvvideo -pix_fmt yuv420p", "720x576"}}, 4, "25");
  const std::string bytes = ReadFile(Path("good.dv"));
  const std::size_t frame = bytes.size() / 4;
  EXPECT_EQ(ReadAll(Path("good.dv").string()).problem, "");
  for (const std::size_t more : {std::size_t{1}, frame / 2, frame - 1}) {
    const Frames cut = ReadAll(Put("cut.dv", bytes.substr(0, 2 * frame + more)).string());
    EXPECT_NE(cut.problem.find("stops at frame 2: "), cut.problem.npos) << cut.problem;
    EXPECT_EQ(cut.frames.size(), 2u);
  }
}

// FFmpeg looks at all of a GIF, and then at its beginning, which a pipe may not have any more.
// Newer versions (7 is one) read it.
TEST_F(DamagedVideoTest, ALongGifInAPipeIsToldFromADamagedOne) {
  std::string gif =
      ReadFile(testing::fs::path(SKINMASK_SOURCE) / "tests/fixtures/formats/animation.gif");
  EXPECT_EQ(ReadThroughPipe(gif).frames.size(), 3u);
  std::string comment = "!\xFE";
  for (int i = 0; i < 1200; ++i) comment += '\xFF' + std::string(255, 'x');
  gif.insert(gif.size() - 1, comment + '\0');
  const Frames piped = ReadThroughPipe(gif);
  const bool is_told = piped.problem.find("is an animated GIF in a pipe") != std::string::npos;
  EXPECT_TRUE(is_told || (piped.problem.empty() && piped.frames.size() == 3)) << piped.problem;
  EXPECT_EQ(ReadAll(Put("long.gif", gif).string()).frames.size(), 3u);
}

// How many frames are shown before all that are stored from packet `damaged` on.
std::size_t FramesBefore(const std::vector<Packet>& packets, std::size_t damaged) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = damaged; i < packets.size(); ++i) first = std::min(first, packets[i].pts);
  return static_cast<std::size_t>(
      std::ranges::count_if(packets, [&](const Packet& p) { return p.pts < first; }));
}

// What docs/formats.md promises of damage at every place, whatever bytes the encoder wrote.
void DamagedVideoTest::ExpectFramesBeforeDamage(const Stored& clip) const {
  const auto& [name, encode, checks, delay, lost] = clip;
  constexpr std::size_t kPlaces = 5;  // in each packet; odd, so that each has both lengths
  const Frames good = ReadAll(Path(name).string());
  const std::vector<Packet> packets = Packets(Path(name).string());
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

TEST_F(DamagedVideoTest, FramesBeforeDamageAreAsTheyAre) {
  const std::vector<Stored> clips{{"ffv1.mov", "-c:v ffv1 -level 3 -slicecrc 1 -g 1", true},
                                  {"png.mov", "-c:v png", true},
                                  {"h264.mp4", "-c:v libx264 -g 5 -bf 0 -pix_fmt yuv420p"},
                                  {"ordered.mp4", "-c:v libx264 -bf 2 -pix_fmt yuv420p", false, 2},
                                  {"mpeg4.mp4", "-c:v mpeg4 -g 5"},
                                  {"bframes.mov", "-c:v mpeg4 -g 6 -bf 2", false, 1},
                                  {"mpeg2.mov", "-c:v mpeg2video -g 6 -bf 2", false, 1, 1},
                                  {"mjpeg.mov", "-c:v mjpeg"},
                                  {"vp9.mp4", "-c:v libvpx-vp9 -deadline realtime -g 5"},
                                  {"prores.mov", "-c:v prores_ks"}};
  std::vector<testing::ClipToMake> to_make;
  for (const Stored& clip : clips) to_make.push_back({clip.name, clip.encode, "96x64"});
  testing::MakeClips(folder_, to_make, 12, "10");
  for (const Stored& clip : clips) {
    SCOPED_TRACE(clip.name);
    ExpectFramesBeforeDamage(clip);
  }
}

}  // namespace
}  // namespace skinmask
