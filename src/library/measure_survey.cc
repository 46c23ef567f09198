// MeasureSurvey.
#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/dispatch_width.h"
#include "arch/headline_forms.h"
#include "base/try.h"
#include "blocks/block.h"
#include "cores/choices.h"
#include "cyclescope/measure.h"
#include "library/anatomy_run.h"
#include "library/block_jobs.h"
#include "library/code_session.h"
#include "library/cores_run.h"
#include "library/document_start.h"
#include "library/frequency_rows.h"
#include "library/gpu_run.h"
#include "library/instruction_jobs.h"
#include "library/memory_run.h"
#include "library/request_checks.h"
#include "library/row_journal.h"
#include "library/sweep_run.h"
#include "library/warnings.h"
#include "measure/doctor.h"
#include "measure/frequency.h"
#include "os/clock.h"
#include "os/cpus.h"

namespace cyclescope {
namespace {

measure::FrequencySettings FrequencySettingsFor(SurveyEffort effort) {
  measure::FrequencySettings settings;
  if (effort == SurveyEffort::kQuick) {
    settings.warm_up_ns = 10'000'000;
    settings.duration_ns = 20'000'000;
  }
  return settings;
}

// All matrices together get a fixed time, which the pairs share: so a survey takes about as long on
// a large machine as on a small one. With very many CPUs disjoint pairs are measured at once, and
// the result says what that changes.
cores::MatrixPlan PlanMatrices(SurveyEffort effort, std::size_t cpus, std::size_t tests) {
  constexpr std::int64_t kQuickNs = 1'500'000'000;
  constexpr std::int64_t kNormalNs = 30'000'000'000;
  constexpr std::size_t kMostCpusOneByOne = 64;
  constexpr std::int64_t kLeastPairNs = 1'000'000;
  cores::MatrixPlan plan;
  plan.seed = std::random_device()();
  plan.parallel = cpus > kMostCpusOneByOne;
  const std::size_t rounds = tests * (plan.parallel ? 2 * cpus : cpus * (cpus - 1));
  const std::int64_t all_ns = effort == SurveyEffort::kQuick ? kQuickNs : kNormalNs;
  plan.budget_ns =
      std::clamp(all_ns / static_cast<std::int64_t>(rounds), kLeastPairNs, plan.budget_ns);
  return plan;
}

// What the caches and memory may take; on a quiet machine they take less.
constexpr std::chrono::milliseconds kQuickLadder(1'500);
constexpr std::chrono::milliseconds kLadder(2'500);

// Time that the hypervisor withholds from some CPUs, from now on.
class StolenTime {
 public:
  explicit StolenTime(const os::CpuList& cpus)
      : cpus_(cpus),
        is_counted_(os::ReadStealTime(cpus.front()).has_value()),
        before_s_(os::StolenSeconds(cpus)),
        begin_ns_(os::MonotonicNanoseconds()) {}

  // Of all their time; unset where the system does not count it, or none has passed.
  std::optional<double> Share() const {
    const double passed_s = 1e-9 * static_cast<double>(os::MonotonicNanoseconds() - begin_ns_) *
                            static_cast<double>(cpus_.size());
    if (!is_counted_ || passed_s <= 0) return std::nullopt;
    return std::clamp((os::StolenSeconds(cpus_) - before_s_) / passed_s, 0.0, 1.0);
  }

 private:
  const os::CpuList& cpus_;
  bool is_counted_;
  double before_s_;
  std::int64_t begin_ns_;
};

// One survey under way. Each part leaves the document whole, so that it can be the last one.
class Survey {
 public:
  Survey(const SurveyRequest& request, os::CpuList cpus, library::RowJournal journal,
         library::Pulse& pulse, Document document)
      : request_(request),
        cpus_(std::move(cpus)),
        journal_(std::move(journal)),
        pulse_(pulse),
        clock_(measure::SystemTickClock()),
        document_(std::move(document)) {
    settings_.cycles = request.cycles;
    settings_.patience_s = request.patience_s;
  }

  Result<Document> Measure() {
    const StolenTime stolen(cpus_);
    const std::optional<double> expected_width = library::ExpectedWidth(document_.host);
    document_.doctor = measure::Diagnose(measure::GatherFacts(document_.host, expected_width));
    document_.clock = measure::DescribeTicks(clock_);
    settings_.watches = std::make_shared<measure::CoreWatches>(expected_width);
    // Forms after memory: they have the last word about the clock, since they may use counters.
    constexpr Part kParts[] = {
        {&Survey::MeasureClocks, "no-frequency"},   {&Survey::MeasureCoreLatency, "no-cores"},
        {&Survey::MeasureLadder, "no-memory"},      {&Survey::MeasureCore, "no-anatomy"},
        {&Survey::MeasureForms, "no-instructions"}, {&Survey::MeasureGpus, "no-gpu"},
        {&Survey::MeasureSweep, "no-sweep"}};
    std::optional<Error> failed;
    for (const Part& part : kParts) {
      if (!pulse_.GoesOn()) {
        document_.partial = true;
        break;
      }
      const auto done = (this->*part.measure)();
      if (done) continue;
      if (done.error().kind == ErrorKind::kBadInput) return std::unexpected(done.error());
      if (!failed) failed = done.error();
      document_.warnings.push_back({part.warning, done.error().message, done.error().hint});
      document_.partial = true;
    }
    if (failed && IsEmpty()) return std::unexpected(*failed);
    library::WarnOfContention(document_);
    document_.host.stolen_share = stolen.Share();
    return std::move(document_);
  }

 private:
  // One that fails is no reason to lose the others: the warning says so.
  struct Part {
    Result<void> (Survey::*measure)();
    const char* warning;
  };

  bool IsEmpty() const {
    return document_.frequency.empty() && document_.cores.empty() && document_.memory.empty() &&
           !document_.anatomy && document_.instructions.empty() && document_.blocks.empty() &&
           document_.gpu.empty();
  }

  Result<void> MeasureClocks() {
    return library::MeasureFrequencies({.cpus = cpus_,
                                        .cycles = request_.cycles,
                                        .settings = FrequencySettingsFor(request_.effort),
                                        .patience_s = request_.patience_s,
                                        .watches = settings_.watches},
                                       clock_, pulse_, document_);
  }

  Result<void> MeasureCoreLatency() {
    if (cpus_.size() < 2) {
      document_.warnings.push_back(
          {"one-cpu", "latency between cores was left out: there is one CPU only",
           "give at least two with --cpus where the process may use them"});
      return {};
    }
    auto tests = TRY(cores::ChooseTests("cas,two-lines", "", document_.host.features));
    const cores::MatrixPlan plan = PlanMatrices(request_.effort, cpus_.size(), tests.size());
    return library::MeasureMatrices({cpus_, std::move(tests), {}, plan}, clock_, pulse_, document_);
  }

  Result<void> MeasureForms() {
    auto assembler = TRY(settings_.MakeAssembler(document_.host.features));
    std::vector<std::string> texts;
    for (const arch::HeadlineForm& form : arch::HeadlineForms()) texts.emplace_back(form.text);
    library::ReadTexts read;
    const library::ParsedTexts parsed = library::ParseInstructions(assembler, texts, read);
    if (!parsed.problems.empty())
      return Failed("a headline form is not an instruction of this architecture: " +
                    parsed.problems.front().message);
    const auto snippets = TRY(AssembleSnippets(assembler));

    Host host = document_.host;
    host.cpus_allowed = cpus_;
    auto session = library::CodeSession::Open(settings_, pulse_, host, std::move(assembler));
    if (!session && !pulse_.has_ended()) return std::unexpected(session.error());
    if (session) {
      if (const auto slots = DispatchWidth(document_)) session->UseDispatchWidth(*slots);
      auto rows = library::MeasureJobs(*session, parsed.jobs, pulse_);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i]) continue;
        rows[i]->origin = "headline";
        const arch::HeadlineForm& form = arch::HeadlineForms()[parsed.jobs[i].index];
        rows[i]->heading = form.heading;
        rows[i]->known_as = form.known_as;
      }
      document_.instructions = library::WholeRows(std::move(rows));
      if (!pulse_.has_ended()) {
        const auto take_row = [this](const BlockRow& row, bool /*is_whole*/) -> Result<void> {
          document_.blocks.push_back(row);
          return {};
        };
        TRY(library::MeasureBlocks(*session, snippets, pulse_, take_row));
      }
      session->Describe(document_);
    }
    document_.partial = document_.partial || document_.instructions.size() < parsed.jobs.size() ||
                        document_.blocks.size() < snippets.size();
    return {};
  }

