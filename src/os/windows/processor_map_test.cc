// Machines that we do not have, as GetLogicalProcessorInformationEx describes them.
#include "os/windows/processor_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace cyclescope::os {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

using Information = SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX;

// Writes a description as the system does: entries of different lengths, one after the other.
class Description {
 public:
  void AddGroups(const std::vector<PROCESSOR_GROUP_INFO>& groups) {
    const std::size_t size =
        offsetof(Information, Group.GroupInfo) + groups.size() * sizeof(PROCESSOR_GROUP_INFO);
    Information& entry = Add(RelationGroup, size);
    entry.Group.MaximumGroupCount = static_cast<WORD>(groups.size());
    entry.Group.ActiveGroupCount = static_cast<WORD>(groups.size());
    std::memcpy(entry.Group.GroupInfo, groups.data(), groups.size() * sizeof(groups[0]));
  }

  void AddCore(WORD group, KAFFINITY mask, BYTE efficiency = 0) {
    AddProcessors(RelationProcessorCore, {{mask, group}}, efficiency);
  }

  void AddPackage(const std::vector<GROUP_AFFINITY>& masks) {
    AddProcessors(RelationProcessorPackage, masks, 0);
  }

  void AddNode(DWORD number, WORD group, KAFFINITY mask) {
    Information& entry = Add(RelationNumaNode, sizeof(Information));
    entry.NumaNode.NodeNumber = number;
    entry.NumaNode.GroupMask = {mask, group};
  }

  void AddCache(BYTE level, DWORD bytes, PROCESSOR_CACHE_TYPE type, WORD group, KAFFINITY mask) {
    Information& entry = Add(RelationCache, sizeof(Information));
    entry.Cache.Level = level;
    entry.Cache.CacheSize = bytes;
    entry.Cache.Type = type;
    entry.Cache.GroupMask = {mask, group};
  }

  std::vector<std::byte>& bytes() { return bytes_; }
  std::span<const std::byte> get() const { return bytes_; }

 private:
  Information& Add(LOGICAL_PROCESSOR_RELATIONSHIP relationship, std::size_t size) {
    constexpr std::size_t kAlignment = alignof(Information);
    size = (size + kAlignment - 1) / kAlignment * kAlignment;
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    auto& entry = *reinterpret_cast<Information*>(bytes_.data() + at);
    entry.Relationship = relationship;
    entry.Size = static_cast<DWORD>(size);
    return entry;
  }

  void AddProcessors(LOGICAL_PROCESSOR_RELATIONSHIP relationship,
                     const std::vector<GROUP_AFFINITY>& masks, BYTE efficiency) {
    const std::size_t size =
        offsetof(Information, Processor.GroupMask) + masks.size() * sizeof(GROUP_AFFINITY);
    Information& entry = Add(relationship, size);
    reinterpret_cast<BYTE*>(&entry.Processor)[kEfficiencyClassAt] = efficiency;
    entry.Processor.GroupCount = static_cast<WORD>(masks.size());
    std::memcpy(entry.Processor.GroupMask, masks.data(), masks.size() * sizeof(masks[0]));
  }

  std::vector<std::byte> bytes_;
};

constexpr KAFFINITY kAll = ~KAFFINITY{0};

PROCESSOR_GROUP_INFO Group(BYTE most, KAFFINITY active) {
  PROCESSOR_GROUP_INFO group{};
  group.MaximumProcessorCount = most;
  group.ActiveProcessorCount = static_cast<BYTE>(__builtin_popcountll(active));
  group.ActiveProcessorMask = active;
  return group;
}

// Two sockets of 32 cores with two threads each: 128 CPUs in two groups.
Description TwoSockets() {
  Description machine;
  for (WORD group = 0; group < 2; ++group) {
    for (int core = 0; core < 32; ++core) {
      const KAFFINITY mask = KAFFINITY{3} << (2 * core);
      machine.AddCore(group, mask);
      machine.AddCache(1, 48 << 10, CacheData, group, mask);
      machine.AddCache(1, 32 << 10, CacheInstruction, group, mask);
      machine.AddCache(2, 2 << 20, CacheUnified, group, mask);
    }
    machine.AddCache(3, 96 << 20, CacheUnified, group, kAll);
    machine.AddNode(group, group, kAll);
    machine.AddPackage({{kAll, group}});
  }
  machine.AddGroups({Group(64, kAll), Group(64, kAll)});
  return machine;
}

