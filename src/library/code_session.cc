#include "library/code_session.h"

#include <string>
#include <utility>

#include "arch/architecture.h"
#include "instructions/lab.h"
#include "instructions/measure_form.h"
#include "library/request_checks.h"
#include "library/warnings.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"

namespace cyclescope::library {
namespace {

using instructions::Lab;

assembler::Target TargetOf(const std::vector<std::string>& features, assembler::Syntax syntax) {
  return assembler::HostTarget(*assembler::ParseArchitecture(arch::Name()), features, {}, syntax);
}

Result<std::unique_ptr<Lab>> MakeLab(const Host& host, const CodeSettings& settings, int cpu,
                                     Pulse& pulse, std::mutex* turn) {
  Lab::Options options;
  options.cpu = cpu;
  options.cycles = settings.cycles;
  options.turn = turn;
  options.goes_on = pulse.Question();
  const measure::TickClock clock = measure::FindTickClock(measure::SystemClockReaders());
  return Lab::Create(TargetOf(host.features, assembler::Syntax::kIntel), clock, options);
}

}  // namespace

Result<CodeSettings> CodeSettings::Of(const CodeRequest& request) {
  if (auto checked = CheckPatience(request.patience_s); !checked)
    return std::unexpected(checked.error());
  return CodeSettings{
      .cpu = request.cpu,
      .cycles = request.cycles,
      .syntax = request.att_syntax ? assembler::Syntax::kAtt : assembler::Syntax::kIntel,
      .patience_s = request.patience_s};
}

Result<assembler::Assembler> CodeSettings::MakeAssembler(
    const std::vector<std::string>& features) const {
  return assembler::Assembler::Create(TargetOf(features, syntax));
}

Result<int> CodeSettings::MeasuringCpu(const Host& host) const {
  if (!cpu) return host.cpus_allowed.back();
  const auto selected = os::SelectCpus(std::to_string(*cpu), host.cpus_allowed);
  if (!selected) return std::unexpected(selected.error());
  return *cpu;
}

CodeSession::CodeSession(std::unique_ptr<Lab> lab) : lab_(std::move(lab)) {}
CodeSession::CodeSession(CodeSession&& other) noexcept = default;
CodeSession& CodeSession::operator=(CodeSession&& other) noexcept = default;
CodeSession::~CodeSession() = default;

Result<CodeSession> CodeSession::Open(const CodeSettings& settings, Pulse& pulse,
                                      Document& document) {
  const auto cpu = settings.MeasuringCpu(document.host);
  if (!cpu) return std::unexpected(cpu.error());
  auto lab = MakeLab(document.host, settings, *cpu, pulse, nullptr);
  if (!lab) return std::unexpected(lab.error());
  document.clock = (*lab)->instrument().DescribeClock();
  AddWarnings((*lab)->Warnings(), document.warnings);
  return CodeSession(std::move(*lab));
}

InstructionRow CodeSession::Measure(const assembler::Instruction& instruction) {
  InstructionRow row = instructions::MeasureForm(*lab_, instruction);
  row.isa = instructions::IsaName(lab_->assembler().Features(instruction));
  return row;
}

BlockRow CodeSession::Measure(const instructions::Block& block) {
  return instructions::MeasureBlock(*lab_, block);
}

Result<std::vector<InstructionRow>> PlanRows(
    const Host& host, const std::vector<assembler::Instruction>& instructions) {
  auto assembler = assembler::Assembler::Create(TargetOf(host.features, assembler::Syntax::kIntel));
  if (!assembler) return std::unexpected(assembler.error());
  Lab lab(std::move(*assembler));
  std::vector<InstructionRow> rows;
  for (const assembler::Instruction& instruction : instructions)
    rows.push_back(instructions::PlanForm(lab, instruction));
  return rows;
}

Result<void> SweepForms(const Host& host, const CodeSettings& settings,
                        const std::vector<instructions::SweepForm>& forms,
                        const instructions::SweepSettings& sweep, Pulse& pulse,
                        const std::function<Result<void>(const instructions::PlacedRow&)>& on_row) {
  const auto make_lab = [&](int cpu, std::mutex& turn) {
    return MakeLab(host, settings, cpu, pulse, &turn);
  };
  bool row_was_refused = false;  // set by one thread at a time, read when all have ended
  const auto take_row = [&](const instructions::PlacedRow& row) {
    auto taken = on_row(row);
    row_was_refused = row_was_refused || !taken;
    return taken;
  };
  auto done = instructions::Sweep(
      forms, sweep, make_lab, {.take_row = take_row, .is_over = [&] { return !pulse.GoesOn(); }});
  // What fails once the pulse has ended, fails because of that.
  if (!done && pulse.has_ended() && !row_was_refused) return {};
  return done;
}

}  // namespace cyclescope::library
