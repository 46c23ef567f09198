#include "library/instruction_jobs.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "analysis/claims.h"
#include "instructions/rounds.h"
#include "sweep/sweep_plan.h"

namespace cyclescope::library {
namespace {

TextProblem WrongCount(const std::string& text, std::size_t count, std::size_t index) {
  TextProblem problem;
  problem.index = index;
  if (count == 0) {
    problem.message = fmt::format("there is no instruction in '{}'", text);
  } else {
    problem.message = fmt::format("'{}' is {} instructions, not one", text, count);
    problem.hint = "give each its own argument, or measure a snippet with 'cyclescope block'";
  }
  return problem;
}

}  // namespace

TextProblem ProblemOf(const assembler::TextError& error, std::size_t index) {
  return {.index = index,
          .line = error.line,
          .column = error.column,
          .message = error.message,
          .hint = error.hint,
          .excerpt = error.Excerpt()};
}

Claim FeatureNotOffered(const assembler::TextError& error) {
  return {ClaimCode::kFeatureNotOffered,
          {{"instruction", error.mnemonic},
           {"features", fmt::format("{}", fmt::join(error.features, " and "))}}};
}

ParsedTexts ParseInstructions(assembler::Assembler& assembler,
                              const std::vector<std::string>& texts, ReadTexts& read) {
  ParsedTexts found;
  for (std::size_t index = 0; index < texts.size(); ++index) {
    const std::string& text = texts[index];
    const auto& parsed = read.Parse(assembler, text);
    InstructionJob job;
    job.index = index;
    if (!parsed && parsed.error().kind == assembler::TextErrorKind::kNeedsFeature) {
      job.row.text = text;
      job.row.status = Status::kUnsupported;
      job.row.claims = {FeatureNotOffered(parsed.error())};
      job.row.reason = Sentence(job.row.claims.front());
      job.row.isa = sweep::IsaName(parsed.error().features);
    } else if (!parsed) {
      found.problems.push_back(ProblemOf(parsed.error(), index));
      continue;
    } else if (parsed->size() != 1) {
      found.problems.push_back(WrongCount(text, parsed->size(), index));
      continue;
    } else {
      job.instruction = parsed->front();
      // LLVM prints a place in the text (`b .`) as nothing.
      if (job.instruction->RefersToLabel()) job.instruction->text = text;
    }
    found.jobs.push_back(std::move(job));
    const auto& given = found.jobs.back().instruction;
    if (auto shorter = given ? assembler.WithShortImmediate(*given) : std::nullopt)
      found.jobs.push_back({.instruction = std::move(shorter), .row = {}, .index = index});
  }
  return found;
}

std::vector<std::optional<InstructionRow>> MeasureJobs(CodeSession& session,
                                                       const InstructionJobs& jobs, Pulse& pulse) {
  constexpr std::string_view kPart = "instructions";
  // Measured together, and reported together.
  constexpr std::size_t kInstructionsTogether = 8;
  std::vector<std::optional<InstructionRow>> rows(jobs.size());
  const auto measure = [&](std::span<const std::size_t> places) {
    std::vector<assembler::Instruction> instructions;
    for (const std::size_t place : places) {
      if (jobs[place].instruction) instructions.push_back(*jobs[place].instruction);
    }
    return session.Measure(instructions);
  };
  std::size_t done = 0;
  pulse.Report({.done = done, .total = jobs.size(), .part = kPart});
  for (std::size_t begin = 0; !pulse.has_ended() && begin < jobs.size();
       begin += kInstructionsTogether) {
    std::vector<std::size_t> places(std::min(kInstructionsTogether, jobs.size() - begin));
    std::iota(places.begin(), places.end(), begin);
    std::vector<std::optional<InstructionRow>> measured = measure(places);
    auto next = measured.begin();
    for (const std::size_t i : places) {
      rows[i] = jobs[i].instruction ? std::move(*next++) : jobs[i].row;
      if (!rows[i]) continue;
      const Progress progress = {
          .done = ++done, .total = jobs.size(), .part = kPart, .row = &*rows[i]};
      if (!pulse.has_ended()) pulse.Report(progress);
    }
  }
  // What had no quiet moment gets a second chance, now that the others are measured.
  std::vector<std::size_t> contended;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] && instructions::HasContendedValue(*rows[i])) contended.push_back(i);
  }
  session.BeginSecondChance();
  for (std::span<const std::size_t> left = contended;
       !left.empty() && !pulse.has_ended() && !session.PatienceIsSpent();) {
    const auto places = left.first(std::min(kInstructionsTogether, left.size()));
    left = left.subspan(places.size());
    std::vector<std::optional<InstructionRow>> again = measure(places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (again[i])
        rows[places[i]] = instructions::MergeRows(*rows[places[i]], std::move(*again[i]));
    }
  }
  return rows;
}

std::vector<InstructionRow> WholeRows(std::vector<std::optional<InstructionRow>> rows) {
  std::vector<InstructionRow> whole;
  for (std::optional<InstructionRow>& row : rows) {
    if (row) whole.push_back(std::move(*row));
  }
  return whole;
}

}  // namespace cyclescope::library
