#include "cli/option_table.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclescope::cli {
namespace {

// An option keeps its choices as the description of a validator, which CLI11 shows behind the name
// of the value: "WHEN:{auto,always,never}".
std::string ChoiceText(const std::vector<std::string>& choices) {
  return fmt::format("{{{}}}", fmt::join(choices, ","));
}

std::vector<std::string> ParseChoices(std::string_view type_name) {
  const std::size_t open = type_name.find(":{");
  if (open == std::string_view::npos) return {};
  const std::string_view list = type_name.substr(open + 2, type_name.find('}', open) - (open + 2));
  return CLI::detail::split(std::string(list), ',');
}

CommandEntry DescribeCommand(const CLI::App& app) {
  CommandEntry entry = {app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    const bool is_hidden = option->get_group().empty();
    if (is_hidden) continue;
    (option->nonpositional() ? entry.options : entry.arguments).push_back(DescribeOption(*option));
  }
  return entry;
}

}  // namespace

bool IsFlag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

OptionEntry DescribeOption(const CLI::Option& option) {
  OptionEntry entry;
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (entry.names.empty()) entry.names.push_back(option.get_name(/*positional=*/true));
  if (!IsFlag(option)) {
    const std::string type_name = option.get_type_name();
    entry.value = type_name.substr(0, type_name.find(':'));
    entry.choices = ParseChoices(type_name);
  }
  entry.summary = option.get_description();
  entry.required = option.get_required();
  entry.repeated = option.get_items_expected_max() > 1;
  return entry;
}

OptionTable DescribeOptions(const CLI::App& root) {
  OptionTable table = {DescribeCommand(root), {}};
  for (const CLI::App* command : root.get_subcommands([](const CLI::App*) { return true; }))
    table.commands.push_back(DescribeCommand(*command));
  return table;
}

CLI::Option* OneOf(CLI::Option* option, std::vector<std::string> choices) {
  const std::string text = ChoiceText(choices);
  return option->check(CLI::Validator(
      [choices = std::move(choices)](const std::string& given) {
        if (std::ranges::find(choices, given) != choices.end()) return std::string();
        return fmt::format("'{}' is unknown here; it can be {}", given, fmt::join(choices, ", "));
      },
      text));
}

CLI::Option* InRange(CLI::Option* option, double least, double most) {
  return option->check([least, most](const std::string& text) {
    double number = 0;
    if (!CLI::detail::lexical_cast(text, number)) return fmt::format("'{}' is not a number", text);
    if (number >= least && number <= most) return std::string();
    return fmt::format("{} is out of range: it can be {} to {}", text, least, most);
  });
}

CLI::Option* Offer(CLI::Option* option, const std::vector<std::string>& choices) {
  return option->check(
      CLI::Validator([](const std::string&) { return std::string(); }, ChoiceText(choices)));
}

}  // namespace cyclescope::cli
