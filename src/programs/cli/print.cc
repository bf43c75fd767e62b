#include "programs/cli/print.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "base/blocking_call.h"
#include "base/stream.h"

namespace skinmask::cli {
namespace {

std::FILE* messages = nullptr;  // null: standard error

int output_error = 0;  // errno of the first write to standard output that failed

// A stream records that a write failed, but not the reason.
void KeepOutputError() {
  if (output_error == 0 && std::ferror(stdout) != 0) output_error = errno;
}

constexpr std::string_view kEmptyLine = "\r\x1b[K";
std::string bar;  // the bar on the terminal; empty: none

void Draw() {
  PrintExactly(std::string(kEmptyLine) + bar, MessageStream());
  std::fflush(MessageStream());
}

// The most bytes of the bar. A bar of two lines could not be erased completely. No character has
// more columns than bytes.
std::size_t BytesOfLine() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  const bool told = ioctl(fileno(MessageStream()), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (told ? size.ws_col : kUsual) - 1;
}

// Formats a rate: "7", or "0.3".
std::string RateOf(double a_second) {
  constexpr double kFew = 9.95;
  return fmt::format("{:.{}f}", a_second, a_second < kFew ? 1 : 0);
}

// "12 images/s  3.4 Mpx/s".
std::string Rates(std::size_t done, const std::string& what, std::uint64_t pixels, double seconds) {
  return fmt::format("{} {}/s  {} Mpx/s", RateOf(static_cast<double>(done) / seconds), what,
                     RateOf(static_cast<double>(pixels) / seconds / 1e6));
}

}  // namespace

void GuardStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)  // open(2) gives the lowest free number
      if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) break;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

std::FILE* MessageStream() { return messages ? messages : stderr; }

void SilenceLibraries() {
#ifndef SKINMASK_SANITIZED
  Descriptor own(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  const Descriptor nowhere("/dev/null", O_WRONLY);
  if (own.get() < 0 || nowhere.get() < 0) return;
  std::FILE* const stream = fdopen(own.get(), "w");
  if (!stream) return;
  own.Release();
  std::setvbuf(stream, nullptr, _IONBF, 0);  // unbuffered like standard error
  std::fflush(stderr);
  dup2(nowhere.get(), STDERR_FILENO);
  messages = stream;
#endif
}

void PrintExactly(std::string_view text, std::FILE* to) {
  const BlockingCall writing;  // the stream may be a pipe
  std::fwrite(text.data(), 1, text.size(), to);
  if (to == stdout) KeepOutputError();
}

void Flush(std::FILE* to) {
  const BlockingCall writing;
  std::fflush(to);
  if (to == stdout) KeepOutputError();
}

void RequireOutputWritten() {
  Flush(stdout);
  if (output_error != 0) FailToWrite("standard output", output_error);
}

std::FILE* OpenToWrite(const std::filesystem::path& path, IfExists if_exists) {
  const bool append = if_exists == IfExists::kKeep;
  const int how = append ? O_APPEND : if_exists == IfExists::kReplace ? O_TRUNC : O_EXCL;
  Descriptor opened(path, O_WRONLY | O_CREAT | O_CLOEXEC | how);
  std::FILE* const stream = opened.get() < 0 ? nullptr : fdopen(opened.get(), append ? "a" : "w");
  if (stream) opened.Release();
  return stream;
}

AboveBar::AboveBar(std::FILE* to) : there_(!bar.empty() && isatty(fileno(to)) == 1) {
  if (!there_) return;
  PrintExactly(kEmptyLine, MessageStream());
  std::fflush(MessageStream());
}

AboveBar::~AboveBar() {
  if (!there_) return;
  Flush(stdout);
  Draw();
}

Progress::Progress(std::string unit, bool quiet)
    : unit_(std::move(unit)), enabled_(!quiet && isatty(fileno(MessageStream())) == 1) {}

void Progress::Show(std::size_t done, std::size_t total, std::uint64_t pixels) {
  const double elapsed = SecondsSince(start_);
  constexpr double kQuietSeconds = 2, kRefreshSeconds = 0.1;
  if (!enabled_ || elapsed < kQuietSeconds) return;
  const bool last = done == total;
  if (SecondsSince(last_) < kRefreshSeconds && !last) return;
  last_ = Clock::now();
  const std::string what = unit_.substr(0, unit_.find(' '));
  std::string before = std::to_string(done) + " ",
              after = "  " + Rates(done, what, pixels, elapsed);
  if (done <= total) {
    constexpr std::size_t kWidth = 24;
    const std::size_t filled = kWidth * done / total;
    const double left = elapsed / static_cast<double>(done) * static_cast<double>(total - done);
    before = fmt::format("[{:#<{}}{:.<{}}] {}/{} ", "", filled, "", kWidth - filled, done, total);
    after += fmt::format("  {:.0f} s left", left);
  }
  const std::size_t room = BytesOfLine(), taken = before.size() + after.size();
  before += StartOf(Printable(unit_), room - std::min(room, taken));
  bar = StartOf(before + after, room);
  Draw();
}

void Progress::Begin(const std::string& unit) {
  Clear();
  unit_ = unit;
  start_ = last_ = Clock::now();
}

void Progress::Clear() {
  if (bar.empty()) return;
  bar.clear();
  Draw();
}

}  // namespace skinmask::cli
