// What follows from a document as a whole, besides what its rows say themselves.
#pragma once

#include <optional>
#include <vector>

#include "cyclescope/result/claim.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

// Says by how much the clocks of CPUs differ, where the test measured that.
std::optional<Claim> ClocksClaim(const CoreMatrix& matrix);

// Says that no host is closer to some than to others.
std::optional<Claim> HostsClaim(const HostMatrix& matrix);

// Say where clusters of blocks run on a GPU.
std::vector<Claim> ClusterClaims(const GpuMatrix& matrix);

// Other maps that explain the times as well.
std::optional<Claim> OtherMapsClaim(const PortMap& map);

// How many forms have other ports than in LLVM's model; unset where none could be compared.
std::optional<Claim> PortsClaim(const std::vector<InstructionRow>& rows);

// All of them, with those about LLVM's model and about pairs of snippets.
std::vector<Claim> ClaimsOf(const Document& document);

}  // namespace cyclescope
