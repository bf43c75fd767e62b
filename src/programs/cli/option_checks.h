// Checks of what options are given. Their descriptions are empty: the help says it in words.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace skinmask::cli {

// A probability from 0 to 1.
CLI::Validator Probability();
// Finite numbers, above 0 and not below it.
CLI::Validator Positive();
CLI::Validator NotNegative();
// One of these words.
CLI::Validator OneOf(const std::vector<std::string>& words);
// The names that the library has for something, as words.
inline std::vector<std::string> WordsOf(const std::vector<std::string_view>& names) {
  return {names.begin(), names.end()};
}
// Files whose extension, where they have one, is among these; `what` is what they are.
CLI::Validator NamedLike(const std::vector<std::string>& extensions, const std::string& what);
// Takes - for standard output under its name as a file, for what writes files.
CLI::Validator DashIsOutput();
std::string ExtensionOf(const std::filesystem::path& file);  // in lower case: ".png"
// Numbers of a range, ends included.
template <class T>
CLI::Validator Within(T least, T most) {
  return CLI::Range(least, most).description("");
}

// Throws UsageError for what is no file that can be read again and again, as pipes cannot; `option`
// names them, or is empty.
void RequireFiles(const std::vector<std::string>& partials, const std::string& option);

// Throws UsageError where two options name one file. Empty names and "-" are no files.
void RequireApart(const std::filesystem::path& a, const std::string& option_a,
                  const std::filesystem::path& b, const std::string& option_b);

}  // namespace skinmask::cli
