#include "memory/experiment.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "arch/memory_loops.h"
#include "memory/chase_source.h"
#include "memory/ladder.h"
#include "memory/read_levels.h"
#include "memory/throughput.h"
#include "os/clock.h"

namespace cyclescope::memory {
namespace {

// Where less than this lies in huge pages, a curve of huge pages is none.
constexpr double kLeastHugeShare = 0.95;

struct PlannedCurve {
  ChaseOrder order;
  PageKind pages;
};

// Those of one kind of page stand together, since only one kind of memory is had at a time. The
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

LadderSettings SettingsOf(const MemoryPlan& plan, const PlannedCurve& curve, int line_bytes,
                          std::int64_t page_bytes) {
  LadderSettings settings;
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
    settings.most_visits = is_main ? 6 : 2;
    settings.finest = is_main ? 6 : 2;
    settings.costly_bytes = std::int64_t{8} << 20;
    settings.costly_finest = 2;
  }
  return settings;
}

// How long a curve may take until it has to be precise enough. On a machine that is busy everything
// differs, and everything would be measured in full.
std::int64_t MostNs(ChaseOrder order, bool quick) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  switch (order) {
    case ChaseOrder::kRandom:
      return quick ? 3 * kSecond / 2 : 6 * kSecond;
    case ChaseOrder::kPageByPage:
      return quick ? kSecond / 2 : 3 * kSecond;
    case ChaseOrder::kLinePerPage:
      return 2 * kSecond;
  }
  std::unreachable();
}

const MemoryCurve* Find(const std::vector<MemoryCurve>& curves, ChaseOrder order, PageKind pages) {
  const auto found = std::ranges::find_if(curves, [&](const MemoryCurve& curve) {
    return curve.order == order && curve.pages == pages;
  });
  return found == curves.end() ? nullptr : &*found;
}

// The curve that levels are read from: huge pages need no translations, where they are had.
const MemoryCurve* BestCurve(const std::vector<MemoryCurve>& curves) {
  const MemoryCurve* huge = Find(curves, ChaseOrder::kRandom, PageKind::kHuge);
  const MemoryCurve* small = Find(curves, ChaseOrder::kRandom, PageKind::kSmall);
  if (huge != nullptr && (huge->huge_share >= kLeastHugeShare || small == nullptr)) return huge;
  return small;
}

void Conclude(const MemoryPlan& plan, MemoryRow& row) {
  const MemoryCurve* best = BestCurve(row.curves);
  // A few footprints that somebody chose are no curve.
  if (best == nullptr || best->points.empty() || !plan.sizes.empty()) return;
  const MemoryCurve* by_page = Find(row.curves, ChaseOrder::kPageByPage, PageKind::kSmall);
  row.levels = ReadLevels(*best, by_page != nullptr ? *by_page : MemoryCurve{}, plan.claimed);
  row.findings = CompareWithClaims(row.levels, plan.claimed, best->points.back().bytes);
  for (const PageKind pages : {PageKind::kSmall, PageKind::kHuge}) {
    const MemoryCurve* curve = Find(row.curves, ChaseOrder::kLinePerPage, pages);
    if (curve == nullptr) continue;
    if (pages == PageKind::kHuge && curve->huge_share < kLeastHugeShare) continue;
    std::ranges::copy(ReadTranslation(*curve, *best, row.line_bytes),
                      std::back_inserter(row.translation));
  }
}

// The experiment under way. Each part leaves the row whole, so that it can be the last one.
class Experiment {
 public:
  Experiment(Gauge& gauge, const MemoryPlan& plan, const std::function<bool()>& goes_on)
      : gauge_(gauge), plan_(plan), goes_on_(goes_on), curves_(CurvesOf(plan)) {
    row_.cpu = plan.cpu;
    row_.node = plan.node;
    row_.line_bytes = arch::CacheLineBytes();
    source_.emplace(gauge, ChaseSettings{.most_bytes = plan.most_bytes,
                                         .line_bytes = row_.line_bytes,
                                         .node = plan.node,
                                         .draws = plan.quick ? 1 : 3,
                                         .seed = plan.seed});
  }

