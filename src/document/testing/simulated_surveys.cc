#include "document/testing/simulated_surveys.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/claims.h"
#include "document/csv_matrix_reader.h"
#include "document/testing/simulated_documents.h"
#include "document/testing/simulated_fleets.h"

namespace cyclescope::testing {
namespace {

// Noise around zero. The sum of uniform values, since the standard's normal distribution gives
// other values with every library.
class Noise {
 public:
  double operator()(double deviation) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<double>(random_()) / 4294967295.0 - 0.5;
    return sum * deviation * 1.7;
  }

 private:
  std::mt19937 random_{20261115};
};

Estimate Measured(double cycles, Noise& noise, int samples = 15) {
  Estimate estimate;
  estimate.value = cycles;
  estimate.low = cycles * 0.9993;
  estimate.high = cycles * 1.0008;
  estimate.kept = samples;
  estimate.rejected = samples / 8;
  for (int i = 0; i < samples; ++i) estimate.samples.push_back(cycles * (1 + noise(0.0008)));
  return estimate;
}

struct SimulatedForm {
  std::string_view text;
  std::string_view opcode;
  std::string_view isa;
  double latency;
  double throughput;
  double model_latency;
  double model_throughput;
  std::string_view known_as = {};
};

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

InstructionRow Row(const SimulatedForm& form, Noise& noise) {
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

// The matrices of one test from a formula for the latency of a pair.
CoreMatrix Matrices(std::string test, std::string instruction, std::size_t size,
                    const std::function<double(std::size_t, std::size_t)>& latency, Noise& noise) {
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

std::vector<int> Range(int first, int end, int step = 1) {
  std::vector<int> cpus;
  for (int cpu = first; cpu < end; cpu += step) cpus.push_back(cpu);
  return cpus;
}

Document Rented(std::size_t cpus) {
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
  document.host.cpus_allowed = Range(0, static_cast<int>(cpus));
  document.host.cpus_isolated.clear();
  document.host.topology.clear();
  document.instructions.clear();
  document.blocks.clear();
  document.cores.clear();
  document.frequency.clear();
  return document;
}

// A machine that claims 2 MB of L2 and 32 MB of L3, of which others have the most.
MemoryRow SimulatedMemory(Noise& noise) {
  const auto value = [](double at) { return MemoryValue{at, 0.99 * at, 1.01 * at}; };
  constexpr double kKb = 1024;
  MemoryRow row;
  row.cpu = 15;
  row.line_bytes = 64;
  for (const PageKind pages : {PageKind::kHuge, PageKind::kSmall}) {
    MemoryCurve curve;
    curve.pages = pages;
    curve.page_bytes = pages == PageKind::kHuge ? 2 << 20 : 4096;
    curve.huge_share = pages == PageKind::kHuge ? 1 : 0;
    for (double bytes = kKb; bytes <= 512 * 1024 * kKb; bytes *= 1.41421356) {
      const double cycles = bytes <= 64 * kKb     ? 4
                            : bytes <= 1200 * kKb ? 13
                            : bytes <= 8192 * kKb ? 90
                                                  : 330;
      const double at = cycles * (1 + noise(0.01)) * (pages == PageKind::kHuge ? 1 : 1.08);
      curve.points.push_back({.bytes = static_cast<std::int64_t>(bytes),
                              .cycles = value(at),
                              .nanoseconds = value(at / 2.6),
                              .p10_ns = 0.98 * at / 2.6,
                              .p90_ns = 1.05 * at / 2.6,
                              .visits = 8});
    }
    row.curves.push_back(std::move(curve));
  }
  const auto level = [&](const char* name, double cycles, double capacity_kb, double claimed_kb) {
    MemoryLevel made;
    made.name = name;
    made.cycles = value(cycles);
    made.nanoseconds = value(cycles / 2.6);
    if (capacity_kb > 0) made.capacity = value(capacity_kb * kKb);
    if (claimed_kb > 0) made.claimed_bytes = static_cast<std::int64_t>(claimed_kb * kKb);
    return made;
  };
  row.levels = {level("L1", 4, 64, 64), level("L2", 13, 1200, 2048), level("L3", 90, 8192, 32768),
                level("memory", 330, 0, 0)};
  row.levels[2].by_single_loads = true;
  row.translation = {
      {.pages = PageKind::kSmall, .page_bytes = 4096, .reach = value(48), .cycles = value(5)}};
  row.findings = {{.kind = MemoryFindingKind::kSmallerCache,
                   .level = "L2",
                   .found_bytes = 1200 * kKb,
                   .claimed_bytes = 2 << 20,
                   .text = ""},
                  {.kind = MemoryFindingKind::kEarlyMemory,
                   .level = "L3",
                   .found_bytes = 11.3 * 1024 * kKb,
                   .claimed_bytes = 32 << 20,
                   .memory_ns = 127,
                   .text = ""}};
  row.parallelism = {{.level = "memory",
                      .bytes = 128 << 20,
                      .points = {{.chains = 1, .nanoseconds = value(127), .in_flight = 1},
                                 {.chains = 8, .nanoseconds = value(16.5), .in_flight = 7.7}}}};
  row.bandwidth = {{.level = "memory",
                    .bytes = 128 << 20,
                    .kind = BandwidthKind::kRead,
                    .instruction = "ldp q",
                    .cpus = 1,
                    .gigabytes = value(21)},
                   {.level = "memory",
                    .bytes = 128 << 20,
                    .kind = BandwidthKind::kRead,
                    .instruction = "ldp q",
                    .cpus = 16,
                    .gigabytes = value(180)}};
  row.loaded = {{.gigabytes = value(0.1), .nanoseconds = value(127)},
                {.gigabytes = value(150), .nanoseconds = value(260)}};
  row.places = {{.cpu = 15, .node = 0, .nanoseconds = value(127), .gigabytes = value(21)}};
  const auto access = [&row](AccessKind kind, const char* text, int store, int load, int distance,
                             double cycles) {
    row.accesses.push_back({.kind = kind,
                            .text = text,
                            .store_bytes = store,
                            .load_bytes = load,
                            .distance = distance,
                            .cycles = SimulatedEstimate(cycles, 0.01)});
  };
  access(AccessKind::kForwarding, "str x0, [x1]; ldur x0, [x1, #0]", 8, 8, 0, 5);
  access(AccessKind::kForwarding, "str x0, [x1]; ldur x0, [x1, #4]", 8, 8, 4, 14);
  for (const AccessKind kind : {AccessKind::kLineSplit, AccessKind::kPageSplit}) {
    access(kind, "ldur x0, [x1, #0]", 0, 8, 0, 0.33);
    access(kind, "ldur x0, [x1, #0]", 0, 8, 4, kind == AccessKind::kLineSplit ? 0.67 : 1.33);
  }
  return row;
}

// The same on a core that was shared most of the time, and there was no time for the rest.
void MakeBusy(MemoryRow& row) {
  row.cpu = 1;
  for (MemoryCurve& curve : row.curves) {
    curve.contended_share = 0.62;
    for (std::size_t i = 0; i < curve.points.size(); i += 2) curve.points[i].contended = true;
  }
  for (MemoryLevel& level : row.levels) {
    level.contended = level.name != "L1";
    level.capacity_at_least = level.name == "L2" || level.name == "L3";
  }
  for (MemoryBandwidth& bandwidth : row.bandwidth) bandwidth.contended = true;
  row.findings.clear();
  row.translation.clear();
  row.places.clear();
  row.accesses.clear();
  row.left_out = {"nodes", "accesses"};
}

}  // namespace

Document SurveyDocument() {
  constexpr std::size_t kCpus = 16;
  Noise noise;
  Document document = Rented(kCpus);
  for (int cpu = 0; cpu < static_cast<int>(kCpus); ++cpu) {
    document.host.topology.push_back(
        {.cpu = cpu, .core = cpu, .l3 = 0, .package = 0, .numa = 0, .kind = ""});
    document.frequency.push_back({.cpu = cpu,
                                  .reason = "",
                                  .base_ghz = 1.05,
                                  .boost = 2.47,
                                  .core_ghz = SimulatedEstimate(2.594 + noise(0.004), 0.002),
                                  .cycle_source = "reference",
                                  .self_check_passed = true});
  }
  document.frequency[3].core_ghz.contended = true;
  document.frequency[3].steps = {{.ghz = 2.5, .share = 0.4}, {.ghz = 2.9, .share = 0.6}};
  document.doctor = {
      {.name = "counters",
       .status = CheckStatus::kNote,
       .claim = Claim{ClaimCode::kNoCounters, {{"reason", "the kernel has no driver for them"}}}},
      {.name = "governor",
       .claim =
           Claim{ClaimCode::kFastestSetting, {{"name", "governor"}, {"setting", "performance"}}}},
      {.name = "steal",
       .status = CheckStatus::kWarn,
       .claim = Claim{ClaimCode::kTimeStolen, {{"percent", 1.4}}},
       .remedy = "use a machine with dedicated CPUs"},
      {.name = "perf_event_paranoid",
       .status = CheckStatus::kWarn,
       .claim = Claim{ClaimCode::kSuperuserCounters,
                      {{"setting", "kernel.perf_event_paranoid"}, {"value", 4.0}}},
       .remedy = "sudo sysctl kernel.perf_event_paranoid=2"}};
  for (Check& check : document.doctor) PutIntoWords(check);

  // CPUs 0 and 12 on one core; 0-3 and 12, 4-7, 8-11 and 13-15 behind a cache each.
  const auto cluster = [](std::size_t cpu) { return cpu == 12 ? 0 : cpu > 12 ? 2 : cpu / 4; };
  const auto latency = [&](std::size_t a, std::size_t b) {
    if ((a == 0 && b == 12) || (a == 12 && b == 0)) return 7.2;
    return cluster(a) == cluster(b) ? 46.0 : 96.0;
  };
  document.cores.push_back(Matrices("cas", "casal", kCpus, latency, noise));
  document.cores.push_back(Matrices(
      "two-lines", "stlr, ldar", kCpus,
      [&](std::size_t a, std::size_t b) { return 2.4 * latency(a, b); }, noise));
  for (CoreMatrix& cores : document.cores) {
    cores.groups = {
        {.name = "group A", .level = 0, .cpus = {0, 12}, .nanoseconds = 7.2},
        {.name = "group B", .level = 1, .cpus = {0, 1, 2, 3, 12}, .nanoseconds = 46},
        {.name = "group C", .level = 1, .cpus = {4, 5, 6, 7}, .nanoseconds = 46},
        {.name = "group D", .level = 1, .cpus = {8, 9, 10, 11, 13, 14, 15}, .nanoseconds = 46},
        {.name = "package 0",
         .level = 2,
         .cpus = Range(0, static_cast<int>(kCpus)),
         .nanoseconds = 96,
         .in_topology = true}};
    cores.disturbed = {{3, 9}};
  }
  document.cores[0].findings = {
      {.kind = FindingKind::kSharedCore,
       .cpus = {0, 12},
       .text = "CPUs 0 and 12 share a core, although the system lists one thread per core: they "
               "answer each other in 7.2 ns where others need 46 to 96, and halve each other's "
               "throughput"},
      {.kind = FindingKind::kHiddenCluster,
       .cpus = {4, 5, 6, 7},
       .text = "CPUs 4-7 are twice as close to each other as to the rest; the topology lists no "
               "cache that they share"}};

  document.memory = {SimulatedMemory(noise)};

  for (const SimulatedForm& form : kForms) document.instructions.push_back(Row(form, noise));
  AddNote({ClaimCode::kEliminated, {}}, document.instructions[0]);
  document.instructions[6].throughput_by_values = {*document.instructions[6].throughput,
                                                   *document.instructions[6].throughput};
  document.instructions[6].throughput_by_values[0].values = "fast";
  document.instructions[6].throughput_by_values[1].values = "slow";
  document.instructions[1].latency[0].cycles.two_modes = true;
  document.instructions[8].throughput->cycles.contended = true;
  document.instructions[28].latency[0].cycles.contended = true;
  document.instructions.push_back(
      NotMeasured("wfi", "HINT", Status::kPrivileged, "only the kernel may execute it"));
  document.instructions.push_back(
      NotMeasured("fadd z0.d, z1.d, z2.d", "FADD_ZZZ_D", Status::kUnsupported,
                  "hidden by the hypervisor: LLVM lists sve for neoverse-v1, but "
                  "programs may not use it here"));
  document.instructions.push_back(
      NotMeasured("udf #0", "UDF", Status::kCrashed, "died of an illegal instruction"));
  BlockRow& block = document.blocks.emplace_back();
  block.text = "ldr x0, [x1], #8\nadd x2, x2, x0\nsubs x3, x3, #1";
  block.init = "mov x3, #64";
  block.cycles = Measured(1.5, noise, 40);
  block.instructions = 3;
  block.code = block.text;
  BlockRow& forwarded = document.blocks.emplace_back();
  forwarded.name = "store to load";
  forwarded.text = "str x0, [x1]; ldr x0, [x1]";
  forwarded.cycles = Measured(5, noise, 40);
  forwarded.instructions = 2;
  forwarded.code = forwarded.text;
  return document;
}

Document LaterSurveyDocument() {
  Document document = SurveyDocument();
  document.config.started = "2026-11-15T09:30:00Z";
  document.host.kernel = "6.1.1";
  for (CoreMatrix& cores : document.cores) {
    for (std::size_t row = 0; row < cores.cpus.size(); ++row) {
      for (std::size_t column = 0; column < cores.cpus.size(); ++column) {
        if (row / 4 == column / 4) continue;  // only between clusters
        for (PairMatrix* matrix : {&cores.nanoseconds, &cores.low, &cores.high}) {
          matrix->At(row, column) *= 1.18;
        }
      }
    }
  }
  Noise noise;
  document.instructions[4].latency[0].cycles = Measured(3, noise);
  document.instructions[6].throughput_by_values.clear();
  document.instructions[22].throughput->cycles = Measured(5, noise);
  document.instructions.erase(document.instructions.begin() + 30);
  return document;
}

Document TwoCpusDocument() {
  Document document = SurveyDocument();
  document.host.name = "cloud-2";
  document.host.cpu_model = "Intel(R) Xeon(R) Processor";
  document.host.microarchitecture = "Granite Rapids (Redwood Cove)";
  document.host.cpu_vendor = "Intel";
  document.host.cpus_online = 2;
  document.host.cpus_allowed = {0, 1};
  document.host.topology.resize(2);
  document.frequency.resize(2);
  document.frequency[0].core_ghz = SimulatedEstimate(3.6, 0.01);
  document.frequency[1].core_ghz = SimulatedEstimate(3.9, 0.01);
  MakeBusy(document.memory[0]);
  Noise noise;
  document.cores = {
      Matrices("cas", "lock cmpxchg", 2, [](std::size_t, std::size_t) { return 83.0; }, noise)};
  CoreMatrix& cores = document.cores[0];
  cores.stability = Stability::kFloating;
  cores.rounds = 40;
  cores.spectrum = {
      .first_ns = 6, .step = 1.25, .counts = std::vector<std::int64_t>(13), .levels = {}};
  cores.spectrum.counts[1] = 1;
  cores.spectrum.counts[10] = 12;
  cores.spectrum.counts[11] = 60;
  cores.spectrum.counts[12] = 7;
  cores.spectrum.levels = {
      {.name = "same core", .nanoseconds = 8.1, .low = 8, .high = 8.3, .share = 0.0125},
      {.name = "other core", .nanoseconds = 83, .low = 58, .high = 102, .share = 0.9875}};
  cores.floating = CoreFloating{};
  cores.floating->levels = {{.nanoseconds = 8.1, .share = 0.0125, .residence_ms = 120},
                            {.nanoseconds = 83, .share = 0.9875, .residence_ms = {}}};
  CoreFinding moving;
  moving.kind = FindingKind::kFloating;
  moving.cpus = {0, 1};
  moving.share = 0.0125;
  cores.findings = {moving};
  document.instructions[15].latency[0].kind = LatencyKind::kUpperBound;
  document.contention = {{.cpu = 0, .share = 0.46, .probes = 900}};
  for (std::size_t i = 0; i < document.instructions.size(); i += 2) {
    InstructionRow& row = document.instructions[i];
    if (row.throughput) row.throughput->cycles.contended = true;
    for (Latency& pair : row.latency) pair.cycles.contended = true;
  }
  return document;
}

Document HastyDocument() {
  Document document = TwoCpusDocument();
  document.host.name = "hasty";
  document.host.hypervisor = kUnnamedHypervisor;
  document.contention.clear();
  document.warnings.clear();
  for (MemoryCurve& curve : document.memory[0].curves) {
    curve.contended_share = 0;
    for (MemoryPoint& point : curve.points) {
      point.contended = false;
      point.visits = 1;
    }
  }
  for (MemoryBandwidth& bandwidth : document.memory[0].bandwidth) bandwidth.contended = false;
  for (InstructionRow& row : document.instructions) {
    if (row.throughput) row.throughput->cycles.contended = false;
    for (Latency& pair : row.latency) pair.cycles.contended = false;
  }
  return document;
}

namespace {

Document CpusApart(double ns) {
  Document document = BareDocument();
  document.host.name = "near";
  document.host.hypervisor = "none";
  document.config.command = "cores";
  CoreMatrix& cores = document.cores.emplace_back();
  cores.test = "cas";
  cores.cpus = {0, 1};
  for (PairMatrix* matrix : {&cores.nanoseconds, &cores.low, &cores.high}) *matrix = PairMatrix(2);
  for (const auto& [row, column] : {std::pair(0, 1), std::pair(1, 0)}) {
    cores.nanoseconds.At(row, column) = ns;
    cores.low.At(row, column) = ns - 0.3;
    cores.high.At(row, column) = ns + 0.3;
  }
  return document;
}

}  // namespace

Document NearCpusDocument() { return CpusApart(42); }
Document LaterNearCpusDocument() { return CpusApart(44); }

namespace {

Document TwoSockets(std::size_t cpus) {
  const std::size_t cores_in_all = cpus / 2;
  constexpr std::size_t kChiplet = 16;
  const std::size_t socket = cores_in_all / 2;
  Noise noise;
  Document document = Rented(cpus);
  document.host.name = "two-sockets";
  document.host.cpu_model = "AMD EPYC 9965 192-Core Processor";
  document.host.microarchitecture = "Turin (Zen 5)";
  document.host.cpu_vendor = "AMD";
  document.memory.clear();
  document.host.hypervisor = "none";
  document.config.command = "cores";
  const auto core = [=](std::size_t cpu) { return cpu % cores_in_all; };
  for (std::size_t cpu = 0; cpu < cpus; ++cpu) {
    document.host.topology.push_back({.cpu = static_cast<int>(cpu),
                                      .core = static_cast<int>(core(cpu)),
                                      .l3 = static_cast<int>(core(cpu) / kChiplet),
                                      .package = static_cast<int>(core(cpu) / socket),
                                      .numa = static_cast<int>(core(cpu) / socket),
                                      .kind = ""});
    document.frequency.push_back({.cpu = static_cast<int>(cpu),
                                  .reason = "",
                                  .base_ghz = 2.4,
                                  .boost = 1.5,
                                  .core_ghz = SimulatedEstimate(3.6 + noise(0.05), 0.002),
                                  .cycle_source = "counter",
                                  .self_check_passed = true});
  }
  document.cores.push_back(Matrices(
      "cas", "lock cmpxchg", cpus,
      [&](std::size_t a, std::size_t b) {
        if (core(a) == core(b)) return 9.0;
        if (core(a) / kChiplet == core(b) / kChiplet) return 31.0;
        return core(a) / socket == core(b) / socket ? 115.0 : 240.0;
      },
      noise));
  CoreMatrix& cores = document.cores[0];
  for (std::size_t chiplet = 0; chiplet < cores_in_all / kChiplet; ++chiplet) {
    CoreGroup group;
    group.name = fmt::format("L3 {}", chiplet);
    group.level = 1;
    group.nanoseconds = 31;
    group.in_topology = true;
    for (std::size_t i = 0; i < kChiplet; ++i) {
      const int cpu = static_cast<int>(chiplet * kChiplet + i);
      group.cpus.push_back(cpu);
      group.cpus.push_back(cpu + static_cast<int>(cores_in_all));
    }
    cores.groups.push_back(group);
  }
  return document;
}

}  // namespace

Document ManyCpusDocument() { return TwoSockets(768); }

Document ServerDocument() {
  Document document = TwoSockets(192);
  document.host.name = "server";
  return document;
}

Document SweepDocument() {
  constexpr std::size_t kRows = 20'000;
  Noise noise;
  Document document = Rented(2);
  document.config.command = "sweep";
  for (std::size_t i = 0; i < kRows; ++i) {
    if (i % 23 == 22) {
      document.instructions.push_back(NotMeasured(fmt::format("msr s3_{}_c{}, x0", i % 7, i % 15),
                                                  fmt::format("MSR{}", i), Status::kPrivileged,
                                                  "only the kernel may execute it"));
      continue;
    }
    const SimulatedForm& form = kForms[i % kForms.size()];
    InstructionRow row = Row(form, noise);
    row.opcode = fmt::format("{}_{}", form.opcode, i / kForms.size());
    row.classic.clear();
    row.known_as.clear();
    document.instructions.push_back(std::move(row));
  }
  document.sweep = {.opcodes = static_cast<int>(kRows) + 1389, .pseudos = 1389};
  return document;
}

Document SiteMachine(int number, std::size_t forms) {
  Noise noise;
  Document document = TwoCpusDocument();
  document.host.name = fmt::format("node-{}", number + 1);
  document.source = document.host.name + ".json";
  document.instructions.clear();
  document.gpu.clear();
  document.config.command = "sweep";
  // Half of them say how their core is built.
  if (number % 2 == 0) document.anatomy = AnatomyDocument().anatomy;
  if (number % 2 == 0) document.blocks.front().predicted = BlockPrediction{.cycles = 1.75};
  for (std::size_t i = 0; i < forms; ++i) {
    const SimulatedForm& form = kForms[i % kForms.size()];
    const auto place = static_cast<std::size_t>(number);
    if ((i + place) % 41 == 0) continue;  // it lacks some
    SimulatedForm own = form;
    if ((i + 7 * place) % 13 == 0) own.latency += 1;
    InstructionRow row = Row(own, noise);
    const std::size_t variant = i / kForms.size();
    row.text = fmt::format("{}{} x{}, x{}, #{}", row.mnemonic, i % kForms.size(), variant % 30,
                           variant / 30 % 30, variant);
    row.throughput->cycles.samples.clear();
    for (Latency& pair : row.latency) pair.cycles.samples.clear();
    row.classic.clear();
    row.known_as.clear();
    document.instructions.push_back(std::move(row));
  }
  return document;
}

Document BareMatrixDocument() {
  return ParseCsvMatrix(",,\n44.1,,\n45.0,43.9,\n", "published.csv").value();
}

Document HostileDocument() {
  const std::string evil =
      "</script><script>window.hacked=1</script><img src=x onerror=\"window.hacked=2\">"
      "'\"`${window.hacked=3}&lt;b&gt;\u202e\x1b[2J__proto__";
  Document document = SurveyDocument();
  document.source = evil + ".json";
  document.tool = {.version = evil, .commit = evil, .compiler = evil, .llvm = evil};
  document.host.name = document.host.cpu_model = document.host.architecture = evil;
  document.host.microarchitecture = document.host.llvm_cpu = evil;
  document.host.hypervisor = document.host.governor = document.host.kernel = evil;
  document.host.features = {evil};
  document.host.topology[0].kind = evil;
  document.clock.cycle_source = "__proto__";
  document.clock.tick_source = document.clock.cycle_source_reason = evil;
  document.clock.self_check = SelfCheck{.trusted = false, .verdict = evil, .chains = {{evil, 1}}};
  document.config.command = document.config.started = evil;
  document.config.options = {{evil, evil}};
  document.warnings = {{.code = evil, .message = evil, .hint = evil}};
  for (Check& check : document.doctor) check.name = check.finding = check.remedy = evil;
  for (FrequencyRow& row : document.frequency) row.reason = evil;
  for (CoreMatrix& cores : document.cores) {
    cores.test = cores.instruction = evil;
    for (CoreGroup& group : cores.groups) group.name = evil;
    for (CoreFinding& finding : cores.findings) finding.text = evil;
  }
  for (MemoryRow& row : document.memory) {
    for (MemoryLevel& level : row.levels) level.name = evil;
    for (MemoryFinding& finding : row.findings) finding.level = evil;
    for (MemoryBandwidth& each : row.bandwidth) each.level = each.instruction = evil;
    for (MemoryParallelism& each : row.parallelism) each.level = evil;
  }
  for (InstructionRow& row : document.instructions) {
    row.text = row.opcode = row.mnemonic = row.isa = evil;
    row.reason = evil;
    if (!row.known_as.empty()) row.known_as = evil;
    row.notes = {evil};
    if (row.model) row.model->cpu = evil;
    if (row.throughput) row.throughput->code = evil;
    for (Latency& latency : row.latency) {
      latency.from = latency.to = latency.connector = latency.code = evil;
    }
  }
  for (BlockRow& block : document.blocks) block.text = block.init = block.code = evil;
  document.anatomy = AnatomyDocument().anatomy;
  for (AnatomyRow& row : document.anatomy->rows) {
    row.filler = row.unit = row.reason = row.note = evil;
    row.code = {evil};
    if (row.curve) row.curve->at_unit = row.curve->value_unit = evil;
    if (row.part != AnatomyPart::kWindows) row.name = evil;
  }
  for (AnatomyWidth& width : document.anatomy->widths) width.name = width.pattern = evil;
  document.port_map = AnatomyDocument().port_map;
  for (std::string& port : document.port_map->ports) port = evil;
  for (PortClassRow& row : document.port_map->classes) row.ports = row.forms = {evil};
  document.fleet = SmallFleet();
  for (FleetGroup& group : document.fleet->groups) {
    group.cpu_model = group.kernel = group.topology = evil;
    for (FleetMetric& metric : group.metrics) metric.name = metric.unit = evil;
  }
  for (FleetNode& node : document.fleet->nodes) {
    node.name = node.cause = evil;
    node.page = "javascript:window.hacked=4//.html";
    node.notes = node.sources = {evil};
    for (FleetDeviation& deviation : node.deviations) deviation.metric = deviation.unit = evil;
  }
  document.fleet->jobs[0].missing = document.hosts.emplace(SimulatedHosts(2)).hosts = {evil, evil};
  document.fleet->unread[0].reason = evil;
  document.failure = evil;
  return document;
}

}  // namespace cyclescope::testing
