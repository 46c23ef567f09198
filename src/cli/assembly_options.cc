#include "cli/assembly_options.h"

#include <fmt/core.h>

#include <string>

#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/options.h"

namespace cyclescope::cli {

void AssemblyOptions::AddTo(CLI::App& app) {
  app.add_option("--cpu", cpu, "CPU to measure on; the last that may be used when left out")
      ->type_name("N");
  AddCyclesOption(app, cycles);
  OneOf(app.add_option_function<std::string>(
            "--syntax",
            [this](const std::string& name) {
              syntax = name == "att" ? assembler::Syntax::kAtt : assembler::Syntax::kIntel;
            },
            "Syntax of x86-64 assembly: intel (default), att"),
        {"intel", "att"})
      ->type_name("NAME");
}

void PrintTextError(const assembler::TextError& error) {
  PrintError(error.ToError());
  const std::string excerpt = error.Excerpt();
  if (!excerpt.empty()) fmt::print(stderr, "{}{}", excerpt, excerpt.ends_with('\n') ? "" : "\n");
}

}  // namespace cyclescope::cli
