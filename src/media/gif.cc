#include "media/gif.h"

#include <cstdint>
#include <cstring>
#include <fstream>

#include "media/gif_pixels.h"
#include "media/video_codecs.h"
#include "media/video_frame.h"
#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask {
namespace {

constexpr std::size_t kHeader = 13;     // signature and logical screen
constexpr std::size_t kDescriptor = 9;  // of a picture, behind its separator
constexpr char kPictureBlock = 0x2C, kExtensionBlock = 0x21,
               kTrailer = 0x3B;  // what begins with this byte

// The colours that a packed field announces.
std::size_t TableSize(char packed) {
  const auto flags = static_cast<std::uint8_t>(packed);
  return flags & 0x80 ? std::size_t{3} << ((flags & 7) + 1) : 0;
}

// Reads from block to block.
class Blocks {
 public:
  explicit Blocks(std::string_view bytes) : bytes_(bytes) {}
  bool Skip(std::size_t count) {
    if (count > bytes_.size() - at_) return false;
    at_ += count;
    return true;
  }
  bool Next(char& byte) {
    if (at_ == bytes_.size()) return false;
    byte = bytes_[at_++];
    return true;
  }
  // Sub-blocks, each led by its length, up to the empty one.
  bool SkipSubBlocks() {
    for (char length = 0; Next(length);) {
      if (length == 0) return true;
      if (!Skip(static_cast<std::uint8_t>(length))) return false;
    }
    return false;
  }
  std::string_view Rest() const { return bytes_.substr(at_); }
  bool SkipPicture() {
    if (!Skip(kDescriptor - 1)) return false;
    char packed = 0;
    return Next(packed) && Skip(TableSize(packed) + 1) && SkipSubBlocks();
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

int NumberAt(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]) | static_cast<std::uint8_t>(bytes[at + 1]) << 8;
}

// Counts the pictures, and gives the first from its descriptor on.
std::size_t Walk(std::string_view bytes, std::string_view& first) {
  if (bytes.size() < kHeader) return 0;
  Blocks blocks(bytes);
  blocks.Skip(kHeader);
  std::size_t count = 0;
  if (!blocks.Skip(TableSize(bytes[10]))) return 0;
  for (char kind = 0; blocks.Next(kind);) {
    if (kind == kPictureBlock && count == 0) first = blocks.Rest();
    if (kind == kPictureBlock && blocks.SkipPicture())
      ++count;
    else if (kind != kExtensionBlock || !blocks.Skip(1) || !blocks.SkipSubBlocks())
      break;
  }
  return count;
}

// The same in a file, with no more of it in memory than a piece.
bool SkipSubBlocks(std::istream& file) {
  for (char length = 0; file.get(length);) {
    if (length == 0) return true;
    file.ignore(static_cast<std::uint8_t>(length));
  }
  return false;
}

bool SkipPicture(std::istream& file) {
  char descriptor[kDescriptor];
  if (!file.read(descriptor, sizeof descriptor)) return false;
  file.ignore(static_cast<std::streamsize>(TableSize(descriptor[kDescriptor - 1])) + 1);
  return SkipSubBlocks(file);
}

// Whether a picture, from its descriptor on, lies on the canvas (FFmpeg takes rows of the canvas'
// width from one that is wider) and has all its pixels.
bool IsWhole(std::string_view picture, const PictureSize& canvas) {
  const int width = NumberAt(picture, 4), height = NumberAt(picture, 6);
  if (width == 0 || height == 0 || width > canvas.width || height > canvas.height) return false;
  const std::size_t data = kDescriptor + TableSize(picture[kDescriptor - 1]);
  return HoldsGifPixels(picture.substr(data), std::int64_t{width} * height);
}

}  // namespace

std::size_t CountGifPictures(std::string_view bytes) {
  std::string_view first;
  return Walk(bytes, first);
}

bool IsWholeGifPacket(std::string_view packet) {
  Blocks blocks(packet);
  if (packet.starts_with("GIF") &&
      (packet.size() < kHeader || !blocks.Skip(kHeader) || !blocks.Skip(TableSize(packet[10]))))
    return false;
  for (char kind = 0; blocks.Next(kind);) {
    if (kind == kTrailer) return true;
    if (kind == kPictureBlock) {
      const std::string_view picture = blocks.Rest();
      if (picture.size() < kDescriptor) return false;
      const std::size_t data = kDescriptor + TableSize(picture[kDescriptor - 1]);
      return data < picture.size() &&
             HoldsGifPixels(picture.substr(data),
                            std::int64_t{NumberAt(picture, 4)} * NumberAt(picture, 6));
    }
    if (kind != kExtensionBlock || !blocks.Skip(1) || !blocks.SkipSubBlocks()) return false;
  }
  return false;
}

bool ReachesGifTrailer(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  char header[kHeader];
  if (!file.read(header, sizeof header)) return false;
  file.ignore(static_cast<std::streamsize>(TableSize(header[10])));
  for (char kind = 0; file.get(kind);) {
    if (kind == kTrailer) return true;
    const bool passed = kind == kPictureBlock     ? SkipPicture(file)
                        : kind == kExtensionBlock ? file.ignore(1) && SkipSubBlocks(file)
                                                  : false;
    if (!passed) return false;
  }
  return false;
}

bool IsStillGif(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  try {
    const auto check = [&](std::string_view head, std::uint64_t) {
      if (FormatOf(head) != ImageFormat::kGif) throw Error(path.string(), "is no GIF");
    };
    constexpr std::uint64_t kMax = 1 << 26;  // bytes: no real GIF of one picture has more
    return CountGifPictures(ReadFile(path, {kMax, check})) == 1;
  } catch (const Error&) {
    return false;  // whoever reads it says why
  }
}

std::optional<PictureSize> GifSize(std::string_view bytes) {
  if (bytes.size() < kHeader) return std::nullopt;
  return PictureSize{NumberAt(bytes, 6), NumberAt(bytes, 8)};
}

cv::Mat DecodeGif(std::string_view bytes, std::string_view subject) {
  std::string_view first;
  const std::size_t count = Walk(bytes, first);
  if (count > 1)
    throw Error(subject,
                "is an animation (a GIF of one picture, or a file whose name ends in .gif)");
  if (count == 0 || !IsWhole(first, *GifSize(bytes)))
    throw Error(subject, "is a damaged GIF, or one that ends too early (a whole file)");
  const Ffmpeg& av = Ffmpeg::Get();
  const CodecPtr codec(av.avcodec_alloc_context3(av.avcodec_find_decoder(AV_CODEC_ID_GIF)));
  PacketPtr packet(av.av_packet_alloc());
  FramePtr frame(av.av_frame_alloc());
  std::string padded(bytes);  // decoders read a little beyond the end
  padded.resize(bytes.size() + AV_INPUT_BUFFER_PADDING_SIZE);
  packet->data = reinterpret_cast<std::uint8_t*>(padded.data());
  packet->size = static_cast<int>(bytes.size());
  packet->flags = AV_PKT_FLAG_KEY;
  codec->thread_count = 1;
  codec->get_buffer2 = ZeroedBuffer;
  if (av.avcodec_open2(codec.get(), nullptr, nullptr) < 0 ||
      av.avcodec_send_packet(codec.get(), packet.get()) < 0 ||
      av.avcodec_receive_frame(codec.get(), frame.get()) < 0)
    throw Error(subject, "is a damaged GIF");
  return WrapFrame(std::move(frame), {}).StoredBgr().clone();
}

}  // namespace skinmask
