// What a snippet finds when it begins: registers, the stack, memory.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "blocks/block.h"
#include "blocks/block_setup.h"
#include "instructions/planner.h"
#include "sandbox/executor.h"
#include "sandbox/worker_memory.h"

namespace cyclescope::blocks {

// The same state in three forms: for the kernels, for what is around them, and for the row.
struct InitialState {
  std::map<int, std::uint64_t> registers;
  std::map<int, std::uint64_t> symbols;  // their addresses, by number
  std::uint64_t stack = 0;
  std::uint64_t memory = 0;
  sandbox::Surroundings surroundings;
  std::int64_t footprint = 0;  // of areas
};

// `pages` are those that faults have asked for so far; memory is laid out for `longest` trips.
InitialState StateOf(instructions::Planner& planner, const BlockSubject& subject,
                     const Setup& setup, const std::set<std::uint64_t>& pages,
                     const sandbox::KernelPlaces& places, int longest);

// Tells it in the row.
void DescribeState(instructions::Planner& planner, const BlockSubject& subject, const Setup& setup,
                   const InitialState& state, BlockRow& row);

}  // namespace cyclescope::blocks
