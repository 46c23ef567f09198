#include "memory/experiment.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "arch/memory_loops.h"
#include "base/try.h"
#include "curves/clear_points.h"
#include "curves/ladder.h"
#include "curves/load_times.h"
#include "curves/read_levels.h"
#include "memory/chase_source.h"
#include "memory/claims.h"
#include "memory/throughput.h"
#include "memory/time_plan.h"
#include "os/clock.h"
#include "os/cpus.h"

namespace cyclescope::memory {
namespace {

// Where less than this lies in huge pages, a curve of huge pages is none.
constexpr double kLeastHugeShare = 0.95;
// Fewer are no curve.
constexpr std::size_t kFewestPoints = 6;

struct PlannedCurve {
  ChaseOrder order;
  PageKind pages;
};

// Those of one kind of page stand together, since only one kind of memory is mapped at a time. The
// first kind is the one that levels are read from, if the system has it.
std::vector<PlannedCurve> CurvesOf(const MemoryPlan& plan) {
  std::vector<PlannedCurve> curves;
  const bool has_huge = os::HugePageBytes().has_value();
  if (has_huge) curves.push_back({ChaseOrder::kRandom, PageKind::kHuge});
  if (has_huge && plan.sizes.empty() && !plan.quick)
    curves.push_back({ChaseOrder::kLinePerPage, PageKind::kHuge});
  if (!has_huge || !plan.quick) curves.push_back({ChaseOrder::kRandom, PageKind::kSmall});
  curves.push_back({ChaseOrder::kPageByPage, PageKind::kSmall});
  if (!plan.quick && plan.sizes.empty())
    curves.push_back({ChaseOrder::kLinePerPage, PageKind::kSmall});
  return curves;
}

curves::LadderSettings SettingsOf(const MemoryPlan& plan, const PlannedCurve& curve, int line_bytes,
                                  std::int64_t page_bytes) {
  curves::LadderSettings settings;
  settings.most_bytes = plan.most_bytes;
  settings.unit_bytes = line_bytes;
  settings.sizes = plan.sizes;
  settings.seed = plan.seed;
  settings.confidence = plan.confidence;
  switch (curve.order) {
    case ChaseOrder::kRandom:
      break;
    case ChaseOrder::kPageByPage:
      // It only has to tell whether a step is there.
      settings.finest = 4;
      settings.visits = 4;
      settings.most_visits = 4;
      break;
    case ChaseOrder::kLinePerPage:
      // Few lines: none of it is costly.
      settings.least_bytes = 4 * page_bytes;
      settings.unit_bytes = page_bytes;
      settings.costly_bytes = plan.most_bytes;
      break;
  }
  if (plan.quick) {
    const bool is_main = curve.order == ChaseOrder::kRandom;
    settings.first_visits = 2;
    settings.visits = is_main ? 4 : 2;
    settings.most_visits = is_main ? 12 : 4;
    settings.finest = is_main ? 6 : 2;
    settings.costly_bytes = std::int64_t{8} << 20;
    settings.costly_finest = 2;
  }
  return settings;
}

// How much of the time a curve gets, compared with the others and with what comes after them.
double WeightOf(const PlannedCurve& curve) {
  switch (curve.order) {
    case ChaseOrder::kRandom:
      return curve.pages == PageKind::kHuge ? 6 : 4;
    case ChaseOrder::kPageByPage:
      return 2;
    case ChaseOrder::kLinePerPage:
      return 1;
  }
  std::unreachable();
}

const MemoryCurve* Find(const std::vector<MemoryCurve>& curves, ChaseOrder order, PageKind pages) {
  const auto found = std::ranges::find_if(curves, [&](const MemoryCurve& curve) {
    return curve.order == order && curve.pages == pages;
  });
  return found == curves.end() ? nullptr : &*found;
}

// The curve that levels are read from: huge pages need no translations, where the system gives
// them.
const MemoryCurve* BestCurve(const std::vector<MemoryCurve>& curves) {
  const MemoryCurve* huge = Find(curves, ChaseOrder::kRandom, PageKind::kHuge);
  const MemoryCurve* small = Find(curves, ChaseOrder::kRandom, PageKind::kSmall);
  if (huge != nullptr && (huge->huge_share >= kLeastHugeShare || small == nullptr)) return huge;
  return small;
}

// Of growing size, from one that the first cache holds to where loads come from memory.
std::vector<std::int64_t> TimedFootprints(const MemoryPlan& plan) {
  constexpr std::int64_t kFirst = std::int64_t{8} << 10;
  constexpr std::int64_t kLast = std::int64_t{64} << 20;
  constexpr double kPerDoubling = 3;
  std::vector<std::int64_t> footprints;
  for (int i = 0;; ++i) {
    const double bytes = kFirst * std::exp2(i / kPerDoubling);
    if (bytes > static_cast<double>(std::min(kLast, plan.most_bytes))) return footprints;
    footprints.push_back(static_cast<std::int64_t>(bytes));
  }
}

// What was interrupted tells its levels, and contradicts nothing.
void Conclude(const MemoryPlan& plan, const std::vector<curves::LoadTimes>& load_times,
              bool was_interrupted, MemoryRow& row) {
  const MemoryCurve* best = BestCurve(row.curves);
  // A few footprints that the user chose are no curve.
  if (best == nullptr || best->points.empty() || !plan.sizes.empty()) return;
  for (const PageKind pages : {PageKind::kSmall, PageKind::kHuge}) {
    const MemoryCurve* curve = Find(row.curves, ChaseOrder::kLinePerPage, pages);
    if (curve == nullptr) continue;
    if (pages == PageKind::kHuge && curve->huge_share < kLeastHugeShare) continue;
    std::ranges::copy(curves::ReadTranslation(*curve, *best, row.line_bytes),
                      std::back_inserter(row.translation));
  }
  if (plan.virtual_machine) curves::JudgeHugePages(row.translation);
  const MemoryCurve* by_page = Find(row.curves, ChaseOrder::kPageByPage, PageKind::kSmall);
  const curves::TranslationSigns translation = {
      by_page != nullptr ? *by_page : MemoryCurve{}, row.translation,
      curves::ReadLoadTimes(load_times, curves::UsableOf(*best).points.front().cycles.value)};
  row.levels = curves::ReadLevels(*best, translation, plan.claimed);
  curves::AddTimedLevels(translation.timed, row.levels);
  curves::NameLevels(best->points.back().bytes, plan.claimed, row.levels);
  if (!was_interrupted) row.findings = CompareWithClaims(row.levels, *best, plan.claimed);
  row.no_plateau = TakeUnknownLevel(*best, row.levels);
}

// Notes how long visits to large footprints take.
class TimedSource final : public curves::LatencySource {
 public:
  TimedSource(curves::LatencySource& source, TimePlan& time, std::int64_t large_bytes)
      : source_(source), time_(time), large_bytes_(large_bytes) {}

