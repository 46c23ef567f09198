// What the user wants registers and memory to hold, from words to values.
#pragma once

#include "assembler/assembler.h"
#include "base/error.h"
#include "cyclescope/measure.h"
#include "instructions/block.h"

namespace cyclescope::library {

// Fills the block's registers, vectors and memory as the request says.
Result<void> ApplySettings(const assembler::Assembler& assembler, const BlockRequest& request,
                           instructions::Block& block);

}  // namespace cyclescope::library
