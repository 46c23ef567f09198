// `cyclescope gpu`
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
#include "report/csv.h"
#include "report/part_texts.h"

namespace cyclescope::cli {
namespace {

struct GpuOptions {
  GpuRequest request;
  CpuOption cpus;
  std::vector<std::string> parts;
  bool full = false;
  std::string export_csv;
  OutputOptions output;
};

Result<GpuRequest> RequestOf(const GpuOptions& options) {
  GpuRequest request = options.request;
  request.cpus = TRY(options.cpus.Parse());
  for (const std::string& part : options.parts) request.parts.push_back(*ParseName<GpuPart>(part));
  request.driver = GpuDriver();
  return request;
}

Result<ExitCode> RunGpu(const CLI::App& app, const GpuOptions& options) {
  const auto request = TRY(RequestOf(options));
  auto outputs = TRY(Outputs::Open(
      options.output,
      {{options.export_csv, [](const Document& document) { return GpuCsv(document.gpu); }}}));
  const os::InterruptGuard guard;
  const bool is_full = options.full || !request.texts.empty();
  auto measured = MeasureGpu(request, Narrate(outputs.style()));
  return outputs.Finish(
      app, std::move(measured),
      [is_full](const Document& document, const TextStyle& style) {
        return GpuText(document.gpu, style, is_full ? TextSize::kFull : TextSize::kPage);
      },
      [&request](const Document& document) {
        // A form that was asked for by name has to be measured; of the headline forms, a GPU has
        // what it has.
        std::vector<GpuInstruction> named;
        for (const GpuRow& row : document.gpu) {
          if (!request.texts.empty())
            named.insert(named.end(), row.instructions.begin(), row.instructions.end());
        }
        return VerdictOn(named, document);
      });
}

}  // namespace

Command AddGpuCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "gpu", "Instructions, memory and distances of an NVIDIA GPU",
      "  cyclescope gpu                                       everything, on every GPU\n"
      "  cyclescope gpu --quick                               seconds, wider intervals\n"
      "  cyclescope gpu 'fma.rn.f32 %f0, %f1, %f2, %f3'       one PTX instruction\n"
      "  cyclescope gpu --show-asm 'rcp.approx.f32 %f0, %f1'  and what the GPU runs\n"
      "  cyclescope gpu --parts memory,matrix                 caches, multiprocessors\n");
  auto options = std::make_shared<GpuOptions>();
  app->add_option(
         "text", options->request.texts,
         "PTX instructions, one form each, in quotes (default: about a hundred common ones)")
      ->type_name("TEXT");
  app->add_option("--device", options->request.devices,
                  "GPUs by the driver's numbers, separated by commas (default: all)")
      ->type_name("N")
      ->delimiter(',')
      ->allow_extra_args(false);
  constexpr auto kNames = NamesOf(GpuPart{});
  OneOf(app->add_option(
            "--parts", options->parts,
            "Only these parts, separated by commas: instructions, memory, matrix (between "
            "multiprocessors), trips (to CPUs and other GPUs)"),
        {kNames.begin(), kNames.end()})
      ->type_name("PARTS")
      ->delimiter(',')
      ->allow_extra_args(false);
  options->cpus.AddTo(*app);
  app->add_flag("--quick", options->request.quick, "Faster, with wider intervals");
  AddBudgetOption(*app, options->request.budget_s, 0.01);
  app->add_flag(
      "--show-asm", options->request.with_assembly,
      "Show the PTX that is repeated, and the machine code that the GPU executes for it (needs "
      "nvdisasm)");
  app->add_flag("--full", options->full, "Show every pair of operands and every footprint");
  AddTopologyOption(*app, options->request.topology);
  options->output.AddTo(*app);
  AddCsvOption(*app, options->export_csv, "the instructions");
  return {app, [app, options] { return RunGpu(*app, *options); }};
}

}  // namespace cyclescope::cli
