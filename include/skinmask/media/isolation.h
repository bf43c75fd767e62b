// Decoders in separate processes. If an untrusted file makes its decoder crash, loop forever or use
// all memory, only that file fails; the run and the host continue.
#pragma once

#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

// What is decoded in separate processes.
enum class Isolate {
  kNone,  // everything is decoded in this process
  kAuto,  // images except JPEG and PNG, whose decoders are small and the best reviewed
  kAll,   // all images, and videos in files (their sound is then not copied)
};
Isolate IsolateFromName(std::string_view name);  // none, auto, all; throws Error for any other

struct Isolation {
  Isolate isolate = Isolate::kNone;
  // The limit of CPU time for an image or a frame in such a process. The limit of elapsed time is
  // ten times as long, for decoders that sleep. Beyond a limit the process is ended, and the file
  // is an Error.
  double max_seconds = 60;
};

// Sets the default for all files whose options name no Isolation (DecodeOptions, DetectOptions).
// For programs, before their first file. The initial default is kNone, as libraries need it.
void IsolateBy(const Isolation& isolation);

// The processes are children of one program, skinmask-decoders, which is started when it is first
// needed. A process that is going to enter a sandbox, where it cannot start programs, calls this
// function before, while it has one thread. It costs a fork; the program itself is loaded when it
// is needed. Throws Error if it is not installed.
void PrepareDecoders();
// Ends the processes and waits for their end, for a process that must leave no children behind.
// (They also end by themselves when the process that uses them is gone.)
void EndDecoders();

}  // namespace skinmask
