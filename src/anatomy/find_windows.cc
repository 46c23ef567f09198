#include "anatomy/find_windows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "anatomy/kept_free.h"
#include "anatomy/row_claims.h"
#include "anatomy/sharing.h"
#include "anatomy/step_search.h"
#include "anatomy/window_bounds.h"
#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

// Visits to the witness alone, before all others.
constexpr int kVisitsToLearn = 6;
// Looks between two at the witness. The core may become shared at any time, and some neighbours
// come and go within a millisecond.
constexpr std::size_t kLooksInSegment = 5;
// Where looks at the witness stand in a list of looks.
constexpr std::size_t kBeyondPlace = 1;
constexpr std::size_t kWitnessPlace = 2;
// A window that is split has less than this share of its entries.
constexpr double kSplitWindowShare = 0.92;
// One filler may take this part of the time (a third) before it is the next one's turn.
constexpr std::int64_t kPartOfTimeForOne = 3;
// Of the time, what searches on a shared core may take when all others are done.
constexpr double kShareOfTimeForShared = 0.25;

// One filler under way: what the core shows while it is ours, and while it is shared.
struct Subject {
  const arch::WindowFiller* filler = nullptr;
  StepSearch own;
  StepSearch shared;
  // Of the visits that gave `own` something: what their probes measured.
  std::vector<double> own_widths;
  int shared_visits = 0;  // those that gave `shared` more than `own`
  Status status = Status::kMeasured;
  std::string reason = {};

  bool CanGoOn() const { return status == Status::kMeasured; }
};

// What fits of a window, by a reading.
struct Fitting {
  AnatomyValue entries;      // with an interval that begins where the fall does
  AnatomyValue end_of_fall;  // with the ends that are possible
};

// Nothing of a search that is not at its end: it has seen too little to be believed.
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

bool IsClearlySmaller(const Fitting& part, const Fitting& whole) {
  return part.entries.high < kSplitWindowShare * whole.entries.low;
}

AnatomyValue Sum(const AnatomyValue& one, const AnatomyValue& other) {
  return {one.value + other.value, one.low + other.low, one.high + other.high};
}

class Finder {
 public:
  Finder(std::span<const arch::WindowFiller> fillers, const std::vector<std::string>& features,
         const WindowSettings& settings, OverlapSource& source, const GoesOn& goes_on);

  void Run();
  std::vector<AnatomyRow> Rows(std::span<const arch::WindowFiller> fillers);

 private:
  bool MayGoOn() const;
  bool WantsVisit(const Subject& subject) const;
  void LearnSharing();
  void FindNeighbour();
  void ForgetAlone();
  std::vector<int> Wanted(const Subject& subject) const;

  // Some looks between two at the witness: places in the list of looks.
  struct Segment {
    std::size_t before = 0;
    std::size_t first = 0;
    std::size_t behind = 0;
  };
  enum class State { kAlone, kShared, kChanged };
  struct Itinerary {
    std::vector<OverlapLook> looks;  // the first is side by side
    std::vector<Segment> segments;
  };
  Itinerary ItineraryOf(const Subject& subject, std::span<const int> counts) const;
  State StateOf(std::span<const double> overlaps, const Segment& segment) const;
  bool IsAloneNow();
  // Whether windows of two sizes were seen, so that the larger is the whole one.
  bool SawBothSizes() const;
  // By the probes. One quiet visit may be an accident: a neighbour that idles while two probes run
  // leaves the windows split.
  bool WasMostlyQuiet(const Subject& subject) const;
  // More than half of the visits, by the witness or by the probes; not where there was none.
  bool WasMostlyShared(const Subject& subject) const;
  // All that was seen may be of a core that was shared all the time.
  bool MayBePart() const;
  bool ShowsLargerNow();
  bool ShowsLarger(std::span<const double> overlaps) const;
  void VisitInRounds();
  void BringAbout(const Subject& subject);
  void VisitOnce(Subject& subject);
  std::optional<AnatomyValue> KeptFree() const;
  void SetSizes(const Fitting& whole, const std::optional<Fitting>& part, AnatomyRow& row) const;
  void AddKeptFree(const Subject& subject, AnatomyRow& row) const;
  AnatomyRow Concluded(const Subject& subject) const;

