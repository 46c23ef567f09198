// The inner loops of `cyclescope memory`: loads that wait for each other, and streams of loads and
// stores. They are a few instructions of assembly, so that no compiler decides what is measured.
//
//   const void* at = lines;               // each line begins with the address of the next
//   at = arch::Follow(at, 100);           // 100 * kLoadsPerLoop loads, one after the other
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace cyclescope::arch {

// Bytes of a line of the first data cache, as the processor says.
int CacheLineBytes();

// Each load's address is what the load before it found. Returns what the last one found.
inline constexpr std::uint64_t kLoadsPerLoop = 32;
const void* Follow(const void* at, std::uint64_t loops);

// The same for several chains at once, one load of each in turn, in place. More chains than
// eight are kept in memory, which adds some cycles to each load: little to one that misses the
// first cache.
void FollowMany(std::span<const void*> chains, std::uint64_t loads);

// What a stream does with memory.
enum class StreamKind {
  kRead,
  kWrite,
  kCopy,
  kWriteAround,  // stores that go past the caches
};

struct Stream {
  StreamKind kind = StreamKind::kRead;
  std::string_view instruction;
  std::string_view feature;  // the CPU feature it needs (see Features); empty for none
  // From `from` to `to` where it copies, else in `to`. Both are lines' beginnings, and `bytes` is a
  // multiple of kStreamBlock.
  void (*run)(std::byte* to, const std::byte* from, std::size_t bytes) = nullptr;
};
inline constexpr std::size_t kStreamBlock = 512;

// All this architecture has; of a kind, the widest first.
std::span<const Stream> Streams();

}  // namespace cyclescope::arch
