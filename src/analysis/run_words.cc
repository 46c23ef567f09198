#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/host_words.h"

namespace cyclescope {
namespace {

// What is an argument of its own has a name in the help alone.
constexpr auto kArguments =
    std::to_array<std::string_view>({"instruction", "result", "snippet", "text"});

// As one word for a shell.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + '\'';
}

}  // namespace

std::string CommandText(const Config& config) {
  std::string command = "cyclescope " + config.command;
  for (const auto& [name, value] : config.options) {
    if (std::ranges::find(kArguments, name) != kArguments.end()) {
      command += ' ' + Quoted(value);
      continue;
    }
    command += " --" + name;
    if (!value.empty()) command += ' ' + value;
  }
  return command;
}

}  // namespace cyclescope
