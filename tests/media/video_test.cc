#include "skinmask/media/video.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <limits>
#include <thread>

#include "base/stream.h"
#include "media/file_bytes.h"
#include "skinmask/base/error.h"
#include "support/clips.h"
#include "support/listener.h"
#include "support/probe.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;
using testing::RawFrames;
using testing::Scrolling;
using testing::Shell;
using Layout = VideoFrame::Layout;

std::vector<VideoFrame> ReadAll(VideoReader& reader) {
  std::vector<VideoFrame> frames;
  while (auto frame = reader.Read()) frames.push_back(std::move(*frame));
  return frames;
}

// The bytes of a frame's planes, as rawvideo has them.
std::string Bytes(const VideoFrame& frame) {
  const int w = frame.size.width, h = frame.size.height, half_w = (w + 1) / 2, half_h = (h + 1) / 2;
  std::string bytes;
  const auto plane = [&](std::size_t i, int row_bytes, int rows) {
    for (int y = 0; y < rows; ++y)
      bytes.append(reinterpret_cast<const char*>(frame.planes[i] + y * frame.strides[i]),
                   static_cast<std::size_t>(row_bytes));
  };
  switch (frame.layout) {
    case Layout::kBgr:
      plane(0, 3 * w, h);
      break;
    case Layout::kI420:
    case Layout::kI422:
      plane(0, w, h);
      for (std::size_t i : {1, 2}) plane(i, half_w, frame.layout == Layout::kI420 ? half_h : h);
      break;
    case Layout::kNv12:
      plane(0, w, h);
      plane(1, 2 * half_w, half_h);
      break;
    case Layout::kYuyv:
      plane(0, 4 * half_w, h);
      break;
    case Layout::kI444:
    case Layout::kOther:
      break;
  }
  return bytes;
}

std::string Bytes(const cv::Mat& picture) {
  std::string bytes;
  for (int y = 0; y < picture.rows; ++y)
    bytes.append(picture.ptr<char>(y), static_cast<std::size_t>(picture.cols) * picture.elemSize());
  return bytes;
}

struct Clip {
  std::string name, encode, pix_fmt;
  Layout layout;
  std::string size = "176x144";
};

class VideoTest : public testing::FolderTest {
 protected:
  void SetUp() override { SKIP_WITHOUT_FFMPEG(); }
  // A clip of some frames in the test's folder.
  std::string Make(const std::string& name, const std::string& encode, int frames = 12,
                   const std::string& size = "176x144") const {
    testing::MakeOnce(folder_,
                      fmt::format("{}-frames:v {} {} {}", Scrolling(size), frames, encode, name),
                      {name});
    return Path(name).string();
  }
  // The picture after it was written into a video of one frame, in B G R.
  cv::Mat ReadAgain(const cv::Mat& picture, const std::string& name,
                    const std::string& codec) const {
    VideoWriter writer(Path(name), picture.size(), picture.type(), {.codec = codec});
    writer.Write(picture, 0);
    writer.Finish();
    VideoReader reader(Path(name).string());
    return ReadAll(reader).at(0).Bgr();
  }
  // That a clip's frames, as they are stored and in B G R, and their times are those of ffmpeg.
  void ExpectFrames(const Clip& clip, const testing::ReadClip& read) const {
    VideoReader reader(Path(clip.name).string());
    const std::vector<VideoFrame> frames = ReadAll(reader);
    ASSERT_EQ(frames.size(), 12u);
    EXPECT_EQ(
        std::to_string(reader.info().size.width) + "x" + std::to_string(reader.info().size.height),
        clip.size);
    std::string stored, bgr;
    for (const VideoFrame& frame : frames) {
      EXPECT_EQ(frame.layout, clip.layout);
      stored += Bytes(frame);
      bgr += Bytes(frame.Bgr());
    }
    EXPECT_TRUE(bgr == read.frames.front());
    if (clip.layout != Layout::kOther) {
      EXPECT_TRUE(stored == read.frames.back());
    }
    ASSERT_EQ(read.pts.size(), frames.size());
    for (std::size_t i = 0; i < frames.size(); ++i) EXPECT_EQ(frames[i].pts, read.pts[i]);
  }
};

