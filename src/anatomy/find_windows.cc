#include "anatomy/find_windows.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "anatomy/conclude_windows.h"
#include "anatomy/sharing.h"
#include "anatomy/step_search.h"
#include "anatomy/witnessed_looks.h"

namespace cyclescope::anatomy {
namespace {

// Visits to the witness alone, before all others.
constexpr int kVisitsToLearn = 6;
// One filler may take this part of the time (a third) before it is the next one's turn.
constexpr std::int64_t kPartOfTimeForOne = 3;
// Of the time, what searches on a shared core may take when all others are done.
constexpr double kShareOfTimeForShared = 0.25;

class Finder {
 public:
  Finder(std::span<const arch::WindowFiller> fillers, const std::vector<std::string>& features,
         const WindowSettings& settings, OverlapSource& source, const GoesOn& goes_on);

  void Run();
  const std::vector<WindowSearch>& searches() const { return searches_; }
  SearchedCore Core() const;

 private:
  bool MayGoOn() const;
  bool WantsVisit(const WindowSearch& search) const;
  std::vector<int> Wanted(const WindowSearch& search) const;

  // ---- The witness
  void LearnSharing();
  void FindNeighbour();
  WitnessedLooks Itinerary(const WindowSearch& search, std::span<const int> counts) const;
  // What a look at the witness alone shows; nothing where that could not be measured.
  std::optional<SortedPoints> LookNow();
  bool IsAloneNow();
  bool ShowsLargerNow();
  // Looks for a larger window than was taken for the whole one; where there is one, all begins
  // again.
  bool StartsAgain();
  void ForgetAlone();

  // ---- Visits
  void VisitInRounds();
  void BringAbout(const WindowSearch& search);
  void VisitOnce(WindowSearch& search);

