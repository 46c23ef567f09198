// What the kernels of a form look like, for those who plan them and those who read what they left.
// Private to form_plan and conclude_form.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpu/executor.h"
#include "gpu/form_plan.h"

namespace cyclescope::gpu {

// Passes of a latency kernel. The first ones fetch the code.
inline constexpr int kPasses = 10;
inline constexpr int kColdPasses = 3;
inline constexpr std::array<int, 3> kLengths = {1, 2, 4};
// Throughput kernels have two lengths, too, with as many passes: neither the loop nor the start
// counts.
inline constexpr std::array<int, 2> kThroughputLengths = {1, 2};
// Lines of global memory that latencies are measured with. The least counts: that of a line in the
// near part of L2. All of them stay below kMostShift.
inline constexpr std::size_t kFormLines = 32;
inline constexpr std::uint64_t kFormLineStride = 128 * 33;
inline constexpr unsigned kWarpThreads = 32;

std::size_t LinesOf(const PtxForm& form);

// Words that each kernel leaves.
std::size_t OutWords(const DeviceFacts& device);

// Machine instructions that a copy of the chain may have at the most, to count as one: sizes are
// padded, and long sequences overlap a little.
double MostOf(const PairPlan& pair);
bool IsAsAlone(const PairPlan& pair);

// The chain that throughput is measured with: one without anything between copies, where there is.
const PairPlan* ThroughputPair(const FormPlan& plan);

}  // namespace cyclescope::gpu