  Result<curves::ChaseVisit> Visit(const curves::Chase& chase) override {
    const std::int64_t begin = time_.now();
    auto visit = source_.Visit(chase);
    if (chase.bytes > large_bytes_) time_.Took(chase.bytes, time_.now() - begin);
    return visit;
  }

 private:
  curves::LatencySource& source_;
  TimePlan& time_;
  std::int64_t large_bytes_;
};

// The experiment under way. Each part leaves the row whole, so that it can be the last one.
class Experiment {
 public:
  Experiment(Gauge& gauge, const MemoryPlan& plan, const GoesOn& goes_on)
      : gauge_(gauge),
        plan_(plan),
        goes_on_(goes_on),
        time_(os::MonotonicNanoseconds, plan.most_time),
        curves_(CurvesOf(plan)) {
    row_.cpu = plan.cpu;
    row_.node = plan.node;
    row_.line_bytes = arch::CacheLineBytes();
    source_.emplace(gauge, ChaseSettings{.most_bytes = plan.most_bytes,
                                         .line_bytes = row_.line_bytes,
                                         .node = plan.node,
                                         .draws = plan.quick ? 1 : 3,
                                         .rounds = plan.quick ? 3U : 6U,
                                         .seed = plan.seed});
  }

  Result<MemoryRow> Run(const OnPart& on_part, const OnRefused& on_refused) {
    if (HasMore()) {
      more_ = {{&Experiment::MeasureChains, "loads at once", 2},
               {&Experiment::MeasureStreams, "bandwidth", 3},
               {&Experiment::MeasureLoad, "latency under load", 1},
               {&Experiment::MeasureNodes, "nodes", 1}};
    }
    std::size_t done = 0;
    const auto report = [&] { return on_part(done, curves_.size() + more_.size()); };
    bool go_on = report();
    for (std::size_t i = 0; go_on && i < curves_.size(); ++i) {
      time_.Begin(WeightOf(curves_[i]), WeightFrom(i));
      TRY(MeasureOne(curves_[i]));
      ++done;
      go_on = report();
    }
    if (go_on && HasMore()) {
      time_.Begin(kLoadTimesWeight, WeightFrom(curves_.size()) + kLoadTimesWeight);
      if (auto measured = MeasureLoadTimes(); !measured)
        on_refused("single loads", measured.error());
      else if (time_.IsOver())
        row_.left_out.emplace_back("single loads");
    }
    Conclude(plan_, load_times_, /*was_interrupted=*/!go_on, row_);
    for (std::size_t i = 0; go_on && i < more_.size(); ++i) {
      time_.Begin(more_[i].weight, WeightFrom(curves_.size() + i));
      if (auto measured = (this->*more_[i].measure)(); !measured)
        on_refused(more_[i].name, measured.error());
      else if (time_.IsOver())
        row_.left_out.emplace_back(more_[i].name);
      ++done;
      go_on = report();
    }
    row_.partial = !go_on;
    return std::move(row_);
  }