  Result<std::vector<library::BlockJob>> AssembleSnippets(assembler::Assembler& assembler) {
    std::vector<library::BlockJob> jobs;
    library::ReadTexts read;
    for (const auto& [text, code, known_as] : arch::HeadlineSnippets()) {
      blocks::Block snippet;
      snippet.text = code.empty() ? text : code;
      snippet.name = known_as;
      auto job = library::AssembleBlock(assembler, snippet, read);
      if (!job) return std::unexpected(job.error().ToError());
      job->row.text = text;
      if (job->block) job->block->text = text;
      jobs.push_back(std::move(*job));
    }
    return jobs;
  }

  Result<void> MeasureLadder() {
    library::MemoryRun run;
    run.cpus = {cpus_.back()};  // interrupts and other programs gather on the first
    run.quick = true;
    run.most_time = request_.effort == SurveyEffort::kQuick ? kQuickLadder : kLadder;
    run.patience_s = request_.patience_s;
    run.topology = request_.topology;
    run.watches = settings_.watches;
    return library::MeasureMemoryRows(run, clock_, pulse_, document_);
  }

  // The windows alone, with one filler each.
  Result<void> MeasureCore() {
    library::AnatomyRun run;
    run.parts = {AnatomyPart::kWindows};
    run.quick = true;
    run.settings = settings_;
    run.settings.cpu = cpus_.back();
    return library::MeasureAnatomyParts(run, pulse_, document_);
  }

