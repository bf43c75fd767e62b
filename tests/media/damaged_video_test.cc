// Videos with a hole in the middle, in every container that FFmpeg can go on reading behind it.
#include <algorithm>

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

}  // namespace
}  // namespace skinmask