 private:
  static constexpr double kLoadTimesWeight = 2;

  struct Part {
    Result<void> (Experiment::*measure)();
    const char* name;
    double weight;
  };

  // Chosen footprints are all that is wanted, and a quick run has no time for more.
  bool HasMore() const { return !plan_.quick && plan_.sizes.empty(); }

  // Of all parts from that one on.
  double WeightFrom(std::size_t part) const {
    double weight = 0;
    for (std::size_t i = part; i < curves_.size(); ++i) weight += WeightOf(curves_[i]);
    for (std::size_t i = std::max(part, curves_.size()) - curves_.size(); i < more_.size(); ++i)
      weight += more_[i].weight;
    return weight;
  }

  Result<void> MeasureOne(PlannedCurve planned) {
    const std::int64_t page_bytes = source_->PageBytes(planned.pages);
    curves::LadderSettings settings = SettingsOf(plan_, planned, row_.line_bytes, page_bytes);
    bool has_all = true;
    settings.has_time_for = [&](std::int64_t bytes) {
      const bool has = time_.HasTimeFor(bytes);
      has_all = has_all && has;
      return has;
    };
    TimedSource source(*source_, time_, settings.costly_bytes);
    auto curve =
        TRY(curves::MeasureCurve(source, planned.order, planned.pages, settings, InTime()));
    const bool is_curve =
        curve.points.size() >= (plan_.sizes.empty() ? kFewestPoints : plan_.sizes.size());
    if (!has_all || !is_curve) {
      row_.left_out.push_back(fmt::format("{}footprints of {} pages in {} order",
                                          is_curve ? "the largest " : "", ToString(planned.pages),
                                          ToString(planned.order)));
    }
    curve.page_bytes = page_bytes;
    // Where it is not known whether the core is shared, it may always be.
    if (!gauge_.instrument().watch().trusted()) {
      for (MemoryPoint& point : curve.points) point.contended = true;
    }
    const auto placement = TRY(source_->Placement());
    row_.swapped_bytes = std::max(row_.swapped_bytes, placement.swapped_bytes);
    if (placement.resident_bytes > 0) {
      curve.huge_share =
          static_cast<double>(placement.huge_bytes) / static_cast<double>(placement.resident_bytes);
    }
    // The system gave no huge pages after all: small ones serve.
    if (plan_.quick && planned.pages == PageKind::kHuge && curve.huge_share < kLeastHugeShare) {
      curves_.push_back({ChaseOrder::kRandom, PageKind::kSmall});
    }
    row_.curves.push_back(std::move(curve));
    return {};
  }

  // On the pages that levels are read from. Footprints that had no quiet moment are left out;
  // without the first there is nothing to compare the others with. All get one visit before any
  // gets another: the largest take longest, and tell of memory.
  Result<void> MeasureLoadTimes() {
    constexpr int kVisits = 6;
    const MemoryCurve* best = BestCurve(row_.curves);
    if (best == nullptr) return {};
    const std::vector<std::int64_t> footprints = TimedFootprints(plan_);
    std::vector<std::optional<curves::LoadTimes>> all(footprints.size());
    for (int i = 0; i < kVisits; ++i) {
      for (std::size_t k = 0; k < footprints.size() && !time_.IsOver() && goes_on_(); ++k) {
        auto times = TRY(source_->TimeLoads({ChaseOrder::kRandom, best->pages, footprints[k]}));
        if (times) Add(*times, all[k]);
      }
    }
    if (all.empty() || !all.front()) return {};
    for (std::optional<curves::LoadTimes>& each : all) {
      if (each) load_times_.push_back(std::move(*each));
    }
    return {};
  }

