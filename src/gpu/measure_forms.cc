#include "gpu/measure_forms.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/try.h"
#include "gpu/conclude_form.h"
#include "gpu/form_plan.h"

namespace cyclescope::gpu {
namespace {

// A form on its way to its row.
struct FormWork {
  FormRequest request;
  bool is_asked_for = true;  // not a connector of another one
  std::optional<FormPlan> plan;
  std::optional<KernelJob> job;
  std::vector<std::vector<std::uint64_t>> visits;
  std::optional<GpuInstruction> failed;
  std::string cubin;
};

bool EndsAll(const JobFailure& failure) {
  switch (failure.kind) {
    case FailureKind::kNoLibrary:
    case FailureKind::kNoDriver:
    case FailureKind::kNoDevice:
    case FailureKind::kStopped:
      return true;
    case FailureKind::kCompiler:
    case FailureKind::kRefused:
    case FailureKind::kKernel:
    case FailureKind::kTimeout:
    case FailureKind::kDied:
      return false;
  }
  return true;
}

constexpr std::array kFirst = {ChainVariant::kRotating};
constexpr std::array kOthers = {ChainVariant::kGuarded, ChainVariant::kAlternating};

class FormMeasuring {
 public:
  FormMeasuring(Executor& executor, const DeviceFacts& device, const FormSettings& settings)
      : executor_(executor), device_(device), settings_(settings) {}

  JobResult<FormResults> Measure(const std::vector<FormRequest>& forms, const OnStep& on_step) {
    for (const FormRequest& form : forms) {
      works_.emplace_back();
      works_.back().request = form;
    }
    const std::size_t total = forms.size() * static_cast<std::size_t>(settings_.visits + 1);
    std::size_t done = 0;
    bool go_on = on_step(done, total);
    // Connectors come to the list while it is worked on.
    for (std::size_t begin = 0; go_on && begin < works_.size();) {
      const std::size_t end = works_.size();
      if (auto prepared = Prepare(begin); !prepared) return Ended(prepared.error());
      begin = end;
      done = forms.size();
      go_on = on_step(done, total);
    }
    for (int visit = 0; go_on && visit < settings_.visits; ++visit) {
      for (std::size_t i = 0; go_on && i < works_.size(); ++i) {
        if (auto visited = Visit(works_[i]); !visited) return Ended(visited.error());
        if (works_[i].is_asked_for) go_on = on_step(++done, total);
      }
    }
    return Results(go_on);
  }

 private:
  // What there is when the user stops it is the result; a GPU that is gone is a failure.
  JobResult<FormResults> Ended(const JobFailure& failure) {
    if (failure.kind == FailureKind::kStopped) return Results(/*is_whole=*/false);
    return std::unexpected(failure);
  }

  JobResult<void> Fail(FormWork& work, const JobFailure& failure) {
    if (EndsAll(failure)) return std::unexpected(failure);
    work.failed = FailedRow(work.request.group, work.request.text, failure);
    return {};
  }

  // Parses a form and begins its plan.
  JobResult<void> Begin(FormWork& work) {
    const FormRequest& request = work.request;
    const int capability = 10 * device_.major + device_.minor;
    if (request.capability > capability) {
      return Fail(work, {FailureKind::kCompiler,
                         fmt::format("it needs compute capability {}.{}", request.capability / 10,
                                     request.capability % 10),
                         ""});
    }
    auto form = ParsePtx(request.text);
    if (!form) {
      GpuInstruction row;
      row.text = request.text;
      row.group = request.group;
      row.status = Status::kUnmeasurable;
      row.reason = form.error().ToString();
      work.failed = std::move(row);
      return {};
    }
    work.plan = StartPlan(request.group, std::move(*form));
    return {};
  }

  // How much code the copies become: the plain chain, and others where it is folded.
  JobResult<void> Probe(FormWork& work) {
    if (work.failed) return {};
    FormPlan& plan = *work.plan;
    const auto probe = executor_.Run(ProbeJob(plan, device_, kFirst));
    if (!probe) return Fail(work, probe.error());
    ChooseVariants(plan, device_, kFirst, probe->cubin);
    work.cubin = probe->cubin;
    if (NeedsOtherVariants(plan)) {
      const auto other = executor_.Run(ProbeJob(plan, device_, kOthers));
      if (!other && EndsAll(other.error())) return std::unexpected(other.error());
      // A chain that the compiler does not take is none; the others stand.
      if (other) {
        const std::string shown = ShownEntry(plan);
        ChooseVariants(plan, device_, kOthers, other->cubin);
        if (ShownEntry(plan) != shown) work.cubin = other->cubin;
      }
    }
    work.job = JobOf(plan, device_);
    return {};
  }

