#include "analysis/model_agreement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "analysis/row_figures.h"

namespace cyclescope {
namespace {

bool Agree(const Estimate& measured, double model, bool is_bound) {
  constexpr double kRelative = 0.02;
  constexpr double kCycles = 0.05;
  if (measured.low <= model && model <= measured.high) return true;
  if (is_bound && measured.value > model) return true;
  const auto is_models = [&](double value) {
    return std::abs(value - model) <= std::max(kRelative * model, kCycles);
  };
  // A core that does it in the model's time in some places does not contradict it.
  return is_models(measured.value) ||
         std::ranges::any_of(measured.states,
                             [&](const ValueState& state) { return is_models(state.value); });
}

// Models have a stand-in for what talks to the system or orders memory. How LLVM's names of their
// opcodes begin: mnemonics have suffixes in AT&T syntax, and `str` and `lsl` are system
// instructions on x86-64 only.
constexpr auto kSystem = std::to_array<std::string_view>(
    {"CLFLUSH",  "CLFLUSHOPT", "CLWB",   "CPUID",   "DMB",      "DSB",       "ENTER",    "FXRSTOR",
     "FXSAVE",   "ISB",        "LAR",    "LDMXCSR", "LFENCE",   "LSL",       "MFENCE",   "MRRS",
     "MRS",      "MSR",        "MSRR",   "PAUSE",   "RDFSBASE", "RDGSBASE",  "RDPID",    "RDPKRU",
     "RDPMC",    "RDRAND",     "RDSEED", "RDTSC",   "RDTSCP",   "SERIALIZE", "SFENCE",   "SGDT",
     "SIDT",     "SLDT",       "SMSW",   "STMXCSR", "STR",      "SYS",       "SYSL",     "SYSP",
     "TPAUSE",   "UMONITOR",   "UMWAIT", "VERR",    "VERW",     "VLDMXCSR",  "VSTMXCSR", "WRFSBASE",
     "WRGSBASE", "WRPKRU",     "XGETBV", "XRSTOR",  "XSAVE",    "XSAVEC",    "XSAVEOPT"});

// Widths and kinds of operands follow in small letters and digits (LSL64rr, SYSxt); LSLVXr, STRXui
// and STR_ZXI are of other instructions.
bool IsSystem(const InstructionRow& row) {
  const std::string_view opcode = row.opcode;
  return std::ranges::any_of(kSystem, [opcode](std::string_view name) {
    if (!opcode.starts_with(name)) return false;
    const char next = opcode.size() == name.size() ? '0' : opcode[name.size()];
    return (next >= '0' && next <= '9') || (next >= 'a' && next <= 'z');
  });
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
          OverValues(row.throughput->cycles, row.throughput_by_values,
                     [](const Throughput&) { return true; }),
          IsUpperBound(*row.throughput), agreement_.throughput);
  }

 private:
  // A model has one number for a form whose time depends on its values (a division): what lies
  // between the fastest and the slowest of them agrees.
  template <typename Value, typename Same>
  static Estimate OverValues(Estimate estimate, const std::vector<Value>& all,
                             const Same& is_same) {
    for (const Value& each : all) {
      if (each.values.empty() || !is_same(each)) continue;
      estimate.low = std::min(estimate.low, each.cycles.low);
      estimate.high = std::max(estimate.high, each.cycles.high);
    }
    return estimate;
  }

  // Of several sets of values, the slowest stands for the pair.
  static bool IsSlowest(const InstructionRow& row, const Latency& latency) {
    return std::ranges::none_of(row.latency, [&](const Latency& other) {
      return other.from == latency.from && other.to == latency.to &&
             other.values != latency.values && other.cycles.value > latency.cycles.value;
    });
  }

  void AddLatencies(const InstructionRow& row) {
    bool has_own = false;
    for (const Latency& latency : row.latency) {
      if (!latency.model) continue;
      has_own = true;
      if (!IsSlowest(row, latency)) continue;
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
          OverValues(latency.cycles, row.latency,
                     [&](const Latency& other) {
                       return other.from == latency.from && other.to == latency.to;
                     }),
          IsUpperBound(latency), agreement_.latency);
  }

  void Judge(const ModelDifference& difference, const Estimate& measured, bool is_bound,
             ModelCount& count) {
    if (measured.disturbed) return;  // a best estimate only
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
      agreement_.agreements.push_back(difference);
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
    if (RanToItsEnd(row)) comparer.Add(row);
  }
  for (std::vector<ModelDifference>* differences : {&agreement.differences, &agreement.system}) {
    std::ranges::stable_sort(*differences, std::ranges::greater(),
                             [](const ModelDifference& d) { return std::abs(d.difference()); });
  }
  return agreement;
}

}  // namespace cyclescope
