#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/self_description.h"

namespace cyclescope::cli {
namespace {

// Fish knows two escapes inside single quotes.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '\'';
}

// `condition` says where the line holds.
std::string Line(std::string_view condition, std::string_view rest) {
  return fmt::format("complete -c cyclescope -n '{}' {}\n", condition, rest);
}

// Those that are known when it is asked.
constexpr char kMachines[] =
    "-a '(command -q cyclescope; and cyclescope machines --names 2>/dev/null)' ";

std::string OptionLine(std::string_view condition, const OptionEntry& option) {
  std::string rest;
  for (const std::string& name : option.names) {
    rest += name.starts_with("--") ? fmt::format("-l {} ", name.substr(2))
                                   : fmt::format("-s {} ", name.substr(1));
  }
  if (option.TakesFile()) {
    rest += "-r -F ";
    if (option.TakesMachine()) rest += kMachines;
  } else if (!option.choices.empty()) {
    rest += fmt::format("-x -a '{}' ", fmt::join(option.choices, " "));
  } else if (!option.value.empty()) {
    rest += "-x ";
  }
  return Line(condition, rest + "-d " + Quoted(option.summary));
}

}  // namespace

std::string FishCompletion(const OptionTable& table) {
  constexpr char kNoCommand[] = "__fish_use_subcommand";
  std::string text = "# Completion of cyclescope for fish.\ncomplete -c cyclescope -f\n";
  for (const OptionEntry& option : table.program.options) text += OptionLine(kNoCommand, option);
  for (const CommandEntry& command : table.commands) {
    text += Line(kNoCommand, fmt::format("-a {} -d {}", command.name, Quoted(command.summary)));
  }
  for (const CommandEntry& command : table.commands) {
    const std::string after = "__fish_seen_subcommand_from " + command.name;
    for (const OptionEntry& option : command.options) text += OptionLine(after, option);
    if (std::ranges::any_of(command.arguments, &OptionEntry::TakesFile)) text += Line(after, "-F");
    if (std::ranges::any_of(command.arguments, &OptionEntry::TakesMachine))
      text += Line(after, kMachines);
  }
  return text;
}

}  // namespace cyclescope::cli
