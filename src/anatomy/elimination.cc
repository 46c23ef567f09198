#include "anatomy/elimination.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "anatomy/plateaus.h"
#include "anatomy/row_claims.h"
#include "arch/front_end_code.h"
#include "arch/headline_forms.h"
#include "statistics/statistics.h"

namespace cyclescope::anatomy {
namespace {

constexpr const char* kNoPort = "costs no port";
constexpr const char* kNoSlot = "costs no slot";
constexpr const char* kFuses = "fuses";
// Of the fillers, behind each of which one copy stands.
constexpr std::size_t kFillersOfCopy = 5;
constexpr std::size_t kCopiesOfTrip = 4;
constexpr std::size_t kFillersOfPair = 6;
// Short enough that every core keeps it decoded.
constexpr std::int64_t kBodies = 2;
constexpr std::size_t kRepeatsOfText = 5;
constexpr double kLeastDeviationsOfShare = 5;

using Lines = std::vector<std::string>;

CodePattern PatternOf(Lines text) {
  return {.kind = PatternKind::kText, .count = kBodies, .text = std::move(text)};
}

// Fillers with `copies`, in turn, among them; without any where there are none.
Lines Mixed(const std::vector<std::string_view>& fillers,
            const std::vector<std::string_view>& copies) {
  Lines lines;
  for (std::size_t i = 0; i < kCopiesOfTrip * kFillersOfCopy; ++i) {
    lines.emplace_back(fillers[i % fillers.size()]);
    if (i % kFillersOfCopy == kFillersOfCopy - 1 && !copies.empty())
      lines.emplace_back(copies[i / kFillersOfCopy % copies.size()]);
  }
  return lines;
}

// Pairs among fillers, as neighbours or with a filler between them.
Lines WithPairs(const std::vector<std::string_view>& fillers, std::string_view first,
                std::string_view second, bool neighbours) {
  Lines lines;
  for (std::size_t i = 0; i < kCopiesOfTrip * kFillersOfPair; ++i) {
    const std::size_t place = i % kFillersOfPair;
    if (place == 0) lines.emplace_back(first);
    if (place == (neighbours ? 0 : kFillersOfPair / 2)) lines.emplace_back(second);
    lines.emplace_back(fillers[i % fillers.size()]);
  }
  return lines;
}

// A time with its standard error, from repeats that lie apart.
struct Timed {
  double cycles = 0;
  double error = 0;
  bool shared = false;
};

// One for each pattern; unset where it could not be measured.
std::vector<std::optional<Timed>> Repeated(CodeTimes& times,
                                           const std::vector<CodePattern>& patterns) {
  std::vector<std::vector<CodeTime>> all(patterns.size());
  for (std::size_t repeat = 0; repeat < kRepeatsOfText; ++repeat) {
    const auto measured = times.Measure(patterns);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (measured[i]) all[i].push_back(*measured[i]);
    }
  }
  std::vector<std::optional<Timed>> timed(patterns.size());
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    std::vector<double> cycles;
    const bool shared = std::ranges::count_if(all[i], &CodeTime::shared) * 2 >
                        static_cast<std::ptrdiff_t>(all[i].size());
    double error = 0;
    for (const CodeTime& time : all[i]) {
      if (time.shared != shared) continue;
      cycles.push_back(time.cycles);
      error = std::max(error, time.error);
    }
    if (cycles.empty()) continue;
    const double scatter = statistics::kDeviationsOfNormal * statistics::MedianDeviation(cycles);
    const auto root = std::sqrt(static_cast<double>(cycles.size()));
    timed[i] = Timed{statistics::Median(cycles), std::max(scatter, error) / root, shared};
  }
  return timed;
}

void Fail(std::string reason, AnatomyRow& row) {
  row.status = Status::kUnmeasurable;
  row.reason = std::move(reason);
}

// What of `whole` was saved. Both have errors; `unclear` is said where `whole` is not clear.
void SetShare(const Timed& saved, const Timed& whole, ClaimCode unclear, AnatomyRow& row) {
  if (whole.cycles < kLeastDeviationsOfShare * whole.error) return MarkUnclear({unclear, {}}, row);
  const double share = saved.cycles / whole.cycles;
  const double width =
      kDeviationsOfInterval * std::hypot(saved.error, share * whole.error) / whole.cycles;
  // Beyond that it tells neither.
  constexpr double kMaxShareWidth = 0.5;
  if (width > kMaxShareWidth) return MarkUnclear({ClaimCode::kTimesVary, {}}, row);
  // Less than nothing or more than all: the mixes differ in something else, too. On a Skylake a
  // jump that touches the end of 32 bytes is decoded anew each time, wherever the pair puts it.
  constexpr double kShareTolerance = 0.05;
  if (share + width < -kShareTolerance || share - width > 1 + kShareTolerance)
    return MarkUnclear({unclear, {}}, row);
  const auto within = [](double value) { return std::clamp(value, 0.0, 1.0); };
  row.value = AnatomyValue{within(share), within(share - width), within(share + width)};
  row.contended = saved.shared || whole.shared;
}