  const WindowSettings& settings_;
  OverlapSource& source_;
  const GoesOn& goes_on_;
  std::int64_t begin_ns_;
  std::vector<Subject> subjects_;
  std::optional<SharingWitness> witness_;
  Neighbour neighbour_;
  bool is_alone_ = true;                   // when it was last looked at
  bool saw_larger_ = false;                // than what was taken for the whole
  std::optional<AnatomyValue> kept_free_;  // entries of the reorder buffer, where that is known
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
    Subject& subject =
        subjects_.emplace_back(Subject{.filler = &filler, .own = search, .shared = in_part});
    const std::string_view feature = filler.feature;
    if (feature.empty() || std::ranges::find(features, feature) != features.end()) continue;
    subject.status = Status::kUnsupported;
    subject.reason = fmt::format("this CPU has no {}", feature);
  }
  const auto loads = std::ranges::find(fillers, arch::Window::kLoads, &arch::WindowFiller::window);
  if (settings.may_be_shared && loads != fillers.end()) witness_.emplace(*loads);
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

// What was taken for the whole window was a part of it.
void Finder::ForgetAlone() {
  saw_larger_ = true;
  neighbour_.StartAgain();
  for (Subject& subject : subjects_) {
    // What was seen of a search under way may be of both states: the core changed at some time.
    if (subject.own.IsDone()) subject.shared.Add(subject.own.points());
    subject.own = StepSearch(settings_.most_fillers, settings_.confirmations);
    subject.shared_visits += static_cast<int>(subject.own_widths.size());
    subject.own_widths.clear();
  }
}

// What either search wants to see: whether the core is shared shows only when it is looked at.
std::vector<int> Finder::Wanted(const Subject& subject) const {
  std::vector<int> counts;
  if (!subject.own.IsDone()) counts = subject.own.Next();
  // With a neighbour of ours, that waits until the whole window is known.
  const bool of_part =
      subject.own.IsDone() || (!neighbour_.IsFound() && !subject.shared.points().empty());
  if (of_part && !subject.shared.IsDone()) {
    const std::vector<int> others = subject.shared.Next();
    counts.insert(counts.end(), others.begin(), others.end());
  }
  std::ranges::sort(counts);
  const auto [first, last] = std::ranges::unique(counts);
  counts.erase(first, last);
  return counts;
}

Finder::State Finder::StateOf(std::span<const double> overlaps, const Segment& segment) const {
  if (!witness_) return State::kAlone;
  const bool before = SharingWitness::Fits(overlaps[segment.before]);
  const bool behind = SharingWitness::Fits(overlaps[segment.behind]);
  if (before != behind) return State::kChanged;
  return before ? State::kAlone : State::kShared;
}

Finder::Itinerary Finder::ItineraryOf(const Subject& subject, std::span<const int> counts) const {
  Itinerary itinerary;
  std::vector<OverlapLook>& looks = itinerary.looks;
  looks.push_back({subject.filler, kFillersSideBySide});
  if (witness_) {
    looks.push_back(witness_->LookBeyond());
    looks.push_back(witness_->Look());
  }
  for (std::size_t at = 0; at < counts.size(); at += kLooksInSegment) {
    Segment segment{.before = looks.size() - 1, .first = looks.size()};
    for (const int count : counts.subspan(at, std::min(kLooksInSegment, counts.size() - at)))
      looks.push_back({subject.filler, count});
    segment.behind = looks.size();
    if (witness_) looks.push_back(witness_->Look());
    itinerary.segments.push_back(segment);
  }
  return itinerary;
}

