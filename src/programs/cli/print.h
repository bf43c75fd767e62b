// Printing: results to standard output, messages and the progress bar to standard error. Both
// streams may be closed, full, or a pipe that nobody reads.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/elapsed.h"
#include "base/printable.h"
#include "skinmask/base/file.h"
#include "skinmask/base/options.h"

namespace skinmask::cli {

// Call it once, before anything is opened or printed. A closed standard stream is opened in a way
// that makes its use fail, so that no other file gets its number and our messages. Failing writes
// then return an error (EPIPE, EFBIG) instead of raising a signal that ends the process.
void GuardStandardStreams();

// From now on standard error receives only the text for MessageStream() and nothing that libraries
// print: some decoders report a damaged file in lines that do not name it. If no descriptor is
// available nothing changes; nor with sanitizers, whose reports would be lost.
void SilenceLibraries();

// Throws Error if something that was printed on standard output was not written.
void RequireOutputWritten();

// Removes the progress bar from the terminal while a line is written to `to`, and then draws it
// below the line.
class AboveBar {
 public:
  explicit AboveBar(std::FILE* to);
  ~AboveBar();
  AboveBar(const AboveBar&) = delete;
  AboveBar& operator=(const AboveBar&) = delete;

 private:
  const bool there_;
};

// Prints text unchanged: JSON, and control sequences for a terminal. Write errors on standard error
// are ignored, and the work continues. Write errors on standard output are reported at the end
// (RequireOutputWritten), so that they are not attributed to an input.
void PrintExactly(std::string_view text, std::FILE* to);
// Flushes the stream; errors are treated as in PrintExactly.
void Flush(std::FILE* to);

// Opens a file, a pipe or a device for writing: to append to what exists (kKeep), instead of it
// (kReplace), or only if nothing exists (kFail). The name of standard output stands for that stream
// with its present content. Null if it cannot be opened; errno has the reason.
std::FILE* OpenToWrite(const std::filesystem::path& path, IfExists if_exists);

// The stream for messages: standard error, also after SilenceLibraries().
std::FILE* MessageStream();

// Makes names printable, because an untrusted name may contain line breaks or control sequences for
// the terminal, or be very long. Other programs read names from standard output, so no path is
// truncated there.
inline constexpr std::size_t kMaxOfName = 4096;
template <std::size_t kMax, class T>
decltype(auto) Cleaned(const T& argument) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return Printable(argument, kMax);
  else
    return (argument);
}

// Print a formatted line. The texts that fmt::join joins must be printable already.
template <class... Arguments>
void Print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const AboveBar above(stdout);
  PrintExactly(fmt::format(fmt::runtime(format), Cleaned<kMaxOfName>(arguments)...), stdout);
}
template <class... Arguments>
void PrintError(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const AboveBar above(MessageStream());
  PrintExactly(fmt::format(fmt::runtime(format), Cleaned<kMaxOfLine>(arguments)...),
               MessageStream());
}

// The flag of an option of the library: "--seed-mask" of "seed_mask".
inline std::string FlagOf(std::string name) {
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

// Replaces the library's option names in backticks by flags.
inline std::string WithFlags(std::string_view line) {
  return WithOptionNames(
      line, [](const std::string& name) { return name == "overwrite" ? "--force" : FlagOf(name); });
}

// A score, or "-" for 0/0.
inline std::string Shown(const std::optional<double>& value, int decimals = 6) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
}

// A progress bar on standard error, for terminals only, and for runs that take a while.
class Progress {
 public:
  // `unit` names the counted items ("images"). Nothing is drawn if `quiet`, if standard error is
  // not a terminal, or in the first two seconds.
  Progress(std::string unit, bool quiet);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Changes the counted unit ("frames of b.mp4") and restarts the clock.
  void Begin(const std::string& unit);
  // `total` is 0 if unknown.
  void Show(std::size_t done, std::size_t total, std::uint64_t pixels);
  // Removes the bar for good. (Print and PrintError draw it again below their lines.)
  void Clear();

 private:
  std::string unit_;
  bool enabled_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace skinmask::cli
