// What this process, the server of decoders (programs/decoders) and a decoder say to each other:
// messages by local sockets that keep their borders, and bytes by shared memory.
//
//   to the server     kStart (a decoder, with the module `text` loaded), kStartVideo (one that may
//                     read the file `text`), kEnd (of `number`)
//   from the server   kStarted (process `number`, its socket), kEnded (wait status `number`)
//   to a decoder      kDecode (`number` bytes), kGo; kOpenVideo (OpenVideoWords; the file `text` of
//                     kStartVideo, or a pipe that goes along), kReadFrame, kSkip (to `number`, of
//                     unit `type`)
//   from a decoder    kTake (`number` pixels are about to be held, it waits for kGo), kPicture;
//                     kVideo (VideoWords), kFrame (FrameWords), kEndOfVideo, kGo; kProblem (`text`)
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>

#include "base/stream.h"
#include "skinmask/media/video.h"

namespace [[gnu::visibility("default")]] skinmask {

struct DecoderMessage {
  enum class Kind : std::int32_t {
    kStart,
    kStartVideo,
    kStarted,
    kEnd,
    kEnded,
    kDecode,
    kTake,
    kGo,
    kPicture,
    kOpenVideo,
    kVideo,
    kReadFrame,
    kFrame,
    kEndOfVideo,
    kSkip,
    kProblem
  };
  Kind kind{};
  std::int32_t rows = 0, cols = 0, type = 0;  // of a picture
  std::int32_t scale = 1;                     // these five as DecodeOptions has them
  bool keep_grey = false, keep_depth = false, lenient = false;
  bool with_tags = false;       // what the file says beside its pixels is wanted
  double dpi_x = 0, dpi_y = 0;  // these three as PictureTags has them; the profile itself is
  std::int64_t icc_size = 0;    // in shared memory after the pixels
  std::int64_t max_pixels = 0;
  std::int64_t number = 0;
  std::uint32_t text_size = 0;
  char text[4096] = {};

  void SetText(std::string_view value);
  std::string_view Text() const;
  // Numbers instead of text.
  template <class Words>
  void SetWords(const Words& words) {
    static_assert(std::is_trivially_copyable_v<Words> && sizeof words <= sizeof text);
    SetText({reinterpret_cast<const char*>(&words), sizeof words});
  }
  template <class Words>
  Words WordsOf() const {
    Words words{};
    std::memcpy(&words, text, sizeof words);
    return words;
  }
};

// Of videos. Whatever comes may be any number, and is looked at before it becomes what it stands
// for.
struct OpenVideoWords {
  std::int32_t threads, is_raw, width, height;
  Rational rate;
  std::int64_t max_pixels;
  char pixel_format[64];
};
struct VideoWords {
  std::int32_t width, height, rotation, mirrored, sound, has_frames, has_seconds;
  Rational rate, time_base, pixel_aspect;
  std::int64_t frames;
  double seconds;
  char codec[64];
};
struct FrameWords {
  std::int32_t layout, matrix, range, width, height, rotation, mirrored;
  std::int64_t pts, index;
  double seconds;
};

// The descriptor under which the server, and each decoder, has its socket.
inline constexpr int kDecoderServerSocket = 3;

// Two ends of a new connection. Throws Error.
struct SocketPair {
  SocketPair();
  Descriptor one{-1}, other{-1};
};

// False where nobody is at the other end. `descriptor` goes along, if there is one.
bool SendMessage(int socket, const DecoderMessage& message, int descriptor = -1);
// Waits for one. False where nobody is at the other end, or what comes is no message.
bool ReceiveMessage(int socket, DecoderMessage& message, Descriptor& descriptor);

// Memory of two processes: one makes it, and the other maps what it was sent. It cannot shrink, so
// that nobody reads beyond its end.
class SharedBytes {
 public:
  // Room for so many bytes. New memory is made where there is too little: `is_new` then, until Sent
  // says that the other process has it. Throws std::bad_alloc.
  std::uint8_t* Get(std::size_t size);
  int descriptor() const { return is_new_ ? file_.get() : -1; }
  void Sent() { is_new_ = false; }
  // Maps what another process made. False where it is no such memory.
  bool Map(Descriptor file);

  const std::uint8_t* data() const { return data_.get(); }
  std::size_t size() const { return data_.get_deleter().size; }

 private:
  struct Unmap {
    void operator()(std::uint8_t* data) const;
    std::size_t size;
  };
  bool MapAll(std::size_t size, int protection);
  Descriptor file_{-1};
  std::unique_ptr<std::uint8_t, Unmap> data_;
  bool is_new_ = false;
};

}  // namespace skinmask
