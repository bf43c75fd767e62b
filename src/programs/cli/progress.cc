#include "programs/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "programs/cli/print.h"

namespace skinmask::cli {
namespace {

constexpr std::string_view kEmptyLine = "\r\x1b[K";

void Draw(const std::string& line) {
  PrintExactly(std::string(kEmptyLine) + Printable(line), MessageStream());
}

}  // namespace

Progress::Progress(std::string unit, bool quiet)
    : unit_(std::move(unit)), enabled_(!quiet && isatty(fileno(MessageStream())) == 1) {}

void Progress::Show(std::size_t done, std::size_t total, std::uint64_t pixels) {
  const double elapsed = SecondsSince(start_);
  constexpr double kQuietSeconds = 2, kRefreshSeconds = 0.1;
  if (!enabled_ || elapsed < kQuietSeconds) return;
  const bool last = done == total;
  if (SecondsSince(last_) < kRefreshSeconds && !last) return;
  last_ = Clock::now();
  const std::string rate = fmt::format("{:.0f} Mpx/s", static_cast<double>(pixels) / elapsed / 1e6);
  if (done > total) {
    Draw(fmt::format("{} {}  {}", done, unit_, rate));
  } else {
    constexpr std::size_t kWidth = 24;
    const std::size_t filled = kWidth * done / total;
    const double left = elapsed / static_cast<double>(done) * static_cast<double>(total - done);
    Draw(fmt::format("[{:#<{}}{:.<{}}] {}/{} {}  {}  {:.0f} s left", "", filled, "",
                     kWidth - filled, done, total, unit_, rate, left));
  }
  std::fflush(MessageStream());
  drawn_ = true;
}

void Progress::Begin(const std::string& unit) {
  Clear();
  unit_ = unit;
  start_ = last_ = Clock::now();
}

void Progress::Clear() {
  if (drawn_) PrintExactly(kEmptyLine, MessageStream());
  drawn_ = false;
}

}  // namespace skinmask::cli
