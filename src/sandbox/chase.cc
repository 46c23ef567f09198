#include "sandbox/chase.h"

#include <bit>
#include <cassert>

namespace cyclescope::sandbox {
namespace {

// A one-to-one map of numbers below a power of two onto themselves that looks random: odd
// multipliers and shifted exclusive-ors are both reversible (the finaliser of SplitMix64, Steele et
// al., 2014, cut to fewer bits).
class Shuffle {
 public:
  explicit Shuffle(std::uint64_t size) : mask_(size - 1), half_((std::countr_zero(size) + 1) / 2) {}

  std::uint64_t operator()(std::uint64_t number) const {
    for (const std::uint64_t factor : {0xbf58'476d'1ce4'e5b9ULL, 0x94d0'49bb'1331'11ebULL}) {
      number ^= number >> half_;
      number = number * factor & mask_;
    }
    return number ^ number >> half_;
  }

 private:
  std::uint64_t mask_;
  int half_;
};

}  // namespace

void WriteChase(std::span<std::uint64_t> words, std::span<std::uint64_t, kChaseCursors> cursors) {
  constexpr std::uint64_t kWords = kChaseStride / sizeof(std::uint64_t);
  const std::uint64_t places = words.size() / kWords;
  assert(std::has_single_bit(words.size()) && places >= kChaseCursors);
  const Shuffle shuffle(places);
  // Either line of a pair, so that all sets of a cache are used.
  const auto node = [&](std::uint64_t step) {
    const std::uint64_t place = shuffle(step % places);
    return &words[place * kWords +
                  static_cast<std::uint64_t>(std::popcount(place) % 2) * kWords / 2];
  };
  std::uint64_t* at = node(0);
  for (std::uint64_t step = 0; step < places; ++step) {
    std::uint64_t* next = node(step + 1);
    *at = reinterpret_cast<std::uint64_t>(next);
    at = next;
  }
  for (std::size_t i = 0; i < cursors.size(); ++i)
    cursors[i] = reinterpret_cast<std::uint64_t>(node(i * (places / cursors.size())));
}

}  // namespace cyclescope::sandbox
