// The sound of videos is copied into what is watched.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "support/probe.h"
#include "support/video_program.h"

namespace skinmask {
namespace {

using testing::Lines;
using testing::Outcome;
using testing::Probe;
using testing::Shell;
using Strings = std::vector<std::string>;

class VideoSoundTest : public testing::VideoProgramTest {
 protected:
  // A clip of two seconds, more frames than the encoder of overlays holds back, with a sound that
  // never repeats itself.
  void MakeWithSound(const std::string& name, const std::string& codec,
                     const testing::Derived& derived = {}) const {
    Make(name, kFrames, testing::kH264 + (" -g 15 -c:a " + codec), "176x144",
         "aevalsrc=sin(300*t*t*t):d=2.002:s=48000", derived);
  }
  // The packets of sound: when they are heard, and what is in them.
  std::vector<testing::ProbedPacket> Packets(const std::string& name) const {
    return Probe(Path(name)).sound;
  }
  static constexpr int kFrames = 60;
};

TEST_F(VideoSoundTest, IsCopiedIntoOverlays) {
  MakeWithSound("a.mp4", "aac");
  for (const std::string out : {"out", "again"}) {
    const Outcome run = Run("detect --adapt off a.mp4 -o " + out + " --output mask,overlay");
    ASSERT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
  }
  EXPECT_TRUE(ReadFile(Path("out/a.overlay.mp4")) == ReadFile(Path("again/a.overlay.mp4")));
  const testing::Probed overlay = Probe(Path("out/a.overlay.mp4"));
  const auto before = Packets("a.mp4"), after = overlay.sound;
  ASSERT_GT(before.size(), 70u);
  ASSERT_GE(after.size() + 2, before.size());  // one may begin after the last frame
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_TRUE(after[i].bytes == before[i].bytes) << i;
    EXPECT_NEAR(after[i].time, before[i].time, 1e-4) << i;
  }
  // In Matroska, too: what the encoder of sound adds before the first picture does not delay it.
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o k --output overlay --codec ffv1").err, "");
  const testing::Probed matroska = Probe(Path("k/a.overlay.mkv"));
  const auto& in_matroska = matroska.sound;
  ASSERT_GE(in_matroska.size() + 2, before.size());
  for (std::size_t i = 0; i < in_matroska.size(); ++i)
    EXPECT_NEAR(in_matroska[i].time, before[i].time, 1e-3) << i;
  EXPECT_NEAR(matroska.Times()[0], 0, 1e-9);
  EXPECT_TRUE(Packets("out/a.mkv").empty());
  EXPECT_EQ(overlay.pictures.size(), std::size_t{kFrames});
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o mute --output overlay --audio none").err, "");
  EXPECT_TRUE(Packets("mute/a.overlay.mp4").empty());
}

TEST_F(VideoSoundTest, IsCutWithThePictures) {
  MakeWithSound("a.mkv", "libopus");
  const Outcome run = Run("detect --adapt off a.mkv -o out --output overlay --from 0.5 --to 1.5");
  ASSERT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  const testing::Probed whole = Probe(Path("a.mkv"));
  const auto &before = whole.sound, after = Packets("out/a.overlay.mp4");
  const double start = whole.Times().at(15);  // from half a second on
  std::size_t i = 0;
  while (before[i].time < start) ++i;
  ASSERT_GT(after.size(), 40u);
  for (std::size_t j = 0; j < after.size(); ++j) {
    EXPECT_TRUE(after[j].bytes == before[i + j].bytes) << j;
    EXPECT_NEAR(after[j].time, before[i + j].time - start, 0.0015) << j;
  }
  EXPECT_LT(after.back().time, 1);
  EXPECT_GT(after.back().time, 0.95);
}

// FFmpeg does not know what MPEG streams hold.
TEST_F(VideoSoundTest, IsCopiedIntoMpegStreams) {
  MakeWithSound("a.mp4", "aac");
  MakeWithSound("b.mkv", "mp2");
  for (const auto& [input, output] : {std::pair("a.mp4", "a.ts"), {"b.mkv", "b.mpg"}}) {
    const Outcome run =
        Run(fmt::format("detect --adapt off {} -o {} --output overlay", input, output));
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(Packets(output).size() / 10, Packets(input).size() / 10) << output;
  }
  MakeWithSound("c.avi", "adpcm_ms");
  EXPECT_NE(Run("detect --adapt off c.avi -o c.ts --output overlay").err.find("holds no adpcm_ms"),
            std::string::npos);
}

// A recording that was cut without a new encoding still has the sound before the cut.
TEST_F(VideoSoundTest, ThatIsNotPlayedIsNotCopied) {
  MakeWithSound("a.mp4", "aac", {"cut.mp4", "-ss 0.93 -i a.mp4 -c copy"});
  const auto in_cut = Packets("cut.mp4");
  ASSERT_LT(in_cut.front().time, -0.2);
  for (const std::string output : {"cut.mkv", "cut.overlay.mp4"}) {
    ASSERT_EQ(Run("detect --adapt off cut.mp4 --output overlay -o " + output).err, "");
    const auto packets = Packets(output);
    EXPECT_GT(packets.front().time, -0.05) << output;
    EXPECT_NEAR(packets.back().time, in_cut.back().time, 0.05) << output;
  }
  // What is heard first needs the packet before it.
  const auto loudness = [&](const std::string& name) {
    constexpr std::size_t kFirst = 512;
    Shell(folder_, "ffmpeg -v error -y -i " + name + " -map 0:a -f s16le -ac 1 first.raw");
    const std::string raw = ReadFile(Path("first.raw"));
    double sum = 0;
    for (std::size_t i = 0; i < kFirst; ++i) {
      std::int16_t level;
      std::memcpy(&level, raw.data() + 2 * i, 2);
      sum += level * level;
    }
    return std::sqrt(sum / kFirst);
  };
  EXPECT_NEAR(loudness("cut.overlay.mp4") / loudness("cut.mp4"), 1, 0.05);
}

// AVI's times of sound are counts of packets of one length, which only the copy of a decoder's
// parameters would have; and packets of TrueHD are shorter than Matroska's milliseconds.
TEST_F(VideoSoundTest, KeepsItsTimesInEveryContainer) {
  MakeWithSound("a.mp4", "aac", {"d.mkv", "-i a.mp4 -c copy"});
  ASSERT_EQ(Run("detect --adapt off a.mp4 -o a.avi --output overlay").err, "");
  // Pictures are not stored in another order, which would make them late beside the sound.
  EXPECT_NEAR(std::stod(Shell(folder_,
                              "ffprobe -v error -select_streams v:0 -show_entries "
                              "frame=best_effort_timestamp_time -of default=nk=1:nw=1 a.avi")),
              0, 1e-6);
  ASSERT_EQ(Run("detect --adapt off a.avi -o again.avi --output overlay").err, "");
  ASSERT_EQ(Run("detect --adapt off d.mkv -o d.avi --output overlay").err, "");
  ASSERT_EQ(Run("detect --adapt off d.mkv -o d.mp4 --output overlay").err, "");
  MakeWithSound("b.mkv", "truehd -strict -2");
  ASSERT_EQ(Run("detect --adapt off b.mkv -o c.mkv --output overlay").err, "");
  for (const auto& [from, to] : {std::pair("a.mp4", "a.avi"),
                                 {"a.avi", "again.avi"},
                                 {"d.mkv", "d.avi"},
                                 {"d.mkv", "d.mp4"},
                                 {"b.mkv", "c.mkv"}}) {
    const auto before = Packets(from), after = Packets(to);
    // One or two may begin before the first frame, or after the last.
    ASSERT_GE(after.size() + 3, before.size()) << to;
    const auto first = std::ranges::find(before, after[0].bytes, &testing::ProbedPacket::bytes);
    ASSERT_GE(before.end() - first, std::ssize(after)) << to;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const testing::ProbedPacket& packet = first[static_cast<std::ptrdiff_t>(i)];
      ASSERT_TRUE(after[i].bytes == packet.bytes) << to << i;
      ASSERT_NEAR(after[i].time - after[0].time, packet.time - first->time, 2e-3) << to << i;
    }
  }
}

