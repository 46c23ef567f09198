#include "document/testing/simulated_surveys.h"

#include <cstddef>

#include "analysis/claims.h"
#include "document/testing/simulated_documents.h"
#include "document/testing/simulated_rows.h"

namespace cyclescope::testing {
namespace {

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
  Document document = RentedMachine(kCpus);
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
  document.cores.push_back(SimulatedMatrices("cas", "casal", kCpus, latency, noise));
  document.cores.push_back(SimulatedMatrices(
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
         .cpus = CpuRange(0, static_cast<int>(kCpus)),
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

  for (const SimulatedForm& form : SimulatedForms())
    document.instructions.push_back(SimulatedRow(form, noise));
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
  document.cores = {SimulatedMatrices(
      "cas", "lock cmpxchg", 2, [](std::size_t, std::size_t) { return 83.0; }, noise)};
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

}  // namespace cyclescope::testing
