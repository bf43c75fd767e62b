#include "programs/cli/option_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest.h"
#include "programs/cli/usage_error.h"
#include "skinmask/base/file.h"

namespace skinmask::cli {
namespace {

// Finite numbers that are `good`; `wanted` ends the line about others.
CLI::Validator FiniteNumber(bool (*good)(double), const std::string& wanted) {
  return CLI::Validator(
      [good, wanted](std::string& text) {
        double value = 0;
        const bool fits =
            CLI::detail::lexical_cast(text, value) && std::isfinite(value) && good(value);
        return fits ? std::string() : "'" + text + "' is no " + wanted;
      },
      "");
}

}  // namespace

CLI::Validator Probability() {
  return FiniteNumber([](double value) { return value >= 0 && value <= 1; },
                      "probability from 0 to 1");
}

CLI::Validator Positive() {
  return FiniteNumber([](double value) { return value > 0; }, "number above 0");
}

CLI::Validator NotNegative() {
  return FiniteNumber([](double value) { return value >= 0; }, "number from 0 up");
}

CLI::Validator OneOf(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](const std::string& text) {
        const bool known = std::ranges::find(words, text) != words.end();
        return known ? std::string() : "'" + text + "' " + UnknownAmong(text, words);
      },
      "");
}

CLI::Validator NamedLike(const std::vector<std::string>& extensions, const std::string& what) {
  return CLI::Validator(
      [extensions, what](const std::string& file) {
        const std::string own = ExtensionOf(file);
        if (own.empty() || std::ranges::find(extensions, own) != extensions.end())
          return std::string();
        return fmt::format("'{}' is no name of {} (FILE{})", file, what,
                           fmt::join(extensions, " or FILE"));
      },
      "");
}

CLI::Validator DashIsOutput() {
  return CLI::Validator(
      [](std::string& file) {
        if (file == "-") file = kStandardOutput;
        return std::string();
      },
      "");
}

std::string ExtensionOf(const std::filesystem::path& file) {
  return CLI::detail::to_lower(file.extension());
}

void RequireFiles(const std::vector<std::string>& partials, const std::string& option) {
  std::error_code ignored;
  for (const std::string& file : partials)
    if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
      throw UsageError(fmt::format("{}{}{}: is no file (parts are read more than once)", option,
                                   option.empty() ? "" : " ", file));
}

void RequireApart(const std::filesystem::path& a, const std::string& option_a,
                  const std::filesystem::path& b, const std::string& option_b) {
  if (a.empty() || b.empty() || a == "-" || b == "-" || FileIdentity(a) != FileIdentity(b)) return;
  throw UsageError(fmt::format("{} and {} are the same file, {}", option_a, option_b, a.string()));
}

}  // namespace skinmask::cli
