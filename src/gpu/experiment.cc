#include "gpu/experiment.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/try.h"
#include "curves/ladder.h"
#include "curves/read_levels.h"
#include "gpu/chase_source.h"
#include "gpu/cubin.h"
#include "gpu/form_plan.h"
#include "gpu/measure_forms.h"
#include "gpu/multiprocessors.h"
#include "gpu/round_trips.h"

namespace cyclescope::gpu {
namespace {

// L1 and shared memory together, by NVIDIA's table of compute capabilities; the driver does not
// say.
std::int64_t L1Bytes(const DeviceFacts& device) {
  switch (10 * device.major + device.minor) {
    case 70:
    case 72:
    case 86:
    case 87:
    case 89:
    case 120:
      return std::int64_t{128} << 10;
    case 75:
      return std::int64_t{96} << 10;
    case 80:
      return std::int64_t{192} << 10;
    case 90:
    case 100:
    case 103:
    case 110:
      return std::int64_t{256} << 10;
    default:
      return 0;
  }
}

// One GPU under way. Each part leaves the row whole, so that it can be the last one.
class GpuExperiment {
 public:
  GpuExperiment(Executor& executor, const GpuPlan& plan, const GoesOn& goes_on,
                const OnGpuPart& on_part, const OnGpuFailure& on_failure)
      : executor_(executor),
        plan_(plan),
        goes_on_(goes_on),
        on_part_(on_part),
        on_failure_(on_failure) {
    row_ = DescribeDevice(plan.device);
  }

  JobResult<GpuRow> Measure() {
    struct Part {
      std::string_view name;
      JobResult<void> (GpuExperiment::*measure)();
    };
    std::vector<Part> parts;
    if (plan_.parts.instructions)
      parts.push_back({"instructions", &GpuExperiment::MeasureInstructions});
    if (plan_.parts.memory) parts.push_back({"memory", &GpuExperiment::MeasureLadder});
    if (plan_.parts.memory || plan_.parts.matrix)
      parts.push_back({"places", &GpuExperiment::MeasurePlaces});
    if (plan_.parts.trips) parts.push_back({"trips", &GpuExperiment::MeasureTrips});
    TRY(MeasureRate());
    std::vector<std::pair<std::string_view, JobFailure>> failures;
    for (const Part& part : parts) {
      if (!goes_on_()) row_.partial = true;
      if (row_.partial) break;
      auto done = (this->*part.measure)();
      if (done) continue;
      if (done.error().kind == FailureKind::kStopped)
        row_.partial = true;
      else
        failures.emplace_back(part.name, std::move(done.error()));
    }
    if (!failures.empty() && failures.size() == parts.size())
      return std::unexpected(std::move(failures.front().second));
    for (const auto& [part, why] : failures) on_failure_(part, why);
    row_.partial = row_.partial || !failures.empty();
    return std::move(row_);
  }

 private:
  JobResult<void> MeasureRate() {
    row_.ghz = TRY(MeasureClock(executor_, plan_.device, plan_.confidence));
    return {};
  }

  JobResult<void> MeasureInstructions() {
    std::vector<FormRequest> forms;
    for (const std::string& text : plan_.texts) forms.push_back({.group = "", .text = text});
    if (plan_.texts.empty()) {
      for (const HeadlineForm& form : HeadlineForms()) {
        if (plan_.quick && !form.is_quick) continue;
        forms.push_back({std::string(form.group), std::string(form.text), form.capability});
      }
    }
    const FormSettings settings = {.visits = plan_.quick ? 2 : 3, .confidence = plan_.confidence};
    const auto step = [this](std::size_t done, std::size_t total) {
      return on_part_("GPU instructions", done, total);
    };
    TRY(AddRows(MeasureForms(executor_, plan_.device, forms, settings, step)));
    if (!plan_.texts.empty() || plan_.quick || row_.partial) return {};
    return AddRows(MeasureWarpgroup(executor_, plan_.device, settings, step));
  }

  JobResult<void> AddRows(JobResult<FormResults> results) {
    if (!results) return std::unexpected(results.error());
    if (!results->is_whole) row_.partial = true;
    for (std::size_t i = 0; i < results->rows.size(); ++i) {
      GpuInstruction& instruction = results->rows[i];
      if (plan_.with_assembly) {
        instruction.assembly = Disassemble(results->code[i].cubin, results->code[i].entry);
      } else {
        instruction.ptx.clear();
      }
      row_.instructions.push_back(std::move(instruction));
    }
    return {};
  }

  JobResult<void> MeasureCurveOf(ChaseOrder order, GpuChaseSource& source,
                                 curves::LadderSettings settings, std::chrono::milliseconds most) {
    const auto end = std::chrono::steady_clock::now() + most;
    settings.is_enough = [end] { return std::chrono::steady_clock::now() > end; };
    settings.confidence = plan_.confidence;
    settings.seed = plan_.seed;
    auto curve = curves::MeasureCurve(source, order, PageKind::kHuge, settings, goes_on_);
    if (!curve) {
      return std::unexpected(
          source.failure().value_or(JobFailure{FailureKind::kRefused, curve.error().message, ""}));
    }
    curve->page_bytes = kGpuPageBytes;
    curve->huge_share = 1;
    row_.curves.push_back(std::move(*curve));
    return {};
  }

