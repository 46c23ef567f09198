// Instruction rows as CSV (RFC 4180), a line each, for spreadsheets and scripts.
#pragma once

#include <string>
#include <vector>

#include "result/instruction.h"

namespace cyclescope {

// Columns: text, opcode, mnemonic, isa, status, reason, latency (the longest pair), latency_kind,
// latencies (every pair, as "x1->x0 2; x2->x0 1"), throughput (cycles per instruction) with its
// interval, the model's values, notes; whether another thread shared the core for any value, the
// fewest visits that a value rests on, whether the throughput is only an upper bound.
std::string InstructionsCsv(const std::vector<InstructionRow>& rows);

}  // namespace cyclescope
