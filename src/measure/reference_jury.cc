#include "measure/reference_jury.h"

#include <fmt/core.h>

#include <cassert>
#include <cmath>
#include <vector>

namespace cyclescope::measure {
namespace {

bool IsWhole(double ratio) {
  const double nearest = std::round(ratio);
  return nearest >= 1 && std::abs(ratio - nearest) <= kJuryTolerance * nearest;
}

std::string DescribeRange(const arch::ReferenceChain& chain) {
  if (chain.least_cycles == chain.most_cycles) return fmt::format("{}", chain.least_cycles);
  return fmt::format("a whole number from {} to {}", chain.least_cycles, chain.most_cycles);
}

}  // namespace

Jury Judge(std::span<const arch::ReferenceChain> chains, std::span<const Estimate> ratios) {
  assert(chains.size() == ratios.size());
  Jury jury;
  jury.trusted = true;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const double ratio = ratios[i].value;
    jury.chains.push_back({std::string(chains[i].instruction), ratio});
    if (!jury.trusted) continue;
    const double nearest = std::round(ratio);
    if (ratios[i].disturbed) {
      jury.trusted = false;
      jury.verdict = "the machine was too disturbed to hold the reference against other chains";
    } else if (!IsWhole(ratio) || nearest < chains[i].least_cycles ||
               nearest > chains[i].most_cycles) {
      jury.trusted = false;
      jury.verdict = fmt::format(
          "'{}' takes {:.3f} links of '{}' where {} is expected: a link is not one cycle here",
          chains[i].instruction, ratio, chains[0].instruction, DescribeRange(chains[i]));
    }
  }
  if (jury.trusted) {
    jury.verdict = fmt::format("'{}' is one cycle: every other chain takes a whole number of it",
                               chains[0].instruction);
  }
  return jury;
}

Jury HoldJury(sandbox::Executor& executor, const CycleSource& source,
              std::span<const arch::ReferenceChain> chains, std::uint64_t loops) {
  std::vector<Estimate> ratios;
  for (std::uint32_t i = 0; i < chains.size(); ++i) {
    const sandbox::Entry chain = {sandbox::Entry::Kind::kReferenceChain, i};
    const LengthPair pair = {.shorter = {chain, loops},
                             .longer = {chain, 2 * loops},
                             .extra_units = static_cast<double>(loops * chains[i].links_per_loop)};
    const auto measured = TakeSamples(executor, source, pair, SamplingSettings{});
    if (!measured) {
      // A chain of our own cannot kill the worker; whatever did leaves nothing to trust.
      Jury jury;
      jury.verdict = "the reference chains could not be run: " + measured.error().reason;
      return jury;
    }
    ratios.push_back(measured->estimate);
  }
  return Judge(chains, ratios);
}

}  // namespace cyclescope::measure
