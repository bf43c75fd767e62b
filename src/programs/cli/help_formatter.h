// The help of all verbs: CLI11's, in lines that fit the terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace skinmask::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  // For what `descriptor` leads to: a terminal's own width (COLUMNS in the environment, or what
  // the terminal says), at most a hundred columns, which is also the width of all else.
  explicit HelpFormatter(int descriptor);

  std::string make_description(const CLI::App* app) const override;
  std::string make_subcommand(const CLI::App* sub) const override;
  // Groups of options stand in one order for all verbs, from input to output.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  // The text with the default and what it excludes, in lines, which CLI11 indents as it does the
  // first.
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_option_opts(const CLI::Option* option) const override;

 private:
  std::string Groups(const CLI::App* app) const;

  std::size_t columns_;
};

}  // namespace skinmask::cli
