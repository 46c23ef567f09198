#include "anatomy/testing/simulated_source.h"

#include <algorithm>
#include <cassert>
#include <string_view>

namespace cyclescope::anatomy::testing {
namespace {

using simulator::Instruction;
using simulator::Resource;

constexpr int kRepeats = 5;
constexpr int kTrips = 250;

// `back` is how far the head before it stands back.
Instruction InstructionOf(std::string_view word, int back) {
  if (word == "nop") return {.needs_port = false};
  if (word == "int") return {.holds = {Resource::kIntegerRegisters}};
  if (word == "int-flags") return {.holds = {Resource::kIntegerRegisters, Resource::kFlags}};
  if (word == "vec") return {.holds = {Resource::kVectorRegisters}};
  if (word == "flags") return {.holds = {Resource::kFlags}};
  if (word == "mask") return {.holds = {Resource::kMaskRegisters}};
  if (word == "load")
    return {.latency_cycles = 5, .holds = {Resource::kLoads, Resource::kIntegerRegisters}};
  if (word == "store") return {.holds = {Resource::kStores}};
  if (word == "branch") return {.holds = {Resource::kBranches}};
  assert(word == "wait");
  return {.holds = {Resource::kIntegerRegisters}, .operands = {back}};
}

std::vector<Instruction> TripOf(const OverlapLook& look, bool two_chains, double miss_cycles) {
  std::vector<Instruction> trip;
  const std::vector<std::string_view>& code = look.filler->code;
  trip.reserve(2 * static_cast<std::size_t>(look.fillers + 2));
  for (int head = 0; head < 2; ++head) {
    Instruction load{.latency_cycles = miss_cycles,
                     .holds = {Resource::kLoads, Resource::kIntegerRegisters}};
    if (two_chains) {
      load.carried_from = {0};
    } else if (head == 1) {
      load.operands = {look.fillers + 1};
    } else {
      load.carried_from = {look.fillers + 1};
    }
    trip.push_back(load);
    for (int i = 0; i < look.fillers; ++i)
      trip.push_back(InstructionOf(code[static_cast<std::size_t>(i) % code.size()], i + 1));
  }
  trip.push_back({.holds = {Resource::kIntegerRegisters, Resource::kFlags}});
  trip.push_back({.holds = {Resource::kBranches}});
  return trip;
}

}  // namespace

const std::vector<arch::WindowFiller>& SimulatedFillers() {
  using enum arch::Window;
  static const std::vector<arch::WindowFiller> fillers = {
      {kReorderBuffer, "nop", {"nop"}},
      {kReorderBuffer,
       "mix",
       {"nop", "int", "vec", "nop", "int", "vec", "nop", "branch", "nop", "nop", "nop", "store"},
       {{kIntegerRegisters, 2.0 / 12},
        {kVectorRegisters, 2.0 / 12},
        {kBranches, 1.0 / 12},
        {kStores, 1.0 / 12}}},
      {kIntegerRegisters, "int", {"int"}},
      {kIntegerRegisters, "int-flags", {"int-flags"}, {{kFlags}}},
      {kVectorRegisters, "vec", {"vec"}},
      {kFlags, "flags", {"flags"}},
      {kMaskRegisters, "mask", {"mask"}},
      {kLoads, "load", {"load"}, {{kIntegerRegisters}}},
      {kStores, "store", {"store"}},
      {kBranches, "branch", {"branch"}},
      {kScheduler, "wait", {"wait"}, {{kIntegerRegisters}}},
  };
  return fillers;
}

SimulatedSource::SimulatedSource(const SimulatedMachine& machine, std::uint64_t seed)
    : machine_(machine) {
  StartAgain(seed);
}

void SimulatedSource::StartAgain(std::uint64_t seed) {
  random_.seed(seed);
  now_ns_ = 0;
  changes_ns_ = 0;
  is_shared_ = std::uniform_real_distribution<>()(random_) < machine_.shared_share;
}

void SimulatedSource::SeekQuietCore() {
  constexpr std::int64_t kLookNs = 1'000'000;
  Pass(kLookNs);
  if (!machine_.has_quiet_core) return;
  machine_.shared_share = 0;
  is_shared_ = false;
}

void SimulatedSource::Pass(std::int64_t nanoseconds) {
  now_ns_ += nanoseconds;
  if (machine_.shared_share <= 0 || machine_.shared_share >= 1) return;
  while (changes_ns_ <= now_ns_) {
    is_shared_ = !is_shared_;
    const double away_ms = machine_.stay_ms * (1 - machine_.shared_share) / machine_.shared_share;
    const double mean_ms = is_shared_ ? machine_.stay_ms : away_ms;
    changes_ns_ +=
        static_cast<std::int64_t>(1e6 * std::exponential_distribution<>(1 / mean_ms)(random_)) + 1;
  }
}

// With that number of entries less: what stands behind the second head in its group needs them.
double SimulatedSource::TripCycles(const OverlapLook& look, bool two_chains, int short_by) {
  // Misses of one chain follow each other whatever the windows are.
  const bool is_shared = two_chains && (is_shared_ || has_neighbour_);
  const auto [place, is_new] =
      cycles_.try_emplace({look.filler, look.fillers, two_chains, is_shared, short_by});
  if (is_new) {
    simulator::CoreModel core = is_shared ? machine_.shared : machine_.core;
    core.SizeOf(Resource::kReorderBuffer) -= machine_.kept_free + short_by;
    if (look.filler->window != arch::Window::kReorderBuffer)
      core.sizes[static_cast<std::size_t>(look.filler->window)] -= short_by;
    place->second = simulator::CyclesPerTrip(core, TripOf(look, two_chains, machine_.miss_cycles));
  }
  return place->second;
}

// Heads stand at all places of a group, in turn.
double SimulatedSource::TripCycles(const OverlapLook& look, bool two_chains) {
  const int most = two_chains ? machine_.group_instructions - 1 : 0;
  const double least = TripCycles(look, two_chains, 0);
  double sum = TripCycles(look, two_chains, most);
  constexpr double kEqual = 1.02;
  if (sum < kEqual * least) return least;
  for (int short_by = 0; short_by < most; ++short_by) sum += TripCycles(look, two_chains, short_by);
  return sum / (most + 1);
}

double SimulatedSource::NoiseFactor(bool two_chains) {
  if (machine_.recorded_noise.empty()) {
    const double factor = 1 + std::normal_distribution<>(0, machine_.noise)(random_);
    const bool disturbed = std::uniform_real_distribution<>()(random_) < machine_.disturbed_share;
    return disturbed ? 1.5 * factor : factor;
  }
  if (!two_chains) {
    const std::size_t last = machine_.recorded_noise.size() - 1;
    recorded_factors_ =
        machine_.recorded_noise[std::uniform_int_distribution<std::size_t>(0, last)(random_)];
  }
  return two_chains ? recorded_factors_.two_chains_ns : recorded_factors_.one_chain_ns;
}

double SimulatedSource::TripNs(const OverlapLook& look, bool two_chains) {
  const double ns = TripCycles(look, two_chains) * machine_.cycle_ns * NoiseFactor(two_chains);
  Pass(static_cast<std::int64_t>(ns * kTrips));
  return ns;
}

Result<OverlapVisit> SimulatedSource::Visit(std::span<const OverlapLook> looks) {
  Pass(1'000'000);  // to load the code
  bool shared = is_shared_;
  OverlapVisit visit;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<HeadTimes>& times = visit.repeats.emplace_back();
    for (const OverlapLook& look : looks) {
      const double one_chain_ns = TripNs(look, false);
      times.push_back({one_chain_ns, TripNs(look, true)});
    }
  }
  shared = shared || is_shared_;
  visit.width = shared && machine_.probes_see_it ? kSharedWidth : kQuietWidth;
  return visit;
}