// All clips are made by one process, and read by one.
TEST_F(VideoTest, FramesAreAsFfmpegDecodesThem) {
  const std::vector<Clip> clips{
      {"h264.mp4", "-c:v libx264 -bf 2 -pix_fmt yuv420p", "yuv420p", Layout::kI420},
      {"full709.mp4", "-c:v libx264 -colorspace bt709 -pix_fmt yuvj420p", "yuvj420p",
       Layout::kI420},
      {"bt2020.mkv", "-c:v libx264 -colorspace bt2020nc -pix_fmt yuv420p", "yuv420p",
       Layout::kOther},
      {"ten_bits.mkv", "-c:v libx264 -pix_fmt yuv420p10le", "yuv420p10le", Layout::kOther},
      {"vp9.webm", "-c:v libvpx-vp9 -deadline realtime", "yuv420p", Layout::kI420, "151x93"},
      {"mjpeg.avi", "-c:v mjpeg -pix_fmt yuvj422p", "yuvj422p", Layout::kI422, "151x93"},
      {"mpeg2.ts", "-c:v mpeg2video -bf 2", "yuv420p", Layout::kI420},
      {"nv12.nut", "-c:v rawvideo -pix_fmt nv12", "nv12", Layout::kNv12, "150x93"},
      {"bands_nv12.nut", "-c:v rawvideo -pix_fmt nv12", "nv12", Layout::kNv12, "1022x264"},
      {"bands_yuyv.avi", "-c:v rawvideo -pix_fmt yuyv422", "yuyv422", Layout::kYuyv, "1024x264"},
      // Too low for bands with rows beyond them.
      {"low_nv12.nut", "-c:v rawvideo -pix_fmt nv12", "nv12", Layout::kNv12, "16384x16"},
      {"low_yuyv.avi", "-c:v rawvideo -pix_fmt yuyv422", "yuyv422", Layout::kYuyv, "16384x16"},
      {"yuyv.avi", "-c:v rawvideo -pix_fmt yuyv422", "yuyv422", Layout::kYuyv, "150x93"},
      {"bgr.avi", "-c:v rawvideo -pix_fmt bgr24", "bgr24", Layout::kBgr, "151x93"},
      {"lossless.mkv", "-c:v ffv1 -pix_fmt bgr0", "bgr0", Layout::kOther, "151x93"},
      {"deep.mkv", "-c:v ffv1 -pix_fmt gbrp10le", "gbrp10le", Layout::kOther, "151x93"},
      {"grey.avi", "-c:v ffv1 -pix_fmt gray", "gray", Layout::kOther},
      {"grey_deep.avi", "-c:v ffv1 -pix_fmt gray16le", "gray16le", Layout::kOther},
      {"grey.nut", "-c:v rawvideo -pix_fmt ya8", "ya8", Layout::kOther},
      {"animation.gif", "-c:v gif", "bgra", Layout::kOther, "150x93"}};
  std::vector<testing::ClipToMake> to_make;
  std::vector<testing::ClipToRead> to_read;
  for (const Clip& clip : clips) {
    to_make.push_back({clip.name, clip.encode, clip.size});
    to_read.push_back({clip.name, {"bgr24"}});
    if (clip.layout != Layout::kOther && clip.layout != Layout::kBgr)
      to_read.back().pix_fmts.push_back(clip.pix_fmt);
  }
  testing::MakeClips(folder_, to_make, 12);
  const std::vector<testing::ReadClip> read = testing::ReadClips(folder_, to_read);
  for (std::size_t i = 0; i < clips.size(); ++i) {
    SCOPED_TRACE(clips[i].name);
    ExpectFrames(clips[i], read[i]);
  }
}

