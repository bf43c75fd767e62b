// Memory that a decoder does not write never gets into a picture.
#include "media/video_input.h"

#include <malloc.h>

#include <algorithm>

#include "skinmask/base/error.h"
#include "skinmask/media/video.h"
#include "support/clips.h"
#include "support/hostile.h"

namespace skinmask {
namespace {

using testing::Scrolling;
using testing::Shell;

// While it lives, glibc fills memory that it gives out or takes back with a byte.
class Perturbed {
 public:
  explicit Perturbed(int byte) { mallopt(M_PERTURB, byte); }
  ~Perturbed() { mallopt(M_PERTURB, 0); }
  Perturbed(const Perturbed&) = delete;
  Perturbed& operator=(const Perturbed&) = delete;
};

// All that comes of a file: its frames' bytes, and what is wrong with it.
std::string Everything(const std::string& path) {
  std::string all;
  try {
    VideoReader reader(path);
    while (const auto frame = reader.Read()) {
      const cv::Mat picture = frame->Bgr();
      for (int y = 0; y < picture.rows; ++y)
        all.append(picture.ptr<char>(y), static_cast<std::size_t>(picture.cols) * 3);
    }
  } catch (const Error& error) {
    all += error.what();
  }
  return all;
}

class VideoCodecsTest : public testing::FolderTest {
 protected:
  void SetUp() override { SKIP_WITHOUT_FFMPEG(); }
};

// One after the other: the second time FFmpeg takes the buffer from its pool.
TEST(VideoCodecs, BuffersAreZeroEachTimeTheyAreGivenOut) {
  const Ffmpeg& av = Ffmpeg::Get();
  const Perturbed perturbed(0x55);
  const CodecPtr codec(av.avcodec_alloc_context3(av.avcodec_find_decoder(AV_CODEC_ID_H264)));
  codec->get_buffer2 = ZeroedBuffer;
  ASSERT_EQ(av.avcodec_open2(codec.get(), nullptr, nullptr), 0);
  for (int i = 0; i < 3; ++i) {
    const FramePtr frame(av.av_frame_alloc());
    frame->width = codec->width = 150;
    frame->height = codec->height = 93;
    frame->format = codec->pix_fmt = AV_PIX_FMT_YUV420P;
    ASSERT_EQ(codec->get_buffer2(codec.get(), frame.get(), AV_GET_BUFFER_FLAG_REF), 0);
    for (std::size_t plane = 0; plane < 3; ++plane) {
      AVBufferRef& buffer = *frame->buf[plane];
      EXPECT_TRUE(std::all_of(buffer.data, buffer.data + buffer.size,
                              [](std::uint8_t byte) { return byte == 0; }));
      std::fill_n(buffer.data, buffer.size, std::uint8_t{0xAA});
    }
  }
}

TEST_F(VideoCodecsTest, WhatIsNotListedIsNotDecoded) {
  const std::string spy = Put("spy.flv", testing::FlashScreenOf(96, 64)).string();
  EXPECT_ERROR(VideoReader{spy}, "spy.flv: holds pictures of the codec flashsv, which is not");
  for (const std::string clip : {"cfhd.mov", "flashsv2.flv", "snow.avi", "svq1.mov"}) {
    const std::string codec = clip.substr(0, clip.find('.'));
    testing::MakeOnce(
        folder_, fmt::format("-strict -2{}-frames:v 2 -c:v {} {}", Scrolling("96x64"), codec, clip),
        {clip});
    EXPECT_ERROR(VideoReader{Path(clip).string()}, "holds pictures of the codec " + codec);
  }
}

// Of a stream whose size changes, every picture is held to the limit.
TEST_F(VideoCodecsTest, ALargerPictureInTheMiddleIsRefused) {
  Shell(folder_, "for s in 96x64 960x640; do ffmpeg -v error" + Scrolling("$s") +
                     "-frames:v 3 -c:v mpeg2video -f mpeg2video $s.m2v; done; "
                     "cat 96x64.m2v 960x640.m2v >both.m2v");
  VideoReader reader(Path("both.m2v").string(), {.max_pixels = 96 * 96});
  EXPECT_ERROR(while (reader.Read()){}, "both.m2v: stops at frame ");
  VideoClip clip(Path("both.m2v").string(), {}, {});
  EXPECT_ERROR(while (clip.Read()){}, "its size changes from 96 x 64 to 960 x 640");
}

// Decoders themselves count pixels in whole blocks.
TEST_F(VideoCodecsTest, PicturesOfTheLimitAreTaken) {
  for (const std::string clip : {"ffv1 a.mkv", "libx264 -pix_fmt yuv444p a.mp4", "libvpx a.webm"}) {
    const std::string name = clip.substr(clip.rfind(' ') + 1);
    testing::MakeOnce(folder_, Scrolling("97x65") + "-frames:v 2 -c:v " + clip, {name});
    const std::string path = Path(name).string();
    VideoReader reader(path, {.max_pixels = 97 * 65});
    EXPECT_TRUE(reader.Read()) << clip;
    EXPECT_ERROR((VideoReader{path, {.max_pixels = 97 * 65 - 1}}),
                 "has 97 x 65 pixels, and the limit is 6304 pixels");
  }
}

// The same bytes or the same error from each mutant, whatever was in the memory before.
TEST_F(VideoCodecsTest, MemoryDoesNotShow) {
  std::vector<testing::ClipToMake> clips;
  for (const std::string clip :
       {"libx264 a.mp4", "mpeg2video a.ts", "mpeg4 a.avi", "flv a.flv", "msmpeg4 b.avi",
        "wmv2 a.wmv", "mjpeg c.avi", "libvpx a.webm", "libvpx-vp9 b.webm", "libtheora a.ogv",
        "ffv1 a.mkv", "huffyuv d.avi", "utvideo e.avi", "prores_ks a.mov", "qtrle b.mov",
        "png c.mov", "v210 d.mov", "gif a.gif", "rawvideo a.nut"}) {
    const std::size_t space = clip.find(' ');
    clips.push_back({clip.substr(space + 1), "-c:v " + clip.substr(0, space), "98x66"});
  }
  testing::MakeClips(folder_, clips, 4, "10");
  for (const testing::ClipToMake& clip : clips) {
    const std::string bytes = ReadFile(Path(clip.name));
    constexpr std::size_t kMutants = 20;
    for (std::size_t i = 0; i <= kMutants; ++i) {
      std::string mutant = bytes;
      const std::size_t at = bytes.size() * i / (kMutants + 1);
      for (std::size_t k = at; i > 0 && k < std::min(at + 5, bytes.size()); ++k)
        mutant[k] = static_cast<char>(i % 3 ? k * k * 7 + i : 0);
      const std::string path = Put("mutant" + clip.name, mutant).string();
      std::string first, second;
      {
        const Perturbed perturbed(0x55);
        first = Everything(path);
      }
      {
        const Perturbed perturbed(0xAA);
        second = Everything(path);
      }
      EXPECT_TRUE(first == second) << "mutant " << i << " of " << clip.name;
    }
  }
}

}  // namespace
}  // namespace skinmask
