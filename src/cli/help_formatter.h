// Help that leads with examples and fits into 80 columns.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace cyclescope::cli {

// A command's examples are CLI11's footer, which help shows at the top instead. The names are
// CLI11's.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

}  // namespace cyclescope::cli
