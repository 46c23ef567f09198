#include "cli/instruction_jobs.h"

#include <fmt/core.h>

#include <utility>

#include "cli/assembly_options.h"
#include "cli/narration.h"
#include "instructions/measure_form.h"
#include "os/interrupt.h"

namespace cyclescope::cli {

std::optional<InstructionJobs> ParseInstructions(assembler::Assembler& assembler,
                                                 const std::vector<std::string>& texts) {
  InstructionJobs jobs;
  bool good = true;
  for (const std::string& text : texts) {
    const auto parsed = assembler.Parse(text);
    InstructionJob job;
    if (!parsed && parsed.error().kind == assembler::TextErrorKind::kNeedsFeature) {
      job.row.text = text;
      job.row.status = Status::kUnsupported;
      job.row.reason = parsed.error().message;
    } else if (!parsed) {
      PrintTextError(parsed.error());
      good = false;
    } else if (parsed->empty()) {
      PrintError({ErrorKind::kBadInput, fmt::format("there is no instruction in '{}'", text), ""});
      good = false;
    } else if (parsed->size() != 1) {
      PrintError({ErrorKind::kBadInput,
                  fmt::format("'{}' is {} instructions, not one", text, parsed->size()),
                  "give each its own argument, or measure a snippet with 'cyclescope block'"});
      good = false;
    } else {
      job.instruction = parsed->front();
    }
    jobs.push_back(std::move(job));
  }
  if (!good) return std::nullopt;
  return jobs;
}

std::vector<InstructionRow> MeasureInstructions(instructions::Lab& lab,
                                                const InstructionJobs& jobs) {
  std::vector<InstructionRow> rows;
  Progress progress("measuring instructions", jobs.size());
  for (const InstructionJob& job : jobs) {
    if (os::Interrupted()) break;
    rows.push_back(job.instruction ? instructions::MeasureForm(lab, *job.instruction) : job.row);
    progress.Advance();
  }
  return rows;
}

}  // namespace cyclescope::cli
