// Kernels as PTX text: a form repeated as a chain, or as many chains side by side.
//
//   ModuleText module(device);
//   AddLatencyEntry(module, "n1", {&form, 0, 0, ChainVariant::kRotating}, /*copies=*/128);
//   KernelJob job{.ptx = module.Text(), .upload = module.Upload()};
//
// The driver's compiler knows no value in it: all come from memory, each from a place of its own.
#pragma once

#include <cstdint>
#include <string_view>

#include "gpu/chain_link.h"
#include "gpu/module_text.h"
#include "gpu/ptx_text.h"

namespace cyclescope::gpu {

// Up to kSingles copies side by side, each alone: to see how much code one is. Never run. The
// values of all kSingles are there in any case.
inline constexpr int kSingles = 48;
void AddSingleEntry(ModuleText& module, std::string_view name, const ChainSpec& spec, int copies);

// One warp; `a` passes over the copies, with addresses in global memory that lie `b` bytes further.
// out[i]: cycles of pass i.
inline constexpr std::uint64_t kMostShift = 256 * 1024;
void AddLatencyEntry(ModuleText& module, std::string_view name, const ChainSpec& spec, int copies);

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
// The size of a word of the fill.
int FillWordBytes(const PtxForm& form);

}  // namespace cyclescope::gpu
