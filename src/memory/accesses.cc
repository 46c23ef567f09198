#include "memory/accesses.h"

#include <fmt/core.h>

#include <string>

namespace cyclescope::memory {
namespace {

// Every width is stored and loaded again; other widths meet this one, which all registers have.
constexpr int kCommonBytes = 8;

std::string LoadText(const arch::AccessForm& form, int distance) {
  return fmt::format(fmt::runtime(form.load), distance);
}

// How far a load may lie from the store before it: both begin together, end together, or overlap by
// a half.
std::vector<int> DistancesOf(int store_bytes, int load_bytes) {
  if (load_bytes < store_bytes) return {0, store_bytes - load_bytes};
  if (load_bytes == store_bytes && store_bytes >= kCommonBytes) return {0, store_bytes / 2};
  return {0};
}

void PlanForwarding(std::span<const arch::AccessForm> forms, std::uint64_t page,
                    std::vector<PlannedAccess>& planned) {
  for (const arch::AccessForm& store : forms) {
    for (const arch::AccessForm& load : forms) {
      const bool meet =
          store.bytes == load.bytes || store.bytes == kCommonBytes || load.bytes == kCommonBytes;
      if (store.vector != load.vector || !meet) continue;
      for (const int distance : DistancesOf(store.bytes, load.bytes)) {
        planned.push_back({{.kind = AccessKind::kForwarding,
                            .text = fmt::format("{}; {}", store.store, LoadText(load, distance)),
                            .store_bytes = store.bytes,
                            .load_bytes = load.bytes,
                            .vector = store.vector,
                            .distance = distance},
                           page});
      }
    }
  }
}

// A load, a store, and a load of what was stored: across an end, and behind it for comparison.
void PlanSplit(AccessKind kind, const arch::AccessForm& form, std::uint64_t end,
               std::vector<PlannedAccess>& planned) {
  const std::string load = LoadText(form, 0);
  for (const int before : {0, form.bytes / 2}) {
    const auto add = [&](std::string text, bool stores, bool loads) {
      planned.push_back({{.kind = kind,
                          .text = std::move(text),
                          .store_bytes = stores ? form.bytes : 0,
                          .load_bytes = loads ? form.bytes : 0,
                          .vector = form.vector,
                          .distance = before},
                         end - static_cast<std::uint64_t>(before)});
    };
    add(load, false, true);
    add(std::string(form.store), true, false);
    add(fmt::format("{}; {}", form.store, load), true, true);
  }
}

}  // namespace

std::vector<PlannedAccess> PlanAccesses(std::span<const arch::AccessForm> forms, int line_bytes,
                                        std::int64_t page_bytes, std::uint64_t page) {
  std::vector<PlannedAccess> planned;
  PlanForwarding(forms, page, planned);
  for (const arch::AccessForm& form : forms) {
    // Narrower ones behave like it.
    if (form.bytes < kCommonBytes || (form.vector && form.bytes == kCommonBytes)) continue;
    PlanSplit(AccessKind::kLineSplit, form, page + static_cast<std::uint64_t>(line_bytes), planned);
    PlanSplit(AccessKind::kPageSplit, form, page + static_cast<std::uint64_t>(page_bytes), planned);
  }
  return planned;
}

}  // namespace cyclescope::memory
