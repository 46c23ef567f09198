#include "anatomy/conclude_windows.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>

#include "anatomy/kept_free.h"
#include "anatomy/row_claims.h"
#include "anatomy/window_bounds.h"
#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

// A window that is split has less than this share of its entries.
constexpr double kSplitWindowShare = 0.92;

// What fits of a window, by a reading.
struct Fitting {
  AnatomyValue entries;      // with an interval that begins where the fall does
  AnatomyValue end_of_fall;  // with the ends that are possible
};

// Nothing of a search that is not at its end: it has seen too little.
std::optional<Fitting> FittingOf(const StepSearch& search, const arch::WindowFiller& filler) {
  if (!search.IsDone() || !search.IsConfirmed() || !search.Read().step) return std::nullopt;
  const Step& step = *search.Read().step;
  const double heads = arch::EntriesOfHeads(filler.window);
  const int unsure = filler.window == arch::Window::kScheduler ? arch::kInstructionsThatWait : 0;
  const double entries = step.fits + heads;
  const double high = step.high + heads + unsure;
  return Fitting{.entries = {entries, step.low + heads, high},
                 .end_of_fall = {entries, step.earliest_end + heads, high}};
}

// What both searches of a filler say.
struct BothFittings {
  std::optional<Fitting> whole;
  std::optional<Fitting> part;

  explicit BothFittings(const WindowSearch& search)
      : whole(FittingOf(search.own, *search.filler)),
        part(FittingOf(search.shared, *search.filler)) {}

  bool HasClearPart() const {
    return whole && part && part->entries.high < kSplitWindowShare * whole->entries.low;
  }
};

AnatomyValue Sum(const AnatomyValue& one, const AnatomyValue& other) {
  return {one.value + other.value, one.low + other.low, one.high + other.high};
}

std::ptrdiff_t QuietVisits(const WindowSearch& search, const SearchedCore& core) {
  return std::ranges::count_if(search.own_widths, core.is_quiet);
}

// By the probes. One quiet visit may be an accident: a neighbour that idles while two probes run
// leaves the windows split.
bool WasMostlyQuiet(const WindowSearch& search, const SearchedCore& core) {
  const std::ptrdiff_t quiet = QuietVisits(search, core);
  return quiet > 0 && 2 * quiet >= std::ssize(search.own_widths);
}

// More than half of the visits, by the witness or by the probes; not where there was none.
bool WasMostlyShared(const WindowSearch& search, const SearchedCore& core) {
  return 2 * QuietVisits(search, core) < std::ssize(search.own_widths) + search.shared_visits;
}

AnatomyCurve CurveOf(const WindowSearch& search) {
  AnatomyCurve curve{.at_unit = "fillers", .value_unit = "overlap", .points = {}};
  for (const bool shared : {false, true}) {
    std::map<int, std::vector<double>> by_fillers;
    for (const OverlapPoint& point : (shared ? search.shared : search.own).points()) {
      if (std::isfinite(point.overlap)) by_fillers[point.fillers].push_back(point.overlap);
    }
    for (const auto& [fillers, overlaps] : by_fillers)
      curve.points.push_back({static_cast<double>(fillers), statistics::Median(overlaps), shared});
  }
  std::ranges::stable_sort(curve.points, {}, &AnatomyPoint::at);
  return curve;
}

// Of the reorder buffer: all else is counted exactly, on all cores that were seen.
std::optional<AnatomyValue> KeptFree(std::span<const WindowSearch> searches) {
  std::vector<WholeAndPart> seen;
  for (const WindowSearch& search : searches) {
    if (search.filler->window != arch::Window::kReorderBuffer) continue;
    const BothFittings fittings(search);
    if (fittings.HasClearPart())
      seen.push_back({fittings.whole->end_of_fall, fittings.part->end_of_fall});
  }
  return EntriesKeptFree(seen);
}

// From what fits to the size.
void AddKeptFree(const std::optional<AnatomyValue>& kept_free, const WindowSearch& search,
                 const SearchedCore& core, AnatomyRow& row) {
  if (search.filler->window != arch::Window::kReorderBuffer || !row.value || row.at_least) return;
  const BothFittings fittings(search);
  const Fitting& shown = fittings.whole ? *fittings.whole : *fittings.part;
  if (kept_free) {
    row.value = Sum(shown.end_of_fall, *kept_free);
    // Twice the difference of two ends, each of which may be wrong by an entry.
    constexpr double kUnsureEntries = 2;
    row.value->low -= kUnsureEntries;
    row.value->high += kUnsureEntries;
    if (row.shared) row.shared = Sum(fittings.part->end_of_fall, *kept_free);
    Note({ClaimCode::kKeptFree, {{"fit", shown.entries.value}, {"free", kept_free->value}}}, row);
  } else if (core.has_witness && !row.shared) {
    // Without the part it is not known how many are kept free.
    row.value->high += kMostKeptFree;
  }
}