// FFmpeg by itself takes most of them for images, by the size of the first one.
TEST_F(VideoTest, BareMotionJpegIsAVideoAtEverySize) {
  std::vector<testing::ClipToRead> clips;
  std::vector<std::string> read;
  for (const std::string size : {"64x48", "320x240", "640x480"}) {
    clips.push_back({size + ".mjpeg", {"bgr24"}, "-f mjpeg"});
    VideoReader reader(Make(size + ".mjpeg", "-c:v mjpeg -pix_fmt yuvj420p", 3, size));
    std::string& bgr = read.emplace_back();
    for (const VideoFrame& frame : ReadAll(reader)) bgr += Bytes(frame.Bgr());
  }
  const std::vector<testing::ReadClip> expected = testing::ReadClips(folder_, clips);
  for (std::size_t i = 0; i < clips.size(); ++i)
    EXPECT_TRUE(read[i] == expected[i].frames[0]) << clips[i].clip;
  const std::string picture = ReadFile(testing::SamplesFolder() / "photos/grace_hopper.jpg");
  EXPECT_ERROR(VideoReader(Put("picture.mkv", "\x89PNG\r\n\x1a\n" + picture).string()),
               "picture.mkv: is no video of a container that is read");
}

TEST_F(VideoTest, AStreamThatIsAFileIsReadWhole) {
  for (const std::string name : {"whole.mp4", "whole.webm"}) {
    VideoReader reader("file://" + Make(name, "-c:v libvpx-vp9 -deadline realtime -g 100", 30));
    EXPECT_TRUE(reader.info().has_end);
    EXPECT_EQ(ReadAll(reader).size(), 30u) << name;
  }
}

// The size of a list is not that of the stream.
TEST_F(VideoTest, AListOfSegmentsHasAnEndIfItSaysSo) {
  for (const std::string name : {"ended", "open"}) {
    const bool has_end = name == "ended";
    testing::MakeOnce(
        folder_,
        fmt::format("{}-frames:v 12 -c:v libx264 -f hls {} {}.m3u8", Scrolling("64x48"),
                    has_end ? "" : "-hls_flags omit_endlist", name),
        {name + ".m3u8", name + "0.ts"});
    const VideoReader reader("file://" + Path(name + ".m3u8").string());
    EXPECT_TRUE(reader.info().in_segments);
    EXPECT_EQ(reader.info().has_end, has_end);
  }
}

TEST_F(VideoTest, RotationIsAsFfmpegTurnsIt) {
  const std::string plain = ReadFile(Make("plain.mp4", "-c:v libx264"));
  std::vector<testing::ClipToRead> clips;
  std::vector<std::string> read;
  for (const int degrees : {90, 180, 270}) {
    const std::string name = "turned" + std::to_string(degrees) + ".mp4";
    VideoReader reader(Put(name, testing::Turned(plain, degrees)).string());
    EXPECT_EQ(reader.info().rotation, degrees);
    std::string& bgr = read.emplace_back();
    for (const VideoFrame& frame : ReadAll(reader)) bgr += Bytes(frame.Bgr());
    clips.push_back({name, {"bgr24"}, ""});
  }
  const std::vector<testing::ReadClip> expected = testing::ReadClips(folder_, clips);
  for (std::size_t i = 0; i < clips.size(); ++i)
    EXPECT_TRUE(read[i] == expected[i].frames[0]) << clips[i].clip;
}

TEST_F(VideoTest, ATruncatedFileGivesWhatIsBeforeTheEnd) {
  for (const std::string name : {"cut.mp4", "cut.avi", "cut.mkv"}) {
    const std::string whole =
        ReadFile(Make(name, "-c:v libx264 -g 10 -bf 0 -movflags +faststart", 60));
    VideoReader sound(Path(name).string());
    const std::vector<VideoFrame> expected = ReadAll(sound);
    ASSERT_EQ(expected.size(), 60u);
    VideoReader cut(Put("cut_" + name, whole.substr(0, whole.size() * 2 / 3)).string());
    std::vector<VideoFrame> frames;
    EXPECT_ERROR(while (auto frame = cut.Read()) frames.push_back(std::move(*frame)),
                 "cut_" + name + ": stops at frame " + std::to_string(frames.size()));
    EXPECT_GT(frames.size(), 30u) << name;
    EXPECT_LT(frames.size(), 50u) << name;
    for (std::size_t i = 0; i < frames.size(); ++i)
      EXPECT_TRUE(Bytes(frames[i]) == Bytes(expected[i])) << name << " " << i;
  }
}

