// `cyclescope doctor`
#include <memory>

#include "base/try.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "cyclescope/measure.h"
#include "report/machine_text.h"

namespace cyclescope::cli {
namespace {

struct DoctorOptions {
  DoctorRequest request;
  OutputOptions output;
};

Result<ExitCode> RunDoctor(const CLI::App& app, const DoctorOptions& options) {
  auto outputs = TRY(Outputs::Open(options.output));
  DoctorRequest request = options.request;
  request.gpu_driver = GpuDriver();
  return outputs.Finish(
      app, CheckMachine(request), [](const Document& document, const TextStyle& style) {
        return MachineText(document, style) + '\n' + DoctorText(document.doctor, style);
      });
}

}  // namespace

Command AddDoctorCommand(CLI::App& root) {
  CLI::App* app =
      AddSubcommand(root, "doctor", "What on this machine disturbs measuring, and how to fix it",
                    "  cyclescope doctor           every check, and how to change what it found\n"
                    "  cyclescope doctor --json    the same for scripts\n");
  auto options = std::make_shared<DoctorOptions>();
  AddTopologyOption(*app, options->request.topology);
  options->output.AddTo(*app);
  return {app, [app, options] { return RunDoctor(*app, *options); }};
}

}  // namespace cyclescope::cli
