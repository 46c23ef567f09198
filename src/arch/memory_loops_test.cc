#include "arch/memory_loops.h"

#include <gtest/gtest.h>
#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "arch/architecture.h"

namespace cyclescope::arch {
namespace {

TEST(MemoryLoops, LinesAreOfASizeThatCachesHave) {
  const int bytes = CacheLineBytes();
  EXPECT_GE(bytes, 16);
  EXPECT_LE(bytes, 256);
  EXPECT_EQ(bytes & (bytes - 1), 0);
}

TEST(MemoryLoops, FollowGoesFromLoadToLoad) {
  std::array<const void*, 5> ring;
  for (std::size_t i = 0; i < ring.size(); ++i) ring[i] = &ring[(i + 1) % ring.size()];
  EXPECT_EQ(Follow(&ring[0], 1), &ring[kLoadsPerLoop % ring.size()]);
  EXPECT_EQ(Follow(&ring[0], 3), &ring[3 * kLoadsPerLoop % ring.size()]);
}

TEST(MemoryLoops, FollowManyMovesEveryChain) {
  std::array<const void*, 7> ring;
  for (std::size_t i = 0; i < ring.size(); ++i) ring[i] = &ring[(i + 1) % ring.size()];
  for (const std::size_t count : {1, 2, 3, 4, 8, 16, 32}) {
    std::vector<const void*> chains;
    for (std::size_t i = 0; i < count; ++i) chains.push_back(&ring[i % ring.size()]);
    FollowMany(chains, 10);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(chains[i], &ring[(i + 10) % ring.size()]) << count << " chains";
    }
  }
}

TEST(MemoryLoops, StreamsTouchAllOfABlockAndNothingElse) {
  const std::vector<std::string> features = Features({getauxval(AT_HWCAP), getauxval(AT_HWCAP2)});
  struct alignas(512) Memory {
    std::array<std::byte, 4 * kStreamBlock> bytes;
  };
  for (const Stream& stream : Streams()) {
    if (!stream.feature.empty() && !std::ranges::binary_search(features, stream.feature)) continue;
    Memory to;
    Memory from;
    std::ranges::fill(to.bytes, std::byte{1});
    std::ranges::fill(from.bytes, std::byte{2});
    stream.run(to.bytes.data() + kStreamBlock, from.bytes.data() + kStreamBlock, 2 * kStreamBlock);
    const std::byte written = stream.kind == StreamKind::kRead   ? std::byte{1}
                              : stream.kind == StreamKind::kCopy ? std::byte{2}
                                                                 : std::byte{0};
    for (std::size_t i = 0; i < to.bytes.size(); ++i) {
      const bool inside = i >= kStreamBlock && i < 3 * kStreamBlock;
      EXPECT_EQ(to.bytes[i], inside ? written : std::byte{1}) << stream.instruction << ' ' << i;
      EXPECT_EQ(from.bytes[i], std::byte{2}) << stream.instruction << ' ' << i;
    }
  }
}

TEST(MemoryLoops, EveryKindOfStreamNeedsNoFeature) {
  for (const StreamKind kind :
       {StreamKind::kRead, StreamKind::kWrite, StreamKind::kCopy, StreamKind::kWriteAround}) {
    EXPECT_TRUE(std::ranges::any_of(Streams(), [kind](const Stream& stream) {
      return stream.kind == kind && stream.feature.empty();
    }));
  }
}

}  // namespace
}  // namespace cyclescope::arch
