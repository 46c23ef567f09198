#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/self_description.h"

namespace cyclescope::cli {
namespace {

// A colon or a bracket would end the explanation.
std::string Explanation(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// ":FILE:_files", ":WHEN:(auto always never)", or ":N: " for what cannot be completed.
std::string ValuePart(const OptionEntry& option) {
  if (option.value.empty()) return "";
  std::string action = " ";
  if (option.TakesFile()) action = "_files";
  if (option.TakesMachine()) action = "_cyclescope_machines";
  if (!option.choices.empty()) action = fmt::format("({})", fmt::join(option.choices, " "));
  return fmt::format(":{}:{}", Explanation(option.value), action);
}

// The arguments of _arguments, a line each.
std::string Specifications(const CommandEntry& command, std::string_view indent) {
  std::string lines;
  for (const OptionEntry& option : command.options) {
    for (const std::string& name : option.names) {
      const bool takes_equals = name.starts_with("--") && !option.value.empty();
      const std::string specification = fmt::format("{}{}[{}]{}", name, takes_equals ? "=" : "",
                                                    Explanation(option.summary), ValuePart(option));
      lines += fmt::format(" \\\n{}{}", indent, ShellQuoted(specification));
    }
  }
  for (const OptionEntry& argument : command.arguments) {
    lines += fmt::format(" \\\n{}{}", indent, ShellQuoted("*" + ValuePart(argument)));
  }
  return lines;
}

}  // namespace

std::string ZshCompletion(const OptionTable& table) {
  std::string names;
  std::string arms;
  for (const CommandEntry& command : table.commands) {
    names +=
        fmt::format("        {}\n", ShellQuoted(command.name + ":" + Explanation(command.summary)));
    arms += fmt::format("        {})\n          _arguments{}\n          ;;\n", command.name,
                        Specifications(command, "            "));
  }
  return fmt::format(
      "#compdef cyclescope\n"
      "# Completion of cyclescope for zsh.\n\n"
      "_cyclescope_machines() {{\n"
      "  compadd -- ${{(f)\"$(_call_program machines cyclescope machines --names 2>/dev/null)\"}}\n"
      "  _files\n"
      "}}\n\n"
      "_cyclescope() {{\n"
      "  local context state state_descr line\n"
      "  typeset -A opt_args\n"
      "  _arguments -C{} \\\n    '1:command:->command' \\\n    '*::argument:->argument'\n"
      "  case $state in\n"
      "    command)\n"
      "      local -a commands=(\n{}      )\n"
      "      _describe command commands\n"
      "      ;;\n"
      "    argument)\n"
      "      case $words[1] in\n{}      esac\n"
      "      ;;\n"
      "  esac\n"
      "}}\n\n"
      "_cyclescope \"$@\"\n",
      Specifications(table.program, "    "), names, arms);
}

}  // namespace cyclescope::cli
