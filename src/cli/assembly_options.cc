#include "cli/assembly_options.h"

#include <fmt/core.h>

#include "arch/architecture.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"

namespace cyclescope::cli {
namespace {

assembler::Target TargetOf(const Host& host, assembler::Syntax syntax) {
  return assembler::HostTarget(*assembler::ParseArchitecture(arch::Name()), host.features, {},
                               syntax);
}

}  // namespace

void AssemblyOptions::AddTo(CLI::App& app) {
  app.add_option("--cpu", cpu, "CPU to measure on; the last that may be used when left out")
      ->type_name("N");
  cycles.AddTo(app);
  OneOf(app.add_option("--syntax", syntax, "Syntax of x86-64 assembly: intel (default), att"),
        {"intel", "att"})
      ->type_name("NAME");
}

Result<assembler::Assembler> AssemblyOptions::MakeAssembler(const Host& host) const {
  return assembler::Assembler::Create(
      TargetOf(host, syntax == "att" ? assembler::Syntax::kAtt : assembler::Syntax::kIntel));
}

Result<int> AssemblyOptions::MeasuringCpu(const Host& host) const {
  if (!cpu) return host.cpus_allowed.back();
  const auto selected = os::SelectCpus(std::to_string(*cpu), host.cpus_allowed);
  if (!selected) return std::unexpected(selected.error());
  return *cpu;
}

Result<std::unique_ptr<instructions::Lab>> AssemblyOptions::MakeLab(const Host& host) const {
  const auto on_cpu = MeasuringCpu(host);
  if (!on_cpu) return std::unexpected(on_cpu.error());
  return MakeLab(host, *on_cpu, nullptr);
}

Result<std::unique_ptr<instructions::Lab>> AssemblyOptions::MakeLab(const Host& host, int on_cpu,
                                                                    std::mutex* turn) const {
  instructions::Lab::Options options;
  options.cpu = on_cpu;
  options.cycles = cycles.choice;
  options.turn = turn;
  const measure::TickClock clock = measure::FindTickClock(measure::SystemClockReaders());
  return instructions::Lab::Create(TargetOf(host, assembler::Syntax::kIntel), clock, options);
}

Result<std::unique_ptr<instructions::Lab>> AssemblyOptions::MakePlanningLab(
    const Host& host) const {
  auto assembler = assembler::Assembler::Create(TargetOf(host, assembler::Syntax::kIntel));
  if (!assembler) return std::unexpected(assembler.error());
  return std::make_unique<instructions::Lab>(std::move(*assembler));
}

void PrintTextError(const assembler::TextError& error) {
  PrintError(error.ToError());
  const std::string excerpt = error.Excerpt();
  fmt::print(stderr, "{}{}", excerpt, excerpt.ends_with('\n') ? "" : "\n");
}

}  // namespace cyclescope::cli
