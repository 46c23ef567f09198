#include "library/sweep_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/try.h"
#include "base/work.h"
#include "instructions/rounds.h"
#include "library/request_checks.h"

namespace cyclescope::library {
namespace {

// "nothing matches the filter 'zzzz' in the extension 'avx2'"
Error NothingSelected(const SweepRequest& request) {
  std::string message = "there is nothing to measure: no opcode";
  if (!request.filter.empty()) message += fmt::format(" matches '{}'", request.filter);
  if (!request.isa.empty()) message += fmt::format(" in the extension '{}'", request.isa);
  return {ErrorKind::kBadInput, message,
          "the filter is looked for in the text, the mnemonic and LLVM's name of the opcode"};
}

}  // namespace

Result<void> CheckSweepRequest(const SweepRequest& request) {
  if (!request.latency && !request.throughput)
    return BadInput("neither latency nor throughput is asked for");
  // Less than a nanosecond is no budget: it is a mistake.
  constexpr double kLeastS = 1e-9;
  TRY(CheckRange("budget", request.budget_s.value_or(1), kLeastS, kLongestS));
  TRY(CheckRange("jobs", request.jobs, 1, kMostJobs));
  return CheckModel(request.model);
}

Result<std::optional<SweepRun>> SweepRun::Prepare(const Host& host, const CodeSettings& settings,
                                                  const SweepRequest& request, Pulse& pulse) {
  auto assembler = TRY(settings.MakeAssembler(host.features));
  SweepRun run(host, settings, request, std::move(assembler));
  run.cpus_ = TRY(run.ChooseCpus());
  const sweep::SweepSelection selection = {.filter = request.filter, .isa = request.isa};
  TRY(sweep::CheckSelection(selection, assembler::ExtensionNames(run.assembler_)));
  run.catalogue_ = assembler::Catalogue(run.assembler_, [&pulse] { return pulse.CallerGoesOn(); });
  if (run.catalogue_.empty()) return std::nullopt;
  auto plan =
      sweep::PlanSweep(run.catalogue_, selection,
                       {.cpu = run.assembler_.target().cpu,
                        .hidden = assembler::HiddenFeatures(run.assembler_.target()),
                        .virtual_machine = !host.hypervisor.empty() && host.hypervisor != "none"});
  if (plan.forms.empty() && plan.settled.empty()) return std::unexpected(NothingSelected(request));
  run.plan_ = std::move(plan);
  return run;
}

Result<SweepCpus> SweepRun::ChooseCpus() const {
  const auto candidates = TRY(settings_.MeasuringCpus(host_));
  return ChooseSweepCpus(candidates, static_cast<std::size_t>(request_.jobs), host_);
}

void SweepRun::TakeOver(std::vector<InstructionRow> rows) {
  std::unordered_map<std::string, InstructionRow*> by_opcode;
  for (InstructionRow& row : rows) by_opcode.emplace(row.opcode, &row);
  std::erase_if(plan_.forms, [&](const sweep::SweepForm& form) {
    const auto found = by_opcode.find(form.instruction->opcode);
    if (found == by_opcode.end()) return false;
    rows_.emplace(form.place, std::move(*found->second));
    return true;
  });
}

Result<void> SweepRun::Measure(Pulse& pulse, RowJournal& journal, Document& document) {
  constexpr std::string_view kPart = "sweep";
  const std::size_t total = plan_.forms.size();
  std::size_t done = 0;
  plan_.summary.not_reached = static_cast<int>(total);
  if (pulse.Report({.done = done, .total = total, .part = kPart})) {
    const auto take_row = [&](sweep::PlacedRow placed) {
      const auto [found, is_new] = rows_.try_emplace(placed.place);
      InstructionRow& row = found->second;
      if (is_new) ++done;
      row = is_new ? std::move(placed.row) : instructions::MergeRows(row, std::move(placed.row));
      pulse.Report({.done = done, .total = total, .part = kPart, .row = &row});
      return journal.Append(row);
    };
    const auto effort = SweepForms(settings_, plan_.forms, cpus_,
                                   {.latency = request_.latency, .throughput = request_.throughput},
                                   pulse, take_row, document);
    plan_.summary.not_reached = static_cast<int>(total - done);
    if (!effort) return std::unexpected(effort.error());
    plan_.summary.effort = *effort;
  }
  return {};
}

namespace {

// Rows whose ports are looked for by several threads, each with a session of its own.
class PortWork {
 public:
  PortWork(std::vector<PortTarget> targets, std::size_t jobs, Pulse& pulse, RowJournal& journal,
           Document& document)
      : targets_(std::move(targets)),
        // Those of a group are looked for together, so that their visits lie apart in time; and no
        // more are lost when all is ended.
        group_size_(std::clamp<std::size_t>(targets_.size() / jobs, 1, kMaxFormsTogether)),
        pulse_(pulse),
        journal_(journal),
        document_(document) {}

  static constexpr std::string_view kPart = "ports";

  // Takes groups until none is left.
  void Run(CodeSession& session, PortRows& ports) {
    while (ports.map() && !ports.was_cut_short()) {
      const std::span<const PortTarget> group = NextGroup();
      if (group.empty()) break;
      ports.AddTo(group);
      Keep(group);
    }
    const std::lock_guard lock(mutex_);
    session.Describe(document_);
  }

  void Fail(Error error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }

  // When all threads have ended.
  Result<void> Finish() {
    document_.partial = document_.partial || done_ < targets_.size();
    if (error_) return std::unexpected(*error_);
    return {};
  }

 private:
  static constexpr std::size_t kMaxFormsTogether = 48;

