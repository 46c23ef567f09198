#include "anatomy/find_windows.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "anatomy/step_search.h"

namespace cyclescope::anatomy {
namespace {

// One filler under way: what the core shows while it is ours, and while it is shared.
struct Subject {
  const arch::WindowFiller* filler = nullptr;
  StepSearch own;
  StepSearch shared;
  int visits = 0;
  std::string failure = {};

  bool IsDone(const WindowSettings& settings) const {
    return !failure.empty() || own.IsDone() || visits >= settings.most_visits;
  }
};

bool HasFeature(const std::vector<std::string>& features, std::string_view feature) {
  return feature.empty() || std::ranges::find(features, feature) != features.end();
}

// What either search wants to see: nobody knows what the core will be when it is looked at.
std::vector<int> Wanted(const Subject& subject) {
  std::vector<int> counts = subject.own.Next();
  if (subject.visits != 0 && !subject.shared.points().empty() && !subject.shared.IsDone()) {
    const std::vector<int> others = subject.shared.Next();
    counts.insert(counts.end(), others.begin(), others.end());
    std::ranges::sort(counts);
    const auto [first, last] = std::ranges::unique(counts);
    counts.erase(first, last);
  }
  return counts;
}

void VisitOnce(Subject& subject, OverlapSource& source) {
  const auto visit = source.Visit(*subject.filler, Wanted(subject));
  ++subject.visits;
  if (!visit) {
    subject.failure = visit.error().ToString();
    return;
  }
  (visit->shared ? subject.shared : subject.own).Add(OverlapOf(*visit));
}

std::optional<AnatomyValue> SizeOf(const StepReading& reading, const arch::WindowFiller& filler) {
  if (!reading.step) return std::nullopt;
  const int heads = arch::EntriesOfHeads(filler.window);
  return AnatomyValue{.value = reading.step->fits + heads,
                      .low = static_cast<double>(reading.step->low + heads),
                      .high = static_cast<double>(reading.step->high + heads)};
}

AnatomyCurve CurveOf(const Subject& subject) {
  AnatomyCurve curve{.at_unit = "fillers", .value_unit = "overlap", .points = {}};
  for (const bool shared : {false, true}) {
    for (const OverlapPoint& point : (shared ? subject.shared : subject.own).points())
      curve.points.push_back({static_cast<double>(point.fillers), point.overlap, shared});
  }
  std::ranges::stable_sort(curve.points, {}, &AnatomyPoint::at);
  return curve;
}

AnatomyRow Concluded(const Subject& subject) {
  AnatomyRow row = PlannedRow(*subject.filler);
  if (!subject.failure.empty()) {
    row.status = Status::kCrashed;
    row.reason = subject.failure;
    return row;
  }
  row.curve = CurveOf(subject);
  const StepReading own = subject.own.Read();
  row.value = SizeOf(own, *subject.filler);
  row.shared = SizeOf(subject.shared.Read(), *subject.filler);
  if (own.end == StepEnd::kBeyond) {
    const double most = own.most_fillers + arch::EntriesOfHeads(subject.filler->window);
    row.value = AnatomyValue{most, most, most};
    row.at_least = true;
  }
  if (!row.value && row.shared) {
    row.value = std::exchange(row.shared, std::nullopt);
    row.contended = true;
  }
  if (!row.value) {
    row.status = Status::kUnmeasurable;
    row.reason = "no clear step: the misses overlap too little, or the times vary too much";
  }
  return row;
}

}  // namespace

AnatomyRow PlannedRow(const arch::WindowFiller& filler) {
  AnatomyRow row = {.part = AnatomyPart::kWindows,
                    .name = std::string(arch::NameOf(filler.window)),
                    .filler = std::string(filler.name),
                    .unit = "entries"};
  row.code.emplace_back(arch::HeadText(0));
  if (filler.window == arch::Window::kScheduler) row.code.emplace_back(arch::WaitForHeadText());
  row.code.insert(row.code.end(), filler.code.begin(), filler.code.end());
  row.code.emplace_back(arch::HeadText(1));
  row.code.insert(row.code.end(), filler.code.begin(), filler.code.end());
  return row;
}

std::vector<AnatomyRow> FindWindows(std::span<const arch::WindowFiller> fillers,
                                    const std::vector<std::string>& features,
                                    const WindowSettings& settings, OverlapSource& source,
                                    const GoesOn& goes_on) {
  std::vector<Subject> subjects;
  for (const arch::WindowFiller& filler : fillers) {
    const StepSearch search(settings.most_fillers, settings.confirmations);
    subjects.push_back({.filler = &filler, .own = search, .shared = search});
    if (!HasFeature(features, filler.feature))
      subjects.back().failure = fmt::format("this CPU has no {}", filler.feature);
  }
  const auto may_go_on = [&] { return !goes_on || goes_on(); };
  for (bool all_done = false; !all_done && may_go_on();) {
    all_done = true;
    for (Subject& subject : subjects) {
      if (subject.IsDone(settings) || !may_go_on()) continue;
      VisitOnce(subject, source);
      all_done = false;
    }
  }
  std::vector<AnatomyRow> rows;
  for (const Subject& subject : subjects) {
    rows.push_back(Concluded(subject));
    if (!HasFeature(features, subject.filler->feature)) rows.back().status = Status::kUnsupported;
  }
  return rows;
}

}  // namespace cyclescope::anatomy
