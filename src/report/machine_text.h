// The machine and its clock in a few lines of text, as they stand above every table.
#pragma once

#include <string>

#include "cyclescope/result/document.h"
#include "report/text_style.h"

namespace cyclescope {

// "Arm Neoverse-V1, aarch64, 2 CPUs, virtual machine (kvm)", then the clock, where cycles come
// from, and whose cores other threads shared.
std::string MachineText(const Document& document, const TextStyle& style);

// "not complete: only a part was measured" in a line, where that is so; else empty.
std::string PartialText(bool partial, const TextStyle& style);

enum class ChecksShown {
  kAll,
  kFindings,  // what is not ok
};

// `doctor`'s list, with a closing sentence.
std::string DoctorText(const std::vector<Check>& checks, const TextStyle& style,
                       ChecksShown shown = ChecksShown::kAll);

// "measured", "contended", "disturbed", ...
std::string FrequencyStatusText(const FrequencyRow& row);

// `frequency`'s table. What the self-check says of one CPU is told only where it differs from what
// the clock's says of all.
std::string FrequencyText(const Document& document, const TextStyle& style);

// The same in a line, for CPUs too many to be listed.
std::string FrequencySummaryText(const std::vector<FrequencyRow>& rows);

// What else a result says about the machine, the clock and the run, beyond the lines above every
// table: names and values under headings; what the document does not hold is left out.
std::string FactsText(const Document& document, const TextStyle& style);

// Which CPUs the system claims to belong together, a line per level that separates some.
std::string TopologyText(const std::vector<CpuPlace>& places, const TextStyle& style);

}  // namespace cyclescope