// Each miss has a buffer until its line is there; a chain goes on when its miss is done.
Result<ChainsVisit> SimulatedSource::TimeChains(std::span<const int> chains) {
  Pass(10'000'000);
  const bool shared = is_shared_ || has_neighbour_;
  const int all = shared ? machine_.fill_buffers / 2 : machine_.fill_buffers;
  ChainsVisit visit{.width = shared && machine_.probes_see_it ? kSharedWidth : kQuietWidth};
  for (const int count : chains) {
    std::vector<double> known(static_cast<std::size_t>(count));
    std::vector<double> buffers(static_cast<std::size_t>(all));
    const double miss_cycles =
        machine_.miss_cycles * (1 + machine_.slower_by_miss * (std::min(count, all) - 1));
    constexpr int kSteps = 40;
    for (int step = 0; step < kSteps; ++step) {
      for (double& chain : known) {
        const auto buffer = std::ranges::min_element(buffers);
        chain = std::max(chain, *buffer) + miss_cycles;
        *buffer = chain;
      }
    }
    const double cycles = std::ranges::max(known) / kSteps;
    visit.trip_ns.push_back(cycles * machine_.cycle_ns *
                            (1 + std::normal_distribution<>(0, machine_.noise)(random_)));
  }
  return visit;
}

}  // namespace cyclescope::anatomy::testing