// Whether the core is ours now, by the witness alone.
bool Finder::IsAloneNow() {
  const Itinerary itinerary = ItineraryOf(subjects_.front(), {});
  const auto visit = source_.Visit(itinerary.looks);
  if (!visit) return true;  // what is wrong shows where it is visited
  int alone = 0;
  for (const std::vector<double>& overlaps : OverlapsOf(*visit))
    alone += SharingWitness::Fits(overlaps[kWitnessPlace]) ? 1 : 0;
  return alone > static_cast<int>(visit->repeats.size() / 2);
}

bool Finder::SawBothSizes() const {
  return saw_larger_ || std::ranges::any_of(subjects_, [](const Subject& subject) {
           const auto whole = FittingOf(subject.own, *subject.filler);
           const auto part = FittingOf(subject.shared, *subject.filler);
           return whole && part && IsClearlySmaller(*part, *whole);
         });
}

bool Finder::WasMostlyQuiet(const Subject& subject) const {
  const auto quiet = std::ranges::count_if(subject.own_widths,
                                           [this](double width) { return source_.IsQuiet(width); });
  return quiet > 0 && 2 * quiet >= std::ssize(subject.own_widths);
}

bool Finder::WasMostlyShared(const Subject& subject) const {
  const auto quiet = std::ranges::count_if(subject.own_widths,
                                           [this](double width) { return source_.IsQuiet(width); });
  const std::ptrdiff_t visits = std::ssize(subject.own_widths) + subject.shared_visits;
  return 2 * quiet < visits;
}

bool Finder::MayBePart() const {
  const auto was_quiet = [this](const Subject& subject) { return WasMostlyQuiet(subject); };
  return std::ranges::none_of(subjects_, was_quiet) && !SawBothSizes();
}

// Whether more than the largest window that was ever seen fits now.
bool Finder::ShowsLargerNow() {
  neighbour_.Set(false);
  const Itinerary itinerary = ItineraryOf(subjects_.front(), {});
  const auto visit = source_.Visit(itinerary.looks);
  if (!visit) return false;
  int larger = 0;
  for (const std::vector<double>& overlaps : OverlapsOf(*visit))
    larger += ShowsLarger(overlaps) ? 1 : 0;
  return larger > static_cast<int>(visit->repeats.size() / 2);
}

bool Finder::ShowsLarger(std::span<const double> overlaps) const {
  return witness_ && SharingWitness::Fits(overlaps[kBeyondPlace]) &&
         SharingWitness::Fits(overlaps[kWitnessPlace]);
}

void Finder::VisitOnce(Subject& subject) {
  const Itinerary itinerary = ItineraryOf(subject, Wanted(subject));
  const auto visit = source_.Visit(itinerary.looks);
  if (!visit) {
    subject.status = Status::kCrashed;
    subject.reason = visit.error().ToString();
    return;
  }
  std::vector<OverlapPoint> own;
  std::vector<OverlapPoint> shared;
  int larger = 0;  // repeats
  for (const std::vector<double>& overlaps : OverlapsOf(*visit)) {
    larger += ShowsLarger(overlaps) ? 1 : 0;
    for (const Segment& segment : itinerary.segments) {
      const State state = StateOf(overlaps, segment);
      if (state == State::kChanged) continue;
      std::vector<OverlapPoint>& points = state == State::kShared ? shared : own;
      for (std::size_t i = segment.first; i < segment.behind; ++i)
        points.push_back({itinerary.looks[i].fillers, overlaps[i]});
    }
  }
  // One repeat may be wrong; most of a visit's are not.
  if (larger > static_cast<int>(visit->repeats.size() / 2)) {
    ForgetAlone();
    LearnSharing();
    FindNeighbour();
    return;
  }
  is_alone_ = own.size() > shared.size();
  if (!shared.empty()) subject.shared.Add(shared);
  if (neighbour_.runs()) {
    neighbour_.Saw(is_alone_);
    return;
  }
  if (!own.empty()) {
    subject.own.Add(own);
    subject.own_widths.push_back(visit->width);
  }
  if (shared.size() > own.size()) ++subject.shared_visits;
}

