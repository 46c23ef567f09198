// MeasureInstructions and what goes with it.
#include <utility>

#include "base/try.h"
#include "cyclescope/measure.h"
#include "instructions/rounds.h"
#include "instructions/value_classes.h"
#include "library/code_session.h"
#include "library/document_start.h"
#include "library/instruction_jobs.h"
#include "library/warnings.h"

namespace cyclescope {
namespace {

// What every use of texts begins with.
struct Reading {
  Document document;
  library::CodeSettings settings;
  library::InstructionJobs jobs;
  assembler::Assembler reader;
};

Result<Reading> Read(const InstructionRequest& request) {
  if (request.texts.empty()) return BadInput("no instruction given");
  auto settings = TRY(library::CodeSettings::Of(request.code));
  settings.kept_back = library::kSecondChance;
  auto document = TRY(library::StartDocument("instruction"));
  auto reader = TRY(settings.TakeReader(document.host.features));
  library::ParsedTexts texts =
      library::ParseInstructions(reader.assembler, request.texts, reader.texts);
  if (!texts.problems.empty()) return std::unexpected(texts.problems.front().ToError());
  return Reading{std::move(document), settings, std::move(texts.jobs), std::move(reader.assembler)};
}

using Measure = std::function<void(library::CodeSession& session, const library::InstructionJobs&,
                                   library::Pulse& pulse, Document& document)>;

// What the one session has to say so far, instead of what it said before.
void DescribeSoFar(const library::CodeSession& session, Document& document) {
  document.contention.clear();
  session.Describe(document);
  library::WarnOfContention(document);
}

bool HasValues(const InstructionRow& row) { return row.throughput || !row.latency.empty(); }

// Opens a session and measures in it; what was cut short before that is an empty, partial document.
Result<Document> InSession(const InstructionRequest& request, const OnProgress& on_progress,
                           const Measure& measure) {
  auto reading = TRY(Read(request));
  Document& document = reading.document;
  library::Pulse pulse(on_progress);
  auto session =
      library::CodeSession::Open(reading.settings, pulse, document.host, std::move(reading.reader));
  if (session) {
    measure(*session, reading.jobs, pulse, document);
    DescribeSoFar(*session, document);
    // Where nothing was measured, there is nothing to be warned of.
    if (std::ranges::none_of(document.instructions, HasValues)) document.warnings.clear();
  } else if (!pulse.has_ended()) {
    return std::unexpected(session.error());
  }
  document.partial = document.instructions.size() < reading.jobs.size();
  return std::move(document);
}

}  // namespace

Result<Document> MeasureInstructions(const InstructionRequest& request,
                                     const OnProgress& on_progress) {
  return InSession(request, on_progress,
                   [](library::CodeSession& session, const library::InstructionJobs& jobs,
                      library::Pulse& pulse, Document& document) {
                     document.instructions =
                         library::WholeRows(library::MeasureJobs(session, jobs, pulse));
                   });
}

Result<Document> WatchInstructions(const InstructionRequest& request, const OnRound& on_round,
                                   const OnProgress& on_progress) {
  return InSession(request, on_progress,
                   [&on_round](library::CodeSession& session, const library::InstructionJobs& jobs,
                               library::Pulse& pulse, Document& document) {
                     std::vector<InstructionRow>& kept = document.instructions;
                     do {
                       std::vector<InstructionRow> round =
                           library::WholeRows(library::MeasureJobs(session, jobs, pulse));
                       const bool is_first = kept.empty();
                       if (round.size() < jobs.size() && !is_first) return;
                       kept = is_first ? std::move(round) : instructions::MergeRounds(kept, round);
                       if (kept.size() < jobs.size()) return;
                       DescribeSoFar(session, document);
                     } while (on_round(document) && pulse.GoesOn());
                   });
}

Result<Document> PlanInstructions(const InstructionRequest& request) {
  auto reading = TRY(Read(request));
  std::vector<assembler::Instruction> instructions;
  for (const library::InstructionJob& job : reading.jobs) {
    if (job.instruction) instructions.push_back(*job.instruction);
  }
  auto planned =
      TRY(library::PlanRows(reading.document.host, std::move(reading.reader), instructions));
  auto next = planned.begin();
  for (const library::InstructionJob& job : reading.jobs) {
    reading.document.instructions.push_back(job.instruction ? *next++ : job.row);
  }
  return std::move(reading.document);
}

Error TextProblem::ToError() const {
  assembler::TextError error;
  error.line = line;
  error.column = column;
  error.message = message;
  error.hint = hint;
  return error.ToError();
}

Result<std::vector<TextProblem>> CheckTexts(const InstructionRequest& request) {
  const auto settings = TRY(library::CodeSettings::Of(request.code));
  auto reader = TRY(settings.TakeReader(library::HostFeatures()));
  auto problems =
      library::ParseInstructions(reader.assembler, request.texts, reader.texts).problems;
  if (settings.reader) settings.reader->Keep(std::move(reader));
  return problems;
}

Result<std::vector<ValueClasses>> ListValueClasses(const InstructionRequest& request) {
  const auto reading = TRY(Read(request));
  std::vector<ValueClasses> listed;
  for (const library::InstructionJob& job : reading.jobs) {
    ValueClasses& values = listed.emplace_back();
    if (!job.instruction) {
      values.text = job.row.text;
      values.reason = job.row.reason;
      continue;
    }
    values.text = job.instruction->text;
    for (const instructions::ValueClass& each : instructions::ValueClassesOf(*job.instruction))
      values.classes.push_back({each.name, each.operands});
  }
  return listed;
}

}  // namespace cyclescope
