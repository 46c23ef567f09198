// MeasureGpu.
#include <algorithm>
#include <utility>

#include "base/try.h"
#include "cyclescope/measure.h"
#include "gpu/ptx_text.h"
#include "library/document_start.h"
#include "library/gpu_run.h"
#include "library/request_checks.h"

namespace cyclescope {

Result<Document> MeasureGpu(const GpuRequest& request, const OnProgress& on_progress) {
  for (const std::string& text : request.texts) {
    if (auto form = gpu::ParsePtx(text); !form) {
      Error error = form.error();
      error.message = "'" + text + "': " + error.message;
      return std::unexpected(std::move(error));
    }
  }
  TRY(library::CheckRange("budget", request.budget_s.value_or(1), 0.01, kLongestS));
  auto document = TRY(library::StartDocument("gpu", request.topology));
  auto cpus = TRY(library::SelectCpus(request.cpus, document.host.cpus_allowed));
  library::GpuRun run;
  run.devices = request.devices;
  run.texts = request.texts;
  run.cpus = std::move(cpus);
  run.quick = request.quick;
  run.with_assembly = request.with_assembly;
  run.driver = request.driver;
  // Where texts are given, they are all that is measured.
  const bool all = request.parts.empty() && request.texts.empty();
  const auto wants = [&](GpuPart part) {
    return all || std::ranges::find(request.parts, part) != request.parts.end();
  };
  run.parts.instructions = wants(GpuPart::kInstructions) || !request.texts.empty();
  run.parts.memory = wants(GpuPart::kMemory);
  run.parts.matrix = wants(GpuPart::kMatrix);
  run.parts.trips = wants(GpuPart::kTrips);
  library::Pulse pulse(on_progress, request.budget_s);
  TRY(library::MeasureGpuRows(run, pulse, document));
  return document;
}

}  // namespace cyclescope
