// One way to run a snippet, as an experiment, and what its measurement says: cycles per iteration.
// Both functions are pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "blocks/block.h"
#include "blocks/block_setup.h"
#include "instructions/evidence.h"
#include "measure/experiment.h"
#include "sandbox/worker_memory.h"

namespace cyclescope::blocks {

struct BlockPlan {
  BlockRow row;
  std::optional<measure::Experiment> experiment;
  std::size_t prologue_bytes = 0;  // what stands before the snippet's first copy in the kernels
  std::size_t snippet_bytes = 0;
  // Where the kernels have a trap for a loop that leaves too early.
  std::array<std::optional<std::size_t>, 2> traps;
  bool knows_count = true;
  bool moves_stack = false;
  bool inside_loop = false;    // another loop of the file is around it
  bool ends_programs = false;  // it holds an instruction that does, or one that asks the system
  std::optional<std::size_t> endless_from;  // an instruction from which no way leads to its end
  double least_body_cycles = 0;  // with less, the copies that the user wants tell nothing
};

// One way to run it; `pages` are those that faults have asked for so far.
BlockPlan PlanBlock(instructions::Planner& planner, const BlockSubject& subject, const Setup& setup,
                    const std::set<std::uint64_t>& pages, const sandbox::KernelPlaces& places);
BlockRow ConcludeBlock(const BlockPlan& plan, const measure::Measurement& measurement,
                       const instructions::Circumstances& circumstances);

// The register that counts a snippet's loops: the highest that the snippet does not name; unset
// when it names all. Bytes that are no instructions may use any: the register that compilers use
// least is taken for them.
std::optional<int> CounterFor(const Block& block, const BlockCode& code);

}  // namespace cyclescope::blocks
