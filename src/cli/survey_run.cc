#include "cli/survey_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "arch/headline_forms.h"
#include "cli/assembly_options.h"
#include "cli/live_matrix.h"
#include "cli/narration.h"
#include "cli/sweep_run.h"
#include "cores/test_choice.h"
#include "instructions/block.h"
#include "library/block_assembly.h"
#include "library/cores_run.h"
#include "library/frequency_rows.h"
#include "library/instruction_jobs.h"
#include "library/warnings.h"
#include "measure/doctor.h"
#include "measure/frequency.h"
#include "os/interrupt.h"

namespace cyclescope::cli {
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

// One survey under way. Each part leaves the document whole, so that it can be the last one.
class Survey {
 public:
  Survey(const SurveyRequest& request, const TextStyle& style, Document& document)
      : request_(request),
        style_(style),
        clock_(measure::FindTickClock(measure::SystemClockReaders())),
        host_(document.host),
        document_(document) {
    host_.cpus_allowed = request.cpus;
    assembly_.cycles = request.cycles;
  }

  Result<void> Measure() {
    document_.doctor = measure::Diagnose(measure::GatherFacts(document_.host));
    document_.clock = measure::DescribeTicks(clock_);
    for (auto part : {&Survey::MeasureClocks, &Survey::MeasureMatrices, &Survey::MeasureForms,
                      &Survey::MeasureSweep}) {
      if (os::Interrupted()) {
        document_.partial = true;
        return {};
      }
      if (auto done = (this->*part)(); !done) return done;
    }
    return {};
  }

 private:
  Result<void> MeasureClocks() {
    auto done = library::MeasureFrequencies(request_.cpus, request_.cycles, clock_,
                                            FrequencySettingsFor(request_.effort),
                                            NarrateProgress("measuring frequency"), document_);
    if (!done) return done;
    return os::Unpin(document_.host.cpus_allowed);
  }

  Result<void> MeasureMatrices() {
    if (request_.cpus.size() < 2) {
      document_.warnings.push_back(
          {"one-cpu", "latency between cores was left out: there is one CPU only",
           "give at least two with --cpus where the process may use them"});
      return {};
    }
    auto tests = cores::ChooseTests("cas,two-lines", "", host_.features);
    if (!tests) return std::unexpected(tests.error());
    const cores::MatrixPlan plan =
        PlanMatrices(request_.effort, request_.cpus.size(), tests->size());
    return library::MeasureCores({request_.cpus, std::move(*tests), {}, plan}, clock_,
                                 NarrateTests(style_), document_);
  }

  Result<void> MeasureForms() {
    auto assembler = assembly_.MakeAssembler(host_);
    if (!assembler) return std::unexpected(assembler.error());
    std::vector<std::string> texts;
    for (const arch::HeadlineForm& form : arch::HeadlineForms()) texts.emplace_back(form.text);
    const auto jobs = library::ParseInstructions(*assembler, texts);
    if (!jobs) return Failed("a headline form is no instruction of this architecture");

    auto lab = assembly_.MakeLab(host_);
    if (!lab) return std::unexpected(lab.error());
    document_.clock = (*lab)->instrument().DescribeClock();
    library::AddWarnings((*lab)->Warnings(), document_.warnings);
    std::vector<InstructionRow> rows =
        library::MeasureInstructions(**lab, *jobs, NarrateProgress("measuring instructions"));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].heading = arch::HeadlineForms()[i].heading;
      document_.instructions.push_back(std::move(rows[i]));
    }
    document_.partial = document_.partial || rows.size() < jobs->size();
    return MeasureSnippets(*assembler, **lab);
  }

  Result<void> MeasureSnippets(assembler::Assembler& assembler, instructions::Lab& lab) {
    for (const std::string_view text : arch::HeadlineSnippets()) {
      if (os::Interrupted()) {
        document_.partial = true;
        return {};
      }
      instructions::Block snippet;
      snippet.text = text;
      const auto block = library::AssembleBlock(assembler, snippet);
      if (block) {
        document_.blocks.push_back(instructions::MeasureBlock(lab, *block));
      } else if (block.error().kind == assembler::TextErrorKind::kNeedsFeature) {
        document_.blocks.push_back(library::UnsupportedBlock(snippet, block.error()));
      } else {
        return std::unexpected(block.error().ToError());
      }
    }
    return {};
  }

  Result<void> MeasureSweep() {
    if (request_.effort != SurveyEffort::kFull) return {};
    auto sweep = SweepRun::Prepare(host_, assembly_, {});
    if (!sweep) return std::unexpected(sweep.error());
    auto done = sweep->Measure([](const InstructionRow&) -> Result<void> { return {}; });
    if (!done) return done;
    sweep->Finish(document_);
    return {};
  }

  const SurveyRequest& request_;
  const TextStyle& style_;
  measure::TickClock clock_;
  Host host_;  // the document's, with the CPUs that were asked for
  AssemblyOptions assembly_;
  Document& document_;
};

}  // namespace

Result<void> MeasureSurvey(const SurveyRequest& request, const TextStyle& style,
                           Document& document) {
  return Survey(request, style, document).Measure();
}

}  // namespace cyclescope::cli
