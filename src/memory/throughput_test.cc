#include "memory/throughput.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
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
  EXPECT_FALSE(footprints.empty());
  for (const LevelFootprint& footprint : footprints) EXPECT_LE(footprint.bytes, 16 << 20);
}

TEST(Throughput, CpusThatShareACacheShareItsFootprint) {
  const std::vector<LevelFootprint> footprints = {
      {"L1", 24 << 10, 1}, {"L2", 1 << 20, 1}, {"L3", 16 << 20, 16}, {"memory", 256 << 20, 1}};
  constexpr std::int64_t kMaxBytes = 64 << 20;
  EXPECT_EQ(BytesOfEach(footprints, 1, 16, kMaxBytes), 1 << 20);
  EXPECT_EQ(BytesOfEach(footprints, 2, 1, kMaxBytes), 16 << 20);
  EXPECT_EQ(BytesOfEach(footprints, 2, 4, kMaxBytes), 4 << 20);
  // All sixteen would find their part in the second level.
  EXPECT_EQ(BytesOfEach(footprints, 2, 16, kMaxBytes), std::nullopt);
  EXPECT_EQ(BytesOfEach(footprints, 3, 16, kMaxBytes), kMaxBytes);
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

TEST(StreamThreads, LessThanABlockIsNothingToGoThrough) {
  auto threads = StreamThreads::Start({os::AllowedCpus()->back()}, 1 << 20, {});
  ASSERT_TRUE(threads) << threads.error().ToString();
  (*threads)->Go({.stream = &WidestStream(arch::StreamKind::kCopy, {}), .bytes = 256});
  (*threads)->Rest();  // comes back
  EXPECT_EQ((*threads)->BytesSoFar(), 0);
}

TEST(StreamThreads, MemoryThatCannotBeHadIsAnError) {
  const int cpu = os::AllowedCpus()->back();
  EXPECT_FALSE(StreamThreads::Start({cpu}, std::size_t{1} << 62, {}));
  EXPECT_FALSE(StreamThreads::Start({1 << 20}, 1 << 20, {}));
}

// Without room for their stacks no threads can be made. It ends with an error, not by an exception.
TEST(StreamThreadsDeathTest, AThreadThatCannotBeStartedIsAnError) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve terabytes";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto start_without_memory = [] {
    const rlimit none = {.rlim_cur = 0, .rlim_max = RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &none) != 0) std::_Exit(2);
    const auto threads = StreamThreads::Start({0}, 4096, {});
    const bool named =
        !threads && threads.error().message.find("cannot start a thread") != std::string::npos;
    std::_Exit(named ? 0 : 1);
  };
  EXPECT_EXIT(start_without_memory(), ::testing::ExitedWithCode(0), "");
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
