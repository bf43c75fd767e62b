#include "programs/cli/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parse.h"
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

bool lexical_cast(const std::string& text, FailureLimit& limit) {
  const bool percent = text.ends_with('%');
  const std::string number = percent ? text.substr(0, text.size() - 1) : text;
  const auto value = ParseNumber<double>(number);
  const bool whole = value && *value == std::floor(*value);
  if (!value || !(*value >= 0) || (percent ? *value > 100 : !whole)) return false;
  limit = {*value, percent};
  return true;
}

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

bool RunRecord::IsWithin(const FailureLimit& limit) const {
  const double inputs = static_cast<double>(planned_.size());
  const double most = limit.percent ? limit.number / 100 * inputs : limit.number;
  return static_cast<double>(failed_.size()) <= most;
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
