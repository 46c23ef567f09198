#include "library/instruction_jobs.h"

#include <fmt/core.h>

#include <utility>

#include "instructions/measure_form.h"
#include "instructions/sweep_plan.h"

namespace cyclescope::library {
namespace {

assembler::TextError WrongCount(const std::string& text, std::size_t count) {
  assembler::TextError error;
  error.line = 0;
  if (count == 0) {
    error.message = fmt::format("there is no instruction in '{}'", text);
  } else {
    error.message = fmt::format("'{}' is {} instructions, not one", text, count);
    error.hint = "give each its own argument, or measure a snippet with 'cyclescope block'";
  }
  return error;
}

}  // namespace

std::expected<InstructionJobs, std::vector<assembler::TextError>> ParseInstructions(
    assembler::Assembler& assembler, const std::vector<std::string>& texts) {
  InstructionJobs jobs;
  std::vector<assembler::TextError> errors;
  for (const std::string& text : texts) {
    const auto parsed = assembler.Parse(text);
    InstructionJob job;
    if (!parsed && parsed.error().kind == assembler::TextErrorKind::kNeedsFeature) {
      job.row.text = text;
      job.row.status = Status::kUnsupported;
      job.row.reason = parsed.error().message;
      job.row.isa = instructions::IsaName(parsed.error().features);
    } else if (!parsed) {
      errors.push_back(parsed.error());
    } else if (parsed->size() != 1) {
      errors.push_back(WrongCount(text, parsed->size()));
    } else {
      job.instruction = parsed->front();
      // LLVM prints a place in the text (`b .`) as nothing.
      if (job.instruction->RefersToLabel()) job.instruction->text = text;
    }
    jobs.push_back(std::move(job));
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return jobs;
}

std::vector<InstructionRow> MeasureInstructions(instructions::Lab& lab, const InstructionJobs& jobs,
                                                const OnProgress& on_progress) {
  std::vector<InstructionRow> rows;
  for (const InstructionJob& job : jobs) {
    if (on_progress && !on_progress({rows.size(), jobs.size()})) break;
    InstructionRow row = job.row;
    if (job.instruction) {
      row = instructions::MeasureForm(lab, *job.instruction);
      row.isa = instructions::IsaName(lab.assembler().Features(*job.instruction));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace cyclescope::library
