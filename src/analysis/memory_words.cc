#include "analysis/memory_words.h"

#include <fmt/core.h>

#include <utility>

#include "base/byte_size.h"
#include "base/printable.h"

namespace cyclescope {

LevelTexts TextsOf(const MemoryLevel& level) {
  const char* mark = level.contended ? "~" : "";
  LevelTexts texts;
  texts.cycles = fmt::format("{:.3g}{}", level.cycles.value, mark);
  texts.cycles_interval = fmt::format("{:.3g} – {:.3g}", level.cycles.low, level.cycles.high);
  texts.nanoseconds = fmt::format("{:.3g}{}", level.nanoseconds.value, mark);
  if (level.capacity) {
    const MemoryValue& capacity = *level.capacity;
    texts.holds = (level.capacity_at_least ? "≥ " : "") + FormatBytes(capacity.value);
    if (!level.capacity_at_least)
      texts.holds_interval =
          fmt::format("{} – {}", FormatBytes(capacity.low), FormatBytes(capacity.high));
  }
  if (level.claimed_bytes) texts.claimed = FormatBytes(static_cast<double>(*level.claimed_bytes));
  return texts;
}

std::string FindingText(const MemoryFinding& finding) {
  const std::string found = finding.found_bytes ? FormatBytes(*finding.found_bytes) : "";
  const std::string claimed =
      finding.claimed_bytes ? FormatBytes(static_cast<double>(*finding.claimed_bytes)) : "";
  const std::string level = Printable(finding.level);
  switch (finding.kind) {
    case MemoryFindingKind::kSmallerCache:
      return fmt::format(
          "the system says {} {}, and this curve shows {} of it: other work may hold the rest, or "
          "the host does not give it",
          level, claimed, found);
    case MemoryFindingKind::kLargerCache:
      return fmt::format("the system says {} {}, but it ends only at {}", level, claimed, found);
    case MemoryFindingKind::kNoSuchCache:
      return fmt::format(
          "the system says {} {}, but no footprint shows such a cache: others may use all of it",
          level, claimed);
    case MemoryFindingKind::kUnknownCache:
      return fmt::format(
          "the curve has a step at {} that no cache of the system explains: another user of the "
          "last cache, or a cache that the system does not list",
          found);
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
