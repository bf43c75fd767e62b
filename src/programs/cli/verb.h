// How verbs declare their options.
#pragma once

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "programs/cli/context.h"
#include "programs/cli/option_checks.h"

namespace skinmask::cli {

// A verb with the options that all have. `examples` end its help.
CLI::App* AddVerb(CLI::App& app, const std::string& name, const std::string& summary,
                  const std::string& examples, Context& context);
// Options that several have.
void AddModelOption(CLI::App& verb, Context& context);
void AddJsonOption(CLI::App& verb, Context& context);
void AddForceOption(CLI::App& verb, Context& context);
void AddSandboxOption(CLI::App& verb, Context& context,
                      const std::string& text =
                          "Give up the network, and all files but inputs "
                          "and outputs, as far as the kernel has means");
// Of verbs that run over inputs: --force, --json, --max-failures and --sandbox.
void AddRunOptions(CLI::App& verb, Context& context);
void AddMaxPixelsOption(CLI::App& verb, std::int64_t& max_pixels);

// Options under one heading of the help.
class OptionGroup {
 public:
  explicit OptionGroup(CLI::App& verb, std::string heading = "General")
      : verb_(verb), heading_(std::move(heading)) {}

  // An option; in the help `value` stands for what it takes.
  template <class T>
  CLI::Option* Add(const std::string& names, T& variable, const std::string& value,
                   const std::string& text) const {
    return verb_.add_option(names, variable, text)->type_name(value)->group(heading_);
  }
  // One whose default, that of the variable, is in the help.
  template <class T>
  CLI::Option* AddDefault(const std::string& names, T& variable, const std::string& value,
                          const std::string& text) const {
    return Add(names, variable, value, text)->capture_default_str();
  }
  // One that takes one of some words.
  CLI::Option* AddChoice(const std::string& names, std::string& variable,
                         const std::vector<std::string>& words, const std::string& text) const {
    return AddDefault(names, variable, fmt::format("{}", fmt::join(words, "|")), text)
        ->check(OneOf(words));
  }
  CLI::Option* AddFlag(const std::string& names, bool& variable, const std::string& text) const {
    return verb_.add_flag(names, variable, text)->group(heading_);
  }

 private:
  CLI::App& verb_;
  std::string heading_;
};

}  // namespace skinmask::cli
