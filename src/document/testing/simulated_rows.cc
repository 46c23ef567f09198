#include "document/testing/simulated_rows.h"

#include <array>
#include <utility>

#include "document/testing/simulated_documents.h"

namespace cyclescope::testing {
namespace {

constexpr std::array kForms = std::to_array<SimulatedForm>({
    {"add x0, x1, x2", "ADDXrs", "base", 1, 0.25, 1, 0.25, "add"},
    {"add x0, x1, x2, lsl #5", "ADDXrs", "base", 2, 0.5, 2, 0.5},
    {"and x0, x1, x2", "ANDXrs", "base", 1, 0.25, 1, 0.25},
    {"csel x0, x1, x2, eq", "CSELXr", "base", 1, 0.25, 1, 0.5},
    {"mul x0, x1, x2", "MADDXrrr", "base", 2, 0.5, 2, 0.5, "multiply"},
    {"smulh x0, x1, x2", "SMULHrr", "base", 3, 1, 3, 1},
    {"sdiv x0, x1, x2", "SDIVXr", "base", 12, 12, 12, 5, "divide"},
    {"udiv w0, w1, w2", "UDIVWr", "base", 8, 8, 8, 5},
    {"clz x0, x1", "CLZXr", "base", 1, 0.25, 1, 0.5},
    {"rbit x0, x1", "RBITXr", "base", 1, 0.25, 1, 0.25},
    {"ldr x0, [x1]", "LDRXui", "base", 4, 0.33, 4, 0.33, "load"},
    {"ldp x0, x1, [x2]", "LDPXi", "base", 4, 0.5, 4, 0.5},
    {"str x0, [x1]", "STRXui", "base", 4.5, 0.5, 1, 0.5},
    {"ldar x0, [x1]", "LDARX", "base", 6, 0.5, 4, 0.33},
    {"cas x0, x1, [x2]", "CASX", "lse", 11.5, 9, 4, 1},
    {"casal x0, x1, [x2]", "CASALX", "lse", 19, 18, 4, 1, "compare and swap"},
    {"ldadd x0, x1, [x2]", "LDADDX", "lse", 9, 6, 4, 1},
    {"swp x0, x1, [x2]", "SWPX", "lse", 9, 6, 4, 1},
    {"crc32x w0, w1, x2", "CRC32Xrr", "crc", 2, 1, 2, 1},
    {"fadd d0, d1, d2", "FADDDrr", "fp", 2, 0.25, 2, 0.25, "FP add"},
    {"fmul d0, d1, d2", "FMULDrr", "fp", 3, 0.25, 3, 0.25, "FP multiply"},
    {"fmadd d0, d1, d2, d3", "FMADDDrrr", "fp", 4, 0.25, 4, 0.25, "fma"},
    {"fdiv d0, d1, d2", "FDIVDrr", "fp", 13, 7.5, 15, 7},
    {"fsqrt d0, d1", "FSQRTDr", "fp", 14, 8.5, 16, 7},
    {"fcvtzs x0, d1", "FCVTZSUXDr", "fp", 4, 1, 3, 0.5},
    {"scvtf d0, x1", "SCVTFUXDri", "fp", 3, 1, 3, 1},
    {"fmov x0, d1", "FMOVDXr", "fp", 3, 1, 2, 1},
    {"add v0.4s, v1.4s, v2.4s", "ADDv4i32", "asimd", 2, 0.25, 2, 0.25},
    {"mul v0.4s, v1.4s, v2.4s", "MULv4i32", "asimd", 4, 0.5, 4, 0.5},
    {"umull v0.2d, v1.2s, v2.2s", "UMULLv2i32", "asimd", 4, 0.5, 3, 0.5},
    {"fmla v0.4s, v1.4s, v2.4s", "FMLAv4f32", "asimd", 4, 0.25, 4, 0.25},
    {"fminv s0, v1.4s", "FMINVv4i32v", "asimd", 6, 1, 4, 0.5},
    {"sqshrn v0.4h, v1.4s, #3", "SQSHRNv4i16_shift", "asimd", 4, 1, 2, 0.5},
    {"tbl v0.16b, {v1.16b}, v2.16b", "TBLv16i8One", "asimd", 2, 0.5, 2, 0.5},
    {"sdot v0.4s, v1.16b, v2.16b", "SDOTv16i8", "dotprod", 3, 0.25, 3, 0.25},
    {"aese v0.16b, v1.16b", "AESErr", "aes", 2, 0.5, 2, 0.5},
    {"sha256h q0, q1, v2.4s", "SHA256Hrrr", "sha2", 4, 1, 4, 1},
    {"pmull v0.1q, v1.1d, v2.1d", "PMULLv1i64", "aes", 2, 1, 2, 0.5},
});

}  // namespace

Estimate Measured(double cycles, Noise& noise, int samples) {
  Estimate estimate;
  estimate.value = cycles;
  estimate.low = cycles * 0.9993;
  estimate.high = cycles * 1.0008;
  estimate.kept = samples;
  estimate.rejected = samples / 8;
  for (int i = 0; i < samples; ++i) estimate.samples.push_back(cycles * (1 + noise(0.0008)));
  return estimate;
}

std::span<const SimulatedForm> SimulatedForms() { return kForms; }

InstructionRow SimulatedRow(const SimulatedForm& form, Noise& noise) {
  InstructionRow row;
  row.text = form.text;
  row.opcode = form.opcode;
  row.mnemonic = form.text.substr(0, form.text.find(' '));
  row.isa = form.isa;
  row.known_as = form.known_as;
  row.throughput = Throughput{.cycles = Measured(form.throughput, noise),
                              .values = "",
                              .code = std::string(form.text) + "\n" + std::string(form.text)};
  const bool loads = row.text.find('[') != std::string::npos;
  row.latency.push_back({.from = loads ? "memory" : "source 1",
                         .to = "destination",
                         .cycles = Measured(form.latency, noise),
                         .kind = loads ? LatencyKind::kConnected : LatencyKind::kExact,
                         .connector = loads ? "eor x9, x9, x9" : "",
                         .values = "",
                         .code = std::string(form.text)});
  if (form.latency > 2 && !loads) {
    row.latency.push_back({.from = "source 2",
                           .to = "destination",
                           .cycles = Measured(form.latency - 1, noise),
                           .connector = "",
                           .values = "",
                           .code = std::string(form.text)});
  }
  row.model = ModelFigures{
      .cpu = "neoverse-v1", .latency = form.model_latency, .throughput = form.model_throughput};
  row.classic = {{.test = "THR",
                  .cycles_per_instruction = form.throughput,
                  .instructions_per_cycle = 1 / form.throughput,
                  .instructions = 4.8e8,
                  .core_cycles = 4.8e8 * form.throughput,
                  .ticks = 4.8e8 * form.throughput / 2.47,
                  .seconds = 4.8e8 * form.throughput / 2.594e9,
                  .boost = 2.47,
                  .base_ghz = 1.05,
                  .core_ghz = 2.594}};
  return row;
}

InstructionRow NotMeasured(std::string text, std::string opcode, Status status,
                           std::string reason) {
  InstructionRow row;
  row.mnemonic = text.substr(0, text.find(' '));
  row.text = std::move(text);
  row.opcode = std::move(opcode);
  row.isa = "system";
  row.status = status;
  row.reason = std::move(reason);
  return row;
}

CoreMatrix SimulatedMatrices(std::string test, std::string instruction, std::size_t size,
                             const std::function<double(std::size_t, std::size_t)>& latency,
                             Noise& noise) {
  CoreMatrix cores;
  cores.test = std::move(test);
  cores.instruction = std::move(instruction);
  cores.nanoseconds = cores.low = cores.high = PairMatrix(size);
  cores.spread_within = cores.spread_between = PairMatrix(size);
  for (std::size_t row = 0; row < size; ++row) {
    cores.cpus.push_back(static_cast<int>(row));
    for (std::size_t column = 0; column < size; ++column) {
      if (row == column) continue;
      const double value = latency(row, column) * (1 + noise(0.012));
      cores.nanoseconds.At(row, column) = value;
      cores.low.At(row, column) = value * 0.985;
      cores.high.At(row, column) = value * 1.017;
      cores.spread_within.At(row, column) = value * 0.002;
      cores.spread_between.At(row, column) = value * 0.04;
    }
  }
  cores.batches_kept = static_cast<std::int64_t>(size * (size - 1) * 320);
  cores.batches_rejected = static_cast<std::int64_t>(size * 7);
  cores.seed = 42;
  return cores;
}

std::vector<int> CpuRange(int first, int end) {
  std::vector<int> cpus;
  for (int cpu = first; cpu < end; ++cpu) cpus.push_back(cpu);
  return cpus;
}

Document RentedMachine(std::size_t cpus) {
  Document document = FullDocument();
  document.failure.clear();
  document.engine.reset();
  document.fleet.reset();
  document.hosts.reset();
  document.anatomy.reset();
  document.partial = false;
  document.config = {.command = "survey",
                     .started = "2026-11-14T09:30:00Z",
                     .confidence = 0.95,
                     .options = {{"output", "results"}}};
  document.host.name = "cloud-16";
  document.host.cpu_model = "Arm Neoverse-V1";
  document.host.microarchitecture = "Neoverse-V1";
  document.host.cpus_online = static_cast<int>(cpus);
  document.host.cpus_allowed = CpuRange(0, static_cast<int>(cpus));
  document.host.cpus_isolated.clear();
  document.host.topology.clear();
  document.instructions.clear();
  document.blocks.clear();
  document.cores.clear();
  document.frequency.clear();
  return document;
}

}  // namespace cyclescope::testing
