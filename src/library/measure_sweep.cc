// MeasureSweep.
#include <string_view>
#include <utility>

#include "cyclescope/measure.h"
#include "library/code_session.h"
#include "library/document_start.h"
#include "library/request_checks.h"
#include "library/row_journal.h"
#include "library/sweep_run.h"
#include "library/warnings.h"

namespace cyclescope {
namespace {

// What a journal must know of the request, since rows of another kind cannot stand beside its own.
std::vector<GivenOption> OptionsOf(const SweepRequest& request) {
  std::vector<GivenOption> options;
  if (!request.throughput) options.push_back({"only", "latency"});
  if (!request.latency) options.push_back({"only", "throughput"});
  options.push_back({"cycles", std::string(library::NameOf(request.code.cycles))});
  return options;
}

}  // namespace

Result<Document> MeasureSweep(const SweepRequest& request, const OnProgress& on_progress) {
  if (auto checked = library::CheckSweepRequest(request); !checked)
    return std::unexpected(checked.error());
  library::Pulse pulse(on_progress, request.budget_s);
  const auto settings = library::CodeSettings::Of(request.code);
  if (!settings) return std::unexpected(settings.error());
  auto document = library::StartDocument("sweep");
  if (!document) return document;
  document->config.options = OptionsOf(request);
  auto prepared = library::SweepRun::Prepare(document->host, *settings, request, pulse);
  if (!prepared) return std::unexpected(prepared.error());
  if (!*prepared) {
    document->partial = true;
    return document;
  }
  library::SweepRun& run = **prepared;
  auto journal = library::RowJournal::Open(request.journal, *document);
  if (!journal) return std::unexpected(journal.error());
  run.TakeOver(journal->TakeRows());
  if (auto done = run.Measure(pulse, *journal, *document); !done)
    return std::unexpected(done.error());
  if (request.ports) {
    if (auto done = run.AddPorts(pulse, *journal, *document); !done)
      return std::unexpected(done.error());
  }
  run.Finish(*document);
  library::WarnOfContention(*document);
  return document;
}

}  // namespace cyclescope
