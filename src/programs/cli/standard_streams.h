// The three standard streams as strangers leave them: closed, full, or a pipe that nobody reads.
#pragma once

namespace skinmask::cli {

// Once, before anything is opened or printed. A stream that is closed is opened such that using it
// fails, so that no file gets its number, and with it our messages. A write that fails says so
// (EPIPE, EFBIG) instead of a signal that kills.
void GuardStandardStreams();

// From now on nothing that libraries print reaches standard error, but what goes to
// MessageStream() does: some decoders tell of a damaged file in lines that do not name it. Where
// the system gives no descriptor, all stays as it is; with sanitizers, too, whose reports would be
// lost.
void SilenceLibraries();

// Throws Error where something that was printed on standard output did not get there.
void RequireOutputWritten();

}  // namespace skinmask::cli
