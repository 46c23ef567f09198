// Where and how code is measured, and what that takes. This is the one place that knows how the
// layer `instructions` is set up: the other files of this layer measure through a session.
//
//   auto session = CodeSession::Open(*settings, pulse, document);
//   document.instructions = session->Measure(instructions);
//   session->Describe(document);
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assembler/assembler.h"
#include "base/work.h"
#include "blocks/measure_blocks.h"
#include "cyclescope/base/error.h"
#include "cyclescope/measure.h"
#include "cyclescope/result/document.h"
#include "instructions/measure_forms.h"
#include "library/measuring_cpus.h"
#include "library/pulse.h"
#include "library/text_reader.h"
#include "measure/core_watch.h"
#include "ports/find_ports.h"
#include "sweep/sweep.h"

namespace cyclescope::library {

// The share of the patience that forms without a quiet moment get when all others are measured.
inline constexpr double kSecondChance = 1.0 / 3;

struct CodeSettings {
  std::optional<int> cpu;
  CycleChoice cycles = CycleChoice::kAuto;
  assembler::Syntax syntax = assembler::Syntax::kIntel;
  std::optional<double> patience_s;
  std::optional<double> precision;                    // relative; the runner's own where unset
  std::optional<int> most_stretch;                    // of samples; likewise
  std::size_t least_visits = 8;                       // of an experiment
  std::optional<int> most_visits;                     // likewise; the runner's own where unset
  std::optional<std::chrono::nanoseconds> least_gap;  // between visits; likewise
  double kept_back = 0;  // the share of the patience that is for a second chance
  // What is known of the cores, where other parts of the request look at them, too.
  std::shared_ptr<measure::CoreWatches> watches;
  std::shared_ptr<TextReader> reader = nullptr;  // as in CodeRequest

  // An error where the request cannot be met anywhere.
  static Result<CodeSettings> Of(const CodeRequest& request);

  // For hundreds of values: patience for all of them, and each gets as many visits as it needs for
  // one per cent, three at least. Longer samples of what does not settle would take most of the
  // time.
  CodeSettings ForMany(double usual_patience_s) const;

  // What the user's text is read with.
  Result<assembler::Assembler> MakeAssembler(const std::vector<std::string>& features) const;
  // That, with what the request's reader has read; the caller may keep it there again.
  Result<Reader> TakeReader(const std::vector<std::string>& features) const;
  // The CPU asked for, or else all of one kind that are allowed, for the quietest to be chosen. The
  // last is the one to begin with: interrupts and other programs gather on the first.
  Result<os::CpuList> MeasuringCpus(const Host& host) const;
};

// What LLVM's model of this CPU says that the watches of its cores may expect.
std::optional<double> ExpectedWidth(assembler::Assembler& assembler);
// The same without an assembler.
std::optional<double> ExpectedWidth(const Host& host);

class CodeSession {
 public:
  // The session must not outlive `pulse` and `host`; once the pulse has ended, measuring ends with
  // what there is. `reader` is what the texts were read with, where there are some: the session
  // goes on with it instead of building another.
  static Result<CodeSession> Open(const CodeSettings& settings, Pulse& pulse, const Host& host,
                                  std::optional<assembler::Assembler> reader = std::nullopt);

  // One row each, in their order; unset where the pulse ended before all of it was measured. Forms
  // that are measured together have their visits spread over the time that all of them take.
  std::vector<std::optional<InstructionRow>> Measure(
      std::span<const assembler::Instruction> instructions);
  // A snippet, read once: it is measured, predicted and explained as that.
  blocks::BlockSubject Read(const blocks::Block& block);
  std::vector<std::optional<BlockRow>> Measure(std::span<const blocks::BlockSubject> subjects);
  // See measure::Runner.
  void BeginSecondChance() { bench_->runner().BeginSecondChance(); }
  bool PatienceIsSpent() const { return bench_->runner().PatienceIsSpent(); }
  // Adds llvm-mca's predictions to the rows of blocks that were measured. Nothing is measured
  // meanwhile, so that up to eight CPUs work on many.
  struct Unpredicted {
    const blocks::BlockSubject* subject = nullptr;
    bool timeline = false;
    BlockRow* row = nullptr;
  };
  void Predict(std::span<const Unpredicted> blocks);
  // Adds what binds it, for which its instructions are measured.
  void Explain(const blocks::BlockSubject& subject, BlockRow& row);
  // How many slots the core dispatches in a cycle, where another result knows it: then it is not
  // measured again.
  void UseDispatchWidth(double slots) { known_parts_.width = slots; }
  // Finds ports with what this session has; it must outlive the finder.
  ports::PortFinder Ports();
  assembler::Assembler& assembler() { return planner_->assembler(); }

  // The document gets what is to be said about the session so far: its clock, how much of the time
  // its cores were shared, and warnings. To be called when all is measured.
  void Describe(Document& document) const;

 private:
  CodeSession(const Host& host, std::unique_ptr<instructions::Planner> planner,
              std::unique_ptr<instructions::Bench> bench, GoesOn goes_on)
      : host_(&host),
        planner_(std::move(planner)),
        bench_(std::move(bench)),
        goes_on_(std::move(goes_on)) {}

  const Host* host_;
  std::unique_ptr<instructions::Planner> planner_;
  std::vector<std::unique_ptr<instructions::Planner>> helpers_;  // for many predictions
  std::unique_ptr<instructions::Bench> bench_;
  GoesOn goes_on_;
  blocks::KnownParts known_parts_;  // of the snippets that were explained
};

// What a session would measure of it: code and no values.
Result<std::vector<InstructionRow>> PlanRows(
    const Host& host, assembler::Assembler reader,
    const std::vector<assembler::Instruction>& instructions);

// Measures forms on several CPUs, each with a worker of its own. The document gets what is to be
// said about them, as by CodeSession::Describe.
Result<SweepEffort> SweepForms(const CodeSettings& settings,
                               const std::vector<sweep::SweepForm>& forms, const SweepCpus& cpus,
                               const instructions::Quantities& quantities, Pulse& pulse,
                               const std::function<Result<void>(sweep::PlacedRow)>& on_row,
                               Document& document);

}  // namespace cyclescope::library