bool Finder::WantsVisit(const Subject& subject) const {
  if (!subject.CanGoOn()) return false;
  const bool shows_part = neighbour_.IsFound() || !subject.shared.points().empty();
  return !subject.own.IsDone() || (shows_part && !subject.shared.IsDone());
}

// The state of the core that a search waits for, as far as that is up to us.
void Finder::BringAbout(const Subject& subject) {
  const bool wants_part = subject.own.IsDone() && !subject.shared.IsDone();
  if (neighbour_.Set(wants_part)) is_alone_ = !wants_part;
  // Where the size of a part is known, the whole one is waited for: a short look is enough.
  while (witness_ && !is_alone_ && subject.shared.IsDone() && MayGoOn()) is_alone_ = IsAloneNow();
}

void Finder::Run() {
  LearnSharing();
  FindNeighbour();
  VisitInRounds();
  // Another program may have hidden it at first.
  if (!SawBothSizes() && !neighbour_.IsFound()) {
    FindNeighbour();
    if (neighbour_.IsFound()) VisitInRounds();
  }
  while (witness_ && MayBePart() && MayGoOn()) {
    if (!ShowsLargerNow()) continue;
    ForgetAlone();
    LearnSharing();
    FindNeighbour();
    VisitInRounds();
  }
  neighbour_.Set(false);
}