TEST_F(VideoSoundTest, OfVaryingLengthsIsLeftOutOfAvi) {
  MakeWithSound("a.mkv", "libvorbis");
  const Outcome run = Run("detect --adapt off a.mkv -o a.avi --output overlay");
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.err.find("avi: wants packets of one known length, and those of vorbis are not"),
            std::string::npos)
      << run.err;
  MakeWithSound("b.mkv", "libopus");
  ASSERT_EQ(Run("detect --adapt off b.mkv -o b.ogv --output overlay").err, "");
  EXPECT_GE(Packets("b.ogv").size() + 2, Packets("b.mkv").size());
}

TEST_F(VideoSoundTest, OfWaveIsCopiedIntoMatroska) {
  MakeWithSound("a.avi", "pcm_mulaw");
  ASSERT_EQ(Run("detect --adapt off a.avi -o a.mkv --output overlay").err, "");
  const auto packets = Packets("a.mkv");
  ASSERT_FALSE(packets.empty());
  EXPECT_TRUE(packets.front().bytes == Packets("a.avi").front().bytes);
}

// As in a transport stream whose clock begins anew soon after its start. MP4 shows nothing before
// 0.
TEST_F(VideoSoundTest, AVideoThatBeginsBefore0BeginsAt0InItsOutputs) {
  Make("a.ts", 50, "-c:v mpeg2video -c:a mp2", "176x144", "sine=d=2",
       {"b.ts", "-i a.ts -c copy -muxdelay 0 -output_ts_offset 95442.7"});
  ASSERT_LT(Probe(Path("b.ts")).Times().at(0), -0.5);
  const Outcome run = Run("detect --adapt off b.ts -o out --output mask,overlay");
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* const output : {"out/b.overlay.mp4", "out/b.mkv"}) {
    const std::vector<double> times = Probe(Path(output)).Times();
    ASSERT_EQ(times.size(), 50u) << output;
    EXPECT_NEAR(times[0], 0, 1e-3) << output;
  }
  const auto sound = Packets("out/b.overlay.mp4");
  EXPECT_GT(sound.front().time, -0.05);
  EXPECT_LT(sound.front().time, 0.1);
}