  Result<MemoryRow> Run(const OnPart& on_part) {
    using Part = Result<void> (Experiment::*)();
    const std::vector<Part> more =
        HasMore() ? std::vector<Part>{&Experiment::MeasureChains, &Experiment::MeasureStreams,
                                      &Experiment::MeasureLoad, &Experiment::MeasureNodes}
                  : std::vector<Part>{};
    std::size_t done = 0;
    const auto report = [&] { return on_part(done, curves_.size() + more.size()); };
    bool go_on = report();
    for (std::size_t i = 0; go_on && i < curves_.size(); ++i) {
      if (auto measured = MeasureOne(curves_[i]); !measured)
        return std::unexpected(measured.error());
      ++done;
      go_on = report();
    }
    Conclude(plan_, row_);
    for (std::size_t i = 0; go_on && i < more.size(); ++i) {
      if (auto measured = (this->*more[i])(); !measured) return std::unexpected(measured.error());
      ++done;
      go_on = report();
    }
    row_.partial = !go_on;
    return std::move(row_);
  }

 private:
  // Chosen footprints are all that is wanted, and a quick run has no time for more.
  bool HasMore() const { return !plan_.quick && plan_.sizes.empty(); }

  Result<void> MeasureOne(PlannedCurve planned) {
    const std::int64_t page_bytes = source_->PageBytes(planned.pages);
    LadderSettings settings = SettingsOf(plan_, planned, row_.line_bytes, page_bytes);
    const std::int64_t end = os::MonotonicNanoseconds() + MostNs(planned.order, plan_.quick);
    settings.is_enough = [end] { return os::MonotonicNanoseconds() > end; };
    auto curve = MeasureCurve(*source_, planned.order, planned.pages, settings,
                              [this] { return !goes_on_(); });
    if (!curve) return std::unexpected(curve.error());
    curve->page_bytes = page_bytes;
    const auto share = source_->HugeShare();
    if (!share) return std::unexpected(share.error());
    curve->huge_share = *share;
    // Huge pages were not to be had after all: small ones serve.
    if (plan_.quick && planned.pages == PageKind::kHuge && *share < kLeastHugeShare) {
      curves_.push_back({ChaseOrder::kRandom, PageKind::kSmall});
    }
    row_.curves.push_back(std::move(*curve));
    return {};
  }

  ThroughputSettings SettingsForMore() const {
    const MemoryCurve* best = BestCurve(row_.curves);
    return {.cpu = plan_.cpu,
            .all_cpus = plan_.all_cpus,
            .features = plan_.features,
            .pages = best == nullptr ? PageKind::kSmall : best->pages,
            .node = plan_.node,
            .most_bytes = MoreBytes(),
            .confidence = plan_.confidence};
  }

  // Enough to be in memory, and no more: what is touched takes time.
  std::int64_t MoreBytes() const {
    constexpr std::int64_t kLeast = std::int64_t{128} << 20;
    double last = 0;
    for (const MemoryLevel& level : row_.levels) {
      if (level.capacity) last = level.capacity->value;
    }
    return std::min(plan_.most_bytes, std::max(static_cast<std::int64_t>(8 * last), kLeast));
  }

  Result<void> MeasureChains() {
    auto measured = MeasureParallelism(gauge_, *source_, FootprintsOf(row_.levels, MoreBytes()),
                                       SettingsForMore(), goes_on_);
    if (!measured) return std::unexpected(measured.error());
    row_.parallelism = std::move(*measured);
    return {};
  }

  Result<void> MeasureStreams() {
    source_->Release();
    auto measured = MeasureBandwidth(gauge_, FootprintsOf(row_.levels, MoreBytes()),
                                     SettingsForMore(), goes_on_);
    if (!measured) return std::unexpected(measured.error());
    row_.bandwidth = std::move(*measured);
    return {};
  }

  Result<void> MeasureLoad() {
    auto measured = MeasureLoadedLatency(gauge_, *source_, SettingsForMore(), goes_on_);
    if (!measured) return std::unexpected(measured.error());
    row_.loaded = std::move(*measured);
    source_->Release();
    return {};
  }

  Result<void> MeasureNodes() {
    auto measured = MeasurePlaces(gauge_, plan_.nodes, SettingsForMore(), goes_on_);
    if (!measured) return std::unexpected(measured.error());
    row_.places = std::move(*measured);
    return {};
  }

  Gauge& gauge_;
  const MemoryPlan& plan_;
  const std::function<bool()>& goes_on_;
  std::vector<PlannedCurve> curves_;
  MemoryRow row_;
  std::optional<ChaseSource> source_;
};

}  // namespace

Result<MemoryRow> MeasureMemory(Gauge& gauge, const MemoryPlan& plan,
                                const std::function<bool()>& goes_on, const OnPart& on_part) {
  return Experiment(gauge, plan, goes_on).Run(on_part);
}

}  // namespace cyclescope::memory