  Result<void> MeasureGpus() {
    if (!library::HasGpu(request_.gpu_driver, pulse_)) return {};
    library::GpuRun run;
    run.cpus = cpus_;
    run.quick = request_.effort == SurveyEffort::kQuick;
    run.parts.memory = run.parts.matrix = run.parts.trips = !run.quick;
    run.driver = request_.gpu_driver;
    return library::MeasureGpuRows(run, pulse_, document_);
  }

  Result<void> MeasureSweep() {
    if (request_.effort != SurveyEffort::kFull) return {};
    Host host = document_.host;
    host.cpus_allowed = cpus_;
    auto prepared = TRY(library::SweepRun::Prepare(host, settings_, {}, pulse_));
    if (!prepared) {
      document_.partial = true;
      return {};
    }
    library::SweepRun& sweep = *prepared;
    sweep.TakeOver(journal_.TakeRows());
    // A journal that cannot be written ends it: what there is by then stays.
    auto done = sweep.Measure(pulse_, journal_, document_);
    sweep.Finish(document_);
    if (done && document_.sweep->not_reached == 0) done = journal_.Complete(document_);
    return done;
  }

  const SurveyRequest& request_;
  os::CpuList cpus_;
  library::RowJournal journal_;
  library::Pulse& pulse_;
  library::CodeSettings settings_;
  measure::TickClock clock_;
  Document document_;
};

Result<Document> SurveyHead(const SurveyRequest& request) {
  auto document = library::StartDocument("survey", request.topology);
  if (document) document->config.options = {{"cycles", std::string(ToString(request.cycles))}};
  return document;
}

}  // namespace

Result<Document> MeasureSurvey(const SurveyRequest& request, const OnProgress& on_progress) {
  TRY(library::CheckPatience(request.patience_s));
  auto document = TRY(SurveyHead(request));
  auto cpus = TRY(library::SelectCpus(request.cpus, document.host.cpus_allowed));
  const bool has_journal = !request.journal.file.empty() || !request.journal.resume.empty();
  if (has_journal && request.effort != SurveyEffort::kFull)
    return BadInput("a journal holds the rows of a sweep, and only a full survey sweeps");
  auto journal = TRY(library::RowJournal::Open(request.journal, document));
  library::Pulse pulse(on_progress);
  return Survey(request, std::move(cpus), std::move(journal), pulse, std::move(document)).Measure();
}

std::optional<std::string> FindOpenJournal(const SurveyRequest& request) {
  const auto head = SurveyHead(request);
  return head ? library::FindOpenJournal(*head) : std::nullopt;
}

}  // namespace cyclescope
