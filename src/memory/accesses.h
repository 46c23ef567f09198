// Which accesses are measured because of where they lie: loads of what was stored just before
// (store-to-load forwarding), and loads and stores that cross the end of a line or page. It only
// plans: they are snippets as any other, and `library` has them measured like those.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/access_forms.h"
#include "cyclescope/result/memory.h"

namespace cyclescope::memory {

struct PlannedAccess {
  MemoryAccess access;     // with its code, and without cycles
  std::uint64_t base = 0;  // what the base register holds
};

// `page` is the address of a page; it and the next may be used.
std::vector<PlannedAccess> PlanAccesses(std::span<const arch::AccessForm> forms, int line_bytes,
                                        std::int64_t page_bytes, std::uint64_t page);

}  // namespace cyclescope::memory
