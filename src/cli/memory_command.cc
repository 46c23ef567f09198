// `cyclescope memory`
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_size.h"
#include "base/try.h"
#include "cli/command.h"
#include "cli/narration.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "os/interrupt.h"
#include "report/csv.h"
#include "report/machine_text.h"
#include "report/part_texts.h"

namespace cyclescope::cli {
namespace {

struct MemoryOptions {
  MemoryRequest request;
  CpuOption cpus;
  std::string most;
  std::vector<std::string> sizes;
  bool full = false;
  std::string export_csv;
  OutputOptions output;
};

Result<MemoryRequest> RequestOf(const MemoryOptions& options) {
  MemoryRequest request = options.request;
  request.cpus = TRY(options.cpus.Parse());
  if (!options.most.empty()) {
    request.most_bytes = TRY(ParseBytes(options.most));
  }
  for (const std::string& size : options.sizes) {
    request.sizes.push_back(TRY(ParseBytes(size)));
  }
  return request;
}

Result<ExitCode> RunMemory(const CLI::App& app, const MemoryOptions& options) {
  const auto request = TRY(RequestOf(options));
  auto outputs = TRY(Outputs::Open(
      options.output,
      {{options.export_csv, [](const Document& document) { return MemoryCsv(document.memory); }}}));
  const os::InterruptGuard guard;
  const bool all_points = options.full || !request.sizes.empty();
  auto measured = MeasureMemory(request, Narrate(outputs.style()));
  return outputs.Finish(
      app, std::move(measured), [all_points](const Document& document, const TextStyle& style) {
        const auto size = all_points ? TextSize::kFull : TextSize::kPage;
        return MachineText(document, style) + PartialText(document.partial, style) + '\n' +
               MemoryText(document, style, size);
      });
}

}  // namespace

Command AddMemoryCommand(CLI::App& root) {
  CLI::App* app =
      AddSubcommand(root, "memory", "Latency, capacity and bandwidth of caches and memory",
                    "  cyclescope memory                     from the last CPU that may be used\n"
                    "  cyclescope memory --quick             a few seconds, wider intervals\n"
                    "  cyclescope memory --cpus 0,8          from two CPUs, one after the other\n"
                    "  cyclescope memory --node 1            memory of one NUMA node\n"
                    "  cyclescope memory --sizes 32K,1M,64M  only these footprints\n");
  auto options = std::make_shared<MemoryOptions>();
  options->cpus.AddTo(*app, "the last that may be used", "--cpus,--cpu");
  app->add_option("--node", options->request.node, "Measure memory of this NUMA node")
      ->type_name("N");
  app->add_option("--most", options->most,
                  "Largest footprint, as in 512M; at most half of the free memory")
      ->type_name("BYTES");
  app->add_option("--sizes", options->sizes, "Only these footprints, as in 32K,1M,64M")
      ->type_name("BYTES")
      ->delimiter(',');
  app->add_flag("--quick", options->request.quick, "Faster, with wider intervals");
  AsSeconds(app->add_option("--budget", options->request.budget_s,
                            "Time limit; on a busy machine a longer one measures more"),
            0.01);
  AddPatienceOption(*app, options->request.patience_s, "3, or 0.2 with --quick");
  app->add_flag("--full", options->full, "Show every footprint in a table");
  AddTopologyOption(*app, options->request.topology);
  options->output.AddTo(*app);
  AddCsvOption(*app, options->export_csv, "every footprint");
  return {app, [app, options] { return RunMemory(*app, *options); }};
}

}  // namespace cyclescope::cli
