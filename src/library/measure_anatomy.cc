// MeasureAnatomy and PlanAnatomy.
#include <algorithm>
#include <utility>

#include "cyclescope/measure.h"
#include "library/anatomy_run.h"
#include "library/document_start.h"
#include "library/warnings.h"

namespace cyclescope {
namespace {

Result<library::AnatomyRun> AnatomyRunOf(const AnatomyRequest& request) {
  auto settings = library::CodeSettings::Of(request.code);
  if (!settings) return std::unexpected(settings.error());
  library::AnatomyRun run = {
      .quick = request.quick, .show_code = request.show_code, .settings = std::move(*settings)};
  for (const AnatomyPart part : library::AllAnatomyParts()) {
    if (request.parts.empty() || std::ranges::find(request.parts, part) != request.parts.end())
      run.parts.push_back(part);
  }
  return run;
}

}  // namespace

Result<Document> MeasureAnatomy(const AnatomyRequest& request, const OnProgress& on_progress) {
  const auto run = AnatomyRunOf(request);
  if (!run) return std::unexpected(run.error());
  auto document = library::StartDocument("anatomy");
  if (!document) return document;
  library::Pulse pulse(on_progress, request.budget_s);
  if (auto measured = library::MeasureAnatomyParts(*run, pulse, *document); !measured)
    return std::unexpected(measured.error());
  library::WarnOfContention(*document);
  return document;
}

Result<Document> PlanAnatomy(const AnatomyRequest& request) {
  const auto run = AnatomyRunOf(request);
  if (!run) return std::unexpected(run.error());
  auto document = library::StartDocument("anatomy");
  if (!document) return document;
  library::PlanAnatomyParts(*run, *document);
  return document;
}

}  // namespace cyclescope
