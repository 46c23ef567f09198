#include "analysis/document_claims.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "analysis/block_difference.h"
#include "analysis/memory_words.h"
#include "analysis/model_words.h"
#include "analysis/port_differences.h"

namespace cyclescope {

std::optional<Claim> ClocksClaim(const CoreMatrix& matrix) {
  if (matrix.clock_offset.size() == 0) return std::nullopt;
  double largest_ns = 0;
  for (std::size_t row = 0; row < matrix.clock_offset.size(); ++row) {
    for (std::size_t column = 0; column < matrix.clock_offset.size(); ++column) {
      if (!matrix.clock_offset.Has(row, column)) continue;
      largest_ns = std::max(largest_ns, std::abs(matrix.clock_offset.At(row, column)));
    }
  }
  return Claim{ClaimCode::kClocksDiffer, {{"ns", largest_ns}}};
}

std::optional<Claim> HostsClaim(const HostMatrix& matrix) {
  // Of two hosts neither is closer to anything; of what ended early nothing follows.
  constexpr std::size_t kFewestHosts = 3;
  if (matrix.rounds == 0 || matrix.partial || matrix.hosts.size() < kFewestHosts ||
      !matrix.groups.empty())
    return std::nullopt;
  return Claim{ClaimCode::kHostsAlike, {}};
}

std::vector<Claim> ClusterClaims(const GpuMatrix& matrix) {
  std::vector<std::size_t> sizes;
  double apart = 0;
  for (const GpuGroup& group : matrix.gpcs) {
    if (group.name == "apart") {
      apart += static_cast<double>(group.sms.size());
    } else {
      sizes.push_back(group.sms.size());
    }
  }
  std::vector<Claim> claims;
  if (!sizes.empty()) {
    claims.push_back({ClaimCode::kGpuClusters,
                      {{"gpcs", static_cast<double>(sizes.size())},
                       {"sizes", fmt::format("{}", fmt::join(sizes, ", "))}}});
  }
  if (apart > 0) claims.push_back({ClaimCode::kNoGpuCluster, {{"multiprocessors", apart}}});
  return claims;
}

std::optional<Claim> OtherMapsClaim(const PortMap& map) {
  if (map.other_maps <= 0) return std::nullopt;
  return Claim{ClaimCode::kOtherPortMaps, {{"maps", static_cast<double>(map.other_maps)}}};
}

std::optional<Claim> PortsClaim(const std::vector<InstructionRow>& rows) {
  const PortComparison comparison = ComparePorts(rows);
  if (comparison.compared == 0) return std::nullopt;
  return Claim{ClaimCode::kPortsDiffer,
               {{"different", static_cast<double>(comparison.differences.size())},
                {"compared", static_cast<double>(comparison.compared)}}};
}

std::vector<Claim> ClaimsOf(const Document& document) {
  std::vector<Claim> claims = ModelClaims(document.instructions);
  const auto add = [&claims](std::optional<Claim> claim) {
    if (claim) claims.push_back(std::move(*claim));
  };
  add(PortsClaim(document.instructions));
  if (document.port_map) add(OtherMapsClaim(*document.port_map));
  for (const CoreMatrix& matrix : document.cores) add(ClocksClaim(matrix));
  if (document.hosts) add(HostsClaim(*document.hosts));
  for (const GpuRow& row : document.gpu) {
    for (const TranslationLevel& level : row.translation) claims.push_back(ClaimOf(level));
    if (!row.matrix) continue;
    for (Claim& claim : ClusterClaims(*row.matrix)) claims.push_back(std::move(claim));
  }
  for (const BlockDifference& difference : FindDifferences(document.blocks)) {
    for (Claim& claim : ClaimsOf(difference)) claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace cyclescope
