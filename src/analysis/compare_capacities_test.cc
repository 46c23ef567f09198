#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "analysis/compare_values.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

MemoryLevel Level(const std::string& name, double ns, double kilobytes) {
  MemoryLevel level = {.name = name,
                       .cycles = {3 * ns, 2.99 * ns, 3.01 * ns},
                       .nanoseconds = {ns, 0.99 * ns, 1.01 * ns}};
  const double bytes = 1024 * kilobytes;
  if (bytes > 0) level.capacity = {bytes, 0.95 * bytes, 1.05 * bytes};
  return level;
}

// A core with an L2 of that many KB, on bare metal; two cores share the L3.
Document Caches(double l2_kilobytes, double l3_kilobytes = 32768) {
  Document document = testing::BareDocument();
  document.host.hypervisor = "none";
  document.host.topology = {{.cpu = 0, .core = 0, .l2 = 0, .l3 = 0},
                            {.cpu = 1, .core = 1, .l2 = 1, .l3 = 0}};
  MemoryRow& row = document.memory.emplace_back();
  row.levels = {Level("L1", 1.3, 48), Level("L2", 4, l2_kilobytes), Level("L3", 20, l3_kilobytes),
                Level("memory", 100, 0)};
  return document;
}

const ComparedKind* KindOf(const Comparison& comparison) {
  const auto found = std::ranges::find(comparison.kinds, ValueKind::kCapacity, &ComparedKind::kind);
  return found == comparison.kinds.end() ? nullptr : &*found;
}

// How many capacities changed, after something was done to the second result.
std::size_t Changed(Document first, Document second,
                    const std::function<void(MemoryRow&)>& change = {}) {
  if (change) change(second.memory[0]);
  const std::vector<Document> documents = {std::move(first), std::move(second)};
  const Comparison comparison = Compare(documents, {});
  return KindOf(comparison)->counts[0].changed;
}

TEST(CompareCapacities, ACacheHalfAsLargeIsFound) {
  const std::vector<Document> documents = {Caches(2048), Caches(1024)};
  const Comparison comparison = Compare(documents, {});
  const ComparedKind* kind = KindOf(comparison);
  ASSERT_NE(kind, nullptr);
  EXPECT_EQ(ToString(kind->kind), "caches");
  EXPECT_EQ(UnitOf(kind->kind), "KB");
  EXPECT_EQ(kind->counts[0].changed, 1U);
  EXPECT_EQ(kind->counts[0].worse, 1U) << "less is worse";
  EXPECT_EQ(kind->values[0].name, "L2 from CPU 0");
  EXPECT_TRUE(comparison.HasRegression());
  // And one twice as large is no regression.
  const std::vector<Document> larger = {Caches(1024), Caches(2048)};
  EXPECT_EQ(KindOf(Compare(larger, {}))->counts[0].changed, 1U);
  EXPECT_FALSE(Compare(larger, {}).HasRegression());
}

TEST(CompareCapacities, EqualOnesAreSilent) {
  EXPECT_EQ(Changed(Caches(2048), Caches(2048)), 0U);
  EXPECT_EQ(Changed(Caches(2048), Caches(1700)), 0U) << "runs differ by as much";
}

TEST(CompareCapacities, WhatIsNotClearIsNotJudged) {
  const auto changed = [](const std::function<void(MemoryRow&)>& change) {
    return Changed(Caches(2048), Caches(1024), change);
  };
  EXPECT_EQ(changed({}), 1U) << "or this shows nothing";
  EXPECT_EQ(changed([](MemoryRow& row) { row.levels[1].contended = true; }), 0U);
  EXPECT_EQ(changed([](MemoryRow& row) { row.levels[1].capacity_at_least = true; }), 0U);
  Document least = Caches(1024);
  least.memory[0].levels[1].capacity_at_least = true;
  const std::vector<Document> documents = {Caches(2048), least};
  EXPECT_TRUE(std::isnan(KindOf(Compare(documents, {}))->values[0].changes[0].relative))
      << "a lower bound did not change by any number";
  EXPECT_EQ(changed([](MemoryRow& row) { row.levels[1].by_single_loads = true; }), 0U);
  EXPECT_EQ(changed([](MemoryRow& row) { row.partial = true; }), 0U);
  // Several levels run into each other there.
  EXPECT_EQ(changed([](MemoryRow& row) { row.levels[1].capacity->low /= 3; }), 0U);
  EXPECT_EQ(changed([](MemoryRow& row) { row.curves = {{.contended_share = 0.5}}; }), 0U);
  // Too few visits of a core of its own are no other work.
  const auto reason = [](double contended_share) {
    Document unclear = Caches(1024);
    unclear.memory[0].levels[1].contended = true;
    unclear.memory[0].curves = {{.contended_share = contended_share}};
    const std::vector<Document> both = {Caches(2048), unclear};
    const Comparison comparison = Compare(both, {});
    const auto& values = KindOf(comparison)->values;
    const auto level = std::ranges::find(values, "L2 from CPU 0", &ComparedValue::name);
    return level == values.end() ? "not compared" : level->changes[0].reason;
  };
  EXPECT_EQ(reason(0), "B has no clear end of this level");
  EXPECT_EQ(reason(0.01), "B was measured while others used the core");
  // The second level of one is the third of the other.
  EXPECT_EQ(changed([](MemoryRow& row) { row.levels.erase(row.levels.begin() + 2); }), 0U);
}

TEST(CompareCapacities, ASharedCacheIsNotJudged) {
  EXPECT_EQ(Changed(Caches(2048, 32768), Caches(2048, 8192)), 0U) << "others may have the rest";
  Document alone = Caches(2048, 32768);
  alone.host.topology[1].l3 = 1;
  Document smaller = alone;
  smaller.memory = Caches(2048, 8192).memory;
  EXPECT_EQ(Changed(alone, smaller), 1U);
  alone.host.hypervisor = smaller.host.hypervisor = "kvm";
  EXPECT_EQ(Changed(alone, smaller), 0U) << "the host's other guests";
}

}  // namespace
}  // namespace cyclescope
