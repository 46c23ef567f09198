#include "arch/window_code.h"

#include <array>

namespace cyclescope::arch {

std::string_view NameOf(Window window) {
  constexpr auto kWindowNames = std::to_array<std::string_view>(
      {"reorder buffer", "integer registers", "vector registers", "flags", "mask registers",
       "loads", "stores", "branches", "scheduler"});
  static_assert(kWindowNames.size() == static_cast<std::size_t>(Window::kScheduler) + 1);
  return kWindowNames[static_cast<std::size_t>(window)];
}

int EntriesOfHeads(Window window) {
  using enum Window;
  // Both heads are loads that write an integer register, and both must be in the window for their
  // misses to overlap.
  return window == kReorderBuffer || window == kIntegerRegisters || window == kLoads ? 2 : 0;
}

}  // namespace cyclescope::arch
