// A process that decodes one video, frame by frame, when it is asked for the next.
#pragma once

#include <optional>
#include <string>

#include "media/decoder_messages.h"
#include "programs/decoders/memory_limit.h"
#include "skinmask/media/video.h"

namespace skinmask {

class VideoService {
 public:
  // `file` may be empty: then a pipe comes with the first message.
  VideoService(int socket, const std::string& file) : socket_(socket), file_(file) {}
  // Until nobody asks any more.
  void Serve();

 private:
  DecoderMessage Answer(const DecoderMessage& request);
  DecoderMessage Open(const OpenVideoWords& words);
  DecoderMessage Read();

  const int socket_;
  std::string file_;
  Descriptor pipe_{-1};
  const MemoryLimit limit_;
  std::optional<VideoReader> reader_;
  SharedBytes pixels_;
};

}  // namespace skinmask
