// The client side of the processes that decode untrusted files (skinmask/media/isolation.h).
#pragma once

#include <sys/types.h>

#include <functional>
#include <mutex>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/elapsed.h"
#include "base/stream.h"
#include "media/decoder_messages.h"
#include "skinmask/base/error.h"
#include "skinmask/media/image.h"

namespace skinmask {

struct DecoderProcess {
  pid_t id = 0;
  Descriptor socket{-1};
  SharedBytes file, pixels;  // written by us, and by the decoder
  bool used = false;         // it has decoded a file already
};

// Returns make(). Errors of decoders, not of their files, get the name of the input.
template <class Make>
auto ForInput(std::string_view subject, const Make& make) {
  try {
    return make();
  } catch (const Error& e) {
    throw Error(subject, e.what());
  }
}

// The decoder server and the idle decoders. Thread-safe.
class DecoderProcesses {
 public:
  static DecoderProcesses& Get();

  void Prepare();
  // Returns an idle decoder of images. If there is none, or with `fresh`, sends the server `start`
  // with `text`, which starts a new decoder.
  DecoderProcess Take(DecoderMessage::Kind start, std::string_view text, bool fresh);
  void Keep(DecoderProcess process);
  // Ends the process. Returns its wait status; 0 if unknown.
  int End(const DecoderProcess& process);
  void EndAll();

 private:
  void Start();
  bool Ask(DecoderMessage& message, DecoderMessage::Kind answer, Descriptor& descriptor);
  void Forget();

  std::mutex mutex_;
  Descriptor control_{-1};
  pid_t server_ = 0;
  std::vector<DecoderProcess> idle_;
};

// A decoder that is of no more use: it has ended, or does not answer as decoders do, or takes too
// long, which is then the `reason`.
struct DecoderFailed {
  std::string reason{};
};

// One piece of work of a decoder, with limits on its CPU time and elapsed time.
class DecoderWork {
 public:
  DecoderWork(DecoderProcess& process, double max_seconds);

  // Throws DecoderFailed, as all of these functions do.
  void CheckTime() const;
  void Send(const DecoderMessage& message, int descriptor = -1);
  // Waits for the next message. Shared memory that comes with it becomes process.pixels.
  // `check_stop` is called regularly; an exception of it ends the wait.
  void Receive(DecoderMessage& message, const std::function<void()>& check_stop);
  // Subtracts elapsed time that this process used.
  void Leave(double seconds) { left_ += seconds; }

 private:
  DecoderProcess& process_;
  const double max_seconds_, cpu_before_;
  const Clock::time_point begun_ = Clock::now();
  double left_ = 0;
};

// Ends such a process. Returns why it failed.
std::string EndFailed(DecoderProcess& process, const DecoderFailed& failure);

// Decodes an image in such a process like DecodeImage, but keeps the colours as they are stored and
// fills `tags`, if not null, with the metadata. `module` is the module of the format's decoder, or
// empty. Throws Error also if the decoder crashes or exceeds its limits of time or memory, and
// WaitStopped if the run is stopped meanwhile.
cv::Mat DecodeIsolated(std::string_view bytes, std::string_view subject,
                       const DecodeOptions& options, std::string_view module, PictureTags* tags);

// The isolation of the options or, if absent, the default of the program (IsolateBy).
const Isolation& IsolationOf(const std::optional<Isolation>& chosen);

}  // namespace skinmask
