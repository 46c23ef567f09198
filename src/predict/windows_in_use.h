// Entries of a core's windows that instructions in flight hold, and which window was full for how
// long.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "predict/core_model.h"

namespace cyclescope::predict {

class WindowsInUse {
 public:
  using Entries = std::array<int, kWindows>;
  using Cycles = std::array<std::int64_t, kWindows>;

  // Entries of each; 0: not limited.
  explicit WindowsInUse(const Entries& sizes) : sizes_(sizes) {}

  // The first window that has no room for these.
  std::optional<Window> Lacking(const Entries& needs) const {
    for (std::size_t window = 0; window < kWindows; ++window) {
      const bool is_full =
          sizes_[window] > 0 && used_[window] > 0 && used_[window] + needs[window] > sizes_[window];
      if (needs[window] > 0 && is_full) return static_cast<Window>(window);
    }
    return std::nullopt;
  }

  // The first of those that every µop needs which has fewer entries left.
  std::optional<Window> LackingFor(int entries) const {
    for (const Window window : {Window::kReorderBuffer, Window::kScheduler}) {
      const auto number = static_cast<std::size_t>(window);
      if (sizes_[number] > 0 && used_[number] > 0 && used_[number] + entries > sizes_[number])
        return window;
    }
    return std::nullopt;
  }

  void Take(const Entries& needs) {
    for (std::size_t window = 0; window < kWindows; ++window) used_[window] += needs[window];
  }
  // What is held until retirement.
  void Retire(const Entries& needs) {
    for (std::size_t window = 0; window < kWindows; ++window) {
      if (window != kScheduler) used_[window] -= needs[window];
    }
  }
  // An entry of the scheduler is free when its µop starts.
  void Issue() { --used_[kScheduler]; }

  // Nothing was dispatched for want of room in it.
  void CountLack(Window window, std::int64_t cycles) {
    lacked_[static_cast<std::size_t>(window)] += cycles;
  }
  const Cycles& lacked() const { return lacked_; }

 private:
  static constexpr auto kScheduler = static_cast<std::size_t>(Window::kScheduler);

  Entries sizes_;
  Entries used_{};
  Cycles lacked_{};
};

}  // namespace cyclescope::predict