  GoesOn InTime() const {
    return [this] { return goes_on_() && !time_.IsOver(); };
  }

  ThroughputSettings SettingsForMore() const {
    const MemoryCurve* best = BestCurve(row_.curves);
    return {.cpu = plan_.cpu,
            .all_cpus = plan_.all_cpus,
            .features = plan_.features,
            .pages = best == nullptr ? PageKind::kSmall : best->pages,
            .node = plan_.node,
            .most_bytes = MoreBytes(),
            .limit_bytes = plan_.limit_bytes,
            .confidence = plan_.confidence};
  }

  // Enough to be in memory, and no more: what is touched takes time.
  std::int64_t MoreBytes() const {
    constexpr std::int64_t kLeastMemoryBytes = std::int64_t{128} << 20;
    double last = 0;
    for (const MemoryLevel& level : row_.levels) {
      if (level.capacity) last = level.capacity->value;
    }
    return std::min(plan_.most_bytes,
                    std::max(static_cast<std::int64_t>(8 * last), kLeastMemoryBytes));
  }

  Result<void> MeasureChains() {
    row_.parallelism = TRY(MeasureParallelism(
        gauge_, *source_, FootprintsOf(row_.levels, MoreBytes()), SettingsForMore(), InTime()));
    return {};
  }

  Result<void> MeasureStreams() {
    source_->Release();
    row_.bandwidth =
        TRY(MeasureBandwidth(gauge_, FootprintsOf(row_.levels, MoreBytes(), plan_.claimed),
                             SettingsForMore(), InTime()));
    return {};
  }

  Result<void> MeasureLoad() {
    row_.loaded = TRY(MeasureLoadedLatency(gauge_, SettingsForMore(), InTime()));
    return {};
  }

  Result<void> MeasureNodes() {
    for (const int cpu : plan_.place_cpus) TRY(MeasureNodesFrom(cpu));
    return os::Pin(plan_.cpu);
  }

  Result<void> MeasureNodesFrom(int cpu) {
    std::optional<Gauge> other;
    if (cpu != plan_.cpu) {
      other.emplace(TRY(plan_.gauge_at(cpu)));
    }
    ThroughputSettings settings = SettingsForMore();
    settings.cpu = cpu;
    auto measured = TRY(MeasurePlaces(other ? *other : gauge_, plan_.nodes, settings, InTime()));
    std::ranges::move(measured, std::back_inserter(row_.places));
    return {};
  }

  Gauge& gauge_;
  const MemoryPlan& plan_;
  const GoesOn& goes_on_;
  TimePlan time_;
  std::vector<PlannedCurve> curves_;
  std::vector<Part> more_;
  std::vector<curves::LoadTimes> load_times_;
  MemoryRow row_;
  std::optional<ChaseSource> source_;
};

}  // namespace

std::vector<int> CpusThatDiffer(const std::vector<CpuPlace>& topology, const os::CpuList& allowed,
                                int cpu) {
  const auto place_of = [](const CpuPlace& place) {
    return std::tuple(place.numa, place.package, place.die, place.l3, place.kind);
  };
  std::vector<int> cpus = {cpu};
  std::set<decltype(place_of(CpuPlace{}))> seen;
  const auto own = std::ranges::find(topology, cpu, &CpuPlace::cpu);
  if (own == topology.end()) return cpus;
  seen.insert(place_of(*own));
  for (const CpuPlace& place : topology) {
    if (std::ranges::binary_search(allowed, place.cpu) && seen.insert(place_of(place)).second)
      cpus.push_back(place.cpu);
  }
  return cpus;
}

Result<MemoryRow> MeasureMemory(Gauge& gauge, const MemoryPlan& plan, const GoesOn& goes_on,
                                const OnPart& on_part, const OnRefused& on_refused) {
  return Experiment(gauge, plan, goes_on).Run(on_part, on_refused);
}

}  // namespace cyclescope::memory
