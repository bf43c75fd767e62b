#include "media/gif.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "base/folder.h"
#include "media/file_bytes.h"
#include "media/video_frame.h"
#include "media/video_input.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"
#include "skinmask/media/image.h"

namespace skinmask {
namespace {

constexpr std::size_t kScreen = 13;     // signature and logical screen
constexpr std::size_t kDescriptor = 9;  // of a picture, after its separator
// The first bytes of blocks.
constexpr char kGifPicture = 0x2C, kGifExtension = 0x21, kGifTrailer = 0x3B;
constexpr std::string_view kGraphicControl = "\xF9\4";  // label and length

// The size of the colour table that a packed field announces.
std::size_t TableSize(char packed) {
  const auto flags = static_cast<std::uint8_t>(packed);
  return flags & 0x80 ? std::size_t{3} << ((flags & 7) + 1) : 0;
}

bool Skip(std::string_view& bytes, std::size_t count) {
  if (count > bytes.size()) return false;
  bytes.remove_prefix(count);
  return true;
}

// Passes the content of each sub-block to `use`, up to the empty sub-block. Returns false if the
// data end before that.
template <class Use>
bool SkipSubBlocks(std::string_view& bytes, const Use& use) {
  while (!bytes.empty()) {
    const std::size_t length = static_cast<std::uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    if (length == 0) return true;
    use(bytes.substr(0, length));
    if (!Skip(bytes, length)) return false;
  }
  return false;
}

bool SkipSubBlocks(std::istream& file) {
  for (char length = 0; file.get(length);) {
    if (length == 0) return true;
    file.ignore(static_cast<std::uint8_t>(length));
  }
  return false;
}

// Skips a picture's descriptor and colour table.
bool SkipDescriptor(std::string_view& bytes) {
  return bytes.size() >= kDescriptor &&
         Skip(bytes, kDescriptor + TableSize(bytes[kDescriptor - 1]));
}

std::int64_t NumberAt(std::string_view bytes, std::size_t at) {
  return static_cast<std::int64_t>(LittleEndian(bytes.substr(at, 2)));
}

// True if the LZW codes (appendix F; the number of bits grows, lowest bit first) represent at least
// `pixels` pixels. Counting needs only the length of each code's string, not the string.
bool HoldPixels(std::string_view codes, int size, std::int64_t pixels) {
  constexpr std::uint32_t kMaxBits = 12;
  const std::uint32_t clear = 1u << size, first = clear + 2;  // after the end code
  std::array<int, 1 << kMaxBits> lengths{};
  std::uint32_t next = first, bits = static_cast<std::uint32_t>(size) + 1, held = 0, count = 0;
  int previous = 0;
  for (std::size_t at = 0; pixels > 0;) {
    for (; count < bits; count += 8) {
      if (at == codes.size()) return false;
      held |= std::uint32_t{static_cast<std::uint8_t>(codes[at++])} << count;
    }
    const std::uint32_t code = held & ((1u << bits) - 1);
    held >>= bits;
    count -= bits;
    if (code == clear) {
      next = first;
      bits = static_cast<std::uint32_t>(size) + 1;
      previous = 0;
      continue;
    }
    int length = 0;  // 0 for the end code and for undefined codes
    if (code < clear)
      length = 1;
    else if (code >= first && code < next)
      length = lengths[code];
    else if (code == next && previous > 0)
      length = previous + 1;
    if (length == 0) return false;
    if (previous > 0 && next < lengths.size()) lengths[next++] = previous + 1;
    if (next == 1u << bits && bits < kMaxBits) ++bits;
    previous = length;
    pixels -= length;
  }
  return true;
}

// True if a picture, which begins with its descriptor, has all codes of its pixels.
bool HoldsGifPixels(std::string_view picture) {
  constexpr int kMaxSize = 11;
  if (picture.size() < kDescriptor) return false;
  const std::int64_t pixels = NumberAt(picture, 4) * NumberAt(picture, 6);
  if (!SkipDescriptor(picture) || picture.empty()) return false;
  const int size = picture[0];
  picture.remove_prefix(1);
  std::string codes;
  SkipSubBlocks(picture, [&](std::string_view block) { codes += block; });
  return size >= 1 && size <= kMaxSize && HoldPixels(codes, size, pixels);
}

}  // namespace

bool IsGif(std::string_view bytes) {
  return bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a");
}

GifBlocks WalkGif(std::string_view bytes) {
  GifBlocks blocks;
  if (IsGif(bytes) && (bytes.size() < kScreen || !Skip(bytes, kScreen + TableSize(bytes[10]))))
    return blocks;
  while (!bytes.empty()) {
    const char kind = bytes[0];
    bytes.remove_prefix(1);
    const std::string_view block = bytes;
    if (kind == kGifTrailer) blocks.ended = true;
    const bool begins = kind == kGifPicture     ? SkipDescriptor(bytes) && Skip(bytes, 1)
                        : kind == kGifExtension ? Skip(bytes, 1)
                                                : false;
    if (!begins || !SkipSubBlocks(bytes, [](std::string_view) {})) {
      blocks.cut = kind == kGifPicture || kind == kGifExtension;
      break;
    }
    if (kind == kGifExtension && blocks.pictures == 0 && block.starts_with(kGraphicControl))
      blocks.control = block;
    if (kind == kGifPicture && blocks.pictures++ == 0) blocks.first = block;
  }
  return blocks;
}

bool ReachesGifEnd(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const auto skip_table = [&](char packed) {
    file.ignore(static_cast<std::streamsize>(TableSize(packed)));
  };
  char screen[kScreen], descriptor[kDescriptor];
  if (!file.read(screen, sizeof screen)) return false;
  skip_table(screen[10]);
  for (char kind = 0; file.get(kind) && kind != kGifTrailer;) {
    if (kind == kGifPicture && file.read(descriptor, sizeof descriptor))
      skip_table(descriptor[kDescriptor - 1]);
    else if (kind != kGifExtension)
      return false;
    file.ignore(1);
    if (!SkipSubBlocks(file)) return false;
  }
  return file.good();
}

bool IsWholeGifPacket(std::string_view packet) {
  const GifBlocks blocks = WalkGif(packet);
  return blocks.pictures > 0 ? HoldsGifPixels(blocks.first) : blocks.ended;
}

bool IsStillGif(const std::filesystem::path& path) {
  if (!IsRegularFile(path)) return false;
  try {
    const auto check = [&](std::string_view head, std::uint64_t) {
      if (!IsGif(head)) throw Error(path.string(), "is no GIF");
    };
    constexpr std::uint64_t kMax = 1 << 26;  // bytes; no real GIF of one picture is larger
    const std::string bytes = ReadFile(path, {kMax, check});
    const GifBlocks blocks = WalkGif(bytes);
    return blocks.pictures == 1 && !blocks.cut;
  } catch (const Error&) {
    return false;  // the later reading reports the reason
  }
}

ImageHeader GifHeader(std::string_view bytes, std::string_view subject) {
  if (bytes.size() < kScreen) FailUnknownImage(subject);
  return {.size = {NumberAt(bytes, 6), NumberAt(bytes, 8)}};
}

StoredImage DecodeGif(std::string_view bytes, std::string_view subject, const ImageHeader& header,
                      const DecodeOptions&) {
  const GifBlocks blocks = WalkGif(bytes);
  if (blocks.pictures > 1)
    throw Error(
        subject,
        "is an animation (a GIF of one picture; animations are videos, read from files alone)");
  // FFmpeg decodes rows of the canvas' width from a wider picture.
  const auto is_within = [&](std::string_view picture) {
    const std::int64_t width = NumberAt(picture, 4), height = NumberAt(picture, 6);
    return width > 0 && height > 0 && width <= header.size.width && height <= header.size.height;
  };
  if (blocks.pictures == 0 || blocks.cut || !is_within(blocks.first) ||
      !HoldsGifPixels(blocks.first))
    throw Error(subject, "is a damaged GIF, or one that ends too early (a whole file)");
  const Ffmpeg& av = Ffmpeg::Get();
  const CodecPtr codec(av.avcodec_alloc_context3(av.avcodec_find_decoder(AV_CODEC_ID_GIF)));
  PacketPtr packet(av.av_packet_alloc());
  FramePtr frame(av.av_frame_alloc());
  std::string padded(bytes);  // decoders read some bytes past the end
  padded.resize(bytes.size() + AV_INPUT_BUFFER_PADDING_SIZE);
  // FFmpeg makes transparent pixels white. Without the transparency flag they get the colour of
  // their index.
  if (!blocks.control.empty()) {
    const auto at = blocks.control.data() - bytes.data() + std::ssize(kGraphicControl);
    char& flags = padded[static_cast<std::size_t>(at)];
    flags = static_cast<char>(flags & ~1);
  }
  packet->data = reinterpret_cast<std::uint8_t*>(padded.data());
  packet->size = static_cast<int>(bytes.size());
  packet->flags = AV_PKT_FLAG_KEY;
  codec->thread_count = 1;
  codec->get_buffer2 = ZeroedBuffer;
  if (av.avcodec_open2(codec.get(), nullptr, nullptr) < 0 ||
      av.avcodec_send_packet(codec.get(), packet.get()) < 0 ||
      av.avcodec_receive_frame(codec.get(), frame.get()) < 0)
    throw Error(subject, "is a damaged GIF");
  return {.pixels = WrapFrame(std::move(frame), {}).StoredBgr().clone()};
}

}  // namespace skinmask