  const WindowSettings& settings_;
  OverlapSource& source_;
  const GoesOn& goes_on_;
  std::int64_t begin_ns_;
  std::vector<WindowSearch> searches_;
  std::optional<SharingWitness> witness_;
  Neighbour neighbour_;
  bool is_alone_ = true;     // when it was last looked at
  bool saw_larger_ = false;  // than what was taken for the whole
};

Finder::Finder(std::span<const arch::WindowFiller> fillers,
               const std::vector<std::string>& features, const WindowSettings& settings,
               OverlapSource& source, const GoesOn& goes_on)
    : settings_(settings),
      source_(source),
      goes_on_(goes_on),
      begin_ns_(source.NowNs()),
      neighbour_(settings.neighbours) {
  const StepSearch search(settings.most_fillers, settings.confirmations);
  const StepSearch in_part(settings.most_fillers, std::min(settings.confirmations, 3));
  for (const arch::WindowFiller& filler : fillers) {
    WindowSearch& added =
        searches_.emplace_back(WindowSearch{.filler = &filler, .own = search, .shared = in_part});
    const std::string_view feature = filler.feature;
    if (feature.empty() || std::ranges::find(features, feature) != features.end()) continue;
    added.status = Status::kUnsupported;
    added.reason = fmt::format("this CPU has no {}", feature);
  }
  const auto loads = std::ranges::find(fillers, arch::Window::kLoads, &arch::WindowFiller::window);
  if (settings.may_be_shared && loads != fillers.end()) witness_.emplace(*loads);
}

SearchedCore Finder::Core() const {
  return {.may_be_shared = settings_.may_be_shared,
          .has_witness = witness_.has_value(),
          .saw_larger = saw_larger_,
          .is_quiet = [this](double width) { return source_.IsQuiet(width); }};
}

bool Finder::MayGoOn() const {
  return source_.NowNs() - begin_ns_ < settings_.most_time.count() && (!goes_on_ || goes_on_());
}

void Finder::LearnSharing() {
  if (!witness_) return;
  neighbour_.Set(false);
  std::vector<OverlapLook> looks = witness_->WholeRange();
  looks.insert(looks.begin(), {looks.front().filler, kFillersSideBySide});
  for (int i = 0; i < kVisitsToLearn && MayGoOn(); ++i) {
    const auto visit = source_.Visit(looks);
    if (!visit) continue;
    // Each repeat by itself: the core may be shared in one and not in the next.
    for (const std::vector<double>& overlaps : OverlapsOf(*visit)) {
      std::vector<OverlapPoint> points;
      for (std::size_t k = 1; k < overlaps.size(); ++k)
        points.push_back({looks[k].fillers, overlaps[k]});
      witness_->Learn(points);
    }
  }
  if (!witness_->IsReady()) witness_.reset();
}

void Finder::FindNeighbour() {
  if (!witness_ || neighbour_.IsFound()) return;
  neighbour_.Find([this] { return IsAloneNow(); }, [this] { return MayGoOn(); });
}

WitnessedLooks Finder::Itinerary(const WindowSearch& search, std::span<const int> counts) const {
  return {witness_ ? &*witness_ : nullptr, *search.filler, counts};
}

std::optional<SortedPoints> Finder::LookNow() {
  const WitnessedLooks itinerary = Itinerary(searches_.front(), {});
  const auto visit = source_.Visit(itinerary.looks());
  if (!visit) return std::nullopt;
  return itinerary.Sort(*visit);
}

bool Finder::IsAloneNow() {
  const auto seen = LookNow();
  return !seen || seen->WasMostlyAlone();  // what is wrong shows where it is visited
}

bool Finder::ShowsLargerNow() {
  neighbour_.Set(false);
  const auto seen = LookNow();
  return seen && seen->WasMostlyLarger();
}

// What one visit shows may be wrong, and so may be two. A larger window counts where its size was
// learnt.
bool Finder::StartsAgain() {
  // Sizes of a whole window and of a part are further apart.
  constexpr double kLargerRatio = 1.15;
  constexpr int kLooksToBelieve = 2;
  for (int i = 0; i < kLooksToBelieve; ++i) {
    if (!ShowsLargerNow()) return false;
  }
  const int known = witness_->Look().fillers;
  LearnSharing();
  if (witness_->Look().fillers < kLargerRatio * known) return false;
  ForgetAlone();
  FindNeighbour();
  return true;
}

// What was taken for the whole window was a part of it.
void Finder::ForgetAlone() {
  saw_larger_ = true;
  neighbour_.StartAgain();
  for (WindowSearch& search : searches_) {
    // What was seen of a search under way may be of both states: the core changed at some time.
    if (search.own.IsDone()) search.shared.Add(search.own.points());
    search.own = StepSearch(settings_.most_fillers, settings_.confirmations);
    search.shared_visits += static_cast<int>(search.own_widths.size());
    search.own_widths.clear();
  }
}

// What either search wants to see: whether the core is shared shows only when it is looked at.
std::vector<int> Finder::Wanted(const WindowSearch& search) const {
  std::vector<int> counts;
  if (!search.own.IsDone()) counts = search.own.Next();
  // With a neighbour of ours, that waits until the whole window is known.
  const bool of_part =
      search.own.IsDone() || (!neighbour_.IsFound() && !search.shared.points().empty());
  if (of_part && !search.shared.IsDone()) {
    const std::vector<int> others = search.shared.Next();
    counts.insert(counts.end(), others.begin(), others.end());
  }
  std::ranges::sort(counts);
  const auto [first, last] = std::ranges::unique(counts);
  counts.erase(first, last);
  return counts;
}

void Finder::VisitOnce(WindowSearch& search) {
  const WitnessedLooks itinerary = Itinerary(search, Wanted(search));
  const auto visit = source_.Visit(itinerary.looks());
  if (!visit) {
    search.status = Status::kCrashed;
    search.reason = visit.error().ToString();
    return;
  }
  const SortedPoints seen = itinerary.Sort(*visit);
  if (seen.WasMostlyLarger()) {
    StartsAgain();
    return;
  }
  is_alone_ = seen.own.size() > seen.shared.size();
  if (!seen.shared.empty()) search.shared.Add(seen.shared);
  if (neighbour_.runs()) {
    neighbour_.Saw(is_alone_);
    return;
  }
  if (!seen.own.empty()) {
    search.own.Add(seen.own);
    search.own_widths.push_back(visit->width);
  }
  if (seen.shared.size() > seen.own.size()) ++search.shared_visits;
}

bool Finder::WantsVisit(const WindowSearch& search) const {
  if (!search.CanGoOn()) return false;
  const bool shows_part = neighbour_.IsFound() || !search.shared.points().empty();
  return !search.own.IsDone() || (shows_part && !search.shared.IsDone());
}

// The state of the core that a search waits for, as far as that is up to us.
void Finder::BringAbout(const WindowSearch& search) {
  const bool wants_part = search.own.IsDone() && !search.shared.IsDone();
  if (neighbour_.Set(wants_part)) is_alone_ = !wants_part;
  // Where the size of a part is known, the whole one is waited for: a short look is enough.
  while (witness_ && !is_alone_ && search.shared.IsDone() && MayGoOn()) is_alone_ = IsAloneNow();
}

void Finder::VisitInRounds() {
  std::optional<std::int64_t> own_done_ns;
  while (MayGoOn()) {
    bool all_own_done = true;
    bool visited = false;
    for (WindowSearch& search : searches_) {
      if (!WantsVisit(search) || !MayGoOn()) continue;
      all_own_done = all_own_done && search.own.IsDone();
      const std::int64_t end_ns = source_.NowNs() + settings_.most_time.count() / kPartOfTimeForOne;
      // The parts beside a neighbour of ours wait until all whole windows are known.
      const bool for_own = !search.own.IsDone();
      do {
        BringAbout(search);
        VisitOnce(search);
      } while (settings_.one_by_one && WantsVisit(search) && MayGoOn() &&
               source_.NowNs() < end_ns && for_own == !search.own.IsDone());
      visited = true;
    }
    if (!visited) return;
    // A neighbour that left may never come back, but for one of our own.
    if (!all_own_done || neighbour_.IsFound()) continue;
    const std::int64_t now = source_.NowNs();
    own_done_ns = own_done_ns.value_or(now);
    const double extra = kShareOfTimeForShared * static_cast<double>(settings_.most_time.count());
    if (static_cast<double>(now - *own_done_ns) > extra) return;
  }
}

void Finder::Run() {
  LearnSharing();
  FindNeighbour();
  VisitInRounds();
  // Another program may have hidden it at first.
  if (!SawBothSizes(searches_, Core()) && !neighbour_.IsFound()) {
    FindNeighbour();
    if (neighbour_.IsFound()) VisitInRounds();
  }
  while (witness_ && MayBePart(searches_, Core()) && MayGoOn()) {
    if (StartsAgain()) VisitInRounds();
  }
  neighbour_.Set(false);
}

}  // namespace

std::vector<AnatomyRow> FindWindows(std::span<const arch::WindowFiller> fillers,
                                    const std::vector<std::string>& features,
                                    const WindowSettings& settings, OverlapSource& source,
                                    const GoesOn& goes_on) {
  Finder finder(fillers, features, settings, source, goes_on);
  finder.Run();
  return ConcludeWindows(fillers, finder.searches(), finder.Core());
}

}  // namespace cyclescope::anatomy
