// Kernels as PTX text: a form repeated as a chain, or as many chains side by side.
//
//   ModuleText module(target);
//   AddLatencyEntry(module, "n1", {&form, 0, 0, ChainVariant::kRotating}, /*copies=*/128);
//   KernelJob job{.ptx = module.Text(), .upload = module.Upload()};
//
// The driver's compiler knows no value in it: all come from memory, each from a place of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "gpu/executor.h"
#include "gpu/ptx_text.h"

namespace cyclescope::gpu {

// A module: the header, kernels, and the values that they start with.
class ModuleText {
 public:
  explicit ModuleText(const DeviceFacts& device);

  // A kernel with the parameters of every kernel (executor.h), the registers %out, %mem, %up (64
  // bits), %lane and %thread (32 bits), and `body`.
  void AddEntry(std::string_view name, int most_threads, std::string_view body);

  // The place of a new value in the upload; a load of it is LoadInput.
  std::size_t AddInput(std::uint32_t value);

  std::string Text() const { return text_; }
  std::vector<std::uint32_t> Upload() const;

 private:
  std::string text_;
  std::vector<std::uint32_t> inputs_;
};

// ".version 8.4" is the newest that this driver reads; ".target sm_90a".
std::string PtxHeader(const DeviceFacts& device);

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
  // Of a variant: what stands between copies.
  std::string alternate;
};

// What the chain of a spec has between its copies; an error where there is no such chain.
Result<LinkFacts> LinkOf(const ChainSpec& spec);

// Up to kSingles copies side by side, each alone: to see how much code one is. Never run. The
// values of all kSingles are there in any case.
inline constexpr int kSingles = 48;
void AddSingleEntry(ModuleText& module, std::string_view name, const ChainSpec& spec, int copies);

// One warp; `a` passes over the copies, with addresses in global memory that lie `b` bytes further.
// out[i]: cycles of pass i.
inline constexpr std::uint64_t kMostShift = 256 * 1024;
void AddLatencyEntry(ModuleText& module, std::string_view name, const ChainSpec& spec, int copies);

// Chains that a thread of a throughput kernel has.
int ChainsOf(const PtxForm& form);
// Blocks of up to kThroughputThreads threads; `a` passes over the copies. out[2 i] and out[2 i +
// 1]: when warp i of all blocks began and ended, by its own clock.
inline constexpr int kThroughputThreads = 1024;
void AddThroughputEntry(ModuleText& module, std::string_view name, const ChainSpec& spec,
                        int copies);

// Fills `memory` with addresses: each `c` bytes hold the place where they begin, `b` bytes a word
// (4 or 8), `a` words in all.
void AddFillEntry(ModuleText& module);
inline constexpr char kFillEntry[] = "fill";

// Memory that a kernel of `blocks` blocks needs, in bytes, and shared memory of each.
std::uint64_t GlobalBytes(const PtxForm& form, unsigned blocks);
unsigned SharedBytes(const PtxForm& form, unsigned threads, int chains);
// Of a word of the fill, and of what is read at once.
int FillWordBytes(const PtxForm& form);
int GranuleBytes(const PtxForm& form);

}  // namespace cyclescope::gpu
