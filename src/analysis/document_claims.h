// What follows from a document as a whole, besides what its rows say themselves.
#pragma once

#include <optional>
#include <string>
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

// The two or three things about a machine that its owner should hear first: the most important
// first, at most three. What they say is in the rest of the report, with more figures.
std::vector<Claim> Highlights(const Document& document);

// Their sentences, without the end: "CPUs 0 and 12 share a core, which the system does not say".
std::vector<std::string> HighlightTexts(const Document& document);

}  // namespace cyclescope
