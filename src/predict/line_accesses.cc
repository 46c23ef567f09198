#include "predict/line_accesses.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace cyclescope::predict {
namespace {

// So often all places of a line are reached, whatever the steps are.
constexpr std::int64_t kIterations = kLineBytes;

std::int64_t LineOf(std::int64_t offset) {
  return (offset < 0 ? offset - kLineBytes + 1 : offset) / kLineBytes;
}

// True if it crosses the end of a line in that iteration.
bool IsSplit(const MemoryUops& access, const MemoryPlace& place, std::int64_t iteration) {
  const std::int64_t first = place.offset + iteration * place.step;
  return LineOf(first) != LineOf(first + std::max(access.bytes, 1) - 1);
}

// Of pushes no width is known.
std::int64_t BytesOf(const MemoryUops& access) {
  constexpr int kWordBytes = 8;
  return access.bytes > 0 ? access.bytes : kWordBytes;
}

// What a store writes, in an iteration.
struct Written {
  int origin = 0;  // as its place's; less than none where that is not known
  std::int64_t begin = 0;
  std::int64_t bytes = 0;
};

// `access`: loads or stores.
const MemoryPlace* PlaceOf(const MemoryUops& uops, bool MemoryPlace::* access,
                           std::span<const MemoryPlace> places) {
  const auto place = std::ranges::find_if(places, [&](const MemoryPlace& each) {
    return each.instruction == uops.instruction && each.*access;
  });
  return place == places.end() ? nullptr : &*place;
}

// True if it ends where the one before begins: what is pushed, from line to line.
bool IsBelow(const Written& store, const Written& before) {
  return store.origin == before.origin && store.begin + store.bytes == before.begin;
}

// Cycles that the stores of an iteration take to leave for the cache. Two that follow each other
// into one line may leave together, and so may pushes: six and `sub rsp, 8` over and over take 3.0
// on an Emerald Rapids, and seven stores to a line by themselves 4.
double StoreCycles(const MemoryTimes& times, std::span<const MemoryUops> stores,
                   std::span<const MemoryPlace> places) {
  const double other_line = times.other_line_store_cycles();
  const double same_line = times.same_line_store_cycles();
  std::optional<Written> last;
  int together = 0;
  double cycles = 0;
  const auto leave = [&] {
    cycles += std::ceil(together * same_line / other_line) * other_line;
    together = 0;
  };
  for (std::int64_t iteration = 0; iteration < kIterations; ++iteration) {
    for (const MemoryUops& store : stores) {
      const MemoryPlace* place = PlaceOf(store, &MemoryPlace::stores, places);
      const Written own =
          place != nullptr
              ? Written{place->origin, place->offset + iteration * place->step, BytesOf(store)}
              : Written{-1 - store.base, 0, 0};
      const auto split = times.SplitCycles(true, store.bytes);
      if (place != nullptr && split && IsSplit(store, *place, iteration)) {
        leave();
        cycles += *split;
        // It ends in the next line.
        last = {own.origin, (LineOf(own.begin) + 1) * kLineBytes, 0};
        continue;
      }
      const bool is_same_line =
          last && last->origin == own.origin && LineOf(last->begin) == LineOf(own.begin);
      const bool goes_on = is_same_line || (last && store.pushes && IsBelow(own, *last));
      if (last && !goes_on) leave();
      last = own;
      ++together;
    }
  }
  leave();
  return cycles / kIterations;
}

// Stores leave for the cache in their order, and fewer at once where they go to different lines.
void LimitStores(const MemoryTimes& times, std::span<const MemoryUops> accesses,
                 std::span<const MemoryPlace> places, BlockProgram& program) {
  std::vector<MemoryUops> stores;
  for (const MemoryUops& access : accesses) {
    if (access.leave) stores.push_back(access);
  }
  if (times.other_line_store_cycles() <= 0 || stores.empty()) return;
  const double cycles = StoreCycles(times, stores, places) / static_cast<double>(stores.size());
  const int unit = static_cast<int>(program.units.size());
  program.units.emplace_back("stores to other lines");
  for (const MemoryUops& each : stores) {
    Uop& leave = program.uops[*each.leave];
    leave.unit = unit;
    leave.unit_cycles = cycles;
  }
}

// Loads that cross the end of a line keep each other waiting.
void LimitSplitLoads(const MemoryTimes& times, std::span<const MemoryUops> accesses,
                     std::span<const MemoryPlace> places, BlockProgram& program) {
  int unit = -1;
  for (const MemoryUops& access : accesses) {
    const MemoryPlace* place = PlaceOf(access, &MemoryPlace::loads, places);
    if (place == nullptr || !access.load || program.uops[*access.load].unit >= 0) continue;
    const auto each = times.SplitCycles(false, access.bytes);
    if (!each) continue;
    int splits = 0;
    for (std::int64_t iteration = 0; iteration < kIterations; ++iteration)
      splits += IsSplit(access, *place, iteration) ? 1 : 0;
    if (splits == 0) continue;
    if (unit < 0) {
      unit = static_cast<int>(program.units.size());
      program.units.emplace_back("loads across the ends of lines");
    }
    program.uops[*access.load].unit = unit;
    program.uops[*access.load].unit_cycles = *each * splits / kIterations;
  }
}

}  // namespace

void LimitByLines(const MemoryTimes& times, std::span<const MemoryUops> accesses,
                  std::span<const MemoryPlace> places, BlockProgram& program) {
  LimitStores(times, accesses, places, program);
  LimitSplitLoads(times, accesses, places, program);
}

}  // namespace cyclescope::predict
