#include "cli/sweep_run.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "arch/architecture.h"
#include "base/near_names.h"
#include "cli/narration.h"
#include "os/interrupt.h"

namespace cyclescope::cli {
namespace {

Result<void> CheckModel(const std::string& cpu) {
  const auto known = assembler::KnownCpus(*assembler::ParseArchitecture(arch::Name()));
  if (cpu.empty() || std::ranges::binary_search(known, cpu)) return {};
  return BadInput(fmt::format("LLVM knows no CPU '{}'{}", cpu, DidYouMean(NearNames(cpu, known))));
}

// "3 crashed, 9 privileged"
std::string FailureText(const std::map<Status, int>& failures) {
  std::vector<std::string> parts;
  for (const auto& [status, count] : failures)
    parts.push_back(fmt::format("{} {}", count, ToString(status)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Result<SweepRun> SweepRun::Prepare(const Host& host, const AssemblyOptions& assembly,
                                   SweepRequest request) {
  if (auto known = CheckModel(request.model); !known) return std::unexpected(known.error());
  auto assembler = assembly.MakeAssembler(host);
  if (!assembler) return std::unexpected(assembler.error());
  SweepRun run(host, assembly, std::move(request), std::move(*assembler));
  auto settings = run.MakeSettings();
  if (!settings) return std::unexpected(settings.error());
  run.settings_ = std::move(*settings);
  run.catalogue_ = assembler::Catalogue(run.assembler_);
  auto plan = instructions::PlanSweep(
      run.catalogue_, run.request_.selection,
      {.cpu = run.assembler_.target().cpu,
       .hidden = assembler::HiddenFeatures(run.assembler_.target()),
       .virtual_machine = !host.hypervisor.empty() && host.hypervisor != "none"});
  if (!plan) return std::unexpected(plan.error());
  run.plan_ = std::move(*plan);
  return run;
}

// The CPU that would measure alone, the ones before it as more are asked for, and the rest to plan
// on.
Result<instructions::SweepSettings> SweepRun::MakeSettings() const {
  const os::CpuList& allowed = host_.cpus_allowed;
  const auto jobs = static_cast<std::size_t>(request_.jobs);
  if (jobs > allowed.size()) {
    return BadInput(fmt::format("--jobs {}: only {} CPUs may be used", jobs, allowed.size()));
  }
  const auto first = assembly_.MeasuringCpu(host_);
  if (!first) return std::unexpected(first.error());
  instructions::SweepSettings settings;
  settings.experiments = request_.experiments;
  settings.measuring_cpus.push_back(*first);
  for (const int cpu : allowed | std::views::reverse) {
    if (cpu == *first) continue;
    const bool measures = settings.measuring_cpus.size() < jobs;
    (measures ? settings.measuring_cpus : settings.planning_cpus).push_back(cpu);
  }
  std::ranges::sort(settings.planning_cpus);
  return settings;
}

void SweepRun::TakeOver(std::vector<InstructionRow> rows) {
  std::unordered_map<std::string, InstructionRow*> by_opcode;
  for (InstructionRow& row : rows) by_opcode.emplace(row.opcode, &row);
  std::erase_if(plan_.forms, [&](const instructions::SweepForm& form) {
    const auto found = by_opcode.find(form.instruction.opcode);
    if (found == by_opcode.end()) return false;
    rows_.emplace(form.place, std::move(*found->second));
    return true;
  });
}

Result<void> SweepRun::Measure(const OnRow& on_row) {
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t taken_over = rows_.size();
  ProgressLine progress("sweeping", plan_.forms.size());
  std::map<Status, int> failures;
  const instructions::SweepObserver observer = {
      .take_row = [&](const instructions::PlacedRow& placed) -> Result<void> {
        if (placed.row.status != Status::kMeasured) ++failures[placed.row.status];
        rows_.emplace(placed.place, placed.row);
        progress.Advance(1, FailureText(failures));
        return on_row(placed.row);
      },
      .is_over =
          [&] {
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
            return os::Interrupted() || (request_.budget_s && spent.count() > *request_.budget_s);
          },
  };
  const auto make_lab = [&](int cpu, std::mutex& turn) {
    return assembly_.MakeLab(host_, cpu, &turn);
  };
  if (auto done = instructions::Sweep(plan_.forms, settings_, make_lab, observer); !done)
    return done;
  plan_.summary.not_reached = static_cast<int>(plan_.forms.size() + taken_over - rows_.size());
  return {};
}

void SweepRun::AddModels() {
  const std::string& cpu = request_.model;
  for (auto& [place, row] : rows_) {
    row.model.reset();
    if (!catalogue_[place].instruction) continue;
    const assembler::Instruction& instruction = *catalogue_[place].instruction;
    for (Latency& latency : row.latency) {
      latency.model = assembler_.ModelLatency(instruction, latency.from, latency.to, cpu);
    }
    const assembler::ModelTiming model = assembler_.Model(instruction, cpu);
    if (!model.latency && !model.reciprocal_throughput) continue;
    row.model = {cpu.empty() ? assembler_.target().cpu : cpu, model.latency,
                 model.reciprocal_throughput};
  }
}

void SweepRun::Finish(Document& document) {
  for (instructions::PlacedRow& settled : plan_.settled)
    rows_.emplace(settled.place, std::move(settled.row));
  AddModels();
  for (auto& [place, row] : rows_) document.instructions.push_back(std::move(row));
  document.sweep = plan_.summary;
  document.partial = document.partial || plan_.summary.not_reached > 0;
}

}  // namespace cyclescope::cli
