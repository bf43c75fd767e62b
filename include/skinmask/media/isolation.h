// Decoders in processes of their own. What a stranger's file makes of its decoder (a crash, a loop
// without end, all of the memory) then costs that file, and neither the run nor the host.
#pragma once

#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

// What is decoded in such processes.
enum class Isolate {
  kNone,  // all in this process
  kAuto,  // images but JPEG and PNG, whose decoders are small and have been looked at longest
  kAll,   // all images, and videos that are files (whose sound is then not copied)
};
Isolate IsolateFromName(std::string_view name);  // none, auto, all; throws Error for any other

struct Isolation {
  Isolate isolate = Isolate::kNone;
  // Of the processor, for an image or a frame that is decoded in such a process, and ten times as
  // long by the clock, where the decoder sleeps. It is then ended, and the file is an Error.
  double max_seconds = 60;
};

// Of all files from now on for which nobody says it (DecodeOptions, DetectOptions): for programs,
// before their first one. It is kNone for libraries.
void IsolateBy(const Isolation& isolation);

// The processes are the children of one program of ours, skinmask-decoders, which is started when
// it is first needed. A process that is going to enter a sandbox, and so can start none later,
// calls this before, while it has one thread: it costs a fork, and the program is loaded when it is
// needed. Throws Error where it is not installed.
void PrepareDecoders();
// Ends them, and waits for that, at the end of a process that wants to leave nothing to others to
// wait for. (They end by themselves whenever the process that uses them is gone.)
void EndDecoders();

}  // namespace skinmask
