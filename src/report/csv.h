// Results as CSV (RFC 4180), a line for each row, for spreadsheets and scripts. Latencies between
// cores have a shape of their own (cores_csv.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/result/anatomy.h"
#include "cyclescope/result/fleet.h"
#include "cyclescope/result/frequency.h"
#include "cyclescope/result/gpu.h"
#include "cyclescope/result/instruction.h"
#include "cyclescope/result/memory.h"

namespace cyclescope {

// Columns: text, opcode, mnemonic, isa, status, reason, latency (the longest pair), latency_kind,
// latencies (every pair, as "x1->x0 2; x2->x0 1"), throughput (cycles per instruction) with its
// interval, the model's values, notes; whether another thread shared the core for any value, the
// fewest visits that a value rests on, whether the throughput is only an upper bound; ports (as
// "1*p0156+1*p23"), slots and LLVM's ports.
std::string InstructionsCsv(const std::vector<InstructionRow>& rows);

// The long form of it: a line for each operand pair, with its interval, the model's latency of that
// pair and all that a value needs to be judged; an instruction without pairs has one line.
std::string PairsCsv(const std::vector<InstructionRow>& rows);

// A line for each snippet.
std::string BlocksCsv(const std::vector<BlockRow>& rows);

// Columns: cpu, status, reason, base_ghz, boost, core_ghz with its interval, cycle_source,
// contended, visits, steps (as "2.5 0.4; 2.9 0.6": each rate and its share of the time).
std::string FrequencyCsv(const std::vector<FrequencyRow>& rows);

// The footprints of `memory`.
std::string MemoryCsv(const std::vector<MemoryRow>& rows);

// The quantities of `anatomy`: part, name, filler, unit, status, reason, value with its interval,
// whether it is a lower bound, the value while the core is shared, whether it was never seen
// otherwise; widths last, as a part of their own.
std::string AnatomyCsv(const Anatomy& anatomy);

// The instructions of `gpu`, a line for each pair of operands.
std::string GpuCsv(const std::vector<GpuRow>& rows);

// A line per node and value that decides, or one for a node that has none.
std::string FleetCsv(const Fleet& fleet);

// ---- What all of them are made of

// Quoted where it must be.
std::string CsvField(std::string_view text);
// Empty where there is none, or none that is finite.
std::string CsvNumber(double value);
std::string CsvNumber(const std::optional<double>& value);
// All of a row, with its line break.
std::string CsvLine(std::span<const std::string> fields);

}  // namespace cyclescope
