// MeasureSweep.
#include <algorithm>
#include <optional>
#include <string>
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

// What a journal must know of the request: rows of another kind cannot stand beside its own, and
// the same request may go on with it.
std::vector<GivenOption> OptionsOf(const SweepRequest& request) {
  std::vector<GivenOption> options;
  if (!request.filter.empty()) options.push_back({"filter", request.filter});
  if (!request.isa.empty()) options.push_back({"isa", request.isa});
  if (request.ports) options.push_back({"ports", ""});
  if (!request.throughput) options.push_back({"only", "latency"});
  if (!request.latency) options.push_back({"only", "throughput"});
  options.push_back({"cycles", std::string(library::NameOf(request.code.cycles))});
  return options;
}

Result<Document> HeadOf(const SweepRequest& request) {
  auto document = library::StartDocument("sweep");
  if (document) document->config.options = OptionsOf(request);
  return document;
}

}  // namespace

Result<Document> MeasureSweep(const SweepRequest& request, const OnProgress& on_progress) {
  if (auto checked = library::CheckSweepRequest(request); !checked)
    return std::unexpected(checked.error());
  library::Pulse pulse(on_progress, request.budget_s);
  const auto settings = library::CodeSettings::Of(request.code);
  if (!settings) return std::unexpected(settings.error());
  auto document = HeadOf(request);
  if (!document) return document;
  std::optional<library::RowJournal> journal;
  const auto open_journal = [&]() -> Result<void> {
    auto opened = library::RowJournal::Open(request.journal, *document);
    if (!opened) return std::unexpected(opened.error());
    journal = std::move(*opened);
    return {};
  };
  // An old one may be the wrong one, which is told before the seconds that the list of opcodes
  // takes. A new one is made when it is sure that there are rows for it.
  if (!request.journal.resume.empty()) {
    if (auto opened = open_journal(); !opened) return std::unexpected(opened.error());
  }
  auto prepared = library::SweepRun::Prepare(document->host, *settings, request, pulse);
  if (!prepared) return std::unexpected(prepared.error());
  if (!*prepared) {
    document->partial = true;
    return document;
  }
  library::SweepRun& run = **prepared;
  if (!journal) {
    if (auto opened = open_journal(); !opened) return std::unexpected(opened.error());
  }
  run.TakeOver(journal->TakeRows());
  auto done = run.Measure(pulse, *journal, *document);
  if (done && request.ports) done = run.AddPorts(pulse, *journal, *document);
  run.Finish(*document);
  if (!done) {
    // What was measured by then stays.
    const bool has_values = std::ranges::any_of(document->instructions, [](const auto& row) {
      return row.throughput || !row.latency.empty();
    });
    if (!has_values) return std::unexpected(done.error());
    document->warnings.push_back({"sweep-ended", done.error().message, done.error().hint});
    document->partial = true;
  }
  if (!document->partial) {
    if (auto written = journal->Complete(*document); !written)
      return std::unexpected(written.error());
  }
  library::WarnOfContention(*document);
  return document;
}

std::optional<std::string> FindOpenJournal(const SweepRequest& request) {
  const auto head = HeadOf(request);
  return head ? library::FindOpenJournal(*head) : std::nullopt;
}

}  // namespace cyclescope
