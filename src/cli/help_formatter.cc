#include "cli/help_formatter.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <sstream>

#include "cli/option_table.h"

namespace cyclescope::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kColumn = 26;  // where explanations begin

// `term` and, from kColumn on, its explanation in as many lines as it takes.
std::string TermLines(std::string_view term, const std::string& explanation) {
  std::string text = fmt::format("  {}", term);
  std::size_t column = text.size();
  const auto begin_line = [&] {
    text += '\n';
    text.append(kColumn, ' ');
    column = kColumn;
  };
  if (column + 2 > kColumn) {
    begin_line();
  } else {
    text.append(kColumn - column, ' ');
    column = kColumn;
  }
  std::istringstream words(explanation);
  for (std::string word; words >> word;) {
    if (column > kColumn && column + 1 + word.size() > kWidth) begin_line();
    if (column > kColumn) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text + '\n';
}

}  // namespace

HelpFormatter::HelpFormatter() { label("SUBCOMMAND", "COMMAND"); }

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  // CLI11 leaves an empty line for the group of hidden options, too.
  return CLI::detail::find_and_replace(Formatter::make_help(app, std::move(name), mode), "\n\n\n",
                                       "\n\n");
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return fmt::format("{}\n\nExamples:\n{}\n", app->get_description(), app->get_footer());
}

std::string HelpFormatter::make_footer(const CLI::App* /*app*/) const { return ""; }

std::string HelpFormatter::make_option(const CLI::Option* option, bool /*is_positional*/) const {
  const OptionEntry entry = DescribeOption(*option);
  std::string term = fmt::format("{}", fmt::join(entry.names, ", "));
  if (!entry.value.empty()) term += ' ' + entry.value;
  return TermLines(term, entry.summary);
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return TermLines(command->get_name(), command->get_description());
}

}  // namespace cyclescope::cli
