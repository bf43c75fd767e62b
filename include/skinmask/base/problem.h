// A Problem describes one failure of a run, for its caller.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

// Receives one line for the user.
using LineSink = std::function<void(const std::string&)>;

// A failure to process a file, or something else that was named as input.
struct Problem {
  // `what` is wrong with `input`.
  Problem(std::string input, std::string_view what);
  // The failure `error` while `input` was processed. If it is an Error, its line is kept as it is,
  // also where its subject is another file.
  Problem(std::string input, const std::exception& error);

  // The line without its subject, if the subject is `input`.
  std::string Reason() const;

  std::string input;  // the name with its original bytes
  std::string line;   // 'subject: what is wrong (what would be right)', as Error has it
  // The line that people are shown instead of `line`. Where many problems are alike, it is empty
  // for most of them, and for the last one it is a line with their number.
  std::optional<std::string> shown{};
  // True if this is one of the failed inputs that a run may tolerate. A lost shard stands for many
  // inputs.
  bool tolerable = true;
};

using ProblemSink = std::function<void(const Problem&)>;

// Receives each file that is left out, with the reason.
using PassedOver = std::function<void(const std::filesystem::path&, const std::string& reason)>;

}  // namespace skinmask
