// The three standard streams as strangers leave them: closed, full, or a pipe that nobody reads.
#pragma once

namespace skinmask::cli {

// Once, before anything is opened or printed. A stream that is closed is opened such that using it
// fails, so that no file gets its number, and with it our messages. A write that fails says so
// (EPIPE, EFBIG) instead of a signal that kills.
void GuardStandardStreams();

// Throws Error where something that was printed on standard output did not get there.
void RequireOutputWritten();

}  // namespace skinmask::cli
