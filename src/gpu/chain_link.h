// What the copies of a form are chained by: which result becomes which source, and through what.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cyclescope/base/error.h"
#include "gpu/ptx_text.h"

namespace cyclescope::gpu {

// How a chain is kept from being folded.
enum class ChainVariant {
  kRotating,     // every copy has other values for what is not part of the chain
  kGuarded,      // every copy has a guard, which is true; the compiler does not know
  kAlternating,  // a multiply-add stands between copies; its latency is taken off
};

struct ChainSpec {
  const PtxForm* form = nullptr;
  // From which result to which source, by their indices; none: copies side by side.
  std::optional<std::size_t> source;
  std::optional<std::size_t> result;
  ChainVariant variant = ChainVariant::kRotating;
};

// How a result becomes the next copy's source.
enum class LinkKind {
  kDirect,     // it is the same register, or another view of it
  kConnected,  // by an instruction whose latency is known by itself
  kRoundTrip,  // by an instruction that has no chain of its own: only the sum is known
};

struct LinkFacts {
  LinkKind kind = LinkKind::kDirect;
  std::string connector;  // its form, the chain is from its first source to its result
  // The form that stands between copies, with ChainVariant::kAlternating.
  std::string alternate;
};

// What the chain of a spec has between its copies; an error where there is no such chain.
Result<LinkFacts> LinkOf(const ChainSpec& spec);

// Chains that a thread of a throughput kernel has.
int ChainsOf(const PtxForm& form);

// Bytes that are read at once.
int GranuleBytes(const PtxForm& form);

// True if it is an atomic operation that leaves memory as it is when its other sources are zero. A
// comparison with zero fails: memory holds addresses.
bool KeepsMemory(const PtxForm& form);

// True if the form gives back the address that its memory holds, so that it can be the next one.
bool LoadsAddresses(const PtxForm& form, const PtxOperand& source, const PtxOperand& result);

}  // namespace cyclescope::gpu
