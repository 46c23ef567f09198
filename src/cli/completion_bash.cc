#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/self_description.h"

namespace cyclescope::cli {
namespace {

// The arms of `case "$command $option"`: what may follow an option that takes a value.
std::string ValueArms(const CommandEntry& command) {
  std::string arms;
  for (const OptionEntry& option : command.options) {
    if (option.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names)
      patterns.push_back(fmt::format("'{} {}'", command.name, name));
    std::string action =
        option.TakesFile() ? "_cyclescope_files"
                           : fmt::format("_cyclescope_words '{}'", fmt::join(option.choices, " "));
    if (option.TakesMachine()) action += "; _cyclescope_machines";
    arms += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, " | "), action);
  }
  return arms;
}

std::vector<std::string> OptionNames(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const OptionEntry& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// The arm of `case $command`: its options and, where it takes files, those.
std::string CommandArm(const CommandEntry& command) {
  const bool takes_file = std::ranges::any_of(command.arguments, &OptionEntry::TakesFile);
  const bool takes_machine = std::ranges::any_of(command.arguments, &OptionEntry::TakesMachine);
  return fmt::format("    {}) words='{}' files={} machines={} ;;\n", command.name,
                     fmt::join(OptionNames(command), " "), takes_file ? "yes" : "",
                     takes_machine ? "yes" : "");
}

constexpr char kHelpers[] = R"bash(# Completion of cyclescope for bash.

_cyclescope_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}

_cyclescope_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
}

# Beside the files that are offered already.
_cyclescope_machines() {
  local -a names
  mapfile -t names < <(compgen -W "$("${COMP_WORDS[0]}" machines --names 2>/dev/null)" -- "$current")
  COMPREPLY+=("${names[@]}")
}

_cyclescope() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' word words files machines
  # --color=never is three words, since bash parts them at =.
  if [[ $current == = ]]; then
    current=''
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word != -* ]]; then
      command=$word
      break
    fi
  done
)bash";

}  // namespace

std::string BashCompletion(const OptionTable& table) {
  std::string value_arms;
  std::string command_arms;
  std::vector<std::string> first_words = OptionNames(table.program);
  for (const CommandEntry& command : table.commands) {
    value_arms += ValueArms(command);
    command_arms += CommandArm(command);
    first_words.push_back(command.name);
  }
  return fmt::format(
      "{}"
      "  case \"$command $option\" in\n{}  esac\n"
      "  case $command in\n    '') words='{}' files='' machines='' ;;\n{}    *) return ;;\n  esac\n"
      "  if [[ -n $files && $current != -* ]]; then\n"
      "    _cyclescope_files\n"
      "    [[ -z $machines ]] || _cyclescope_machines\n"
      "  else\n"
      "    _cyclescope_words \"$words\"\n"
      "  fi\n"
      "}}\n\n"
      "complete -F _cyclescope cyclescope\n",
      kHelpers, value_arms, fmt::join(first_words, " "), command_arms);
}

}  // namespace cyclescope::cli
