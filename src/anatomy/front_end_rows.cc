#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "anatomy/front_end.h"
#include "anatomy/front_end_kernel.h"
#include "anatomy/row_claims.h"
#include "arch/front_end_code.h"

namespace cyclescope::anatomy {
namespace {

// The names of quantities.
constexpr const char* kBranchTargets = "branch targets";
constexpr const char* kFirstCodeCache = "first code cache";
constexpr const char* kDecodedCode = "decoded code";
constexpr const char* kLoopBuffer = "loop buffer";
constexpr const char* kFarCode = "far code";
constexpr const char* kAlignment = "alignment of code";
constexpr const char* kMispredict = "mispredicted branch";
constexpr const char* kReturnStack = "return stack";
constexpr const char* kHistory = "branch history";
constexpr const char* kIndirectTargets = "indirect targets";
// Their patterns.
constexpr const char* kRandomBranches = "random bits against every other taken";
constexpr const char* kRandomCalls = "calls from one of two places by random bits";
constexpr const char* kSameBit = "taken jumps between two branches by one bit";
constexpr const char* kOneJump = "one jump, its targets in a random cycle";

AnatomyRow RowOf(std::string name, std::string filler, std::string unit) {
  return {.part = AnatomyPart::kFrontEnd,
          .name = std::move(name),
          .filler = std::move(filler),
          .unit = std::move(unit)};
}

AnatomyValue ValueOf(const SizeRange& size) { return {size.value, size.low, size.high}; }

// Gives the row the size as its value and is true, or gives it the reason why it has none.
bool SetSize(const SizeRange& size, AnatomyRow& row) {
  if (IsVague(size)) {
    MarkUnclear({ClaimCode::kVagueEnd, {{"low", size.low}, {"high", size.high}}}, row);
    return false;
  }
  row.value = ValueOf(size);
  return true;
}

AnatomyCurve CurveOf(const std::vector<CurvePoint>& points, std::string at_unit,
                     std::string value_unit, double at_factor = 1) {
  AnatomyCurve curve{std::move(at_unit), std::move(value_unit), {}};
  for (const CurvePoint& point : points)
    curve.points.push_back({point.at * at_factor, point.value, point.shared});
  return curve;
}

std::string JumpsText(std::int64_t stride) {
  return fmt::format("taken jumps {} bytes apart", stride);
}

const JumpCurve* CurveOfStride(const FrontEnd& front_end, std::int64_t stride) {
  for (const JumpCurve& curve : front_end.jump_curves) {
    if (curve.stride == stride) return &curve;
  }
  return nullptr;
}

void AddJumpRows(const FrontEnd& front_end, std::vector<AnatomyRow>& rows) {
  const JumpReading& jumps = front_end.jumps;
  for (std::size_t i = 0; i < jumps.targets.size(); ++i) {
    const TargetLevel& level = jumps.targets[i];
    // Two levels may be read from one distance, and a row has a key of its own.
    AnatomyRow row = RowOf(kBranchTargets,
                           fmt::format("{}, step {}", JumpsText(level.stride), i + 1), "entries");
    if (const JumpCurve* curve = CurveOfStride(front_end, level.stride))
      row.curve = CurveOf(curve->curve.points, "jumps", "cycles");
    if (SetSize(level.entries, row)) {
      row.at_least = level.at_least;
      row.contended = level.shared;
      Note({ClaimCode::kJumpTime, {{"cycles", level.cycles}}}, row);
    }
    rows.push_back(std::move(row));
  }
  if (jumps.targets.empty()) {
    rows.push_back(RowOf(kBranchTargets, "taken jumps", "entries"));
    MarkUnclear({ClaimCode::kNoJumpSteps, {}}, rows.back());
  }
  AnatomyRow cache = RowOf(kFirstCodeCache, "taken jumps in lines of their own", "bytes");
  if (jumps.cache) {
    if (SetSize(jumps.cache->bytes, cache)) {
      cache.contended = jumps.cache->shared;
      Note({ClaimCode::kLineTimeBeyond, {{"cycles", jumps.cache->cycles_per_line}}}, cache);
    }
    if (const JumpCurve* curve = CurveOfStride(front_end, kLineBytes))
      cache.curve =
          CurveOf(curve->curve.points, "bytes", "cycles", static_cast<double>(kLineBytes));
  } else {
    MarkUnclear({ClaimCode::kNoCodeEnd, {}}, cache);
  }
  rows.push_back(std::move(cache));
}

void AddLevelRow(const FrontEnd& front_end, const char* name, const std::optional<CodeLevel>& level,
                 std::vector<AnatomyRow>& rows) {
  if (!level) return;
  const arch::StraightMix& mix = arch::StraightMixes()[level->mix];
  AnatomyRow row = RowOf(name, std::string(mix.name), "instructions");
  if (SetSize(level->instructions, row)) {
    row.at_least = level->at_least;
    row.contended = level->speed.shared;
    Note({ClaimCode::kCodeSpeedWithin,
          {{"per_cycle", level->speed.value}, {"bytes", static_cast<double>(mix.bytes)}}},
         row);
  }
  for (const StraightCurve& curve : front_end.straight_curves) {
    if (curve.mix == level->mix) row.curve = CurveOf(curve.curve.points, "instructions", "cycles");
  }
  rows.push_back(std::move(row));
}

// One row for each size: how fast code of that size is.
void AddFarCodeRows(const FrontEnd& front_end, std::vector<AnatomyRow>& rows) {
  constexpr double kKibibyte = 1024;
  const std::string mix(arch::StraightMixes().front().name);
  for (const CurvePoint& point : front_end.far_code) {
    AnatomyRow row =
        RowOf(kFarCode, fmt::format("{}, {:.0f} KB", mix, point.at / kKibibyte), "per cycle");
    const double width = kDeviationsOfInterval * point.error;
    row.value = AnatomyValue{1 / point.value, 1 / (point.value + width),
                             1 / std::max(point.value - width, point.value / 2)};
    row.contended = point.shared;
    row.curve = CurveOf(front_end.far_code, "bytes", "cycles");
    rows.push_back(std::move(row));
  }
}

std::string LoopText(std::int64_t instructions) {
  return fmt::format("loop of {} instructions, at each place of a line", instructions);
}

// What the worst place costs a trip.
AnatomyRow AlignmentRow(const AlignmentCost& cost) {
  AnatomyRow row = RowOf(kAlignment, LoopText(cost.instructions), "cycles");
  row.curve = CurveOf(cost.points, "bytes", "cycles");
  if (!cost.lost) {
    MarkUnclear({ClaimCode::kTimesVary, {}}, row);
    return row;
  }
  const double width = kDeviationsOfInterval * cost.lost->error;
  row.value = AnatomyValue{cost.lost->cycles, std::max(cost.lost->cycles - width, 0.0),
                           cost.lost->cycles + width};
  row.contended = cost.lost->shared;
  return row;
}

AnatomyRow MispredictRow(const std::optional<Mispredict>& mispredict) {
  AnatomyRow row = RowOf(kMispredict, kRandomBranches, "cycles");
  if (!mispredict) {
    MarkUnclear({ClaimCode::kNoBranchPenalty, {}}, row);
    return row;
  }
  const double width = kDeviationsOfInterval * mispredict->error;
  row.value =
      AnatomyValue{mispredict->cycles, mispredict->cycles - width, mispredict->cycles + width};
  row.contended = mispredict->shared;
  Note({ClaimCode::kBranchTimes,
        {{"random", mispredict->random_cycles}, {"fixed", mispredict->fixed_cycles}}},
       row);
  return row;
}

AnatomyRow ReturnStackRow(const FrontEnd& front_end) {
  AnatomyRow row = RowOf(kReturnStack, kRandomCalls, "entries");
  if (!front_end.return_points.empty())
    row.curve = CurveOf(front_end.return_points, "calls", "cycles");
  const auto& stack = front_end.return_stack;
  if (!stack) {
    MarkUnclear({ClaimCode::kNoCallStep, {}}, row);
    return row;
  }
  if (!SetSize(stack->depth, row)) return row;
  row.at_least = stack->at_least;
  row.contended = stack->shared;
  Claim times{stack->at_least ? ClaimCode::kCallTime : ClaimCode::kCallTimeBeyond,
              {{"cycles", stack->level_cycles}}};
  if (!stack->at_least) times.figures.emplace_back("beyond", stack->beyond_cycles);
  Note(std::move(times), row);
  return row;
}

AnatomyRow SizeRow(AnatomyRow row, const std::optional<SizeReading>& reading, ClaimCode unclear) {
  if (!reading) {
    MarkUnclear({unclear, {}}, row);
    return row;
  }
  if (!SetSize(reading->size, row)) return row;
  row.at_least = reading->at_least;
  row.contended = reading->shared;
  if (reading->cycles > 0) Note({ClaimCode::kJumpTimeWithin, {{"cycles", reading->cycles}}}, row);
  return row;
}

AnatomyWidth WidthOf(std::string name, const PerCycle& speed) {
  return {.name = std::move(name),
          .pattern = std::string(arch::StraightMixes()[speed.mix].name),
          .per_cycle = {speed.value, speed.low, speed.high},
          .at_least = speed.at_least,
          .contended = speed.shared};
}

}  // namespace

std::vector<AnatomyRow> RowsOf(const FrontEnd& front_end) {
  std::vector<AnatomyRow> rows;
  AddLevelRow(front_end, kLoopBuffer, front_end.straight.loop_buffer, rows);
  AddLevelRow(front_end, kDecodedCode, front_end.straight.decoded, rows);
  AddJumpRows(front_end, rows);
  AddFarCodeRows(front_end, rows);
  for (const AlignmentCost& cost : front_end.alignment) rows.push_back(AlignmentRow(cost));
  rows.push_back(MispredictRow(front_end.mispredict));
  rows.push_back(ReturnStackRow(front_end));
  AnatomyRow history = RowOf(kHistory, kSameBit, "branches");
  if (!front_end.history_points.empty())
    history.curve = CurveOf(front_end.history_points, "branches", "share that is not predicted");
  rows.push_back(SizeRow(std::move(history), front_end.history, ClaimCode::kNoHistoryEnd));
  AnatomyRow indirect = RowOf(kIndirectTargets, kOneJump, "entries");
  if (!front_end.indirect_curve.points.empty())
    indirect.curve = CurveOf(front_end.indirect_curve.points, "targets", "cycles");
  rows.push_back(SizeRow(std::move(indirect), front_end.indirect, ClaimCode::kNoIndirectPlateau));
  return rows;
}

std::vector<AnatomyWidth> WidthsOf(const FrontEnd& front_end) {
  std::vector<AnatomyWidth> widths;
  const StraightReading& straight = front_end.straight;
  const auto add = [&widths](const char* name, const std::optional<PerCycle>& speed) {
    if (speed) widths.push_back(WidthOf(name, *speed));
  };
  add("fetch (bytes)", straight.fetch_bytes);
  add("decode", straight.decode);
  add("dispatch", straight.dispatch);
  add("beyond the first code cache", straight.beyond_cache);
  if (!front_end.jumps.targets.empty()) {
    const TargetLevel& fastest = front_end.jumps.targets.front();
    const double width = kDeviationsOfInterval * fastest.cycles_error;
    widths.push_back({.name = "taken branches",
                      .pattern = JumpsText(fastest.stride),
                      .per_cycle = {1 / fastest.cycles, 1 / (fastest.cycles + width),
                                    1 / std::max(fastest.cycles - width, fastest.cycles / 2)},
                      .contended = fastest.shared});
  }
  return widths;
}

std::vector<AnatomyRow> PlannedFrontEndRows() {
  std::vector<AnatomyRow> rows;
  const auto add = [&rows](AnatomyRow row, const CodePattern& pattern) {
    row.code = FrontEndKernels::TextOf(pattern);
    rows.push_back(std::move(row));
  };
  const auto mixes = arch::StraightMixes();
  for (std::size_t i = 0; i < mixes.size(); ++i) {
    add(RowOf(kDecodedCode, std::string(mixes[i].name), "instructions"),
        {.kind = PatternKind::kStraight, .mix = i});
  }
  add(RowOf(kBranchTargets, JumpsText(kLineBytes), "entries"),
      {.kind = PatternKind::kJumps, .stride = kLineBytes});
  add(RowOf(kAlignment, "loops, at each place of a line", "cycles"), AlignedLoop(8, 0));
  add(RowOf(kMispredict, kRandomBranches, "cycles"), {.kind = PatternKind::kBranches});
  add(RowOf(kReturnStack, kRandomCalls, "entries"), {.kind = PatternKind::kReturns});
  add(RowOf(kHistory, kSameBit, "branches"), {.kind = PatternKind::kHistory});
  add(RowOf(kIndirectTargets, kOneJump, "entries"), {.kind = PatternKind::kIndirect});
  return rows;
}

}  // namespace cyclescope::anatomy