TEST_F(VideoTest, WhatIsNoVideoIsSaid) {
  EXPECT_ERROR(VideoReader(Path("none.mp4").string()), "No such file");
  EXPECT_ERROR(VideoReader(Put("text.mp4", "no video at all").string()),
               "cannot be opened as video");
  for (const std::string size : {"W-64 H48", "W2000000000 H2000000000"})
    EXPECT_ERROR(VideoReader(Put("a.y4m", "YUV4MPEG2 " + size + " F25:1\nFRAME\n").string()),
                 "has frames of a size that there is not");
  Shell(folder_, "ffmpeg -v error -f lavfi -i sine=duration=1 sound.mp4");
  EXPECT_ERROR(VideoReader(Path("sound.mp4").string()), "holds no moving picture");
  Shell(folder_,
        "ffmpeg -v error -f lavfi -i sine=duration=1 -f lavfi -i testsrc=s=64x48 -map 0 -map 1 "
        "-frames:v 1 -t 1 -c:v png -disposition:v attached_pic cover.mp4");
  EXPECT_ERROR(VideoReader(Path("cover.mp4").string()), "holds no moving picture");
}

TEST_F(VideoTest, AStreamWithoutASenderIsAnError) {
  for (const char* url : {"udp://127.0.0.1:{}", "rtsp://127.0.0.1:{}/live",
                          "http://127.0.0.1:{}/stream", "tcp://127.0.0.1:{}"}) {
    const std::string silent = fmt::format(fmt::runtime(url), testing::SilentPort());
    EXPECT_ERROR(VideoReader(silent, {.timeout_seconds = 1}), silent);
  }
}

cv::Mat Disc(cv::Size size, int at) {
  cv::Mat mask(size, CV_8UC1);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      mask.at<std::uint8_t>(y, x) = std::hypot(x - 3 * at, y - 20) < 15 ? 255 : 0;
  return mask;
}

// Of a camera behind a pipe, which is not at its end: the writer's end stays open.
TEST_F(VideoTest, TheFirstFrameOfAPipeDoesNotWaitForSecondsOfThem) {
  testing::MakeClips(folder_, {{"slow.mkv", "-c:v libx264 -tune zerolatency", "96x64"}}, 12, "5");
  const std::string bytes = ReadFile(Path("slow.mkv"));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Descriptor from(ends[0]), to(ends[1]);
  ASSERT_EQ(write(to.get(), bytes.data(), bytes.size()), std::ssize(bytes));
  VideoReader reader("/dev/fd/" + std::to_string(from.get()), {.current = true});
  EXPECT_TRUE(reader.Read());
}

// A named pipe of fewer bytes than are looked at, whose writer went away after it was opened.
TEST_F(VideoTest, ANamedPipeThatEndsSoonIsDamaged) {
  const std::string path = Path("short.fifo").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::jthread writer([&] {
    const Descriptor to(open(path.c_str(), O_WRONLY));
    EXPECT_EQ(write(to.get(), "\x1A\x45\xDF\xA3", 4), 4);
  });
  EXPECT_THROW(VideoReader(path, {.addresses = false}), Error);
}

TEST_F(VideoTest, WrittenMasksReadBackBitForBit) {
  const cv::Size size(97, 51);
  const fs::path path = Path("masks.mkv");
  std::string expected;
  VideoWriter writer(path, size, CV_8UC1, {.rate = {30000, 1001}});
  for (int i = 0; i < 25; ++i) {
    writer.Write(Disc(size, i), i);
    expected += Bytes(Disc(size, i));
  }
  EXPECT_FALSE(fs::exists(path));
  writer.Finish();
  EXPECT_EQ(Names(folder_), std::vector<std::string>{"masks.mkv"});
  EXPECT_ERROR(writer.Finish(), "is finished already");
  EXPECT_ERROR(writer.Write(Disc(size, 0), 25), "is finished already");
  EXPECT_TRUE(RawFrames(folder_, "masks.mkv", "gray") == expected);
  const testing::Probed written = testing::Probe(path);
  EXPECT_EQ(written.codec, "ffv1");
  EXPECT_EQ(written.pix_fmt, "gray");
  EXPECT_EQ(written.rate, "30000/1001");
  EXPECT_EQ(written.average_rate, "30000/1001");
}