  JobResult<void> MeasureLadder() {
    using std::chrono::milliseconds;
    const std::size_t total = plan_.quick ? 1 : 2;
    if (!on_part_("GPU memory", 0, total)) return Stopped();
    GpuChaseSource source(executor_, plan_.device, row_.ghz->value, plan_.seed);
    const std::int64_t half = plan_.device.free_bytes / 2;
    const std::int64_t l2 = std::max<std::int64_t>(plan_.device.l2_bytes, std::int64_t{4} << 20);
    curves::LadderSettings settings;
    settings.most_bytes = std::min(half, 8 * l2);
    settings.unit_bytes = kGpuLineBytes;
    settings.visits = plan_.quick ? 3 : 5;
    settings.most_visits = plan_.quick ? 3 : 6;
    settings.first_visits = 2;
    settings.finest = plan_.quick ? 4 : 12;
    settings.costly_finest = plan_.quick ? 2 : 6;
    TRY(MeasureCurveOf(ChaseOrder::kRandom, source, settings,
                       plan_.times_as_long * milliseconds(plan_.quick ? 1500 : 8000)));
    std::vector<os::CacheClaim> claimed;
    if (row_.l1_bytes > 0) claimed.push_back({1, row_.l1_bytes});
    if (row_.l2_bytes > 0 && row_.l1_bytes > 0) claimed.push_back({2, row_.l2_bytes});
    row_.levels = curves::ReadLevels(row_.curves.front(), {}, claimed);
    for (MemoryLevel& level : row_.levels) {
      if (level.name == "L1" && row_.l1_bytes > 0) level.claimed_bytes = row_.l1_bytes;
      if (level.name == "L2" && row_.l2_bytes > 0) level.claimed_bytes = row_.l2_bytes;
    }
    if (!on_part_("GPU memory", 1, total)) return Stopped();
    if (plan_.quick) return {};

    curves::LadderSettings pages;
    constexpr std::int64_t kMostPages = 16'384;
    pages.least_bytes = 4 * kGpuPageBytes;
    pages.most_bytes = std::min(half, kMostPages * kGpuPageBytes);
    pages.unit_bytes = kGpuPageBytes;
    pages.first_visits = 2;
    pages.visits = 3;
    pages.most_visits = 3;
    pages.finest = 4;
    pages.costly_bytes = pages.most_bytes;
    TRY(MeasureCurveOf(ChaseOrder::kLinePerPage, source, pages,
                       plan_.times_as_long * milliseconds(3000)));
    row_.translation =
        curves::ReadTranslation(row_.curves.back(), row_.curves.front(), kGpuLineBytes);
    if (!on_part_("GPU memory", total, total)) return Stopped();
    return {};
  }

  JobResult<void> MeasurePlaces() {
    const auto profile = TRY(MeasureLines(executor_, plan_.device));
    row_.l2 = ReadL2(profile, ReadGroups(profile), plan_.confidence);
    if (!plan_.parts.matrix || profile.sms.size() < 2) return {};
    auto matrix = TRY(MeasureMatrix(executor_, plan_.device, profile,
                                    [this](std::size_t done, std::size_t total) {
                                      if (on_part_("GPU places", done, total)) return true;
                                      row_.partial = true;
                                      return false;
                                    }));
    row_.matrix = std::move(matrix);
    if (row_.partial) return {};
    row_.matrix->gpcs = TRY(MeasureGpcs(executor_, plan_.device));
    return {};
  }

  JobResult<void> MeasureTrips() {
    const std::size_t total = plan_.cpus.size();
    for (std::size_t i = 0; i < total; ++i) {
      if (!on_part_("GPU and CPUs", i, total)) return Stopped();
      row_.cpus.push_back(
          TRY(MeasureCpuTrip(executor_, plan_.device, plan_.cpus[i], plan_.confidence)));
    }
    on_part_("GPU and CPUs", total, total);
    for (const DeviceFacts& other : plan_.others) {
      if (std::ranges::find(plan_.device.peers, other.ordinal) == plan_.device.peers.end())
        continue;
      if (!goes_on_()) return Stopped();
      row_.peers.push_back(
          TRY(MeasurePeerTrip(executor_, plan_.device, other, row_.ghz->value, plan_.confidence)));
    }
    return {};
  }

  static std::unexpected<JobFailure> Stopped() {
    return std::unexpected(JobFailure{FailureKind::kStopped, "interrupted", ""});
  }

  Executor& executor_;
  const GpuPlan& plan_;
  const GoesOn& goes_on_;
  const OnGpuPart& on_part_;
  const OnGpuFailure& on_failure_;
  GpuRow row_;
};

}  // namespace

GpuRow DescribeDevice(const DeviceFacts& device) {
  GpuRow row;
  row.device = device.ordinal;
  row.name = device.name;
  row.pci = device.pci;
  row.capability = fmt::format("{}.{}", device.major, device.minor);
  row.driver =
      fmt::format("{}.{}", device.driver_version / 1000, device.driver_version % 1000 / 10);
  row.sms = device.multiprocessors;
  row.memory_bytes = device.memory_bytes;
  row.l2_bytes = device.l2_bytes;
  row.l1_bytes = L1Bytes(device);
  row.shared_bytes = device.shared_per_multiprocessor;
  row.claimed_ghz = device.clock_khz / 1e6;
  return row;
}

JobResult<GpuRow> MeasureGpu(Executor& executor, const GpuPlan& plan, const GoesOn& goes_on,
                             const OnGpuPart& on_part, const OnGpuFailure& on_failure) {
  return GpuExperiment(executor, plan, goes_on, on_part, on_failure).Measure();
}

}  // namespace cyclescope::gpu
