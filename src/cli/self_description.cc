#include "cli/self_description.h"

#include <fmt/core.h>

#include <functional>
#include <map>
#include <string>

#include "cli/outputs.h"
#include "library/version.h"

namespace cyclescope::cli {

std::string ShellQuoted(std::string_view text) {
  return fmt::format("'{}'", CLI::detail::find_and_replace(std::string(text), "'", "'\\''"));
}

namespace {

// Prints and ends the parsing, as --help does: no command is asked for.
void PrintAndEnd(const std::string& text) {
  if (const auto printed = Outputs::Print(text); !printed)
    throw CLI::RuntimeError(printed.error().ToString(), 1);
  throw CLI::Success();
}

}  // namespace

void AddSelfDescription(CLI::App& root) {
  constexpr char kHidden[] = "";
  root.add_flag_callback(
          "--print-manual",
          [&root] { PrintAndEnd(ManualPage(DescribeOptions(root), library::kVersion)); })
      ->group(kHidden);

  using Script = std::function<std::string(const OptionTable&)>;
  const std::map<std::string, Script> shells = {
      {"bash", BashCompletion}, {"fish", FishCompletion}, {"zsh", ZshCompletion}};
  CLI::Option* completion = root.add_option_function<std::string>(
      "--print-completion", [&root, shells](const std::string& shell) {
        PrintAndEnd(shells.at(shell)(DescribeOptions(root)));
      });
  OneOf(completion, {"bash", "fish", "zsh"})->group(kHidden);
}

}  // namespace cyclescope::cli
