// A Problem tells whoever watches a run what could not be done.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

// Takes one line about something that a user should know.
using LineSink = std::function<void(const std::string&)>;

// Something about a file, or whatever else was named as input, that could not be done.
struct Problem {
  // `what` is wrong with `input`.
  Problem(std::string input, std::string_view what);
  // What came up at the work on `input`: an Error, whose subject may be another file, or anything
  // else.
  Problem(std::string input, const std::exception& error);

  // The line, without its subject where that is the input.
  std::string Reason() const;

  std::string input;  // its name as it is, with whatever bytes it has
  std::string line;   // 'subject: what is wrong (what would be right)', as Error has it
  // What people are shown in its place: where many are alike, nothing for most of them, and for the
  // last a line that counts them.
  std::optional<std::string> shown{};
  // Whether it is one among the inputs that may fail. A shard that is lost is many.
  bool tolerable = true;
};

using ProblemSink = std::function<void(const Problem&)>;

// Told of a file that is left out, and why.
using PassedOver = std::function<void(const std::filesystem::path&, const std::string& reason)>;

}  // namespace skinmask
