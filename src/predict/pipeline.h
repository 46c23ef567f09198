// An out-of-order core that runs a loop until it repeats itself: slots of dispatch, windows, ports
// that are chosen when a µop is dispatched, latencies, retirement in order.
// Caches always hit and branches are predicted; what is stored and read again is in the program.
//
//   const PipelineResult result = RunPipeline(core, program, {});
//   result.cycles;  // per iteration
//
// Times are whole cycles: the same program gives the same result on every architecture.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cyclescope/result/prediction.h"
#include "predict/block_program.h"

namespace cyclescope::predict {

struct PipelineCore {
  double dispatch = 4;                      // slots in a cycle
  double retire = 8;                        // likewise
  int ports = 0;                            // how many there are
  std::array<int, kWindows> sizes = {512};  // entries; 0: not limited, which the first must not be
  PortChoice choice = PortChoice::kLeastWaiting;
  PortSet alternating = 0;  // a pair of ports that µops for both go to in turn; 0: none
  // Only where there is room for as many as it can, so that those of a cycle stay together.
  bool dispatches_whole = false;
  int loads_of_a_bank = 0;  // that start in a cycle; 0: as many as there are ports
};

PipelineCore CoreOf(const CoreModel& model);

// What an instruction waited for, from when it could have been dispatched to its start.
struct InstructionTimes {
  std::int64_t dispatched = 0;
  std::int64_t ready = 0;   // all that its last µop waits for was there
  std::int64_t issued = 0;  // its last µop went to a port
  std::int64_t done = 0;    // its results were there
  std::int64_t retired = 0;
  WaitCause cause = WaitCause::kNothing;  // what it waited for longest
  int producer = -1;  // where that is another's result: the instruction's number
};

struct PipelineOptions {
  std::size_t timeline_instructions = 0;  // the first of them are recorded
};

struct PipelineResult {
  double cycles = 0;              // per iteration
  bool settled = false;           // it repeats itself exactly: `cycles` is no average over a start
  std::vector<double> port_uops;  // per iteration, by port
  // Cycles per iteration in which nothing was dispatched, by what was lacking.
  std::array<double, kWindows> lacked{};
  std::vector<InstructionTimes> timeline;
};

PipelineResult RunPipeline(const PipelineCore& core, const BlockProgram& program,
                           const PipelineOptions& options = {});

}  // namespace cyclescope::predict
