#include "report/model_agreement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "report/row_figures.h"

namespace cyclescope {
namespace {

bool Agree(const Estimate& measured, double model, bool is_bound) {
  constexpr double kRelative = 0.02;
  constexpr double kCycles = 0.05;
  if (measured.low <= model && model <= measured.high) return true;
  if (is_bound && measured.value > model) return true;
  return std::abs(measured.value - model) <= std::max(kRelative * model, kCycles);
}

bool IsMeasured(const InstructionRow& row) {
  return row.status == Status::kMeasured || row.status == Status::kDisturbed;
}

// Models have a stand-in for what talks to the system or orders memory. Sorted.
constexpr std::array kSystem = std::to_array<std::string_view>(
    {"at",       "clflush",  "clflushopt", "clwb",      "cpuid",     "dc",        "dmb",
     "dsb",      "enter",    "fxrstor",    "fxrstor64", "fxsave",    "fxsave64",  "ic",
     "isb",      "lar",      "ldmxcsr",    "lfence",    "lsl",       "mfence",    "mrs",
     "msr",      "pause",    "rdfsbase",   "rdgsbase",  "rdpid",     "rdpkru",    "rdpmc",
     "rdrand",   "rdseed",   "rdtsc",      "rdtscp",    "serialize", "sfence",    "sgdt",
     "sidt",     "sldt",     "smsw",       "stmxcsr",   "str",       "sys",       "sysl",
     "tlbi",     "tpause",   "umonitor",   "umwait",    "verr",      "verw",      "vldmxcsr",
     "vstmxcsr", "wrfsbase", "wrgsbase",   "wrpkru",    "xgetbv",    "xrstor",    "xrstor64",
     "xsave",    "xsave64",  "xsavec",     "xsavec64",  "xsaveopt",  "xsaveopt64"});
static_assert(std::ranges::is_sorted(kSystem));

// `lsl`, `str` and `at` are system instructions on x86-64 or AArch64 only: there they name segments
// or addresses, elsewhere they shift, store or are none.
bool IsSystem(const InstructionRow& row) {
  if (!std::ranges::binary_search(kSystem, row.mnemonic)) return false;
  if (row.mnemonic == "str") return row.opcode.starts_with("STR") && row.opcode.size() <= 6;
  if (row.mnemonic == "lsl") return row.opcode.starts_with("LSL") && row.opcode.ends_with("r");
  return true;
}

class Comparer {
 public:
  explicit Comparer(ModelAgreement& agreement) : agreement_(agreement) {}

  void Add(const InstructionRow& row) {
    AddLatencies(row);
    if (!row.throughput || !row.model->throughput) return;
    Judge({.row = &row,
           .quantity = ModelQuantity::kThroughput,
           .measured_cycles = row.throughput->cycles.value,
           .model_cycles = *row.model->throughput},
          row.throughput->cycles, IsUpperBound(*row.throughput), agreement_.throughput);
  }

 private:
  void AddLatencies(const InstructionRow& row) {
    bool has_own = false;
    for (const Latency& latency : row.latency) {
      if (!latency.model) continue;
      has_own = true;
      if (latency.from != kMemory && latency.to != kMemory) AddPair(row, latency, *latency.model);
    }
    if (has_own || !row.model->latency) return;
    if (const Latency* longest = LongestLatency(row)) AddPair(row, *longest, *row.model->latency);
  }

  void AddPair(const InstructionRow& row, const Latency& latency, double model) {
    Judge({.row = &row,
           .pair = &latency,
           .quantity = ModelQuantity::kLatency,
           .measured_cycles = latency.cycles.value,
           .model_cycles = model},
          latency.cycles, IsUpperBound(latency), agreement_.latency);
  }

  void Judge(const ModelDifference& difference, const Estimate& measured, bool is_bound,
             ModelCount& count) {
    if (measured.contended) {
      ++agreement_.contended;
      return;
    }
    const bool agrees = Agree(measured, difference.model_cycles, is_bound);
    if (IsSystem(*difference.row)) {
      if (!agrees) agreement_.system.push_back(difference);
      return;
    }
    ++count.compared;
    if (agrees) {
      ++count.agreeing;
    } else {
      agreement_.differences.push_back(difference);
    }
  }

  ModelAgreement& agreement_;
};

}  // namespace

ModelAgreement CompareWithModel(std::span<const InstructionRow> rows) {
  ModelAgreement agreement;
  Comparer comparer(agreement);
  for (const InstructionRow& row : rows) {
    if (!row.model) continue;
    if (agreement.cpu.empty()) agreement.cpu = row.model->cpu;
    if (IsMeasured(row)) comparer.Add(row);
  }
  for (std::vector<ModelDifference>* differences : {&agreement.differences, &agreement.system}) {
    std::ranges::stable_sort(*differences, std::ranges::greater(),
                             [](const ModelDifference& d) { return std::abs(d.difference()); });
  }
  return agreement;
}

}  // namespace cyclescope
