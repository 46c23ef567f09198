#include "arch/window_code.h"

#include <utility>

namespace cyclescope::arch {

std::string_view NameOf(Window window) {
  switch (window) {
    case Window::kReorderBuffer:
      return "reorder buffer";
    case Window::kIntegerRegisters:
      return "integer registers";
    case Window::kVectorRegisters:
      return "vector registers";
    case Window::kFlags:
      return "flags";
    case Window::kMaskRegisters:
      return "mask registers";
    case Window::kLoads:
      return "loads";
    case Window::kStores:
      return "stores";
    case Window::kBranches:
      return "branches";
    case Window::kScheduler:
      return "scheduler";
  }
  std::unreachable();
}

int EntriesOfHeads(Window window) {
  switch (window) {
    // Both heads are loads that write an integer register, and both must be in the window for their
    // misses to overlap.
    case Window::kReorderBuffer:
    case Window::kIntegerRegisters:
    case Window::kLoads:
      return 2;
    case Window::kVectorRegisters:
    case Window::kFlags:
    case Window::kMaskRegisters:
    case Window::kStores:
    case Window::kBranches:
    case Window::kScheduler:
      return 0;
  }
  std::unreachable();
}

}  // namespace cyclescope::arch