void Finder::VisitInRounds() {
  std::optional<std::int64_t> own_done_ns;
  while (MayGoOn()) {
    bool all_own_done = true;
    bool visited = false;
    for (Subject& subject : subjects_) {
      if (!WantsVisit(subject) || !MayGoOn()) continue;
      all_own_done = all_own_done && subject.own.IsDone();
      const std::int64_t end_ns = source_.NowNs() + settings_.most_time.count() / kPartOfTimeForOne;
      // The parts beside a neighbour of ours wait until all whole windows are known.
      const bool for_own = !subject.own.IsDone();
      do {
        BringAbout(subject);
        VisitOnce(subject);
      } while (settings_.one_by_one && WantsVisit(subject) && MayGoOn() &&
               source_.NowNs() < end_ns && for_own == !subject.own.IsDone());
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

AnatomyCurve CurveOf(const Subject& subject) {
  AnatomyCurve curve{.at_unit = "fillers", .value_unit = "overlap", .points = {}};
  for (const bool shared : {false, true}) {
    std::map<int, std::vector<double>> by_fillers;
    for (const OverlapPoint& point : (shared ? subject.shared : subject.own).points()) {
      if (std::isfinite(point.overlap)) by_fillers[point.fillers].push_back(point.overlap);
    }
    for (const auto& [fillers, overlaps] : by_fillers)
      curve.points.push_back({static_cast<double>(fillers), statistics::Median(overlaps), shared});
  }
  std::ranges::stable_sort(curve.points, {}, &AnatomyPoint::at);
  return curve;
}

// Of the reorder buffer: all else is counted exactly, on all cores that were seen.
std::optional<AnatomyValue> Finder::KeptFree() const {
  std::vector<WholeAndPart> seen;
  for (const Subject& subject : subjects_) {
    if (subject.filler->window != arch::Window::kReorderBuffer) continue;
    const auto whole = FittingOf(subject.own, *subject.filler);
    const auto part = FittingOf(subject.shared, *subject.filler);
    if (whole && part && IsClearlySmaller(*part, *whole))
      seen.push_back({whole->end_of_fall, part->end_of_fall});
  }
  return EntriesKeptFree(seen);
}

// What fits of the whole window, and of the part that one thread has of it where it is clearly
// less.
void Finder::SetSizes(const Fitting& whole, const std::optional<Fitting>& part,
                      AnatomyRow& row) const {
  row.value = whole.entries;
  if (part && IsClearlySmaller(*part, whole)) row.shared = part->entries;
}

// From what fits to the size.
void Finder::AddKeptFree(const Subject& subject, AnatomyRow& row) const {
  if (subject.filler->window != arch::Window::kReorderBuffer || !row.value || row.at_least) return;
  const std::optional<Fitting> whole = FittingOf(subject.own, *subject.filler);
  const std::optional<Fitting> part = FittingOf(subject.shared, *subject.filler);
  const Fitting& shown = whole ? *whole : *part;
  if (kept_free_) {
    row.value = Sum(shown.end_of_fall, *kept_free_);
    if (row.shared) row.shared = Sum(part->end_of_fall, *kept_free_);
    Note({ClaimCode::kKeptFree, {{"fit", shown.entries.value}, {"free", kept_free_->value}}}, row);
  } else if (witness_ && !row.shared) {
    // Without the part it is not known how many are kept free.
    row.value->high += kMostKeptFree;
  }
}

AnatomyRow Finder::Concluded(const Subject& subject) const {
  AnatomyRow row = PlannedRow(*subject.filler);
  row.status = subject.status;
  row.reason = subject.reason;
  if (!subject.CanGoOn()) return row;
  row.curve = CurveOf(subject);
  const std::optional<Fitting> whole = FittingOf(subject.own, *subject.filler);
  const std::optional<Fitting> part = FittingOf(subject.shared, *subject.filler);
  const StepReading& own = subject.own.Read();
  if (subject.own.IsDone() && own.end == StepEnd::kBeyond) {
    const double most = own.most_fillers + arch::EntriesOfHeads(subject.filler->window);
    row.value = AnatomyValue{most, most, most};
    row.at_least = true;
  }
  // With both states seen, the larger one is the whole window. With one alone, the probes decide.
  const bool may_be_part = settings_.may_be_shared && !WasMostlyQuiet(subject) && !SawBothSizes();
  if (whole) {
    SetSizes(*whole, part, row);
    row.contended = may_be_part;
  } else if (row.value) {
    row.contended = may_be_part;
    if (part) row.shared = part->entries;
  } else if (part) {
    SetSizes(*part, std::nullopt, row);
    row.contended = true;
  } else if (subject.own.IsDone() && subject.own.IsConfirmed()) {
    MarkUnclear({ClaimCode::kNoWindowStep, {}}, row);
  } else {
    const bool was_shared = WasMostlyShared(subject);
    MarkUnclear({was_shared ? ClaimCode::kNeverAlone : ClaimCode::kEndedTooSoon, {}}, row);
    row.status = Status::kDisturbed;
  }
  return row;
}

std::vector<AnatomyRow> Finder::Rows(std::span<const arch::WindowFiller> fillers) {
  kept_free_ = KeptFree();
  std::vector<AnatomyRow> rows;
  for (const Subject& subject : subjects_) rows.push_back(Concluded(subject));
  // Windows end together by what fits, whatever is kept free.
  MarkBounds(fillers, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) AddKeptFree(subjects_[i], rows[i]);
  MarkNops(fillers, rows);
  // Of a core that ran a second thread all the time only parts were seen, and probes need not see
  // that thread: one that waits for memory takes no slots and splits the windows all the same.
  if (settings_.may_be_shared && !SawBothSizes()) MarkOneSize(rows);
  MarkParts(rows);
  return rows;
}

}  // namespace

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

std::vector<AnatomyRow> FindWindows(std::span<const arch::WindowFiller> fillers,
                                    const std::vector<std::string>& features,
                                    const WindowSettings& settings, OverlapSource& source,
                                    const GoesOn& goes_on) {
  Finder finder(fillers, features, settings, source, goes_on);
  finder.Run();
  return finder.Rows(fillers);
}

}  // namespace cyclescope::anatomy
