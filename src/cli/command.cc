#include "cli/command.h"

#include <cctype>

#include "cyclescope/measure.h"
#include "os/terminal.h"

namespace cyclescope::cli {

std::span<const ExitCodeMeaning> ExitCodeMeanings() {
  static constexpr ExitCodeMeaning kMeanings[] = {
      {ExitCode::kDone, "Done."},
      {ExitCode::kFailed, "Failed: the machine or the system did not allow it."},
      {ExitCode::kBadInput, "Bad usage or bad input."},
      {ExitCode::kPartial, "Done in part: a row could not be measured or was disturbed."},
      {ExitCode::kRegression, "compare or fleet found what --fail-on asked for."},
  };
  return kMeanings;
}

std::string ForThisMachine(std::string_view x86, std::string_view aarch64) {
  return std::string(ArchitectureName() == "aarch64" ? aarch64 : x86);
}

std::string ForThisShell(std::string_view text) {
  std::string changed(text);
  const auto is_letter = [&](std::size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool apostrophe = i > 0 && is_letter(i - 1) && is_letter(i + 1);
    if (text[i] == '\'' && !apostrophe) changed[i] = os::ShellQuote();
  }
  return changed;
}

CLI::App* AddSubcommand(CLI::App& root, std::string_view name, std::string_view summary,
                        std::string_view examples) {
  CLI::App* app = root.add_subcommand(std::string(name), std::string(summary));
  app->group("Commands");
  // HelpFormatter shows it at the top, with an empty line behind.
  app->footer(ForThisShell(examples) + (examples.ends_with('\n') ? "" : "\n"));
  return app;
}

}  // namespace cyclescope::cli
