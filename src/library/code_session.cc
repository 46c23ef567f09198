#include "library/code_session.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "arch/architecture.h"
#include "base/try.h"
#include "base/work.h"
#include "library/request_checks.h"
#include "library/warnings.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"
#include "os/memory_area.h"
#include "sandbox/executor.h"
#include "sandbox/worker.h"

namespace cyclescope::library {
namespace {

using instructions::Bench;
using instructions::Planner;

assembler::Target TargetOf(const std::vector<std::string>& features, assembler::Syntax syntax) {
  return assembler::HostTarget(*assembler::ParseArchitecture(arch::Name()), features, {}, syntax);
}

// Planners write their own code in Intel's syntax, so they can use a `reader` of that.
Result<std::unique_ptr<Planner>> MakePlanner(
    const Host& host, std::optional<assembler::Assembler> reader = std::nullopt) {
  if (!reader || reader->target().syntax != assembler::Syntax::kIntel) {
    reader = TRY(assembler::Assembler::Create(TargetOf(host.features, assembler::Syntax::kIntel)));
  }
  const auto address = TRY(sandbox::ScratchAddress());
  return std::make_unique<Planner>(std::move(*reader), address);
}

Result<std::unique_ptr<Bench>> MakeBench(const CodeSettings& settings, const os::CpuList& cpus,
                                         const measure::TickClock& clock, Pulse& pulse,
                                         std::shared_ptr<measure::CoreWatch> watch,
                                         instructions::Siblings* siblings = nullptr,
                                         std::mutex* turn = nullptr) {
  measure::RunSettings run;
  run.precision = settings.precision.value_or(run.precision);
  run.most_stretch = settings.most_stretch.value_or(run.most_stretch);
  run.least_visits = settings.least_visits;
  run.most_visits = settings.most_visits.value_or(run.most_visits);
  run.cpus = cpus;
  run.least_gap = settings.least_gap.value_or(run.least_gap);
  run.kept_back = settings.kept_back;
  if (settings.patience_s) {
    run.patience = std::chrono::nanoseconds(static_cast<std::int64_t>(*settings.patience_s * 1e9));
  }
  const auto start_worker = [&](std::optional<os::CounterAccess> access)
      -> Result<std::unique_ptr<sandbox::CodeExecutor>> {
    std::unique_ptr<sandbox::CodeExecutor> worker = TRY(sandbox::Worker::Start(
        {.cpu = cpus.back(), .counters = access, .goes_on = pulse.Question()}));
    return turn != nullptr ? sandbox::TakesTurns(std::move(worker), *turn) : std::move(worker);
  };
  auto runner =
      TRY(measure::Runner::Create(settings.cycles, clock, start_worker, run, std::move(watch)));
  return std::make_unique<Bench>(std::move(runner), siblings);
}

void DescribeRunner(const measure::Runner& runner, Document& document) {
  DescribeClock(runner.instrument().DescribeClock(), runner.Warnings(), document);
  DescribeContention(runner.instrument().watch(), runner.waited(), document);
}

}  // namespace

std::optional<double> ExpectedWidth(assembler::Assembler& assembler) {
  const auto parsed = assembler.Parse(arch::ReferenceChains()[0].instruction);
  if (!parsed || parsed->size() != 1) return std::nullopt;
  return assembler.Model(parsed->front()).reciprocal_throughput;
}

std::optional<double> ExpectedWidth(const Host& host) {
  auto assembler = assembler::Assembler::Create(TargetOf(host.features, assembler::Syntax::kIntel));
  return assembler ? ExpectedWidth(*assembler) : std::nullopt;
}

Result<CodeSettings> CodeSettings::Of(const CodeRequest& request) {
  TRY(CheckPatience(request.patience_s));
  return CodeSettings{
      .cpu = request.cpu,
      .cycles = request.cycles,
      .syntax = request.att_syntax ? assembler::Syntax::kAtt : assembler::Syntax::kIntel,
      .patience_s = request.patience_s,
      .precision = {},
      .most_stretch = {},
      .kept_back = 0,
      .watches = nullptr,
      .reader = request.reader};
}

CodeSettings CodeSettings::ForMany(double usual_patience_s) const {
  constexpr double kPrecision = 0.01;
  constexpr int kMostStretch = 4;
  constexpr int kMostVisits = 14;
  CodeSettings many = *this;
  many.patience_s = patience_s.value_or(usual_patience_s);
  many.precision = precision.value_or(kPrecision);
  many.most_stretch = most_stretch.value_or(kMostStretch);
  many.least_visits = statistics::kFewestVisits;
  many.most_visits = most_visits.value_or(kMostVisits);
  return many;
}

Result<assembler::Assembler> CodeSettings::MakeAssembler(
    const std::vector<std::string>& features) const {
  return assembler::Assembler::Create(TargetOf(features, syntax));
}

Result<Reader> CodeSettings::TakeReader(const std::vector<std::string>& features) const {
  if (auto kept = reader ? reader->Take(syntax) : std::nullopt) return std::move(*kept);
  auto assembler = TRY(MakeAssembler(features));
  return Reader{.assembler = std::move(assembler)};
}

Result<os::CpuList> CodeSettings::MeasuringCpus(const Host& host) const {
  if (cpu) return os::SelectCpus(std::to_string(*cpu), host.cpus_allowed);
  return CpusLike(host.cpus_allowed.back(), host);
}

Result<CodeSession> CodeSession::Open(const CodeSettings& settings, Pulse& pulse, const Host& host,
                                      std::optional<assembler::Assembler> reader) {
  const auto cpus = TRY(settings.MeasuringCpus(host));
  auto planner = TRY(MakePlanner(host, std::move(reader)));
  const measure::TickClock clock = measure::SystemTickClock();
  auto watches = settings.watches;
  if (watches == nullptr)
    watches = std::make_shared<measure::CoreWatches>(ExpectedWidth(planner->assembler()));
  auto bench =
      TRY(MakeBench(settings, cpus, clock, pulse, watches->Of(cpus.back(), host.topology)));
  return CodeSession(host, std::move(planner), std::move(bench), pulse.Question());
}

std::vector<std::optional<InstructionRow>> CodeSession::Measure(
    std::span<const assembler::Instruction> instructions) {
  std::vector<instructions::FormPlan> plans;
  for (const assembler::Instruction& instruction : instructions) {
    plans.push_back(
        instructions::PlanForm(*planner_, instruction, {}, bench_->filters_system_calls()));
    plans.back().row.isa = sweep::IsaName(planner_->assembler().Features(instruction));
  }
  return bench_->Measure(std::move(plans), *planner_, goes_on_);
}

blocks::BlockSubject CodeSession::Read(const blocks::Block& block) {
  return blocks::ReadBlock(planner_->assembler(), block, bench_->filters_system_calls());
}

std::vector<std::optional<BlockRow>> CodeSession::Measure(
    std::span<const blocks::BlockSubject> subjects) {
  return blocks::MeasureBlocks(*bench_, *planner_, subjects, goes_on_);
}

void CodeSession::Predict(std::span<const Unpredicted> blocks) {
  // Fewer are not worth a thread.
  constexpr std::size_t kMinBlocksPerThread = 4;
  constexpr std::size_t kMostHelpers = 7;
  const std::size_t others = std::max<std::size_t>(host_->cpus_allowed.size(), 1) - 1;
  const std::size_t wanted = std::min({blocks.size() / kMinBlocksPerThread, others, kMostHelpers});
  while (helpers_.size() < wanted) {
    auto helper = MakePlanner(*host_);
    if (!helper) break;  // fewer do it, too
    helpers_.push_back(std::move(*helper));
  }
  const std::thread::id own_thread = std::this_thread::get_id();
  std::atomic<std::size_t> next_helper = 0;
  std::atomic<std::size_t> next_block = 0;
  RunOnThreads(std::min(wanted, helpers_.size()) + 1, [&] {
    const bool helps = std::this_thread::get_id() != own_thread;
    // A helper does its part wherever it may run.
    if (helps) (void)os::Unpin(host_->cpus_allowed);
    Planner& planner = helps ? *helpers_[next_helper++] : *planner_;
    for (std::size_t i = next_block++; i < blocks.size(); i = next_block++) {
      const auto& [subject, timeline, row] = blocks[i];
      blocks::PredictBlock(planner, *subject, timeline, *row);
    }
  });
}

void CodeSession::Explain(const blocks::BlockSubject& subject, BlockRow& row) {
  blocks::ExplainBlock(*bench_, *planner_, subject, goes_on_, known_parts_, row);
}

ports::PortFinder CodeSession::Ports() { return {*planner_, bench_->runner(), goes_on_}; }

void CodeSession::Describe(Document& document) const { DescribeRunner(bench_->runner(), document); }

Result<std::vector<InstructionRow>> PlanRows(
    const Host& host, assembler::Assembler reader,
    const std::vector<assembler::Instruction>& instructions) {
  auto planner = TRY(MakePlanner(host, std::move(reader)));
  std::vector<InstructionRow> rows;
  for (const assembler::Instruction& instruction : instructions) {
    rows.push_back(instructions::DryRow(
        instructions::PlanForm(*planner, instruction, {}, /*filters_system_calls=*/true)));
  }
  return rows;
}

Result<SweepEffort> SweepForms(const CodeSettings& settings,
                               const std::vector<sweep::SweepForm>& forms, const SweepCpus& cpus,
                               const instructions::Quantities& quantities, Pulse& pulse,
                               const std::function<Result<void>(sweep::PlacedRow)>& on_row,
                               Document& document) {
  const measure::TickClock clock = measure::SystemTickClock();
  auto watches = settings.watches;
  if (watches == nullptr) {
    auto assembler = TRY(
        assembler::Assembler::Create(TargetOf(document.host.features, assembler::Syntax::kIntel)));
    watches = std::make_shared<measure::CoreWatches>(ExpectedWidth(assembler));
  }
  // Thousands of forms are worth a longer wait than one.
  constexpr double kSweepPatienceS = 45;
  CodeSettings sweep_settings = settings.ForMany(kSweepPatienceS);
  sweep_settings.kept_back = kSecondChance;
  // Where each CPU has one bench, nothing is measured while it pauses. Most stays of a neighbour on
  // the core's other thread are over in a fifth of this.
  if (cpus.takes_turns) sweep_settings.least_gap = std::chrono::microseconds(500);
  instructions::Siblings siblings;
  std::map<int, std::mutex> turns;  // by CPU
  for (const int cpu : cpus.measuring) turns.try_emplace(cpu);
  std::mutex describing;
  SweepEffort effort;
  const auto begin = std::chrono::steady_clock::now();
  const sweep::SweepFactories factories = {
      .make_planner = [&] { return MakePlanner(document.host); },
      .make_bench =
          [&](int cpu) {
            const auto choices = std::ranges::find(
                cpus.choices, cpu, [](const os::CpuList& each) { return each.back(); });
            return MakeBench(sweep_settings, *choices, clock, pulse,
                             watches->Of(cpu, document.host.topology), &siblings, &turns.at(cpu));
          },
      .on_end =
          [&](const Bench& bench) {
            const std::lock_guard lock(describing);
            DescribeRunner(bench.runner(), document);
            effort.switches += bench.runner().effort().switches;
            effort.samples += bench.runner().effort().samples;
          }};
  bool row_was_refused = false;  // set by one thread at a time, read when all have ended
  const auto take_row = [&](sweep::PlacedRow row) {
    auto taken = on_row(std::move(row));
    row_was_refused = row_was_refused || !taken;
    return taken;
  };
  const sweep::SweepSettings sweep = {.measuring_cpus = cpus.measuring,
                                      .planning_cpus = cpus.planning,
                                      .takes_turns = cpus.takes_turns,
                                      .quantities = quantities};
  auto done =
      sweep::Sweep(forms, sweep, factories, {.take_row = take_row, .goes_on = pulse.Question()});
  effort.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  // The plans of all threads: the result will need some of it.
  os::ReturnFreedMemory();
  // What fails once the pulse has ended, fails because of that.
  if (!done && (!pulse.has_ended() || row_was_refused)) return std::unexpected(done.error());
  return effort;
}

}  // namespace cyclescope::library
