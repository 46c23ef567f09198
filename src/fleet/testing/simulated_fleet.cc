#include "fleet/testing/simulated_fleet.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cyclescope::fleet::testing {
namespace {

constexpr double kNoisier = 25;

// Draws what one node is, or what one pass measures of it.
class Dice {
 public:
  Dice(std::uint64_t seed, NoiseShape shape) : random_(seed), shape_(shape) {}

  // About 0, with a standard deviation of about 1; above 0 is slower.
  double Noise() {
    switch (shape_) {
      case NoiseShape::kNormal:
        return normal_(random_);
      case NoiseShape::kHeavy: {
        const double side = uniform_(random_) < 0.5 ? -1 : 1;
        return side * exponential_(random_) / std::sqrt(2);
      }
      case NoiseShape::kSkewed:
        return exponential_(random_) - 1;
    }
    return 0;
  }

 private:
  std::mt19937_64 random_;
  NoiseShape shape_;
  std::normal_distribution<double> normal_;
  std::exponential_distribution<double> exponential_;
  std::uniform_real_distribution<double> uniform_;
};

struct Measured {
  double value = 0;
  double half = 0;
};

Estimate ToEstimate(const Measured& measured) {
  Estimate estimate;
  estimate.value = measured.value;
  estimate.low = measured.value - measured.half;
  estimate.high = measured.value + measured.half;
  estimate.kept = 12;
  estimate.visits = 3;
  return estimate;
}

MemoryValue ToMemoryValue(const Measured& measured) {
  return {measured.value, measured.value - measured.half, measured.value + measured.half};
}

// One survey under way.
class Surveyor {
 public:
  Surveyor(const FleetPlan& plan, int node, int pass, Fate fate)
      : plan_(plan),
        fate_(fate),
        node_(plan.seed * 1'000'003 + static_cast<std::uint64_t>(node), plan.shape),
        pass_(plan.seed * 7'368'787 + static_cast<std::uint64_t>(node) * 64 +
                  static_cast<std::uint64_t>(pass) + 1,
              plan.shape) {}

  // A time whose truth differs between nodes by `between`, measured with an error of `within`.
  Measured Time(double value, double between, double within) {
    const double errors = within * (fate_ == Fate::kNoisy ? kNoisier : 1);
    const double off = plan_.spread * (between * node_.Noise() + errors * pass_.Noise());
    const double measured = value * std::exp(off);
    return {measured, 1.96 * plan_.spread * errors * measured};
  }

  Measured Rate(double value, double between, double within) {
    const Measured time = Time(1 / value, between, within);
    return {1 / time.value, time.half / (time.value * time.value)};
  }

 private:
  const FleetPlan& plan_;
  Fate fate_;
  Dice node_;
  Dice pass_;
};

MemoryLevel MakeLevel(Surveyor& surveyor, const char* name, double ns, double ghz) {
  MemoryLevel level;
  level.name = name;
  const Measured time = surveyor.Time(ns, 0.01, 0.01);
  level.nanoseconds = ToMemoryValue(time);
  level.cycles = ToMemoryValue({time.value * ghz, time.half * ghz});
  return level;
}

std::vector<double> MakeSamples(const Estimate& estimate, int count) {
  std::vector<double> samples;
  for (int i = 0; i < count; ++i)
    samples.push_back(estimate.value * (1 + 0.001 * std::sin(static_cast<double>(i))));
  return samples;
}

}  // namespace

Fate SimulatedFleet::FateOf(int node) const {
  std::mt19937_64 random(plan_.seed * 977 + static_cast<std::uint64_t>(node));
  const double place = std::uniform_real_distribution<double>()(random);
  if (place < plan_.slow_clock) return Fate::kSlowClock;
  if (place < plan_.slow_clock + plan_.far_memory) return Fate::kFarMemory;
  if (place < plan_.slow_clock + plan_.far_memory + plan_.noisy) return Fate::kNoisy;
  return Fate::kEqual;
}

