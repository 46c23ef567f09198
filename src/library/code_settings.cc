#include "library/code_settings.h"

#include <string>
#include <utility>

#include "arch/architecture.h"
#include "library/warnings.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"

namespace cyclescope::library {
namespace {

assembler::Target TargetOf(const Host& host, assembler::Syntax syntax) {
  return assembler::HostTarget(*assembler::ParseArchitecture(arch::Name()), host.features, {},
                               syntax);
}

}  // namespace

Result<assembler::Assembler> CodeSettings::MakeAssembler(const Host& host) const {
  return assembler::Assembler::Create(TargetOf(host, syntax));
}

Result<int> CodeSettings::MeasuringCpu(const Host& host) const {
  if (!cpu) return host.cpus_allowed.back();
  const auto selected = os::SelectCpus(std::to_string(*cpu), host.cpus_allowed);
  if (!selected) return std::unexpected(selected.error());
  return *cpu;
}

Result<std::unique_ptr<instructions::Lab>> CodeSettings::MakeLab(const Host& host) const {
  const auto on_cpu = MeasuringCpu(host);
  if (!on_cpu) return std::unexpected(on_cpu.error());
  return MakeLab(host, *on_cpu, nullptr);
}

Result<std::unique_ptr<instructions::Lab>> CodeSettings::OpenLab(Document& document) const {
  auto lab = MakeLab(document.host);
  if (!lab) return lab;
  document.clock = (*lab)->instrument().DescribeClock();
  AddWarnings((*lab)->Warnings(), document.warnings);
  return lab;
}

Result<std::unique_ptr<instructions::Lab>> CodeSettings::MakeLab(const Host& host, int on_cpu,
                                                                 std::mutex* turn) const {
  instructions::Lab::Options options;
  options.cpu = on_cpu;
  options.cycles = cycles;
  options.turn = turn;
  const measure::TickClock clock = measure::FindTickClock(measure::SystemClockReaders());
  return instructions::Lab::Create(TargetOf(host, assembler::Syntax::kIntel), clock, options);
}

Result<std::unique_ptr<instructions::Lab>> CodeSettings::MakePlanningLab(const Host& host) const {
  auto assembler = assembler::Assembler::Create(TargetOf(host, assembler::Syntax::kIntel));
  if (!assembler) return std::unexpected(assembler.error());
  return std::make_unique<instructions::Lab>(std::move(*assembler));
}

}  // namespace cyclescope::library
