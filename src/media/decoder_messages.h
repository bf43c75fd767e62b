// What this process, the server of decoders (programs/decoders) and a decoder say to each other:
// messages by local sockets that keep their borders, and bytes by shared memory.
//
//   this process -> server    kStart (a decoder, with the module `text` loaded), kEnd (of `number`)
//   server -> this process    kStarted (process `number`, its socket), kEnded (wait status
//   `number`) this process -> decoder   kDecode (`number` bytes), kGo decoder -> this process kTake
//   (`number` pixels are about to be held, it waits for kGo),
//                             kPicture, kProblem (`text`)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/stream.h"

namespace [[gnu::visibility("default")]] skinmask {

struct DecoderMessage {
  enum class Kind : std::int32_t {
    kStart,
    kStarted,
    kEnd,
    kEnded,
    kDecode,
    kTake,
    kGo,
    kPicture,
    kProblem
  };
  Kind kind{};
  std::int32_t rows = 0, cols = 0, type = 0;  // of a picture
  std::int32_t scale = 1;                     // these four as DecodeOptions has them
  bool keep_grey = false, lenient = false;
  bool with_tags = false;       // what the file says beside its pixels is wanted
  double dpi_x = 0, dpi_y = 0;  // these three as PictureTags has them; the profile itself is
  std::int64_t icc_size = 0;    // in shared memory after the pixels
  std::int64_t max_pixels = 0;
  std::int64_t number = 0;
  std::uint32_t text_size = 0;
  char text[1500] = {};

  void SetText(std::string_view value);
  std::string_view Text() const;
};

// The descriptor under which the server has its socket.
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
  SharedBytes() = default;
  ~SharedBytes();
  SharedBytes(SharedBytes&& from) noexcept;
  SharedBytes& operator=(SharedBytes&& from) noexcept;

  // Room for so many bytes. New memory is made where there is too little: `is_new` then, until Sent
  // says that the other process has it. Throws std::bad_alloc.
  std::uint8_t* Get(std::size_t size);
  int descriptor() const { return is_new_ ? file_.get() : -1; }
  void Sent() { is_new_ = false; }
  // Maps what another process made. False where it is no such memory.
  bool Map(Descriptor file);

  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  bool MapAll(int protection);
  Descriptor file_{-1};
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  bool is_new_ = false;
};

}  // namespace skinmask
