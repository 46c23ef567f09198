// `cyclescope anatomy`
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "cli/command.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "os/interrupt.h"
#include "report/anatomy_text.h"
#include "report/csv.h"
#include "report/machine_text.h"

namespace cyclescope::cli {
namespace {

struct AnatomyOptions {
  AnatomyRequest request;
  std::vector<std::string> parts;
  bool full = false;
  bool dry_run = false;
  std::string export_csv;
  OutputOptions output;
};

Result<ExitCode> RunAnatomy(const CLI::App& app, const AnatomyOptions& options) {
  AnatomyRequest request = options.request;
  for (const std::string& part : options.parts)
    request.parts.push_back(*ParseName<AnatomyPart>(part));
  auto outputs =
      TRY(Outputs::Open(options.output, {{options.export_csv, [](const Document& document) {
                                            return AnatomyCsv(document.anatomy.value_or(Anatomy{}));
                                          }}}));
  const os::InterruptGuard guard;
  auto measured =
      options.dry_run ? PlanAnatomy(request) : MeasureAnatomy(request, Narrate(outputs.style()));
  return outputs.Finish(
      app, std::move(measured), [&options](const Document& document, const TextStyle& style) {
        const auto size = options.full ? TextSize::kFull : TextSize::kPage;
        return MachineText(document, style) + PartialText(document.partial, style) + '\n' +
               (document.anatomy ? AnatomyText(*document.anatomy, style, size) : std::string());
      });
}

}  // namespace

Command AddAnatomyCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "anatomy", "How the core is built, from time alone: buffers, registers, widths",
      "  cyclescope anatomy                         all parts of this core\n"
      "  cyclescope anatomy --parts windows         reorder buffer, registers, loads\n"
      "  cyclescope anatomy --quick                 a few seconds, wider intervals\n"
      "  cyclescope anatomy --dry-run --show-asm    the code, without running it\n");
  auto options = std::make_shared<AnatomyOptions>();
  constexpr auto kNames = NamesOf(AnatomyPart{});
  OneOf(app->add_option(
            "--parts", options->parts,
            "Only these parts, separated by commas: windows, front-end, elimination, fusion, "
            "memory-pipeline"),
        {kNames.begin(), kNames.end()})
      ->type_name("PARTS")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_flag("--quick", options->request.quick, "Faster, with wider intervals");
  AddBudgetOption(*app, options->request.budget_s, 0.01);
  app->add_flag("--full", options->full, "Every point of the curves behind the numbers");
  app->add_flag("--show-asm", options->request.show_code, "Show the exact code measured");
  app->add_flag("--dry-run", options->dry_run, "Show what would be measured, and measure nothing");
  AddCodeOptions(*app, options->request.code, "10");
  options->output.AddTo(*app);
  AddCsvOption(*app, options->export_csv, "the quantities");
  return {app, [app, options] { return RunAnatomy(*app, *options); }};
}

}  // namespace cyclescope::cli
