// µops that have their operands and wait for a port, the oldest first. Most that come are the
// newest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace cyclescope::predict {

// A µop of an iteration, as one number: older iterations have smaller ones.
using UopKey = std::uint64_t;
inline constexpr UopKey kNoUop = std::numeric_limits<UopKey>::max();

class ReadyQueue {
 public:
  UopKey oldest() const { return keys_.empty() ? kNoUop : keys_.front(); }
  std::span<const UopKey> keys() const { return keys_; }
  void Add(UopKey key) {
    keys_.push_back(key);
    for (std::size_t i = keys_.size() - 1; i > 0 && keys_[i - 1] > key; --i)
      std::swap(keys_[i - 1], keys_[i]);
  }
  void Remove(std::size_t place) {
    keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(place));
  }

 private:
  std::vector<UopKey> keys_;
};

}  // namespace cyclescope::predict
