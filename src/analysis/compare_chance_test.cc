// How often equal machines are called different, and what is found all the same: 1,000 pairs of
// simulated results, whose values are made from noisy visits as measured ones are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "analysis/compare.h"
#include "document/testing/simulated_documents.h"
#include "statistics/sample_groups.h"

namespace cyclescope {
namespace {

enum class Noise { kNormal, kSkewed, kSpikes, kDrift };

class Machine {
 public:
  explicit Machine(unsigned seed) : random_(seed) {}

  // `true_value` as `visits` visits of three samples see it, with that relative noise.
  Estimate Measure(double true_value, int visits, double noise, Noise kind) {
    std::vector<std::vector<double>> groups;
    for (int i = 0; i < visits; ++i) {
      const double place = Draw(kind, i, visits);
      auto& group = groups.emplace_back();
      for (int sample = 0; sample < 3; ++sample)
        group.push_back(true_value * (1 + noise * place + 0.3 * noise * normal_(random_)));
    }
    statistics::SampleGroups samples;
    for (const auto& group : groups) samples.groups.emplace_back(group);
    return statistics::EstimateOf(samples, 0.95);
  }

 private:
  double Draw(Noise kind, int visit, int visits) {
    switch (kind) {
      case Noise::kNormal:
        return normal_(random_);
      case Noise::kSkewed:
        return std::exponential_distribution<double>(1)(random_) - 0.7;
      case Noise::kSpikes:
        return normal_(random_) * (std::bernoulli_distribution(0.05)(random_) ? 10 : 1);
      case Noise::kDrift:
        return normal_(random_) + 2.0 * visit / visits - 1;
    }
    return 0;
  }

  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

// The ends of a core's own caches, as a curve shows them: pages lie elsewhere in every run.
void AddCaches(unsigned run, double l2_bytes, Document& document) {
  std::mt19937 random(run);
  std::normal_distribution<double> normal;
  MemoryRow& row = document.memory.emplace_back();
  for (const double bytes : {48.0 * 1024, l2_bytes}) {
    const double found = bytes * std::exp(0.06 * normal(random));
    const double latency = bytes < 1e6 ? 1.5 : 5;
    row.levels.push_back({.name = bytes < 1e6 ? "L1" : "L2",
                          .cycles = {3 * latency, 2.9 * latency, 3.1 * latency},
                          .nanoseconds = {latency, 0.97 * latency, 1.03 * latency},
                          .capacity = MemoryValue{found, 0.93 * found, 1.07 * found}});
  }
}

// A survey's instructions: most of them repeat to 0.5 %, some to 10 %. The machine, not the run,
// decides which value is how noisy.
Document Survey(unsigned run, double slower = 1, double l2_bytes = 2 << 20) {
  constexpr int kInstructions = 80;
  std::mt19937 machine(7);
  Machine measured(run);
  Document document = testing::BareDocument();
  document.config.confidence = 0.95;
  AddCaches(run, l2_bytes, document);
  for (int i = 0; i < kInstructions; ++i) {
    const double noise =
        std::min(std::lognormal_distribution<double>(std::log(0.005), 1)(machine), 0.1);
    const double value = std::uniform_real_distribution<double>(0.2, 30)(machine);
    const int visits = std::uniform_int_distribution(3, 14)(machine);
    const auto kind = static_cast<Noise>(i % 4);
    InstructionRow& row = document.instructions.emplace_back();
    row.text = "instruction " + std::to_string(i);
    row.throughput = Throughput{.cycles = measured.Measure(value, visits, noise, kind)};
    row.latency = {
        {.from = "a", .to = "b", .cycles = measured.Measure(2 * value, visits, noise, kind)}};
    // One that changes has the usual noise.
    if (i == 0) row.throughput->cycles = measured.Measure(slower, 5, 0.001, Noise::kNormal);
  }
  return document;
}

TEST(CompareChanceBulk, EqualMachinesAreSeldomCalledDifferent) {
  constexpr int kPairs = 1000;
  int false_changes = 0;
  for (unsigned pair = 0; pair < kPairs; ++pair) {
    const std::vector<Document> documents = {Survey(2 * pair), Survey(2 * pair + 1)};
    const Comparison comparison = Compare(documents, {});
    for (const ComparedKind& kind : comparison.kinds) {
      if (kind.counts[0].changed > 0) {
        ++false_changes;
        break;
      }
    }
  }
  RecordProperty("false_changes", false_changes);  // for docs/methodology.md
  EXPECT_LE(false_changes, 15) << "of " << kPairs;
}

TEST(CompareChanceBulk, AnInstructionThatIsFivePercentSlowerIsFound) {
  int found = 0;
  constexpr int kPairs = 50;
  for (unsigned pair = 0; pair < kPairs; ++pair) {
    const std::vector<Document> documents = {Survey(2 * pair), Survey(2 * pair + 1, 1.05)};
    found += Compare(documents, {}).HasRegression() ? 1 : 0;
  }
  EXPECT_GE(found, 48) << "of " << kPairs;
}

// Beside all that did not change.
TEST(CompareChanceBulk, AClockThatIsThreePercentSlowerIsFound) {
  int found = 0;
  constexpr int kPairs = 50;
  for (unsigned pair = 0; pair < kPairs; ++pair) {
    std::vector<Document> documents = {Survey(2 * pair), Survey(2 * pair + 1)};
    for (std::size_t i = 0; i < documents.size(); ++i) {
      Machine machine(1000 + 2 * pair + static_cast<unsigned>(i));
      FrequencyRow& row = documents[i].frequency.emplace_back();
      row.core_ghz = machine.Measure(i == 0 ? 2.6 : 0.97 * 2.6, 20, 0.002, Noise::kNormal);
    }
    const Comparison comparison = Compare(documents, {});
    const auto clock =
        std::ranges::find(comparison.kinds, ValueKind::kFrequency, &ComparedKind::kind);
    ASSERT_NE(clock, comparison.kinds.end());
    found += clock->counts[0].worse > 0 ? 1 : 0;
  }
  EXPECT_GE(found, 48) << "of " << kPairs;
}

TEST(CompareChanceBulk, ACacheHalfAsLargeIsFound) {
  int found = 0;
  constexpr int kPairs = 50;
  for (unsigned pair = 0; pair < kPairs; ++pair) {
    const std::vector<Document> documents = {Survey(2 * pair), Survey(2 * pair + 1, 1, 1 << 20)};
    found += Compare(documents, {}).HasRegression() ? 1 : 0;
  }
  EXPECT_GE(found, 48) << "of " << kPairs;
}

}  // namespace
}  // namespace cyclescope
