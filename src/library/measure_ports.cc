// MeasurePorts and ToPortFormat.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "arch/architecture.h"
#include "base/try.h"
#include "cyclescope/measure.h"
#include "library/code_session.h"
#include "library/document_start.h"
#include "library/instruction_jobs.h"
#include "library/osaca_form.h"
#include "library/port_rows.h"
#include "library/request_checks.h"
#include "library/warnings.h"
#include "report/port_exports.h"

namespace cyclescope {
namespace {

constexpr std::string_view kMapPart = "port map";
constexpr std::string_view kPortsPart = "ports";

// What was asked for, and the forms of the map that were not.
library::InstructionJobs WithRowsOfMap(assembler::Assembler& assembler, const PortMap& map,
                                       library::InstructionJobs jobs) {
  std::vector<std::string> texts;
  for (const PortClassRow& row : map.classes) {
    for (const std::string& text : row.forms) {
      const bool asked = std::ranges::any_of(jobs, [&text](const library::InstructionJob& job) {
        return job.instruction && job.instruction->text == text;
      });
      if (!asked) texts.push_back(text);
    }
  }
  library::ReadTexts read;
  const library::ParsedTexts parsed = library::ParseInstructions(assembler, texts, read);
  jobs.insert(jobs.end(), parsed.jobs.begin(), parsed.jobs.end());
  return jobs;
}

// Rows with their ports, for all of the jobs that were not cut short.
std::vector<InstructionRow> RowsWithPorts(library::CodeSession& session, library::PortRows& ports,
                                          const library::InstructionJobs& jobs,
                                          library::Pulse& pulse, bool explain) {
  std::vector<std::optional<InstructionRow>> rows = library::MeasureJobs(session, jobs, pulse);
  std::vector<library::PortTarget> targets;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] && jobs[i].instruction) targets.push_back({&*jobs[i].instruction, &*rows[i]});
  }
  pulse.Report({.done = 0, .total = targets.size(), .part = kPortsPart});
  ports.AddTo(targets, explain);
  return library::WholeRows(std::move(rows));
}

}  // namespace

Result<Document> MeasurePorts(const PortsRequest& request, const OnProgress& on_progress) {
  // Hundreds of mixes are worth a longer wait than one instruction.
  constexpr double kPatienceS = 30;
  TRY(library::CheckModel(request.model));
  auto settings = TRY(library::CodeSettings::Of(request.code));
  settings.patience_s = settings.patience_s.value_or(kPatienceS);
  auto document = TRY(library::StartDocument("ports"));
  auto reader = TRY(settings.TakeReader(document.host.features));
  const library::ParsedTexts asked =
      library::ParseInstructions(reader.assembler, request.texts, reader.texts);
  if (!asked.problems.empty()) return std::unexpected(asked.problems.front().ToError());

  library::Pulse pulse(on_progress);
  auto session =
      library::CodeSession::Open(settings, pulse, document.host, std::move(reader.assembler));
  if (!session) {
    if (!pulse.has_ended()) return std::unexpected(session.error());
    document.partial = true;
    return document;
  }
  library::PortRows ports(*session, request.model);
  pulse.Report({.done = 0, .total = 1, .part = kMapPart});
  if (!request.known_map) {
    ports.FindMap();
  } else {
    TRY(ports.UseMap(*request.known_map));
  }
  if (!ports.was_cut_short()) {
    ports.DescribeMap("try again on a quiet core", document);
    const library::InstructionJobs jobs =
        request.rows_of_map && ports.map()
            ? WithRowsOfMap(session->assembler(), *ports.map(), asked.jobs)
            : asked.jobs;
    document.instructions = RowsWithPorts(*session, ports, jobs, pulse, request.explain);
  }
  session->Describe(document);
  library::WarnOfContention(document);
  document.partial = ports.was_cut_short();
  return document;
}

Result<std::string> ToPortFormat(const Document& document, PortFormat format) {
  switch (format) {
    case PortFormat::kCsv:
      return PortsCsv(document);
    case PortFormat::kTableGen:
      return PortsTableGen(document);
    case PortFormat::kPmevo:
      return PortsPmevo(document);
    case PortFormat::kOsaca:
      break;
  }
  if (document.host.architecture != arch::Name()) {
    return BadInput(
        fmt::format("OSACA's operands can be written for {} only, and the result is of {}",
                    arch::Name(), document.host.architecture),
        "use the program on a machine of that kind");
  }
  auto assembler = TRY(library::CodeSettings{}.MakeAssembler(document.host.features));
  return PortsOsaca(document, [&](const std::string& text) {
    return library::DescribeForOsaca(assembler, text);
  });
}

}  // namespace cyclescope
