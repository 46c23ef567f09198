#include "memory/throughput.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "memory/stream_threads.h"
#include "os/cpus.h"

namespace cyclescope::memory {
namespace {

MemoryLevel WithCapacity(std::string name, double bytes) {
  MemoryLevel level;
  level.name = std::move(name);
  if (bytes > 0) level.capacity = MemoryValue{bytes, bytes, bytes};
  return level;
}

TEST(Throughput, FootprintsLieWithinTheirLevel) {
  const auto footprints = FootprintsOf({WithCapacity("L1", 48 << 10), WithCapacity("L2", 2 << 20),
                                        WithCapacity("L3", 32 << 20), WithCapacity("memory", 0)},
                                       256 << 20);
  ASSERT_EQ(footprints.size(), 4u);
  EXPECT_EQ(footprints[0].bytes, 24 << 10);
  EXPECT_EQ(footprints[1].bytes, 1 << 20);
  EXPECT_EQ(footprints[2].bytes, 16 << 20);
  EXPECT_EQ(footprints[3].level, "memory");
  EXPECT_EQ(footprints[3].bytes, 256 << 20);
}

TEST(Throughput, FootprintsAreNeverMoreThanMayBeUsed) {
  const auto footprints =
      FootprintsOf({WithCapacity("L1", 64 << 20), WithCapacity("memory", 0)}, 16 << 20);
  for (const LevelFootprint& footprint : footprints) EXPECT_LE(footprint.bytes, 16 << 20);
}

TEST(Throughput, CpusThatShareACacheShareItsFootprint) {
  const std::vector<LevelFootprint> footprints = {
      {"L1", 24 << 10, 1}, {"L2", 1 << 20, 1}, {"L3", 16 << 20, 16}, {"memory", 256 << 20, 1}};
  constexpr std::int64_t kMost = 64 << 20;
  EXPECT_EQ(BytesOfEach(footprints, 1, 16, kMost), 1 << 20);
  EXPECT_EQ(BytesOfEach(footprints, 2, 1, kMost), 16 << 20);
  EXPECT_EQ(BytesOfEach(footprints, 2, 4, kMost), 4 << 20);
  // All sixteen would find their part in the second level.
  EXPECT_EQ(BytesOfEach(footprints, 2, 16, kMost), std::nullopt);
  EXPECT_EQ(BytesOfEach(footprints, 3, 16, kMost), kMost);
}

TEST(StreamThreads, CountWhatTheyGoThroughAndRestWhenTold) {
  const int cpu = os::AllowedCpus()->back();
  auto threads = StreamThreads::Start({cpu}, 1 << 20, {});
  ASSERT_TRUE(threads) << threads.error().ToString();
  for (const arch::StreamKind kind : {arch::StreamKind::kRead, arch::StreamKind::kWrite,
                                      arch::StreamKind::kCopy, arch::StreamKind::kWriteAround}) {
    const std::uint64_t before = (*threads)->BytesSoFar();
    (*threads)->Go({.stream = &WidestStream(kind, {}), .bytes = 64 << 10});
    while ((*threads)->BytesSoFar() == before) std::this_thread::yield();
    (*threads)->Rest();
    const std::uint64_t after = (*threads)->BytesSoFar();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ((*threads)->BytesSoFar(), after);
  }
}

TEST(StreamThreads, MemoryThatCannotBeHadIsAnError) {
  const int cpu = os::AllowedCpus()->back();
  EXPECT_FALSE(StreamThreads::Start({cpu}, std::size_t{1} << 62, {}));
  EXPECT_FALSE(StreamThreads::Start({1 << 20}, 1 << 20, {}));
}

TEST(StreamThreads, TheWidestStreamIsTheFirstThatTheCpuHas) {
  EXPECT_TRUE(WidestStream(arch::StreamKind::kCopy, {}).feature.empty());
  for (const arch::Stream& stream : arch::Streams()) {
    if (stream.feature.empty()) continue;
    EXPECT_EQ(WidestStream(stream.kind, {std::string(stream.feature)}).feature, stream.feature);
  }
}

}  // namespace
}  // namespace cyclescope::memory
