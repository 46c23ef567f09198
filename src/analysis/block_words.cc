#include "analysis/block_words.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "analysis/claims.h"
#include "base/byte_size.h"
#include "base/printable.h"

namespace cyclescope {
namespace {

std::string CauseText(std::string_view cause) {
  if (cause == "branch") return Sentence({ClaimCode::kMispredictedBranch, {}});
  if (cause == "forwarding") return Sentence({ClaimCode::kStoreReadAgain, {}});
  if (cause == "division") return Sentence({ClaimCode::kSlowValues, {}});
  return "";
}

}  // namespace

std::string LeftOutText(const BlockRow& row) {
  if (row.left_out.empty()) return "";
  std::vector<std::string> quoted;
  for (const std::string& text : row.left_out) quoted.push_back(fmt::format("'{}'", text));
  return Printable(fmt::format("without {}, which {} not counted", fmt::join(quoted, ", "),
                               quoted.size() == 1 ? "is" : "are"));
}

std::string DataText(const BlockRow& row) {
  std::vector<std::string> parts;
  for (const BlockData& each : row.by_data)
    parts.push_back(fmt::format("{} data {:.2f}", Printable(each.data), each.cycles.value));
  if (parts.empty()) return "";
  const std::string cause = CauseText(row.data_cause);
  return fmt::format("{}{}{}", fmt::join(parts, ", "), cause.empty() ? "" : ": ", cause);
}

std::string AdviceText(const BlockRow& row) {
  if (!row.cycles || row.status != Status::kMeasured) return "";
  if (row.data_cause == "branch") return Sentence({ClaimCode::kUseSelect, {}});
  if (!row.bounds || row.bounds->binds != "chain" || !row.bounds->accumulates) return "";
  // Fewer cycles than this are not worth the change.
  constexpr double kMinGainRatio = 1.3;
  const BlockBounds& bounds = *row.bounds;
  if (bounds.next <= 0 || bounds.chain < kMinGainRatio * bounds.next) return "";
  const auto accumulators = static_cast<int>(std::ceil(bounds.chain / bounds.next - 0.05));
  return Sentence({ClaimCode::kMoreAccumulators,
                   {{"count", static_cast<double>(accumulators)},
                    {"cycles", std::max(bounds.next, bounds.chain / accumulators)}}});
}

std::string MemoryLayoutText(const BlockRow& row) {
  std::vector<std::string> parts;
  if (row.footprint > 0) {
    parts.push_back(fmt::format("{} of memory with {} data",
                                FormatBytes(static_cast<double>(row.footprint)),
                                Printable(row.memory)));
  } else if (row.pages > 0) {
    parts.push_back(fmt::format("memory at {} page{}, full of {}", row.pages,
                                row.pages == 1 ? "" : "s", Printable(row.memory)));
  }
  if (row.trips > 0) {
    parts.push_back(fmt::format("{} and {} trips", row.trips, 2 * row.trips));
  } else if (row.passes) {
    parts.push_back(fmt::format("registers as at first after every {} cop{}", row.unroll,
                                row.unroll == 1 ? "y" : "ies"));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace cyclescope