Timed Difference(const Timed& longer, const Timed& shorter) {
  return {longer.cycles - shorter.cycles, std::hypot(longer.error, shorter.error),
          longer.shared || shorter.shared};
}

constexpr const char* kNotMeasured = "this CPU does not have it, or it was not measured";

// Where `time` lies between what is costly (0) and what costs nothing (1).
void SetShareBetween(const std::optional<Timed>& time, const std::optional<Timed>& costly,
                     const std::optional<Timed>& free, ClaimCode unclear, AnatomyRow& row) {
  if (!time || !costly || !free) return Fail(kNotMeasured, row);
  SetShare(Difference(*costly, *time), Difference(*costly, *free), unclear, row);
}

AnatomyRow ShareRow(AnatomyPart part, const char* name, std::string_view filler, Lines code) {
  AnatomyRow row = {.part = part, .name = name, .filler = std::string(filler), .unit = "share"};
  row.code = std::move(code);
  return row;
}

std::vector<std::string_view> SlotFillers() { return arch::StraightMixes().front().code; }

// Takes a slot and no port, as in maps of ports. A `nop` does not on every core: a Neoverse V1
// drops it before it takes a slot, so that slots would never seem scarce.
std::string_view OneSlot() { return arch::PortForms().front(); }

}  // namespace

std::vector<AnatomyRow> PlannedEliminationRows() {
  std::vector<AnatomyRow> rows;
  for (const arch::EliminationCase& each : arch::EliminationCases()) {
    rows.push_back(ShareRow(AnatomyPart::kElimination, kNoPort, each.name,
                            Mixed(arch::PortFillers(each.ports), each.code)));
    rows.push_back(
        ShareRow(AnatomyPart::kElimination, kNoSlot, each.name, Mixed(SlotFillers(), each.code)));
  }
  return rows;
}

std::vector<AnatomyRow> PlannedFusionRows() {
  std::vector<AnatomyRow> rows;
  for (const arch::FusionCase& each : arch::FusionCases()) {
    rows.push_back(ShareRow(AnatomyPart::kFusion, kFuses, each.name,
                            WithPairs(SlotFillers(), each.first, each.second, true)));
  }
  return rows;
}

std::vector<AnatomyRow> FindElimination(CodeTimes& times) {
  // What each is compared with: by kind of port, then of slots.
  std::vector<CodePattern> patterns;
  for (const arch::PortKind kind : {arch::PortKind::kInteger, arch::PortKind::kVector}) {
    const auto fillers = arch::PortFillers(kind);
    patterns.push_back(PatternOf(Mixed(fillers, fillers)));
    patterns.push_back(PatternOf(Mixed(fillers, {OneSlot()})));
  }
  const std::size_t slots = patterns.size();
  patterns.push_back(PatternOf(Mixed(SlotFillers(), {OneSlot()})));
  patterns.push_back(PatternOf(Mixed(SlotFillers(), {})));
  const std::size_t first = patterns.size();
  std::vector<AnatomyRow> rows = PlannedEliminationRows();
  for (const AnatomyRow& row : rows) patterns.push_back(PatternOf(row.code));
  const auto timed = Repeated(times, patterns);
  const auto cases = arch::EliminationCases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::size_t ports = 2 * static_cast<std::size_t>(cases[i].ports);
    SetShareBetween(timed[first + 2 * i], timed[ports], timed[ports + 1],
                    ClaimCode::kPortsNotScarce, rows[2 * i]);
    SetShareBetween(timed[first + 2 * i + 1], timed[slots], timed[slots + 1],
                    ClaimCode::kSlotsNotScarce, rows[2 * i + 1]);
  }
  return rows;
}

std::vector<AnatomyRow> FindFusion(CodeTimes& times) {
  std::vector<CodePattern> patterns = {PatternOf(Mixed(SlotFillers(), {OneSlot()})),
                                       PatternOf(Mixed(SlotFillers(), {}))};
  const std::size_t first = patterns.size();
  std::vector<AnatomyRow> rows = PlannedFusionRows();
  for (const arch::FusionCase& each : arch::FusionCases()) {
    for (const bool neighbours : {true, false})
      patterns.push_back(PatternOf(WithPairs(SlotFillers(), each.first, each.second, neighbours)));
  }
  const auto timed = Repeated(times, patterns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& together = timed[first + 2 * i];
    const auto& apart = timed[first + 2 * i + 1];
    if (!together || !apart || !timed[0] || !timed[1]) {
      Fail(kNotMeasured, rows[i]);
    } else {
      SetShare(Difference(*apart, *together), Difference(*timed[0], *timed[1]),
               ClaimCode::kSlotsNotScarce, rows[i]);
    }
  }
  return rows;
}

}  // namespace cyclescope::anatomy