TEST_F(VideoTest, WrittenPicturesKeepTheirTimesAndColours) {
  const cv::Size size(64, 48);
  const std::vector<std::int64_t> times{1000, 1033, 1250, 1251, 2000, 2400};
  VideoWriter writer(Path("colours.mp4"), size, CV_8UC3,
                     {.rate = {30, 1}, .time_base = {1, 1000}, .pixel_aspect = {4, 3}});
  const cv::Scalar skin(120, 150, 210);
  for (const std::int64_t pts : times) writer.Write(cv::Mat(size, CV_8UC3, skin), pts);
  EXPECT_EQ(writer.frames(), 6);
  writer.Finish();
  VideoReader reader(Path("colours.mp4").string());
  EXPECT_EQ(reader.info().codec, "h264");
  EXPECT_EQ(reader.info().pixel_aspect.num, 4);
  const std::vector<VideoFrame> frames = ReadAll(reader);
  ASSERT_EQ(frames.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_DOUBLE_EQ(static_cast<double>(frames[i].pts) * reader.info().time_base.Value(),
                     static_cast<double>(times[i]) / 1000);
    const cv::Scalar mean = cv::mean(frames[i].Bgr());
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(mean[c], skin[c], 2.5);
  }
}

// FFV1's slices are a part of the rows and columns each, and were none of some.
TEST_F(VideoTest, PicturesOfFewPixelsKeepThem) {
  cv::RNG random(5);
  std::vector<cv::Mat> pictures;
  std::vector<testing::ClipToRead> clips;
  for (const cv::Size size : {cv::Size(1, 1), cv::Size(8, 1), cv::Size(1, 8), cv::Size(8, 2),
                              cv::Size(2, 8), cv::Size(700, 2), cv::Size(1, 700)})
    for (const int type : {CV_8UC1, CV_16UC1, CV_8UC4}) {
      cv::Mat& picture = pictures.emplace_back(size, type);
      random.fill(picture, cv::RNG::UNIFORM, 0, type == CV_16UC1 ? 65536 : 256);
      const std::string clip = fmt::format("{}x{}-{}.mkv", size.width, size.height, type);
      VideoWriter writer(Path(clip), size, type, {});
      writer.Write(picture, 0);
      writer.Finish();
      const char* const pix_fmt = type == CV_8UC1 ? "gray" : type == CV_8UC4 ? "bgra" : "gray16le";
      clips.push_back({clip, {pix_fmt}});
    }
  const std::vector<testing::ReadClip> read = testing::ReadClips(folder_, clips);
  for (std::size_t i = 0; i < clips.size(); ++i)
    EXPECT_TRUE(read[i].frames[0] == Bytes(pictures[i])) << clips[i].clip;
}