  std::span<const PortTarget> NextGroup() {
    const std::lock_guard lock(mutex_);
    if (error_) return {};
    const std::size_t count = std::min(group_size_, targets_.size() - next_);
    const auto group = std::span(targets_).subspan(next_, count);
    next_ += count;
    return group;
  }

  void Keep(std::span<const PortTarget> group) {
    const std::lock_guard lock(mutex_);
    for (const PortTarget& target : group) {
      if (!target.row->port_finding) continue;
      ++done_;
      pulse_.Report({.done = done_, .total = targets_.size(), .part = kPart, .row = target.row});
      if (auto written = journal_.Append(*target.row); !written && !error_)
        error_ = written.error();
    }
  }

  const std::vector<PortTarget> targets_;
  const std::size_t group_size_;
  Pulse& pulse_;
  std::mutex mutex_;  // guards what is below
  RowJournal& journal_;
  Document& document_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
  std::optional<Error> error_;
};

}  // namespace

std::vector<PortTarget> SweepRun::RowsWithoutPorts() {
  std::vector<PortTarget> targets;
  for (auto& [place, row] : rows_) {
    const bool measured = row.status == Status::kMeasured || row.status == Status::kDisturbed;
    if (measured && !row.port_finding && catalogue_[place].instruction)
      targets.push_back({&*catalogue_[place].instruction, &row});
  }
  return targets;
}

Result<void> SweepRun::AddPorts(Pulse& pulse, RowJournal& journal, Document& document) {
  std::vector<PortTarget> targets = RowsWithoutPorts();
  document.port_map = journal.port_map();
  if (targets.empty()) return {};
  if (!pulse.Report({.done = 0, .total = targets.size(), .part = PortWork::kPart})) {
    document.partial = true;
    return {};
  }
  // Hundreds of thousands of mixes are worth a long wait.
  constexpr double kPatienceS = 120;
  CodeSettings settings = settings_.ForMany(kPatienceS);
  if (settings.watches == nullptr)
    settings.watches = std::make_shared<measure::CoreWatches>(ExpectedWidth(assembler_));
  // Where there are several jobs, each stays on CPUs of its own.
  std::vector<Host> hosts(cpus_.choices.size(), host_);
  if (hosts.size() > 1) {
    settings.cpu.reset();
    for (std::size_t job = 0; job < hosts.size(); ++job)
      hosts[job].cpus_allowed = cpus_.choices[job];
  }
  auto session = CodeSession::Open(settings, pulse, hosts.front());
  if (!session && !pulse.has_ended()) return std::unexpected(session.error());
  if (!session) {
    document.partial = true;
    return {};
  }
  PortRows ports(*session, request_.model);
  const bool is_known = document.port_map.has_value();
  if (is_known) {
    TRY(ports.UseMap(*document.port_map));
  } else {
    ports.FindMap();
  }
  ports.DescribeMap("resume it on a quiet core", document);
  if (!is_known && ports.map()) TRY(journal.Append(document));
  PortWork work(std::move(targets), hosts.size(), pulse, journal, document);
  const std::thread::id own_thread = std::this_thread::get_id();
  std::atomic<std::size_t> next_job = 1;
  RunOnThreads(ports.map() ? hosts.size() : 1, [&] {
    if (std::this_thread::get_id() == own_thread) {
      work.Run(*session, ports);
      return;
    }
    auto other = CodeSession::Open(settings, pulse, hosts[next_job++]);
    if (!other) {
      if (!pulse.has_ended()) work.Fail(other.error());
      return;
    }
    PortRows other_ports(*other, request_.model);
    if (auto used = other_ports.UseMap(*ports.map()); used) {
      work.Run(*other, other_ports);
    } else {
      work.Fail(used.error());
    }
  });
  return work.Finish();
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
  for (sweep::PlacedRow& settled : plan_.settled)
    rows_.emplace(settled.place, std::move(settled.row));
  AddModels();
  for (auto& [place, row] : rows_) {
    row.origin = "sweep";
    document.instructions.push_back(std::move(row));
  }
  rows_.clear();
  document.sweep = plan_.summary;
  document.partial = document.partial || plan_.summary.not_reached > 0;
}

Result<std::optional<JournaledSweep>> JournaledSweep::Prepare(const Document& head,
                                                              const CodeSettings& settings,
                                                              const SweepRequest& request,
                                                              Pulse& pulse) {
  // An old journal may be the wrong one, which is told before the seconds that the list of opcodes
  // takes. A new one is made when it is sure that there are rows for it.
  std::optional<Result<RowJournal>> journal;
  if (!request.journal.resume.empty()) {
    journal = RowJournal::Open(request.journal, head);
    if (!*journal) return std::unexpected(journal->error());
  }
  auto run = TRY(SweepRun::Prepare(head.host, settings, request, pulse));
  if (!run) return std::nullopt;
  if (!journal) journal = RowJournal::Open(request.journal, head);
  if (!*journal) return std::unexpected(journal->error());
  return JournaledSweep(std::move(*run), std::move(**journal), request.ports);
}

Result<void> JournaledSweep::Measure(Pulse& pulse, Document& document) {
  run_.TakeOver(journal_.TakeRows());
  auto done = run_.Measure(pulse, journal_, document);
  if (done && ports_) done = run_.AddPorts(pulse, journal_, document);
  run_.Finish(document);
  if (!done) {
    // What was measured by then stays.
    const bool has_values = std::ranges::any_of(document.instructions, [](const auto& row) {
      return row.throughput || !row.latency.empty();
    });
    if (!has_values) return done;
    document.warnings.push_back({"sweep-ended", done.error().message, done.error().hint});
    document.partial = true;
  }
  return document.partial ? Result<void>() : journal_.Complete(document);
}

}  // namespace cyclescope::library
