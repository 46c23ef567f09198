// MeasureSweep.
#include <optional>
#include <string>

#include "base/try.h"
#include "cyclescope/measure.h"
#include "library/code_session.h"
#include "library/document_start.h"
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
  options.push_back({"cycles", std::string(ToString(request.code.cycles))});
  return options;
}

Result<Document> HeadOf(const SweepRequest& request) {
  auto document = library::StartDocument("sweep");
  if (document) document->config.options = OptionsOf(request);
  return document;
}

}  // namespace

Result<Document> MeasureSweep(const SweepRequest& request, const OnProgress& on_progress) {
  TRY(library::CheckSweepRequest(request));
  library::Pulse pulse(on_progress, request.budget_s);
  const auto settings = TRY(library::CodeSettings::Of(request.code));
  auto document = TRY(HeadOf(request));
  auto prepared = TRY(library::JournaledSweep::Prepare(document, settings, request, pulse));
  if (!prepared) {
    document.partial = true;
    return document;
  }
  TRY(prepared->Measure(pulse, document));
  library::WarnOfContention(document);
  return document;
}

std::optional<std::string> FindOpenJournal(const SweepRequest& request) {
  const auto head = HeadOf(request);
  return head ? library::FindOpenJournal(*head) : std::nullopt;
}

}  // namespace cyclescope