// What fits, of the whole window and of the part that one thread has of it.
AnatomyRow Concluded(const WindowSearch& search, bool saw_both, const SearchedCore& core) {
  AnatomyRow row = PlannedRow(*search.filler);
  row.status = search.status;
  row.reason = search.reason;
  if (!search.CanGoOn()) return row;
  row.curve = CurveOf(search);
  const BothFittings fittings(search);
  const StepReading& own = search.own.Read();
  const bool ends_beyond = search.own.IsDone() && own.end == StepEnd::kBeyond;
  if (fittings.whole || ends_beyond) {
    if (fittings.whole) {
      row.value = fittings.whole->entries;
    } else {
      const double most = own.most_fillers + arch::EntriesOfHeads(search.filler->window);
      row.value = AnatomyValue{most, most, most};
      row.at_least = true;
    }
    if (fittings.part && (!fittings.whole || fittings.HasClearPart()))
      row.shared = fittings.part->entries;
    // With both states seen, the larger one is the whole window. With one alone, the probes decide.
    row.contended = core.may_be_shared && !WasMostlyQuiet(search, core) && !saw_both;
  } else if (fittings.part) {
    row.value = fittings.part->entries;
    row.contended = true;
  } else if (search.own.IsDone() && search.own.IsConfirmed()) {
    MarkUnclear({ClaimCode::kNoWindowStep, {}}, row);
  } else {
    const bool was_shared = WasMostlyShared(search, core);
    MarkUnclear({was_shared ? ClaimCode::kNeverAlone : ClaimCode::kEndedTooSoon, {}}, row);
    row.status = Status::kDisturbed;
  }
  return row;
}

}  // namespace

bool SawBothSizes(std::span<const WindowSearch> searches, const SearchedCore& core) {
  return core.saw_larger || std::ranges::any_of(searches, [](const WindowSearch& search) {
           return BothFittings(search).HasClearPart();
         });
}

bool MayBePart(std::span<const WindowSearch> searches, const SearchedCore& core) {
  const auto was_quiet = [&core](const WindowSearch& search) {
    return WasMostlyQuiet(search, core);
  };
  return std::ranges::none_of(searches, was_quiet) && !SawBothSizes(searches, core);
}

AnatomyRow PlannedRow(const arch::WindowFiller& filler) {
  AnatomyRow row = {.part = AnatomyPart::kWindows,
                    .name = std::string(arch::NameOf(filler.window)),
                    .filler = std::string(filler.name),
                    .unit = "entries"};
  for (const int head : {0, 1}) {
    row.code.emplace_back(arch::HeadText(head));
    if (filler.window == arch::Window::kScheduler)
      row.code.emplace_back(arch::WaitForHeadText(head));
    row.code.insert(row.code.end(), filler.code.begin(), filler.code.end());
  }
  return row;
}

std::vector<AnatomyRow> ConcludeWindows(std::span<const arch::WindowFiller> fillers,
                                        std::span<const WindowSearch> searches,
                                        const SearchedCore& core) {
  assert(fillers.size() == searches.size());
  const bool saw_both = SawBothSizes(searches, core);
  std::vector<AnatomyRow> rows;
  for (const WindowSearch& search : searches) rows.push_back(Concluded(search, saw_both, core));
  // Windows end together by what fits, whatever is kept free.
  MarkBounds(fillers, rows);
  const std::optional<AnatomyValue> kept_free = KeptFree(searches);
  for (std::size_t i = 0; i < rows.size(); ++i) AddKeptFree(kept_free, searches[i], core, rows[i]);
  MarkNops(fillers, rows);
  // Of a core that ran a second thread all the time only parts were seen, and probes need not see
  // that thread: one that waits for memory takes no slots and splits the windows all the same.
  if (core.may_be_shared && !saw_both) MarkOneSize(rows);
  MarkParts(rows);
  return rows;
}

}  // namespace cyclescope::anatomy
