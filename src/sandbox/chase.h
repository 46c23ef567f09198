// A chain of pointers through memory in random order: a load that follows it misses every cache
// that is smaller than the memory, and no prefetcher can guess the next line.
//
// The chain is one cycle, of one line in two (spatial prefetchers fetch pairs of lines). Cursors
// are addresses of lines in it, at equal distances along the cycle: so several chains can be
// followed at once, and code that stores where it stopped goes on from there the next time.
//
//   WriteChase(words, cursors);
//   std::uint64_t at = cursors[0];
//   at = *reinterpret_cast<const std::uint64_t*>(at);  // a miss
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cyclescope::sandbox {

inline constexpr std::size_t kChaseCursors = 64;
// A chase has fewer bytes than this for each of its lines in use.
inline constexpr std::size_t kChaseStride = 128;

// `words` are a power of two of bytes, kChaseCursors * kChaseStride at least. Allocates nothing.
void WriteChase(std::span<std::uint64_t> words, std::span<std::uint64_t, kChaseCursors> cursors);

}  // namespace cyclescope::sandbox
