// What is printed: results on standard output, messages and the bar of progress on standard error.
// Both streams may be as strangers leave them: closed, full, or a pipe that nobody reads.
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
#include "skinmask/base/options.h"

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

// While a line is written to `to`, the bar of progress is off the terminal; then it is drawn below
// the line.
class AboveBar {
 public:
  explicit AboveBar(std::FILE* to);
  ~AboveBar();
  AboveBar(const AboveBar&) = delete;
  AboveBar& operator=(const AboveBar&) = delete;

 private:
  const bool there_;
};

// Text as it is, JSON and what draws on a terminal. What cannot be written to standard error is
// lost, and the work goes on; of standard output it shows at the end (RequireOutputWritten), where
// it blames no photograph.
void PrintExactly(std::string_view text, std::FILE* to);
// What was printed there has left the process; it fails as PrintExactly does.
void Flush(std::FILE* to);

// A stream to a file, a pipe or a device, which is emptied unless `append`; standard output itself
// by its name, with what it has. Null where it cannot be opened, for which errno says why.
std::FILE* OpenToWrite(const std::filesystem::path& path, bool append);

// Where lines for people go: standard error, also after SilenceLibraries().
std::FILE* MessageStream();

// What the names in a line for people are made: a stranger's may hold lines of its own, orders to
// the terminal, or no end. Other programs read names from standard output, so no path is cut there.
inline constexpr std::size_t kMaxOfName = 4096;
template <std::size_t kMax, class T>
decltype(auto) Cleaned(const T& argument) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return Printable(argument, kMax);
  else
    return (argument);
}

template <class... Arguments>
std::string Formatted(fmt::string_view format, const Arguments&... arguments) {
  return fmt::vformat(format, fmt::make_format_args(arguments...));
}

// Lines for people. What fmt::join joins must be printable already.
template <class... Arguments>
void Print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const AboveBar above(stdout);
  PrintExactly(Formatted(format, Cleaned<kMaxOfName>(arguments)...), stdout);
}
template <class... Arguments>
void PrintError(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const AboveBar above(MessageStream());
  PrintExactly(Formatted(format, Cleaned<kMaxOfLine>(arguments)...), MessageStream());
}

// The flag of an option of the library: "--seed-mask" of "seed_mask".
inline std::string FlagOf(std::string name) {
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

// The library names options in backticks: here they are flags.
inline std::string WithFlags(std::string_view line) {
  return WithOptionNames(
      line, [](const std::string& name) { return name == "overwrite" ? "--force" : FlagOf(name); });
}

// A score, or "-" for 0/0.
inline std::string Shown(const std::optional<double>& value, int decimals = 6) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
}

// A bar of progress on standard error, for terminals only and for runs that take a while.
class Progress {
 public:
  // `unit` is what is counted ("images"). Nothing is drawn when quiet or standard error is no
  // terminal, and nothing in the first two seconds.
  Progress(std::string unit, bool quiet);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // What is counted from now on ("frames of b.mp4"); the clock starts again.
  void Begin(const std::string& unit);
  // `total` is 0 where it is not known.
  void Show(std::size_t done, std::size_t total, std::uint64_t pixels);
  // Takes the bar away for good. (Print and PrintError draw it again below their lines.)
  void Clear();

 private:
  std::string unit_;
  bool enabled_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace skinmask::cli