Document SimulatedFleet::Survey(int node, int pass) const {
  const Fate fate = FateOf(node);
  Surveyor surveyor(plan_, node, pass, fate);
  Document document;
  document.tool.version = "0.0";
  document.host.name = fmt::format("n{:05}", node + 1);
  document.host.architecture = "x86_64";
  document.host.cpu_model = "Made Lake";
  document.host.microcode = "0x1";
  document.host.kernel = "Linux 6.1.0";
  document.host.governor = "performance";
  document.host.cpus_allowed = {0, 1};
  for (int cpu = 0; cpu < 2; ++cpu)
    document.host.topology.push_back({.cpu = cpu, .core = cpu, .l3 = 0, .package = 0, .numa = 0});
  document.clock.tick_hz = 2e9;
  document.clock.cycle_source = "reference";
  document.config.command = "survey";
  document.config.started = fmt::format("2026-11-{:02}T02:00:00Z", pass + 1);

  const double ghz = 3.6 * (fate == Fate::kSlowClock ? 1 - plan_.slower_by : 1);
  const Measured clock = surveyor.Rate(ghz, 0.002, 0.001);
  for (int cpu = 0; cpu < 2; ++cpu) {
    FrequencyRow row;
    row.cpu = cpu;
    row.base_ghz = 2;
    row.boost = clock.value / 2;
    row.core_ghz = ToEstimate(clock);
    row.self_check_passed = true;
    document.frequency.push_back(row);
    document.contention.push_back(
        {.cpu = cpu,
         .share = std::clamp(0.1 * surveyor.Time(1, 0.2, 0).value, 0.0, 1.0),
         .probes = 100});
  }
  document.host.stolen_share = 0.002 * surveyor.Time(1, 0.2, 0).value;

  for (int form = 0; form < plan_.forms; ++form) {
    InstructionRow row;
    row.text = fmt::format("made{} rax, rbx", form);
    row.opcode = fmt::format("MADE{}", form);
    row.origin = "headline";
    row.heading = "made";
    Latency latency;
    latency.from = "rbx";
    latency.to = "rax";
    latency.cycles = ToEstimate(surveyor.Time(1 + form % 7, 0.0005, 0.002));
    latency.cycles.samples = MakeSamples(latency.cycles, plan_.samples);
    Throughput throughput;
    throughput.cycles = ToEstimate(surveyor.Time(0.25 * (1 + form % 5), 0.0005, 0.003));
    throughput.cycles.samples = MakeSamples(throughput.cycles, plan_.samples);
    row.latency.push_back(latency);
    row.throughput = throughput;
    document.instructions.push_back(row);
  }

  CoreMatrix cores;
  cores.test = "cas";
  cores.cpus = {0, 1};
  cores.nanoseconds = PairMatrix(2);
  cores.rounds = 4;
  const Measured between = surveyor.Time(50, 0.02, 0.01);
  cores.nanoseconds.At(0, 1) = cores.nanoseconds.At(1, 0) = between.value;
  cores.spectrum.first_ns = 1;
  cores.spectrum.step = 1.1;
  cores.spectrum.counts = {1};
  // Nine tenths of the visits, of which there are four.
  const double visits = between.half / 1.96 * 1.645 * 2;
  cores.spectrum.levels = {{.name = "other core",
                            .nanoseconds = between.value,
                            .low = between.value - visits,
                            .high = between.value + visits,
                            .share = 1}};
  document.cores.push_back(cores);

  MemoryRow memory;
  memory.levels = {MakeLevel(surveyor, "L1", 5 / ghz, ghz),
                   MakeLevel(surveyor, "L2", 16 / ghz, ghz), MakeLevel(surveyor, "L3", 25, ghz),
                   MakeLevel(surveyor, "memory",
                             100 * (fate == Fate::kFarMemory ? 1 + plan_.farther_by : 1), ghz)};
  MemoryBandwidth bandwidth;
  bandwidth.level = "memory";
  bandwidth.gigabytes = ToMemoryValue(surveyor.Rate(12, 0.02, 0.01));
  memory.bandwidth.push_back(bandwidth);
  document.memory.push_back(memory);
  return document;
}

}  // namespace cyclescope::fleet::testing