  // All at once, since compiling takes longer than measuring.
  JobResult<void> CompileAhead(std::vector<std::string> texts) {
    if (texts.size() < 2) return {};
    CompileJob job;
    job.device = device_.ordinal;
    job.texts = std::move(texts);
    const auto compiled = executor_.Run(job);
    if (!compiled && EndsAll(compiled.error())) return std::unexpected(compiled.error());
    return {};
  }

  // From `begin` on; connectors of these come behind them.
  JobResult<void> Prepare(std::size_t begin) {
    for (std::size_t i = begin; i < works_.size(); ++i) {
      TRY(Begin(works_[i]));
    }
    std::vector<std::string> probes;
    for (std::size_t i = begin; i < works_.size(); ++i) {
      if (works_[i].plan) probes.push_back(ProbeJob(*works_[i].plan, device_, kFirst).ptx);
    }
    TRY(CompileAhead(std::move(probes)));
    const std::size_t end = works_.size();
    for (std::size_t i = begin; i < end; ++i) {
      TRY(Probe(works_[i]));
      if (!works_[i].plan) continue;
      for (const std::string& text : ConnectorsOf(*works_[i].plan)) AddConnector(text);
    }
    std::vector<std::string> texts;
    for (std::size_t i = begin; i < end; ++i) {
      if (works_[i].job) texts.push_back(works_[i].job->ptx);
    }
    return CompileAhead(std::move(texts));
  }

  void AddConnector(const std::string& text) {
    for (const FormWork& each : works_) {
      if (each.request.text == text) return;
    }
    works_.emplace_back();
    works_.back().request.text = text;
    works_.back().is_asked_for = false;
  }

  JobResult<void> Visit(FormWork& work) {
    if (work.failed || !work.plan || !HasWork(*work.plan)) return {};
    auto result = executor_.Run(*work.job);
    if (!result) return Fail(work, result.error());
    if (work.visits.empty()) NoteThroughputCode(*work.plan, device_, result->cubin);
    work.visits.push_back(std::move(result->out));
    return {};
  }

  FormResults Results(bool is_whole) {
    FormResults results;
    results.is_whole = is_whole;
    KnownLatencies known;
    const auto conclude = [&](const FormWork& work) {
      return Conclude(*work.plan, device_, work.visits, known, settings_.confidence);
    };
    const auto is_ready = [](const FormWork& work) {
      return !work.failed && work.plan && (!work.visits.empty() || !HasWork(*work.plan));
    };
    // Connectors may have connectors of their own, which come first.
    constexpr int kDepth = 3;
    for (int i = 0; i < kDepth; ++i) {
      for (const FormWork& work : works_) {
        if (!is_ready(work) || known.contains(work.request.text)) continue;
        const std::vector<std::string> needed = ConnectorsOf(*work.plan);
        const auto is_known = [&](const std::string& text) {
          return text == work.request.text || known.contains(text);
        };
        if (!std::ranges::all_of(needed, is_known)) continue;
        const GpuInstruction row = conclude(work);
        if (!row.latency.empty()) known[work.request.text] = row.latency.front().cycles;
      }
    }
    for (FormWork& work : works_) {
      if (!work.is_asked_for) continue;
      if (work.failed) {
        results.rows.push_back(std::move(*work.failed));
      } else if (is_ready(work)) {
        results.rows.push_back(conclude(work));
      } else {
        continue;
      }
      results.code.push_back(
          {std::move(work.cubin), work.plan ? ShownEntry(*work.plan) : std::string()});
    }
    return results;
  }

  Executor& executor_;
  const DeviceFacts& device_;
  const FormSettings& settings_;
  std::vector<FormWork> works_;
};

}  // namespace

JobResult<FormResults> MeasureForms(Executor& executor, const DeviceFacts& device,
                                    const std::vector<FormRequest>& forms,
                                    const FormSettings& settings, const OnStep& on_step) {
  return FormMeasuring(executor, device, settings).Measure(forms, on_step);
}

}  // namespace cyclescope::gpu
