#include "measure/cycle_source.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace cyclescope::measure {
namespace {

using sandbox::Call;
using sandbox::CallRecord;
using sandbox::Entry;

Reject FindDisturbance(std::span<const CallRecord> records) {
  for (const CallRecord& record : records) {
    if (record.context_switches != 0) return Reject::kContextSwitch;
    if (record.migrated) return Reject::kMigration;
  }
  return Reject::kNone;
}

// The longer's count less the shorter's. The worker's records are not to be trusted, so this may be
// negative.
double Difference(std::uint64_t longer, std::uint64_t shorter) {
  return static_cast<double>(longer) - static_cast<double>(shorter);
}

class CounterSource : public CycleSource {
 public:
  explicit CounterSource(std::string_view name) : name_(name) {}

  std::string_view name() const override { return name_; }
  std::size_t calls_per_sample() const override { return 4; }

  void AppendCalls(const LengthPair& pair, std::vector<Call>& calls) const override {
    calls.insert(calls.end(), {pair.longer, pair.shorter, pair.shorter, pair.longer});
  }

  Sample Read(std::span<const CallRecord> records) const override {
    assert(records.size() == calls_per_sample());
    const CallRecord& shorter = records[2];
    const CallRecord& longer = records[3];
    Sample sample;
    sample.ticks = Difference(longer.ticks, shorter.ticks);
    sample.shorter_ticks = static_cast<double>(shorter.ticks);
    sample.cycles = Difference(longer.cycles, shorter.cycles);
    sample.instructions = Difference(longer.instructions, shorter.instructions);
    if (longer.reference_cycles != 0) {
      sample.reference_cycles = Difference(longer.reference_cycles, shorter.reference_cycles);
    }
    sample.reject = FindDisturbance(records.subspan(2));
    if (!shorter.counters_valid || !longer.counters_valid) sample.reject = Reject::kCountersLost;
    if (sample.cycles <= 0 || sample.ticks <= 0) sample.reject = Reject::kImpossible;
    return sample;
  }

 private:
  std::string name_;
};

class ReferenceSource : public CycleSource {
 public:
  explicit ReferenceSource(ReferenceLengths lengths) : lengths_(lengths) {
    assert(lengths.loops > 1 && lengths.links_per_loop > 0);
  }

  std::string_view name() const override { return "reference"; }
  std::size_t calls_per_sample() const override { return 8; }

  void AppendCalls(const LengthPair& pair, std::vector<Call>& calls) const override {
    const Entry chain = {Entry::Kind::kReferenceChain, lengths_.chain};
    const Call one_loop = {chain, 1};
    const Call all_loops = {chain, lengths_.loops};
    calls.insert(calls.end(), {one_loop, all_loops, pair.longer, pair.shorter, pair.shorter,
                               pair.longer, one_loop, all_loops});
  }

  Sample Read(std::span<const CallRecord> records) const override {
    assert(records.size() == calls_per_sample());
    const double before = Difference(records[1].ticks, records[0].ticks);
    const double after = Difference(records[7].ticks, records[6].ticks);
    Sample sample;
    sample.ticks = Difference(records[5].ticks, records[4].ticks);
    sample.shorter_ticks = static_cast<double>(records[4].ticks);
    if (before <= 0 || after <= 0 || sample.ticks <= 0) {
      sample.reject = Reject::kImpossible;
      return sample;
    }
    const auto links = static_cast<double>((lengths_.loops - 1) * lengths_.links_per_loop);
    sample.cycles = sample.ticks * 2 * links / (before + after);
    sample.reject = FindDisturbance(records);
    constexpr double kMostMismatch = 0.01;
    if (sample.reject == Reject::kNone &&
        std::abs(before - after) > kMostMismatch * std::min(before, after)) {
      sample.reject = Reject::kBracketMismatch;
    }
    return sample;
  }

 private:
  ReferenceLengths lengths_;
};

}  // namespace

std::unique_ptr<CycleSource> MakeCounterSource(std::string_view name) {
  return std::make_unique<CounterSource>(name);
}

std::unique_ptr<CycleSource> MakeReferenceSource(ReferenceLengths lengths) {
  return std::make_unique<ReferenceSource>(lengths);
}

}  // namespace cyclescope::measure
