// The help of all verbs: CLI11's, in lines of at most a hundred columns.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace skinmask::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  // The text in lines, which CLI11 indents as it does the first.
  std::string make_option_desc(const CLI::Option* option) const override;
  // The options that exclude each other by name: CLI11 has them in the order of their addresses.
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace skinmask::cli
