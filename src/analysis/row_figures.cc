#include "analysis/row_figures.h"

#include <algorithm>

namespace cyclescope {

namespace {

const Latency* LongestOf(const InstructionRow& row, bool also_through_memory) {
  const Latency* longest = nullptr;
  for (const Latency& latency : row.latency) {
    if (!also_through_memory && (latency.from == kMemory || latency.to == kMemory)) continue;
    const bool bound = IsUpperBound(latency);
    if (longest != nullptr && bound && !IsUpperBound(*longest)) continue;
    if (longest == nullptr || (IsUpperBound(*longest) && !bound) ||
        latency.cycles.value > longest->cycles.value) {
      longest = &latency;
    }
  }
  return longest;
}

}  // namespace

const Latency* LongestLatency(const InstructionRow& row) {
  return LongestOf(row, /*also_through_memory=*/false);
}

const Latency* ShownLatency(const InstructionRow& row) {
  return LongestOf(row, /*also_through_memory=*/true);
}

std::optional<double> ModelLatencyOf(const InstructionRow& row, const Latency& pair) {
  if (pair.from == kMemory || pair.to == kMemory) return std::nullopt;
  if (pair.model) return pair.model;
  const bool has_own =
      std::ranges::any_of(row.latency, [](const Latency& each) { return each.model.has_value(); });
  if (has_own || !row.model || &pair != LongestLatency(row)) return std::nullopt;
  return row.model->latency;
}

bool IsContended(const InstructionRow& row) {
  return (row.throughput && row.throughput->cycles.contended) ||
         std::ranges::any_of(row.latency,
                             [](const Latency& latency) { return latency.cycles.contended; });
}

std::optional<double> MedianGhz(const std::vector<FrequencyRow>& rows) {
  std::vector<double> rates;
  for (const FrequencyRow& row : rows) {
    if (row.core_ghz.value > 0) rates.push_back(row.core_ghz.value);
  }
  if (rates.empty()) return std::nullopt;
  std::ranges::sort(rates);
  return rates[rates.size() / 2];
}

bool IsOneSizeAlone(const AnatomyRow& row) {
  return row.claim && row.claim->code == ClaimCode::kOneSizeSeen;
}

bool TellsSize(const AnatomyRow& row) {
  const bool nops_share = row.claim && row.claim->code == ClaimCode::kNopsShareEntries;
  return row.value && !row.contended && !nops_share && (!row.at_least || IsOneSizeAlone(row));
}

std::optional<ClaimCode> DoubtOfSize(const AnatomyRow& row, const Host& host) {
  if (row.contended) return ClaimCode::kValueOfSharedCore;
  if (IsOneSizeAlone(row)) return ClaimCode::kWindowMayBeSplit;
  if (row.at_least) return ClaimCode::kValueLowerBound;
  if (row.status != Status::kMeasured) return ClaimCode::kValueCutShort;
  // Two threads of such a core split its windows, and a run may have seen only one of the sizes.
  const bool may_be_split = host.architecture == "x86_64";
  if (may_be_split && !row.shared) return ClaimCode::kWindowMayBeSplit;
  return std::nullopt;
}

std::optional<Claim> LimitClaim(const Throughput& throughput) {
  if (throughput.limit == "decoder" && throughput.back_to_back)
    return Claim{ClaimCode::kLimitedByDecoder, {{"back_to_back", *throughput.back_to_back}}};
  if (throughput.limit == "pipes") return Claim{ClaimCode::kLimitedByPipes, {}};
  return std::nullopt;
}

}  // namespace cyclescope
