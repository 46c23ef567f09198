// MeasureAnatomy and PlanAnatomy.
#include <algorithm>
#include <utility>

#include "base/try.h"
#include "cyclescope/measure.h"
#include "library/anatomy_run.h"
#include "library/document_start.h"
#include "library/warnings.h"

namespace cyclescope {
namespace {

Result<library::AnatomyRun> AnatomyRunOf(const AnatomyRequest& request) {
  auto settings = TRY(library::CodeSettings::Of(request.code));
  library::AnatomyRun run = {
      .quick = request.quick, .show_code = request.show_code, .settings = std::move(settings)};
  for (const AnatomyPart part : library::AllAnatomyParts()) {
    if (request.parts.empty() || std::ranges::find(request.parts, part) != request.parts.end())
      run.parts.push_back(part);
  }
  return run;
}

}  // namespace

Result<Document> MeasureAnatomy(const AnatomyRequest& request, const OnProgress& on_progress) {
  const auto run = TRY(AnatomyRunOf(request));
  auto document = TRY(library::StartDocument("anatomy"));
  library::Pulse pulse(on_progress, request.budget_s);
  TRY(library::MeasureAnatomyParts(run, pulse, document));
  library::WarnOfContention(document);
  return document;
}

Result<Document> PlanAnatomy(const AnatomyRequest& request) {
  const auto run = TRY(AnatomyRunOf(request));
  auto document = TRY(library::StartDocument("anatomy"));
  library::PlanAnatomyParts(run, document);
  return document;
}

}  // namespace cyclescope
