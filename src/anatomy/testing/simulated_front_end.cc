#include "anatomy/testing/simulated_front_end.h"

#include <algorithm>
#include <cmath>

#include "arch/front_end_code.h"

namespace cyclescope::anatomy::testing {
namespace {

// The share of `used` that a structure of `entries` misses.
double MissedShare(double used, double entries, double filling) {
  return std::clamp((used - entries) / (filling * entries), 0.0, 1.0);
}

}  // namespace

double SimulatedFrontEnd::JumpCycles(const CodePattern& pattern, bool shared) const {
  const auto jumps = static_cast<double>(pattern.count);
  const auto stride = static_cast<double>(pattern.stride);
  double cycles = target_levels.front().cycles;
  for (std::size_t i = 0; i < target_levels.size(); ++i) {
    const double next =
        i + 1 < target_levels.size() ? target_levels[i + 1].cycles : unknown_target_cycles;
    const double entries = target_levels[i].entries / (shared ? 2 : 1);
    cycles += MissedShare(jumps, entries, filling) * (next - target_levels[i].cycles);
  }
  const double bytes = cache_bytes / (shared ? 2 : 1);
  const double lines = std::min(stride / 64, 1.0);
  cycles += MissedShare(jumps * stride, bytes, filling) * lines * cycles_per_line;
  return jumps * cycles * (shared ? 1.4 : 1);
}

double SimulatedFrontEnd::StraightCycles(const CodePattern& pattern, bool shared) const {
  const arch::StraightMix& mix = arch::StraightMixes()[pattern.mix];
  const auto count = static_cast<double>(pattern.count);
  const double bytes = mix.bytes;
  const double share = shared ? 2 : 1;
  const double decoding = 1 / std::min({dispatch, decode, fetch_bytes / bytes});
  const double decoded = 1 / dispatch;
  const double beyond = std::max(decoding, bytes / second_cache_bytes);
  // A line of the store of decoded instructions has eight from 64 bytes of code.
  const double in_window = 64 / bytes;
  const double held = decoded_instructions * in_window / (8 * std::ceil(in_window / 8));
  double cycles = decoded;
  if (loop_buffer > 0) cycles = 1 / loop_buffer_speed;
  if (loop_buffer > 0)
    cycles += MissedShare(count, loop_buffer / share, 0.01) * (decoded - 1 / loop_buffer_speed);
  if (held > 0) cycles += MissedShare(count, held / share, filling) * (decoding - decoded);
  cycles += MissedShare(count * bytes, cache_bytes / share, filling) * (beyond - decoding);
  return count * cycles * (shared ? 1.4 : 1);
}

double SimulatedFrontEnd::AlignedCycles(const CodePattern& pattern) const {
  const auto& mix = arch::StraightMixes()[pattern.mix];
  constexpr double kLoopEndBytes = 8;
  const auto begin = static_cast<double>(pattern.stride);
  const double end = begin + static_cast<double>(pattern.count * mix.bytes) + kLoopEndBytes;
  const double blocks = std::ceil(end / 64) - std::floor(begin / 64);
  return static_cast<double>(pattern.count + 1) / dispatch + blocks * fetch_block_cycles;
}

double SimulatedFrontEnd::CyclesOf(const CodePattern& pattern, bool shared) const {
  const auto count = static_cast<double>(pattern.count);
  const double slower = shared ? 1.3 : 1;
  const bool random_bits =
      pattern.outcomes == Outcomes::kRandom || pattern.outcomes == Outcomes::kSameBit;
  const double miss = random_bits ? mispredict_cycles / 2 : 0;
  switch (pattern.kind) {
    case PatternKind::kStraight:
      return StraightCycles(pattern, shared);
    case PatternKind::kAligned:
      return slower * AlignedCycles(pattern);
    case PatternKind::kText:
      return slower * text_cycles(pattern);
    case PatternKind::kJumps:
      return JumpCycles(pattern, shared);
    case PatternKind::kBranches:
      return slower * (5 + count * (branch_cycles + miss));
    case PatternKind::kReturns: {
      const double beyond = std::max(count - return_stack / (shared ? 2 : 1), 0.0);
      return slower * (6 + count * (3 + miss) + beyond * mispredict_cycles);
    }
    case PatternKind::kHistory: {
      const bool predicted = pattern.outcomes == Outcomes::kSameBit && count <= history;
      return slower * (8 + count * 2 + miss + (predicted ? 0 : miss));
    }
    case PatternKind::kIndirect: {
      const double missed = MissedShare(count, indirect_targets, 0.3);
      return slower * count * (3 + missed * mispredict_cycles);
    }
  }
  return 0;
}

std::vector<std::optional<CodeTime>> SimulatedFrontEnd::Measure(
    std::span<const CodePattern> patterns) {
  std::vector<std::optional<CodeTime>> times;
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (const CodePattern& pattern : patterns) {
    ++measured;
    const bool shared = uniform(random) < shared_share;
    double cycles = CyclesOf(pattern, shared) * (1 + noise * normal(random));
    if (uniform(random) < spike_share) cycles *= 1 + most_spike * uniform(random);
    if (uniform(random) < unmeasured_share) {
      times.push_back(std::nullopt);
    } else {
      times.push_back(CodeTime{cycles, noise * cycles, shared});
    }
  }
  return times;
}

}  // namespace cyclescope::anatomy::testing