TEST_F(VideoSoundTest, WithoutTimesIsAWarning) {
  MakeWithSound("a.mp4", "aac",
                {"b.mkv", "-i a.mp4 -c copy -output_ts_offset -5 -avoid_negative_ts disabled"});
  const Outcome run = Run("detect --adapt off b.mkv -o out --output overlay");
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(
      run.err.find("its sound is left out of out/b.overlay.mp4 (b.mkv: has sound without times)"),
      std::string::npos)
      << run.err;
}

TEST_F(VideoSoundTest, ThatDoesNotFitIsAWarning) {
  MakeWithSound("a.avi", "adpcm_ms");
  const Outcome run = Run("detect --adapt off a.avi -o out --output overlay,mask");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(Lines(run.err), 1) << run.err;
  EXPECT_NE(
      run.err.find("warning: a.avi: its sound is left out of out/a.overlay.mp4 (mp4: holds no "
                   "adpcm_ms)"),
      std::string::npos)
      << run.err;
  EXPECT_EQ(Names(Path("out")), (Strings{"a.mkv", "a.overlay.mp4"}));
  EXPECT_EQ(Run("detect --adapt off a.avi -o masks").err, "");
  EXPECT_EQ(Run("detect --adapt off a.avi -o masks2 --audio copy").status, 2);
  EXPECT_EQ(Run("detect --adapt off a.avi -o f --frames --output overlay --audio copy").status, 2);
}

}  // namespace
}  // namespace skinmask
