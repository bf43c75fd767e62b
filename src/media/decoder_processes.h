// The processes that decode strangers' files (skinmask/media/isolation.h), as the process with the
// work sees them.
#pragma once

#include <sys/types.h>

#include <atomic>
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
#include "skinmask/media/image.h"

namespace skinmask {

// One process that decodes.
struct DecoderProcess {
  pid_t id = 0;
  Descriptor socket{-1};
  SharedBytes file, pixels;  // ours, and the process's
  bool used = false;         // it has decoded a file before
};

// The server, and the processes that have nothing to do. Safe from many threads.
class DecoderProcesses {
 public:
  static DecoderProcesses& Get();

  void Prepare();
  // One that waits, with the module `module` loaded (empty: none), or where none does, or `fresh`
  // is asked for, a new one.
  DecoderProcess Take(std::string_view module, bool fresh);
  // A new one that may read this file, and no other, as a video.
  DecoderProcess TakeForVideo(const std::string& file);
  void Keep(DecoderProcess process);
  // Its wait status; absent where nobody knows.
  std::optional<int> End(const DecoderProcess& process);
  void EndAll();

 private:
  void Start();
  DecoderProcess Begin(DecoderMessage message);
  bool Ask(DecoderMessage& message, DecoderMessage::Kind answer, Descriptor& descriptor);
  void Forget();

  static inline std::atomic<DecoderProcesses*> instance_ = nullptr;
  std::mutex mutex_;
  Descriptor control_{-1};
  pid_t server_ = 0;
  std::vector<DecoderProcess> idle_;
};

struct DecoderTooLong {
  std::string text;  // what is said of the file
};
struct DecoderGone {};

// What one piece of work takes of a process, of the processor's time and by the clock.
class DecoderWork {
 public:
  DecoderWork(DecoderProcess& process, double max_seconds);

  // Throws DecoderTooLong.
  void CheckTime() const;
  // Throws DecoderGone.
  void Send(const DecoderMessage& message, int descriptor = -1);
  // The next message; pixels that come with it are the process's from now on. `check_stop` is
  // called now and then, and ends the wait by what it throws. Throws DecoderTooLong, DecoderGone.
  void Receive(DecoderMessage& message, const std::function<void()>& check_stop);
  // Time by the clock that is not the process's.
  void Leave(double seconds) { left_ += seconds; }

 private:
  DecoderProcess& process_;
  const double max_seconds_, cpu_before_;
  const Clock::time_point begun_ = Clock::now();
  double left_ = 0;
};

// Why a process of this wait status has said nothing more.
std::string WhyDecoderIsGone(const std::optional<int>& status);

// In such a process: as DecodeImage, but colours stay as they are stored; `tags`, if not null, is
// filled with what the file says of them. `module` is what holds the format's decoder, or empty.
// Throws Error, too, where the decoder crashes, or takes more than its time or memory, and
// WaitStopped where the run is stopped meanwhile.
cv::Mat DecodeIsolated(std::string_view bytes, std::string_view subject,
                       const DecodeOptions& options, std::string_view module, PictureTags* tags);

// What the options say, or where they do not, the program.
const Isolation& IsolationOf(const std::optional<Isolation>& chosen);

}  // namespace skinmask
