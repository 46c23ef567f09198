// A simulated out-of-order core: widths, windows, ports and latencies, and how long code takes on
// it.
//
// Instructions go through it in program order: each is dispatched when the width and every window
// that it needs an entry of allow it, starts when its operands are known and a port is free (the
// one that it was bound to at dispatch, where it may not go to all), completes after its latency,
// and retires behind all before it. That is what matters of a core
// between its front end and its memory; caches and prediction are given by the code (latencies,
// taken or not).
//
//   CoreModel core = {.dispatch_width = 6, .sizes = {{Resource::kReorderBuffer, 512}}};
//   double cycles = CyclesPerTrip(core, trip);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cyclescope::simulator {

// What an instruction may hold an entry of.
enum class Resource {
  kReorderBuffer,
  kIntegerRegisters,
  kVectorRegisters,
  kFlags,
  kMaskRegisters,
  kLoads,
  kStores,
  kBranches,
  kScheduler,  // until it starts; all else until it retires
};
inline constexpr std::size_t kResources = 9;

struct CoreModel {
  int dispatch_width = 6;
  int retire_width = 8;
  int ports = 10;
  // Entries of each resource; 0: as many as are asked for.
  std::array<int, kResources> sizes{};
  // Cycles from a store's retirement until its entry is free.
  int store_drain_cycles = 4;

  int& SizeOf(Resource resource) { return sizes[static_cast<std::size_t>(resource)]; }
  int SizeOf(Resource resource) const { return sizes[static_cast<std::size_t>(resource)]; }
};

struct Instruction {
  double latency_cycles = 1;
  std::vector<Resource> holds;  // the reorder buffer's entry and the scheduler's are understood
  // Operands: the values that these instructions before it in the trip made, by how far back they
  // stand; and what the one so far behind it made in the trip before (0: it itself).
  std::vector<int> operands;
  std::vector<int> carried_from;
  bool needs_port = true;
  std::uint32_t ports = 0;  // a bit for each that it may go to; 0: any
  // It shares the slot and the entry of the reorder buffer of the one before it.
  bool in_slot_before = false;
  double divider_cycles = 0;  // for which it keeps the core's only divider
};

// One trip of a loop, in the long run.
double CyclesPerTrip(const CoreModel& core, std::span<const Instruction> trip);

}  // namespace cyclescope::simulator
