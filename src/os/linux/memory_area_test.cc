#include "os/memory_area.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "os/linux/fake_root.h"
#include "os/linux/placement.h"

namespace cyclescope::os {
namespace {

using testing::ElementsAre;

constexpr std::size_t kBytes = 4 << 20;

TEST(MemoryArea, SmallPagesAreSmall) {
  const auto area = MemoryArea::Map(kBytes, {});
  ASSERT_TRUE(area);
  EXPECT_GE(area->bytes(), kBytes);
  std::memset(area->begin(), 1, area->bytes());
  const auto placement = area->ReadPlacement();
  ASSERT_TRUE(placement);
  EXPECT_EQ(placement->huge_bytes, 0);
  EXPECT_GE(placement->resident_bytes + placement->swapped_bytes,
            static_cast<std::int64_t>(kBytes));
}

TEST(MemoryArea, HugePagesBeginAtTheirBoundaryAndAreNeverMoreThanThereIs) {
  const auto area = MemoryArea::Map(kBytes, {.huge = true});
  ASSERT_TRUE(area);
  const std::size_t huge = HugePageBytes().value_or(kBytes / 2);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(area->begin()) % huge, 0u);
  std::memset(area->begin(), 1, area->bytes());
  const auto placement = area->ReadPlacement();
  ASSERT_TRUE(placement);
  EXPECT_LE(placement->huge_bytes, placement->resident_bytes);
}

TEST(MemoryArea, MoreThanThereCanBeIsAnError) {
  const auto area = MemoryArea::Map(std::size_t{1} << 62, {});
  ASSERT_FALSE(area);
  EXPECT_EQ(area.error().kind, ErrorKind::kFailed);
}

TEST(MemoryArea, ANodeThatCannotBeIsAnError) {
  const auto area = MemoryArea::Map(kBytes, {.node = 1'000'000});
  ASSERT_FALSE(area);
  EXPECT_EQ(area.error().message, "there is no NUMA node 1000000");
}

TEST(MemoryArea, PlacementIsThatOfTheMappingsAskedFor) {
  const std::string smaps =
      "1000-2000 rw-p 00000000 00:00 0\n"
      "Rss:                 999 kB\n"
      "2000-4000 rw-p 00000000 00:00 0\n"
      "Rss:                   8 kB\n"
      "AnonHugePages:         4 kB\n"
      "Swap:                  3 kB\n"
      "Private_Hugetlb:       0 kB\n"
      "4000-8000 rw-p 00000000 00:00 0 /anon_hugepage (deleted)\n"
      "Rss:                   0 kB\n"
      "Private_Hugetlb:      16 kB\n"
      "8000-9000 rw-p 00000000 00:00 0\n"
      "Rss:                   1 kB\n";
  const AreaPlacement placement = ParsePlacement(smaps, 0x2000, 0x8000);
  EXPECT_EQ(placement.resident_bytes, 24 * 1024);
  EXPECT_EQ(placement.huge_bytes, 20 * 1024);
  EXPECT_EQ(placement.swapped_bytes, 3 * 1024);
}

TEST(FreeMemory, IsWhatTheKernelAndTheGroupLeave) {
  const FakeRoot root;
  EXPECT_FALSE(FreeMemoryBytes(root.path()));
  root.Write("proc/meminfo", "MemTotal:  100 kB\nMemAvailable:   50 kB\n");
  EXPECT_EQ(FreeMemoryBytes(root.path()), 50 * 1024);
  root.Write("sys/fs/cgroup/memory.max", "max\n");
  root.Write("sys/fs/cgroup/memory.current", "1024\n");
  EXPECT_EQ(FreeMemoryBytes(root.path()), 50 * 1024);
  root.Write("sys/fs/cgroup/memory.max", "4096\n");
  EXPECT_EQ(FreeMemoryBytes(root.path()), 3072);
}

// Without a view of its own, as in a batch system's job.
TEST(FreeMemory, IsWhatTheProcessesOwnGroupLeaves) {
  const FakeRoot root;
  root.Write("proc/meminfo", "MemAvailable:   50 kB\n");
  root.Write("proc/self/cgroup", "0::/slurm/job_7/step\n");
  root.Write("sys/fs/cgroup/slurm/job_7/memory.max", "9000\n");
  root.Write("sys/fs/cgroup/slurm/job_7/memory.current", "1000\n");
  root.Write("sys/fs/cgroup/slurm/job_7/step/memory.max", "max\n");
  root.Write("sys/fs/cgroup/slurm/job_7/step/memory.current", "500\n");
  EXPECT_EQ(FreeMemoryBytes(root.path()), 8000);
  root.Write("sys/fs/cgroup/slurm/memory.max", "5000\n");
  root.Write("sys/fs/cgroup/slurm/memory.current", "2000\n");
  EXPECT_EQ(FreeMemoryBytes(root.path()), 3000);
}

TEST(FreeMemory, KnowsGroupsOfTheFirstVersion) {
  const FakeRoot root;
  root.Write("proc/meminfo", "MemAvailable:   50 kB\n");
  root.Write("proc/self/cgroup", "9:cpu:/job\n8:memory:/job\n");
  root.Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.Write("sys/fs/cgroup/memory/memory.usage_in_bytes", "100\n");
  root.Write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "7000\n");
  root.Write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1000\n");
  EXPECT_EQ(FreeMemoryBytes(root.path()), 6000);
  root.Write("proc/self/cgroup", "8:memory:/../job\nnonsense\n");
  EXPECT_EQ(FreeMemoryBytes(root.path()), 50 * 1024);
}

TEST(MemoryNodes, AreThoseWithMemory) {
  const FakeRoot root;
  EXPECT_THAT(MemoryNodes(root.path()), ElementsAre());
  root.Write("sys/devices/system/node/has_memory", "0,2-3\n");
  EXPECT_THAT(MemoryNodes(root.path()), ElementsAre(0, 2, 3));
  root.Write("proc/self/status", "Mems_allowed:\t0000000c\nMems_allowed_list:\t2-3\nThreads:\t1\n");
  EXPECT_THAT(MemoryNodes(root.path()), ElementsAre(2, 3));
}

}  // namespace
}  // namespace cyclescope::os
