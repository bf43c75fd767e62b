// Video clips made and read by the program ffmpeg, which is also the oracle of what they hold.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <sstream>

#include "support/files.h"

namespace skinmask::testing {

// Where PATH has a program; empty if nowhere.
inline fs::path InPath(const std::string& program) {
  std::istringstream folders(std::getenv("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return folder + "/" + program;
  return {};
}

#define SKIP_WITHOUT_FFMPEG()                                                                      \
  if (skinmask::testing::InPath("ffmpeg").empty() || skinmask::testing::InPath("ffprobe").empty()) \
  GTEST_SKIP() << "needs the program ffmpeg"

// Runs a piece of shell in `folder`; what it prints.
inline std::string Shell(const fs::path& folder, const std::string& command) {
  const fs::path out = folder / ".shell";
  const int status = std::system(
      ("cd '" + folder.string() + "' && (" + command + ") >'" + out.string() + "' 2>&1").c_str());
  const std::string text = ReadFile(out);
  fs::remove(out);
  EXPECT_EQ(status, 0) << command << "\n" << text;
  return text;
}

// What ffmpeg makes by `arguments` of photographs of the samples alone, `files`, in `folder`:
// copies of what a test before this one, or a run before, had made of them by the same ffmpeg,
// which starts slower than it encodes. They lie in the build tree, and may be removed.
inline void MakeOnce(const fs::path& folder, const std::string& arguments,
                     const std::vector<std::string>& files) {
  const fs::path ffmpeg = InPath("ffmpeg");
  const char* assembler = std::getenv("SKINMASK_TEST_ASM");  // of support/older-cpu
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}\n{}", arguments, ffmpeg.string(), assembler ? assembler : "",
                  fs::last_write_time(ffmpeg).time_since_epoch().count(),
                  fs::last_write_time(SamplesFolder() / "photos").time_since_epoch().count());
  const fs::path kept =
      fs::path(SKINMASK_TEST_CLIPS) / std::to_string(std::hash<std::string>()(key));
  std::error_code error;  // where nothing can be kept, it is made each time
  const fs::path name = kept / "key";
  if (!fs::exists(name, error) || ReadFile(name) != key) {
    Shell(folder, "ffmpeg -v error -y " + arguments);
    if (::testing::Test::HasFailure()) return;  // perhaps there is half of it
    const fs::path fresh = kept.string() + "." + std::to_string(::getpid());
    fs::create_directories(fresh, error);
    for (std::size_t i = 0; i < files.size() && !error; ++i)
      fs::copy_file(folder / files[i], fresh / std::to_string(i),
                    fs::copy_options::overwrite_existing, error);
    if (!error) {
      std::ofstream(fresh / "key", std::ios::binary) << key;
      fs::rename(fresh, kept, error);  // whoever comes first
    }
    if (error) fs::remove_all(fresh, error);
    return;
  }
  for (std::size_t i = 0; i < files.size(); ++i)
    fs::copy_file(kept / std::to_string(i), folder / files[i],
                  fs::copy_options::overwrite_existing);
}

// A photograph that scrolls through `size`: input and filter arguments of ffmpeg. Its full range is
// kept by FFmpeg 7 unless -color_range says otherwise.
inline std::string Scrolling(const std::string& size, const std::string& rate = "30000/1001",
                             int frames = -1) {
  const std::string photo = (SamplesFolder() / "photos/grace_hopper.jpg").string();
  return fmt::format(
      " -framerate {} -i '{}' -vf loop=loop={}:size=1,scroll=h=0.013:v=0.007,scale={}"
      ":flags=bicubic ",
      rate, photo, frames, size);
}

// An MP4 whose picture is to be turned, as phones say it: by the matrix of its first track.
inline std::string Turned(std::string mp4, int degrees) {
  const std::size_t track = mp4.find("tkhd");
  EXPECT_NE(track, mp4.npos);
  const char one[] = "\0\1\0", minus_one[] = "\xff\xff\0", zero[] = "\0\0\0";  // 16.16 bits
  const auto put = [&](std::size_t number, const char* value) {
    mp4.replace(track + 44 + 4 * number, 4, value, 4);
  };
  const bool quarter = degrees % 180 != 0;
  put(0, quarter ? zero : minus_one);
  put(1, !quarter ? zero : degrees == 90 ? one : minus_one);
  put(3, !quarter ? zero : degrees == 90 ? minus_one : one);
  put(4, quarter ? zero : minus_one);
  return mp4;
}

struct ClipToMake {
  std::string name, encode, size;
};

// Clips of that photograph, all made by one process, whose start takes longer than a small clip.
inline void MakeClips(const fs::path& folder, const std::vector<ClipToMake>& clips, int frames,
                      const std::string& rate = "30000/1001") {
  std::string inputs, outputs;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    // Of an endless input the first output that is complete would not end the others.
    const std::string scrolling = Scrolling(clips[i].size, rate, frames);
    const std::size_t filter = scrolling.find(" -vf ");
    inputs += scrolling.substr(0, filter);
    outputs += fmt::format(" -map {}{} -frames:v {} {} {}", i, scrolling.substr(filter), frames,
                           clips[i].encode, clips[i].name);
  }
  std::vector<std::string> files;
  for (const ClipToMake& clip : clips) files.push_back(clip.name);
  MakeOnce(folder, inputs + outputs, files);
}

