// Snippets given as texts or bytes, from assembling to rows, for whoever measures them.
#pragma once

#include <optional>
#include <vector>

#include "assembler/assembler.h"
#include "instructions/block.h"
#include "library/code_session.h"
#include "library/pulse.h"
#include "result/instruction.h"

namespace cyclescope::library {

// What is to be measured: a block, or a row that says why there is none.
struct BlockJob {
  std::optional<instructions::Block> block;
  BlockRow row;
};

// The block with its texts assembled; one of raw bytes has its bytes already. One that needs what
// this machine does not offer is a job whose row says so; bad text is an error.
assembler::TextResult<BlockJob> AssembleBlock(assembler::Assembler& assembler,
                                              instructions::Block block);

// A row per job, or fewer when the pulse ends.
std::vector<BlockRow> MeasureBlocks(CodeSession& session, const std::vector<BlockJob>& jobs,
                                    Pulse& pulse);

}  // namespace cyclescope::library
