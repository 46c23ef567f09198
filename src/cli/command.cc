#include "cli/command.h"

#include <fmt/core.h>

namespace cyclescope::cli {

CLI::App* AddSubcommand(CLI::App& root, std::string_view name, std::string_view summary,
                        std::string_view examples) {
  CLI::App* app = root.add_subcommand(std::string(name), std::string(summary));
  app->group("Commands");
  // CLI11 prints the description first, in the list of commands too; examples therefore go into the
  // command's own help only.
  app->preparse_callback([app, text = fmt::format("{}\n\nExamples:\n{}", summary, examples)](
                             std::size_t) { app->description(text); });
  return app;
}

}  // namespace cyclescope::cli