TEST_F(VideoTest, TimesOfWrittenPicturesIncrease) {
  const cv::Mat grey(48, 64, CV_8UC1, cv::Scalar(90));
  for (const char* const name : {"times.mkv", "times.avi"}) {  // in milliseconds, and in frames
    VideoWriter writer(Path(name), grey.size(), CV_8UC1, {.time_base = {1, 10'000}});
    for (const std::int64_t pts : {50, 51, 100}) writer.Write(grey, pts);
    EXPECT_ERROR(writer.Write(grey, 100), ": a frame at time 100 cannot follow one at 100");
    EXPECT_ERROR(writer.Write(grey, 10), "cannot follow one at 100 (times increase)");
    writer.Write(grey, 101);
    writer.Finish();
    EXPECT_EQ(writer.frames(), 4);
    VideoReader reader(Path(name).string());
    EXPECT_EQ(ReadAll(reader).size(), 4u);
  }
}

// MP4 shows nothing before 0.
TEST_F(VideoTest, TimesBelow0BeginAt0) {
  const cv::Mat grey(48, 64, CV_8UC1, cv::Scalar(90));
  for (const char* const name : {"before.mkv", "before.mp4"}) {
    VideoWriter writer(Path(name), grey.size(), CV_8UC1, {.time_base = {1, 25}});
    for (const std::int64_t pts : {-3, -2, 1}) writer.Write(grey, pts);
    EXPECT_ERROR(writer.Write(grey, std::numeric_limits<std::int64_t>::max()), "is out of range");
    writer.Finish();
    VideoReader reader(Path(name).string());
    std::vector<double> times;
    for (const VideoFrame& frame : ReadAll(reader))
      times.push_back(static_cast<double>(frame.pts) * reader.info().time_base.Value());
    ASSERT_EQ(times.size(), 3u) << name;
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(times[i], (std::array{0, 1, 4})[i] / 25., 1e-3) << name;
  }
  VideoWriter empty(Path("empty.mkv"), grey.size(), CV_8UC1, {});
  EXPECT_ERROR(empty.Finish(), "empty.mkv: has no frame");
}

// Of files that do not say which matrix they have, readers assume one.
TEST_F(VideoTest, ColoursAreReadAsTheyWereWritten) {
  const cv::Scalar skin(100, 140, 220);
  for (const auto& [name, codec] : {std::pair("a.mp4", ""),
                                    {"a.webm", ""},
                                    {"b.webm", "vp8"},
                                    {"a.mjpeg", ""},
                                    {"a.avi", "mpeg4"},
                                    {"b.avi", "mjpeg"},
                                    {"b.mkv", "mjpeg"},
                                    {"c.mkv", "mpeg4"},
                                    {"a.ivf", "vp8"},
                                    {"a.wmv", "wmv2"},
                                    {"a.flv", "flv"},
                                    {"a.mxf", ""},
                                    {"a.m4v", "mpeg4"},
                                    {"a.3gp", "mpeg4"}}) {
    const cv::Scalar mean = cv::mean(ReadAgain(cv::Mat(48, 64, CV_8UC3, skin), name, codec));
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(mean[c], skin[c], 4) << name << ' ' << codec;
  }
}

// FFmpeg's decoder inflates the texts of a PNG: here half a megabyte to 512.
TEST_F(VideoTest, TextsOfPngFramesAreNotInflated) {
  const cv::Mat picture = Disc({64, 48}, 0);
  std::string png = EncodePng(picture);
  png.resize(png.size() - kPngFrame);  // without its end
  // After a full flush nothing refers to what was before, so that a piece may be repeated.
  const std::string zeros(std::size_t{1} << 20, 0);
  z_stream stream{};
  ASSERT_EQ(deflateInit(&stream, 9), Z_OK);
  const auto deflated = [&](int flush) {
    std::string piece(zeros.size(), 0);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(zeros.data()));
    stream.avail_in = static_cast<uInt>(zeros.size());
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    EXPECT_EQ(deflate(&stream, flush), flush == Z_FINISH ? Z_STREAM_END : Z_OK);
    return piece.substr(0, piece.size() - stream.avail_out);
  };
  std::string packed = deflated(Z_FULL_FLUSH);
  const std::string piece = deflated(Z_FULL_FLUSH);
  for (int i = 0; i < 510; ++i) packed += piece;
  packed += deflated(Z_FINISH);
  deflateEnd(&stream);
  const uLong of_one =
      adler32(1, reinterpret_cast<const Bytef*>(zeros.data()), static_cast<uInt>(zeros.size()));
  uLong sum = 1;
  for (int i = 0; i < 512; ++i) sum = adler32_combine(sum, of_one, 1 << 20);
  for (std::size_t i = 0; i < 4; ++i)
    packed[packed.size() - 1 - i] = static_cast<char>(sum >> (8 * i));
  AppendPngChunk(png, "zTXt", std::string("a\0\0", 3) + packed);
  AppendPngChunk(png, "IEND", {});
  Put("a.png", png);
  Shell(folder_, "ffmpeg -v error -f image2 -c:v png -i a.png -c copy a.mov");
  const auto most = [] {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // KiB
  };
  ASSERT_GT(fs::file_size(Path("a.mov")), packed.size());
  const long before = most();
  VideoReader reader(Path("a.mov").string());
  const std::vector<VideoFrame> frames = ReadAll(reader);
  ASSERT_EQ(frames.size(), 1u);
  cv::Mat grey;
  cv::extractChannel(frames[0].Bgr(), grey, 1);
  EXPECT_EQ(cv::norm(grey, picture), 0);
  EXPECT_LT(most() - before, 1 << 17);
}

// Of probabilities, of which no codec knows that they are no luma.
TEST_F(VideoTest, GreyKeepsItsValues) {
  cv::Mat1b ramp(48, 256);
  for (int x = 0; x < ramp.cols; ++x) ramp.col(x).setTo(x / 16 * 16 + 4);
  for (const auto& [name, codec] : {std::pair("g.mp4", ""),
                                    {"g.webm", ""},
                                    {"g.mjpeg", ""},
                                    {"g.avi", "utvideo"},
                                    {"g.mkv", "mpeg2video"},
                                    {"g.mov", "prores_ks"}}) {
    const cv::Mat bgr = ReadAgain(ramp, name, codec);
    for (int x = 8; x < ramp.cols; x += 16)
      EXPECT_NEAR(bgr.at<cv::Vec3b>(20, x)[1], ramp(20, x), 4) << name << x;
  }
}

TEST_F(VideoTest, FramesOfWrongLayoutsAreErrors) {
  const cv::Mat bgr(8, 6, CV_8UC3);
  VideoFrame frame;
  frame.size = bgr.size();
  frame.planes[0] = bgr.data;
  frame.strides[0] = 17;
  EXPECT_ERROR(frame.Bgr(), "has the stride 17 of plane 0 (at least 18 bytes)");
  frame.strides[0] = 18;
  EXPECT_EQ(frame.Bgr().size(), bgr.size());
  frame.layout = static_cast<Layout>(77);
  EXPECT_ERROR(frame.Bgr(), "is of layout 77");
}

TEST_F(VideoTest, AChromaStrideOfZeroRepeatsOneRow) {
  for (const int width : {64, 70}) {
    cv::Mat1b luma(40, width), chroma(1, width / 2);
    cv::randu(luma, 60, 200);
    cv::randu(chroma, 90, 160);
    const cv::Mat1b all = cv::repeat(chroma, 20, 1);
    const auto frame_of = [&](const cv::Mat1b& of, std::ptrdiff_t stride) {
      VideoFrame frame;
      frame.layout = Layout::kI420;
      frame.size = luma.size();
      frame.planes = {luma.data, of.data, of.data};
      frame.strides = {width, stride, stride};
      return frame.Bgr();
    };
    EXPECT_EQ(cv::norm(frame_of(chroma, 0), frame_of(all, width / 2), cv::NORM_INF), 0) << width;
  }
}

TEST_F(VideoTest, QualitiesAreOneToAHundred) {
  for (const int quality : {0, 101, -1})
    EXPECT_ERROR(VideoWriter(Path("a.mp4"), {64, 48}, CV_8UC3, {.quality = quality}),
                 "quality: is out of range (1 to 100)");
  EXPECT_NO_THROW(VideoWriter(Path("a.mp4"), {64, 48}, CV_8UC3, {.quality = 1}));
  EXPECT_ERROR(VideoWriter(Path("wide.mp4"), {17000, 64}, CV_8UC3, {}),
               "wide.mp4: libx264: does not take 17000 x 64 pixels");
}

TEST_F(VideoTest, AnUnfinishedVideoVanishes) {
  {
    VideoWriter writer(Path("left.mp4"), {64, 48}, CV_8UC3, {});
    writer.Write(cv::Mat(48, 64, CV_8UC3, cv::Scalar(1, 2, 3)), 0);
  }
  EXPECT_EQ(Names(folder_), std::vector<std::string>{});
  EXPECT_ERROR(VideoWriter(Path("a.mp4"), {64, 48}, CV_8UC3, {.codec = "nonsense"}), "nonsense");
  EXPECT_ERROR(VideoWriter(Path("a.mp4"), {64, 48}, CV_8UC3, {.codec = "ffv1"}),
               "do not take ffv1");
  // Without a tag it would be read back as raw pixels.
  EXPECT_ERROR(VideoWriter(Path("a.avi"), {64, 48}, CV_8UC3, {.codec = "libx265"}),
               "do not take hevc");
  // Its encoder hangs where it is freed before its first frame.
  EXPECT_ERROR(VideoWriter(Path("a.ogv"), {64, 64}, CV_8UC3, {.codec = "libsvtav1"}), "a.ogv: ");
  EXPECT_ERROR(VideoWriter(Path("none/a.mp4"), {64, 48}, CV_8UC3, {}), "No such file");
  EXPECT_EQ(Names(folder_), std::vector<std::string>{});
}

}  // namespace
}  // namespace skinmask
