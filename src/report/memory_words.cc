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
      return fmt::format("{} ends at {}, the system says {}: others have the rest, or it is not so",
                         level, found, claimed);
    case MemoryFindingKind::kLargerCache:
      return fmt::format("{} ends at {}, the system says {}: more than it admits", level, found,
                         claimed);
    case MemoryFindingKind::kNoSuchCache:
      return fmt::format("the system says that there is an {} of {}, but no footprint shows it",
                         level, claimed);
    case MemoryFindingKind::kUnknownCache:
      return fmt::format("there is an {} that ends at {}, which the system does not list", level,
                         found);
  }
  std::unreachable();
}

}  // namespace cyclescope