TEST(ProcessorMap, CountsThroughAllGroups) {
  const Description machine = TwoSockets();
  const auto map = ReadProcessorMap(machine.get());
  ASSERT_TRUE(map) << map.error().ToString();
  ASSERT_THAT(map->places, SizeIs(128));
  EXPECT_EQ(map->places.back().cpu, 127);
  EXPECT_EQ(map->Find(0), (GroupPlace{0, 0}));
  EXPECT_EQ(map->Find(63), (GroupPlace{0, 63}));
  EXPECT_EQ(map->Find(64), (GroupPlace{1, 0}));
  EXPECT_EQ(map->Find(127), (GroupPlace{1, 63}));
  EXPECT_EQ(map->Find(128), std::nullopt);
  EXPECT_EQ(map->Find(-1), std::nullopt);
  EXPECT_EQ(map->CpuAt({1, 5}), 69);
  EXPECT_EQ(map->CpuAt({2, 0}), std::nullopt);
}

TEST(ProcessorMap, KnowsWhoSharesWhat) {
  const Description machine = TwoSockets();
  const auto map = ReadProcessorMap(machine.get());
  ASSERT_TRUE(map);
  const CpuPlace& first = map->places[0];
  const CpuPlace& sibling = map->places[1];
  const CpuPlace& distant = map->places[64];
  EXPECT_EQ(first.core, sibling.core);
  EXPECT_EQ(first.l2, sibling.l2);
  EXPECT_NE(first.core, map->places[2].core);
  EXPECT_EQ(first.l3, map->places[63].l3);
  EXPECT_NE(first.l3, distant.l3);
  EXPECT_NE(first.package, distant.package);
  EXPECT_EQ(distant.numa, 1);
  EXPECT_EQ(first.kind, "");
}

TEST(ProcessorMap, ListsDataCachesOnly) {
  const Description machine = TwoSockets();
  const auto map = ReadProcessorMap(machine.get());
  ASSERT_TRUE(map);
  EXPECT_THAT(map->caches, SizeIs(2 * (2 * 32 + 1)));
  EXPECT_EQ(map->caches.front().claim.bytes, 48 << 10);
  EXPECT_EQ(map->caches.front().claim.cpus, 2);
}

TEST(ProcessorMap, LeavesRoomForCpusThatAreOff) {
  Description machine;
  machine.AddGroups({Group(64, 0b1011), Group(8, 0b1)});
  const auto map = ReadProcessorMap(machine.get());
  ASSERT_TRUE(map);
  ASSERT_THAT(map->places, SizeIs(4));
  EXPECT_EQ(map->Find(2), std::nullopt);
  EXPECT_EQ(map->Find(3), (GroupPlace{0, 3}));
  EXPECT_EQ(map->Find(64), (GroupPlace{1, 0}));
  EXPECT_EQ(map->Find(65), std::nullopt);
}

TEST(ProcessorMap, TellsKindsOfCoresApart) {
  Description machine;
  machine.AddCore(0, 0b0011, 1);
  machine.AddCore(0, 0b0100, 0);
  machine.AddCore(0, 0b1000, 0);
  machine.AddGroups({Group(4, 0b1111)});
  const auto map = ReadProcessorMap(machine.get());
  ASSERT_TRUE(map);
  EXPECT_EQ(map->places[0].kind, "performance");
  EXPECT_EQ(map->places[1].kind, "performance");
  EXPECT_EQ(map->places[3].kind, "efficiency");
}

TEST(ProcessorMap, RefusesWhatMakesNoSense) {
  EXPECT_FALSE(ReadProcessorMap({}));
  Description machine = TwoSockets();
  for (const std::size_t cut : {std::size_t{1}, std::size_t{7}, machine.bytes().size() - 8}) {
    EXPECT_FALSE(ReadProcessorMap(machine.get().subspan(0, cut))) << cut;
  }
  reinterpret_cast<Information*>(machine.bytes().data())->Size = 0;
  EXPECT_FALSE(ReadProcessorMap(machine.get()));
}

TEST(ProcessorMap, ThisMachineHasTheCpuThatWeAreOn) {
  const auto& map = ThisMachine();
  ASSERT_TRUE(map) << map.error().ToString();
  PROCESSOR_NUMBER number{};
  GetCurrentProcessorNumberEx(&number);
  const auto cpu = map->CpuAt({number.Group, number.Number});
  ASSERT_TRUE(cpu);
  EXPECT_TRUE(map->Find(*cpu));
}

}  // namespace
}  // namespace cyclescope::os