// Every frame's bytes in a pixel format, rotation not applied, one after the other.
inline std::string RawFrames(const fs::path& folder, const std::string& clip,
                             const std::string& pix_fmt,
                             const std::string& flags = "-noautorotate") {
  Shell(folder, "ffmpeg -v error -y " + flags + " -i '" + clip +
                    "' -map 0:v:0 -fps_mode passthrough -f rawvideo" + " -pix_fmt " + pix_fmt +
                    " frames.raw");
  const std::string bytes = ReadFile(folder / "frames.raw");
  fs::remove(folder / "frames.raw");
  return bytes;
}

struct ClipToRead {
  std::string clip;
  std::vector<std::string> pix_fmts;
  std::string flags = "-noautorotate";
};

struct ReadClip {
  std::vector<std::string> frames;  // all frames' bytes, for each of the pixel formats
  std::vector<std::int64_t> pts;    // of the container, in the order of the frames
  double unit = 0;                  // of these, in seconds
  std::string frame_time;           // one over the rate, "1001/30000"
};

// What ffmpeg reads of clips, by one process for all of them.
inline std::vector<ReadClip> ReadClips(const fs::path& folder,
                                       const std::vector<ClipToRead>& clips) {
  std::string inputs, outputs;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    inputs += fmt::format(" {} -i '{}'", clips[i].flags, clips[i].clip);
    const std::string map = fmt::format(" -map {}:v:0", i);
    for (const std::string& pix_fmt : clips[i].pix_fmts)
      outputs += fmt::format("{} -fps_mode passthrough -f rawvideo -pix_fmt {} {}.{}.raw", map,
                             pix_fmt, i, pix_fmt);
    outputs += fmt::format("{} -c copy -f framecrc {}.times", map, i);
    outputs += fmt::format("{} -frames:v 1 -f framecrc {}.rate", map, i);  // its unit is a frame
  }
  Shell(folder, "ffmpeg -v error -y -copyts" + inputs + outputs);
  const auto take = [&](const std::string& name) {
    const std::string text = ReadFile(folder / name);
    fs::remove(folder / name);
    return text;
  };
  const auto unit_of = [](const std::string& framecrc) {
    const std::size_t at = framecrc.find("#tb 0: ") + 7;
    return framecrc.substr(at, framecrc.find('\n', at) - at);
  };
  std::vector<ReadClip> read(clips.size());
  for (std::size_t i = 0; i < clips.size(); ++i) {
    for (const std::string& pix_fmt : clips[i].pix_fmts)
      read[i].frames.push_back(take(fmt::format("{}.{}.raw", i, pix_fmt)));
    read[i].frame_time = unit_of(take(fmt::format("{}.rate", i)));
    const std::string times = take(fmt::format("{}.times", i)), unit = unit_of(times);
    read[i].unit = std::stod(unit) / std::stod(unit.substr(unit.find('/') + 1));
    std::istringstream lines(times);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('#')) continue;
      const std::size_t dts = line.find(',') + 1;  // stream, dts, pts, ...
      read[i].pts.push_back(std::stoll(line.substr(line.find(',', dts) + 1)));
    }
    std::ranges::sort(read[i].pts);  // packets come in the order of decoding
  }
  return read;
}

}  // namespace skinmask::testing
