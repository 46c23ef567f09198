#include "report/memory_words.h"

#include <fmt/core.h>

#include <utility>

#include "base/byte_size.h"
#include "report/text_style.h"

namespace cyclescope {

std::string FindingText(const MemoryFinding& finding) {
  const std::string found = finding.found_bytes ? FormatBytes(*finding.found_bytes) : "";
  const std::string claimed =
      finding.claimed_bytes ? FormatBytes(static_cast<double>(*finding.claimed_bytes)) : "";
  const std::string level = Printable(finding.level);
  switch (finding.kind) {
    case MemoryFindingKind::kSmallerCache:
      return fmt::format(
          "the system says {} {}, but it ends at {}: others have the rest, or it is not there",
          level, claimed, found);
    case MemoryFindingKind::kLargerCache:
      return fmt::format("the system says {} {}, but it ends only at {}", level, claimed, found);
    case MemoryFindingKind::kNoSuchCache:
      return fmt::format("the system says {} {}, but no footprint shows such a cache", level,
                         claimed);
    case MemoryFindingKind::kUnknownCache:
      return fmt::format("there is a cache {} that ends at {}, which the system does not list",
                         level, found);
    case MemoryFindingKind::kEarlyMemory:
      return fmt::format(
          "the system says {} {}, but from {} on a load takes as long as from "
          "memory{}",
          level, claimed, found,
          finding.memory_ns ? fmt::format(" ({:.3g} ns)", *finding.memory_ns) : "");
  }
  std::unreachable();
}

}  // namespace cyclescope
