#include "programs/cli/run_record.h"

#include <fmt/format.h>

#include <cmath>

#include "base/parse.h"
#include "programs/cli/print.h"

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
  planned_.Add(input);
  if (there) left_out_.Add(input);
}

void RunRecord::Skip(const std::filesystem::path& file, const std::string& reason) {
  if (file.empty())
    ++nameless_;
  else
    skipped_.push_back({file.string(), reason});
}

bool RunRecord::IsWithin(const FailureLimit& limit) const {
  const double inputs = static_cast<double>(planned_.size());
  const double most = limit.percent ? limit.number / 100 * inputs : limit.number;
  return static_cast<double>(failed_.size()) <= most &&
         std::ranges::all_of(failed_, &Problem::tolerable);
}

std::string RunRecord::Line(bool interrupted) const {
  const double seconds = SecondsSince(start_);
  return fmt::format("{} failed, {} skipped, {} of {} done in {:.{}f} s{}", Grouped(failed_.size()),
                     Grouped(skipped_.size() + nameless_ + left_out_.size()), Grouped(done_),
                     Grouped(planned_.size()), seconds, seconds < 9.95 ? 1 : 0,
                     interrupted ? " (interrupted)" : "");
}

void RunRecord::AddTo(Json& root, bool interrupted) const {
  Json& failed = root["failed"] = Json::array();
  for (const Problem& problem : failed_)
    failed.push_back({{"input", problem.input}, {"reason", WithFlags(problem.Reason())}});
  Json& skipped = root["skipped"] = Json::array();
  const auto skip = [&](const std::string& input, const std::string& reason) {
    if (!listed_.contains(input))
      skipped.push_back({{"input", input}, {"reason", WithFlags(reason)}});
  };
  for (const auto& [input, reason] : skipped_) skip(input, reason);
  for (std::size_t i = 0; i < left_out_.size(); ++i) skip(std::string(left_out_[i]), kThere);
  root["interrupted"] = interrupted;
}

}  // namespace skinmask::cli
