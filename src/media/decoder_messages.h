// The protocol between this process, the decoder server (programs/decoders) and its decoders:
// messages over local sockets that keep message boundaries, and bytes in shared memory.
//
//   to the server     kStart (a decoder with the module `text` loaded), kStartVideo (a decoder that
//                     may read the file `text`), kEnd (end process `number`)
//   from the server   kStarted (process `number`, and its socket), kEnded (wait status `number`)
//   to a decoder      kDecode (`number` bytes), kGo; kOpenVideo (with `number` threads; the
//                     file of kStartVideo, or a pipe that is sent along; `text` is the pixel format
//                     of a raw video, else empty), kReadFrame, kSkip (to `number`, of unit `type`)
//   from a decoder    kTake (asks to hold `number` pixels and waits for kGo), kPicture; kVideo,
//                     kFrame, kEndOfVideo, kGo; kProblem (`text`)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <opencv2/core.hpp>
#include <string_view>
#include <utility>

#include "base/stream.h"
#include "skinmask/media/video.h"

namespace [[gnu::visibility("default")]] skinmask {

// What decoders tell of videos. The receiver must validate every number, because the sender may be
// compromised.
struct VideoWords {
  cv::Size size;
  std::int32_t rotation = 0, mirrored = 0, sound = 0;
  Rational rate, time_base, pixel_aspect;
  std::int64_t frames = -1;  // -1: unknown
  double seconds = -1;       // likewise
  char codec[64] = {};
};
struct FrameWords {
  std::int32_t layout = 0, matrix = 0, range = 0;
  cv::Size size;
  std::int32_t rotation = 0, mirrored = 0;
  std::int64_t pts = 0, duration = 0, index = 0;
  double seconds = 0;
};

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
  std::int32_t rows = 0, cols = 0, type = 0;  // of a picture, or of a raw video's frames
  std::int32_t scale = 1;                     // these five: see DecodeOptions
  bool keep_grey = false, keep_depth = false, lenient = false;
  bool with_tags = false;       // the metadata are requested
  double dpi_x = 0, dpi_y = 0;  // see PictureTags
  std::int64_t icc_size = 0;    // the ICC profile is in shared memory after the pixels
  std::int64_t max_pixels = 0;
  std::int64_t number = 0;
  Rational rate{};  // of a raw video
  VideoWords video{};
  FrameWords frame{};
  std::uint32_t text_size = 0;
  char text[4096] = {};

  void SetText(std::string_view value);
  std::string_view Text() const;
};

// The number of the descriptor of the socket, in the server and in each decoder.
inline constexpr int kDecoderServerSocket = 3;

// The two ends of a new connection. The constructor throws Error.
struct SocketPair {
  SocketPair();
  Descriptor one{-1}, other{-1};
};

// Returns false if the other end is closed. Sends `descriptor` along, if it is not -1.
bool SendMessage(int socket, const DecoderMessage& message, int descriptor = -1);
// Waits for a message. Returns false if the other end is closed, or if the data are not a message.
bool ReceiveMessage(int socket, DecoderMessage& message, Descriptor& descriptor);

// Memory shared by two processes: one creates it, the other maps the descriptor that it received.
// The memory is sealed against shrinking, so that no process reads beyond its end.
class SharedBytes {
 public:
  // Returns at least `size` bytes. If the present memory is too small, creates new memory, whose
  // descriptor must be sent to the other process. Throws Error, and std::bad_alloc.
  std::uint8_t* Get(std::size_t size);
  // The descriptor of new memory, once; -1 afterwards.
  int TakeDescriptor() { return std::exchange(is_new_, false) ? file_.get() : -1; }
  // Maps memory of another process. Returns false if it is not such memory.
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
