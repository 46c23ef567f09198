// A simulated core as a source of overlaps: known windows, split while another thread is there,
// with noise as in the recordings (tests/data/anatomy).
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <tuple>
#include <vector>

#include "anatomy/overlap.h"
#include "anatomy/overlap_source.h"
#include "simulator/core_model.h"

namespace cyclescope::anatomy::testing {

struct SimulatedMachine {
  simulator::CoreModel core;    // while it is ours
  simulator::CoreModel shared;  // while another thread has a part of it
  double miss_cycles = 400;
  double cycle_ns = 0.3;
  double noise = 0.03;            // standard deviation of a time, relative
  double disturbed_share = 0.02;  // of all times, those that are half as long again
  // Instead of both: factors of two times that were measured one right after the other, of which
  // one is drawn for each look.
  std::vector<HeadTimes> recorded_noise = {};
  double shared_share = 0;  // of the time
  double stay_ms = 200;     // of the other thread, on average
  bool probes_see_it = true;
  bool has_quiet_core = false;  // another one, which is ours when it is looked for
  int fill_buffers = 16;        // half of them while it is shared
  // A miss takes longer by this share of it for each other one that is under way.
  double slower_by_miss = 0;
  // Instructions that are allocated together, when there is room for all of them.
  int group_instructions = 1;
  int kept_free = 0;  // entries of the reorder buffer that are never used
};

// Its fillers, in words that the simulation knows: "nop", "int", "vec", "flags", "mask", "load",
// "store", "branch", "wait".
const std::vector<arch::WindowFiller>& SimulatedFillers();

class SimulatedSource final : public OverlapSource {
 public:
  SimulatedSource(const SimulatedMachine& machine, std::uint64_t seed);
  // As if it were made with this seed; what the core takes for code is still known.
  void StartAgain(std::uint64_t seed);
  // From now on it is shared all the time, or as the machine says again.
  void SetNeighbour(bool is_there) { has_neighbour_ = is_there; }

  Result<OverlapVisit> Visit(std::span<const OverlapLook> looks) override;
  Result<ChainsVisit> TimeChains(std::span<const int> chains) override;
  bool IsQuiet(double width) const override { return width == kQuietWidth; }
  void SeekQuietCore() override;
  std::int64_t NowNs() const override { return now_ns_; }

 private:
  // Cycles of a wide add, as the probes of a visit tell them.
  static constexpr double kQuietWidth = 0.2;
  static constexpr double kSharedWidth = 0.4;

  double NoiseFactor(bool two_chains);
  double TripNs(const OverlapLook& look, bool two_chains);
  double TripCycles(const OverlapLook& look, bool two_chains);
  double TripCycles(const OverlapLook& look, bool two_chains, int short_by);
  void Pass(std::int64_t nanoseconds);

  SimulatedMachine machine_;
  std::mt19937_64 random_;
  std::int64_t now_ns_ = 0;
  bool is_shared_ = false;
  bool has_neighbour_ = false;
  std::int64_t changes_ns_ = 0;
  HeadTimes recorded_factors_;  // of the look under way
  // By filler, fillers, chains, whether it is shared, and how many entries are missing.
  std::map<std::tuple<const arch::WindowFiller*, int, bool, bool, int>, double> cycles_;
};

}  // namespace cyclescope::anatomy::testing
