#include "programs/cli/run_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "programs/cli/flag_hints.h"

namespace skinmask::cli {
namespace {

constexpr const char* kThere = "its outputs exist already";

// 1984 as "1,984".
std::string Grouped(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace

void RunRecord::Plan(const std::string& input, bool there) {
  planned_.push_back(input);
  if (there) skipped_.push_back({input, kThere});
}

void RunRecord::Skip(const std::filesystem::path& file, const std::string& reason) {
  skipped_.push_back({file.string(), reason});
}

std::vector<std::string> RunRecord::LeftOut() const {
  std::vector<std::string> inputs;
  for (const Skipped& skipped : skipped_)
    if (skipped.reason == kThere) inputs.push_back(skipped.input);
  return inputs;
}

bool RunRecord::Leaves(const std::string& input) const {
  return std::ranges::any_of(
      skipped_, [&](const Skipped& s) { return s.input == input && s.reason == kThere; });
}

std::string RunRecord::Line(bool interrupted) const {
  const double seconds = SecondsSince(start_);
  return fmt::format("{} failed, {} skipped, {} of {} done in {:.{}f} s{}", Grouped(failed_.size()),
                     Grouped(skipped_.size()), Grouped(done_), Grouped(planned_.size()), seconds,
                     seconds < 9.95 ? 1 : 0, interrupted ? " (interrupted)" : "");
}

void RunRecord::AddTo(Json& root, bool interrupted) const {
  Json& failed = root["failed"] = Json::array();
  for (const Problem& problem : failed_)
    failed.push_back({{"input", problem.input}, {"reason", WithFlags(problem.Reason())}});
  Json& skipped = root["skipped"] = Json::array();
  for (const auto& [input, reason] : skipped_)
    if (!listed_.count(input)) skipped.push_back({{"input", input}, {"reason", WithFlags(reason)}});
  root["interrupted"] = interrupted;
}

}  // namespace skinmask::cli
