// Chains: copies of a form, each of which waits for the one before through just one pair of
// operands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/kernel_parts.h"
#include "instructions/chain_draft.h"
#include "instructions/form.h"
#include "instructions/planner.h"

namespace cyclescope::instructions {

// An end of a pair that is no group of the form.
inline constexpr std::size_t kMemory = static_cast<std::size_t>(-1);

struct Pair {
  std::size_t from = 0;
  std::size_t to = 0;
};

class ChainBuilder {
 public:
  // `values` may be null.
  ChainBuilder(Planner& planner, const Form& form, const arch::ValueSet* values)
      : planner_(planner), form_(form), values_(values) {}

  // The pairs of the form for which there is something to measure.
  std::vector<Pair> Pairs() const;

  // Ways to close a loop through the pair, the best first; where several differ only in their
  // connector, each is an upper bound. Empty when there is none.
  std::vector<Chain> Build(const Pair& pair) const;

  // The same without anything that puts values back, where they stay as fast or slow by themselves:
  // what a unit hands on to itself may be there sooner than for any other unit. Unset where they do
  // not.
  std::optional<Chain> BuildSteady(const Pair& pair) const;

  // Through all sources of the destination's kind at once; unset when there is no such source.
  std::optional<Chain> BuildAllSources() const;

  // What people call an end of a pair.
  std::string NameOf(std::size_t end) const {
    return end == kMemory ? "memory" : form_.groups[end].name;
  }

 private:
  std::optional<Chain> Direct(const std::vector<std::size_t>& from, std::size_t to) const;
  // What becomes of values from link to link.
  enum class Upkeep {
    kPins,      // each link is followed by what puts its value back, where values matter
    kNone,      // they stay as fast or slow
    kRestarts,  // they do so for arch::kDriftingLinks links
  };
  std::optional<Chain> Link(const std::vector<std::size_t>& from, std::size_t to,
                            const arch::ValueSet* values, Upkeep upkeep) const;
  std::optional<Chain> PointerChase(const Pair& pair) const;
  std::vector<Chain> Connected(const Pair& pair) const;
  // Copies of a form that writes what it reads get places of their own. False where no registers
  // are left.
  bool SeparateUpdates(Copies& copies) const;
  // True if it may stand beside the form.
  bool Fits(const arch::Connector& connector) const;
  std::optional<Chain> ConnectedBy(const Pair& pair,
                                   const std::vector<const arch::Connector*>& connectors) const;
  std::optional<Chain> ThroughLoad(std::size_t from) const;
  std::optional<Chain> MemoryToItself() const;

  Planner& planner_;
  const Form& form_;
  const arch::ValueSet* values_;
};

}  // namespace cyclescope::instructions
