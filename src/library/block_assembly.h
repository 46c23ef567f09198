// Snippets given as text, for whoever measures them.
#pragma once

#include "assembler/assembler.h"
#include "instructions/block.h"
#include "result/instruction.h"

namespace cyclescope::library {

// The block with its texts assembled; one of raw bytes has its bytes already.
assembler::TextResult<instructions::Block> AssembleBlock(assembler::Assembler& assembler,
                                                         instructions::Block block);

// The row of a block that needs what this machine does not offer.
BlockRow UnsupportedBlock(const instructions::Block& block, const assembler::TextError& error);

}  // namespace cyclescope::library
