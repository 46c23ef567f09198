#include "document/testing/simulated_documents.h"

#include <cstddef>
#include <limits>

#include "analysis/claims.h"
#include "document/testing/simulated_fleets.h"

namespace cyclescope::testing {
namespace {

ClassicRow SimulatedClassicRow() {
  return {.test = "LAT",
          .cycles_per_instruction = 2.0003,
          .upper_bound = true,
          .instructions_per_cycle = 0.499925,
          .instructions = 1234567890,
          .core_cycles = 2469506000,
          .ticks = 1000000007,
          .seconds = 0.952381,
          .boost = 2.47,
          .base_ghz = 1.05,
          .core_ghz = 2.594,
          .reference_cycles = 1000000000};
}

Host SimulatedHost() {
  Host host{.name = "bench-1",
            .architecture = "aarch64",
            .cpu_model = "Neoverse-V1",
            .microarchitecture = "Made Lake (Made Cove)",
            .llvm_cpu = "neoverse-v1",
            .cpu_vendor = "ARM",
            .microcode = "0x1",
            .kernel = "6.1.0",
            .system = "Debian GNU/Linux 12",
            .hypervisor = "kvm",
            .cpus_online = 4,
            .cpus_allowed = {0, 1, 2},
            .cpus_isolated = {2},
            .governor = "performance",
            .turbo = true,
            .smt = false,
            .huge_pages = "madvise",
            .load_1min = 0.25,
            .stolen_share = 0.015,
            .features = {"asimd", "atomics"},
            .topology = {},
            .topology_source = "system"};
  host.topology.push_back({.cpu = 0,
                           .core = 0,
                           .l2 = 1,
                           .cluster = 2,
                           .l3 = 3,
                           .die = 4,
                           .package = 5,
                           .numa = 6,
                           .kind = "performance"});
  host.topology.resize(3);
  host.topology[1].cpu = 1;  // and no more: the system says nothing about it
  host.topology[2].cpu = 2;
  host.topology[2].core = 2;
  return host;
}

PairMatrix SimulatedMatrix(std::size_t size, double base) {
  PairMatrix matrix(size);
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t column = 0; column < size; ++column) {
      if (row != column) matrix.At(row, column) = base + static_cast<double>(10 * row + column) / 8;
    }
  }
  return matrix;
}

MemoryRow SimulatedMemoryRow() {
  const MemoryValue made = {.value = 5, .low = 4.5, .high = 5.5};
  MemoryRow row;
  row.cpu = 1;
  row.node = 0;
  row.line_bytes = 64;
  MemoryPoint point = {.bytes = 1024,
                       .cycles = made,
                       .nanoseconds = {.value = 2, .low = 1.5, .high = 2.5},
                       .p10_ns = 1.75,
                       .p90_ns = 2.25,
                       .visits = 8,
                       .contended = true};
  MemoryCurve curve = {.order = ChaseOrder::kPageByPage,
                       .pages = PageKind::kHuge,
                       .page_bytes = 2 << 20,
                       .huge_share = 0.5,
                       .points = {point}};
  row.curves = {curve};
  row.levels = {
      {.name = "L1",
       .cycles = made,
       .nanoseconds = made,
       .capacity = MemoryValue{.value = 49152, .low = 48000, .high = 50000},
       .by_single_loads = true,
       .claimed_bytes = 49152},
      {.name = "memory", .cycles = made, .nanoseconds = made, .capacity = {}, .claimed_bytes = {}}};
  row.no_plateau = MemoryGap{.from_bytes = 49152, .cycles = {.value = 50, .low = 5, .high = 346}};
  row.translation = {{.pages = PageKind::kHuge,
                      .page_bytes = 2 << 20,
                      .reach = made,
                      .cycles = made,
                      .split_bytes = 4096}};
  row.findings = {{.kind = MemoryFindingKind::kSmallerCache,
                   .level = "L1",
                   .found_bytes = 32768,
                   .claimed_bytes = 49152,
                   .memory_ns = 165,
                   .text =
                       "the system says L1 48 KB, but it ends at 32 KB: others have the rest, or "
                       "it is not there"}};
  row.parallelism = {{.level = "memory",
                      .bytes = 1 << 27,
                      .points = {{.chains = 2, .nanoseconds = made, .in_flight = 1.75}}}};
  row.bandwidth = {{.level = "memory",
                    .bytes = 1 << 27,
                    .kind = BandwidthKind::kNonTemporal,
                    .instruction = "stnp q",
                    .cpus = 2,
                    .gigabytes = made,
                    .contended = true}};
  row.loaded = {{.gigabytes = made, .nanoseconds = made}};
  row.places = {{.cpu = 1, .node = 0, .nanoseconds = made, .gigabytes = made}};
  row.accesses = {{.kind = AccessKind::kPageSplit,
                   .text = "str q0, [x1]",
                   .store_bytes = 16,
                   .load_bytes = 8,
                   .vector = true,
                   .distance = 8,
                   .status = Status::kDisturbed,
                   .cycles = RoughEstimate(12)}};
  row.left_out = {"bandwidth"};
  row.swapped_bytes = 4096;
  row.partial = true;
  return row;
}

GpuRow SimulatedGpuRow() {
  const MemoryRow memory = SimulatedMemoryRow();
  GpuRow row;
  row.device = 1;
  row.name = "Made GPU";
  row.pci = "0000:01:00";
  row.capability = "9.0";
  row.driver = "12.4";
  row.sms = 3;
  row.memory_bytes = std::int64_t{140} << 30;
  row.l2_bytes = std::int64_t{60} << 20;
  row.l1_bytes = std::int64_t{256} << 10;
  row.shared_bytes = std::int64_t{228} << 10;
  row.claimed_ghz = 1.98;
  row.ghz = SimulatedEstimate(1.975, 0.005);
  GpuInstruction measured;
  measured.text = "max.f16x2 %r0, %r1, %r2";
  measured.group = "FP16 and BF16";
  measured.machine_instructions = 1;
  measured.chain = GpuChain::kAlternate;
  measured.latency = {{.from = "%r1",
                       .to = "%r0",
                       .cycles = RoughEstimate(6),
                       .kind = GpuLatencyKind::kConnected,
                       .connector = "mad.lo.u32 %r0, %r1, %r2, %r3",
                       .machine_instructions = 1}};
  measured.repeat = SimulatedEstimate(4, 0.5);
  measured.throughput = GpuThroughput{.per_sm = SimulatedEstimate(64, 1),
                                      .per_gpu = SimulatedEstimate(192, 2),
                                      .at_least = true,
                                      .operations_per_sm = 4096};
  measured.ptx = {"max.f16x2 %r0, %r1, %r2"};
  measured.assembly = {"HMNMX2 R0, R0, R1, !PT"};
  GpuInstruction folded;
  folded.text = "neg.s16 %rs0, %rs1";
  folded.status = Status::kUnmeasurable;
  folded.reason = "the driver's compiler makes less of the copies than there are";
  folded.folded = true;
  row.instructions = {measured, folded};
  row.curves = memory.curves;
  row.levels = memory.levels;
  row.translation = memory.translation;
  const CoreSpectrum spectrum = {
      .first_ns = 200,
      .step = 1.05,
      .counts = {3, 0, 3},
      .levels = {{.name = "level 1", .nanoseconds = 202, .low = 200, .high = 204, .share = 1}}};
  row.l2 = GpuL2{
      .near = SimulatedEstimate(200, 2), .far = SimulatedEstimate(300, 3), .spectrum = spectrum};
  GpuMatrix matrix;
  matrix.sms = {0, 1, 2};
  matrix.cycles = SimulatedMatrix(3, 250);
  matrix.least = SimulatedMatrix(3, 200);
  matrix.most = SimulatedMatrix(3, 300);
  matrix.spectrum = spectrum;
  matrix.groups = {{.name = "partition A", .sms = {0, 2}}, {.name = "partition B", .sms = {1}}};
  matrix.gpcs = {{.name = "GPC 0", .sms = {0, 1, 2}}};
  row.matrix = matrix;
  row.cpus = {{.cpu = 0, .nanoseconds = SimulatedEstimate(2000, 20)},
              {.cpu = 1, .nanoseconds = RoughEstimate(2100)}};
  row.peers = {{.device = 0,
                .cycles = SimulatedEstimate(3000, 30),
                .nanoseconds = SimulatedEstimate(1500, 15)}};
  row.partial = true;
  return row;
}

CoreMatrix SimulatedCores() {
  constexpr std::size_t kSize = 3;
  CoreMatrix cores;
  cores.test = "message";
  cores.instruction = "casal";
  cores.cpus = {0, 1, 2};
  cores.nanoseconds = SimulatedMatrix(kSize, 45);
  cores.low = SimulatedMatrix(kSize, 44);
  cores.high = SimulatedMatrix(kSize, 46);
  cores.spread_within = SimulatedMatrix(kSize, 0.05);
  cores.spread_between = SimulatedMatrix(kSize, 3);
  cores.clock_offset = SimulatedMatrix(kSize, -2);
  cores.nanoseconds.At(0, 2) = std::numeric_limits<double>::quiet_NaN();
  cores.disturbed = {{0, 1}};
  cores.timed_out = {{0, 2}, {2, 0}};
  cores.batches_kept = 960;
  cores.batches_rejected = 12;
  cores.partial = true;
  cores.seed = std::numeric_limits<std::uint64_t>::max();
  cores.canary = {
      .first = 0, .second = 1, .checks = 4, .least_ns = 45, .most_ns = 46.5, .expected_ns = 1.25};
  cores.parallel = {.pairs = 24, .ratio = 1.03};
  cores.groups = {
      {.name = "group A", .level = 1, .cpus = {0, 1}, .nanoseconds = 45.5},
      {.name = "package 0", .level = 2, .cpus = {0, 1, 2}, .nanoseconds = 47, .in_topology = true}};
  CoreFinding finding;
  finding.kind = FindingKind::kSharedCore;
  finding.cpus = {0, 1};
  finding.nanoseconds = 7.25;
  finding.compared_ns = 7.5;
  finding.least_ns = 45;
  finding.most_ns = 47.5;
  finding.speed = 0.5;
  finding.ratio = 1.25;
  finding.share = 0.125;
  finding.pairs = 3;
  finding.more = 2;
  cores.findings = {finding};
  cores.rounds = 8;
  // With every field, whether or not they go together: a floating matrix has no structure.
  cores.stability = Stability::kDrifting;
  cores.spectrum = {.first_ns = 7, .step = 1.25, .counts = {2, 0, 4}, .levels = {}};
  cores.spectrum.levels = {
      {.name = "same core", .nanoseconds = 7.25, .low = 7, .high = 7.5, .share = 0.25},
      {.name = "other core", .nanoseconds = 46, .low = 45, .high = 47, .share = 0.75}};
  CoreFloating& floating = cores.floating.emplace();
  floating.residence_ms = 120;
  floating.followed_ms = 4000;
  floating.levels = {{.nanoseconds = 7.25, .share = 0.25, .residence_ms = 50},
                     {.nanoseconds = 46, .share = 0.75, .residence_ms = std::nullopt}};
  floating.visits = {SimulatedMatrix(kSize, 44), SimulatedMatrix(kSize, 45)};
  return cores;
}

InstructionRow SimulatedInstruction() {
  InstructionRow row;
  row.text = "madd x0, x1, x2, x3";
  row.opcode = "MADDXrrr";
  row.mnemonic = "madd";
  row.isa = "base";
  row.origin = "headline";
  row.heading = "multiply";
  row.known_as = "multiply";
  row.throughput = Throughput{
      .cycles = SimulatedEstimate(1, 0.001), .values = "fast", .code = "madd x4, x1, x2, x3"};
  row.throughput_by_values = {*row.throughput,
                              {.cycles = RoughEstimate(5),
                               .upper_bound = true,
                               .limit = "decoder",
                               .back_to_back = 6,
                               .values = "slow",
                               .code = "",
                               .alternatives = {"madd x4, x1, x2, x3\nnop"}}};
  row.latency = {{.from = "x1",
                  .to = "x0",
                  .cycles = SimulatedEstimate(2, 0.001),
                  .connector = "",
                  .model = 2,
                  .values = "",
                  .code = "madd x0, x0, x2, x3\nmadd x0, x0, x2, x3"},
                 {.from = "memory",
                  .to = "flags",
                  .cycles = RoughEstimate(3),
                  .kind = LatencyKind::kUpperBound,
                  .connector = "csel x0, x1, x2, eq",
                  .connector_cycles = RoughEstimate(1),
                  .to_others = RoughEstimate(4),
                  .beside = "cmp x20, x21",
                  .model = 3,
                  .values = "slow",
                  .code = "",
                  .alternatives = {"cset x0, eq"}}};
  row.classic = {SimulatedClassicRow()};
  row.model = ModelFigures{.cpu = "neoverse-v1", .latency = 2, .throughput = 1};
  row.slots = 2;
  row.ports = {{1, {"M0"}, true}, {1, {"M0", "M1"}}};
  row.port_finding = PortFinding{
      .own_cycles = 1.5,
      .claim = Claim{ClaimCode::kTwoPortSetsFit, {}},
      .reason = "two sets of ports explain the times equally well",
      .binds = "ports",
      .model = {{1, {"M0"}}},
      .mixes = {
          {.mix = "3 * mul x0, x1, x2 + 1 * madd x0, x1, x2, x3", .cycles = 4.01, .predicted = 4}}};
  row.zero_idiom = true;
  AddNote({ClaimCode::kFalseDependence, {}}, row);
  return row;
}

PortMap SimulatedPortMap() {
  PortMap map;
  map.dispatch = 8;
  map.ports = {"M0", "M1"};
  map.classes = {{.ports = {"M0", "M1"}, .per_cycle = 2, .forms = {"add x0, x1, x2, asr #3"}},
                 {.ports = {"M0"}, .per_cycle = 1, .ambiguous = true, .forms = {"mul x0, x1, x2"}}};
  const Claim no_port{ClaimCode::kAsWideAsDispatch, {}};
  map.left_out = {{.text = "nop", .reason = Sentence(no_port), .claim = no_port}};
  map.other_maps = 1;
  map.mixes = 240;
  map.seconds = 1.25;
  return map;
}

}  // namespace

Estimate SimulatedEstimate(double value, double half_width) {
  return {.value = value,
          .low = value - half_width,
          .high = value + half_width,
          .kept = 4,
          .rejected = 1,
          .samples = {value, value - half_width, value, value + half_width}};
}

Estimate RoughEstimate(double value) {
  Estimate estimate = SimulatedEstimate(value, value / 8);
  estimate.two_modes = true;
  estimate.states = {{.value = value, .share = 0.6}, {.value = 1.5 * value, .share = 0.4}};
  estimate.like = "madd x0, x1, x2, xzr";
  estimate.disturbed = true;
  estimate.contended = true;
  estimate.visits = 2;
  estimate.end = SamplingEnd::kBudget;
  return estimate;
}

Document BareDocument() {
  Document document;
  document.tool = {.version = "0.1.0", .commit = "", .compiler = "", .llvm = ""};
  document.host.architecture = "aarch64";
  document.host.cpu_model = "Neoverse-V1";
  document.clock.cycle_source = "reference";
  document.config.command = "doctor";
  return document;
}

Document FullDocument() {
  Document document;
  document.tool = {
      .version = "0.1.0", .commit = "0123456789ab", .compiler = "GCC 12.2.0", .llvm = "19.1.7"};
  document.host = SimulatedHost();
  document.clock = {
      .tick_hz = 1050000000,
      .tick_source = "cntfrq_el0",
      .calibrated_tick_hz = 1050000123.5,
      .invariant = true,
      .resolution_ns = 0.952381,
      .cycle_source = "reference",
      .cycle_source_reason = "the kernel offers no counters",
      .self_check =
          SelfCheck{.trusted = true,
                    .claim = Claim{ClaimCode::kLinkIsCycle, {{"link", "add x0, x0, x0"}}},
                    .verdict = Sentence({ClaimCode::kLinkIsCycle, {{"link", "add x0, x0, x0"}}}),
                    .chains = {{"add x0, x0, x0", 1}, {"mul x0, x0, x0", 2}}}};
  document.config = {.command = "survey",
                     .started = "2026-11-15T02:00:00Z",
                     .confidence = 0.99,
                     .options = {{"cpus", "0-2"}, {"full", ""}}};
  document.warnings = {WarningOf("shared-core",
                                 {ClaimCode::kValuesBesideOthers,
                                  {{"core", "the core of CPU 0"},
                                   {"shared", 0.32},
                                   {"quiet", 0.2},
                                   {"waited", 3.1},
                                   {"contended", 7.0},
                                   {"values", 290.0},
                                   {"direction", "too high"}}},
                                 "wait longer with --patience 30, or try again later")};
  document.partial = true;
  document.failure = "it ran out of memory";
  document.merged = Merged{.runs = {{.file = "monday.json",
                                     .command = "sweep",
                                     .started = "2026-11-14T02:00:00Z",
                                     .version = "0.3.0",
                                     .commit = "0123456789ab",
                                     .shared_share = 0.25},
                                    {.file = "tuesday.json", .command = "survey"}},
                           .parts = {{"port_map", 1}},
                           .combined = 12,
                           .replaced = 3,
                           .disagreed = 1,
                           .claims = {{ClaimCode::kRunsDisagree,
                                       {{"what", "mul x0, x0, x0: x0 to x0"},
                                        {"kind", "latency"},
                                        {"unit", "cycles"},
                                        {"first", 3.0},
                                        {"first_run", "monday.json"},
                                        {"second", 2.0},
                                        {"second_run", "tuesday.json"}}}}};
  document.published =
      BesidePublished{.machine = "neoverse-v1",
                      .claims = {{ClaimCode::kLikePublished, {{"machine", "Neoverse-V1"}}}},
                      .text = "as the published Neoverse-V1"};
  document.engine = Engine{.name = "slurm",
                           .node = "n3",
                           .job = "17",
                           .rank = 2,
                           .ranks = 3,
                           .local_rank = 0,
                           .nodes = "n[1-3]",
                           .asked = {{"SLURM_CPUS_PER_TASK", "2"}}};
  document.contention = {{.cpu = 1,
                          .share = 0.46,
                          .probes = 1200,
                          .wide_quiet = 0.2,
                          .wide_shared = 0.35,
                          .waited_s = 2}};
  document.doctor = {
      {.name = "governor",
       .status = CheckStatus::kWarn,
       .claim = Claim{ClaimCode::kSlowerSetting, {{"name", "governor"}, {"setting", "powersave"}}},
       .remedy = "cpupower frequency-set -g performance"}};
  for (Check& check : document.doctor) PutIntoWords(check);
  document.frequency = {{.cpu = 0,
                         .status = Status::kDisturbed,
                         .reason = Sentence({ClaimCode::kRateInDoubt, {}}),
                         .claim = Claim{ClaimCode::kRateInDoubt, {}},
                         .base_ghz = 1.05,
                         .boost = 2.47,
                         .core_ghz = SimulatedEstimate(2.594, 0.001),
                         .cycle_source = "reference",
                         .self_check_passed = true}};
  document.frequency.push_back(document.frequency[0]);
  document.frequency[1].cpu = 1;
  document.frequency[1].core_ghz = RoughEstimate(2.5);
  document.frequency[1].steps = {{.ghz = 2.5, .share = 0.75}, {.ghz = 2.6, .share = 0.25}};
  document.instructions = {SimulatedInstruction()};
  InstructionRow privileged;
  privileged.text = "wfi";
  privileged.opcode = "HINT";
  privileged.status = Status::kPrivileged;
  privileged.reason = "only the kernel may execute it";
  document.instructions.push_back(privileged);
  document.sweep = {
      .opcodes = 8172, .pseudos = 1380, .duplicates = 9, .left_out = 6780, .not_reached = 1};
  document.sweep->effort = {.seconds = 2.5, .switches = 90, .samples = 1200};
  document.port_map = SimulatedPortMap();
  document.blocks = {
      {.name = "sum (sum.c:3)",
       .side = "sum.s",
       .function = "sum",
       .line = 14,
       .source = BlockSourcePlace{.file = "sum.c", .line = 3},
       .text = "add x0, x0, x1\nmul x0, x0, x2",
       .init = "mov x1, #3",
       .status = Status::kDisturbed,
       .reason = "another process ran on this CPU",
       .cycles = RoughEstimate(3),
       .by_data = {{.data = "random", .cycles = RoughEstimate(3)}},
       .data_cause = "branch",
       .by_place = {{.offset = 16, .cycles = RoughEstimate(4)}},
       .left_out = {"bl sqrt"},
       .instructions = 2,
       .unroll = 8,
       .trips = 1000,
       .bytes_per_trip = 16,
       .loop = false,
       .pages = 3,
       .footprint = 8200,
       .memory = "floats",
       .passes = true,
       .registers = {{.name = "x1", .value = "0x12340000"}},
       .predicted =
           BlockPrediction{.machine = "Neoverse-V1",
                           .cycles = 3,
                           .reason = "data decide",
                           .ways = {3, 4},
                           .binds = "chain",
                           .settled = true,
                           .bounds = {.dispatch = 0.25,
                                      .branches = 1,
                                      .ports = 1,
                                      .chain = 3,
                                      .chain_text = "x0 → x0: add 1 + mul 2",
                                      .unit = 0.5,
                                      .unit_text = "mul x0, x0, x2"},
                           .pressure = {{"M0", 1}, {"M1", 0.5}},
                           .binding_ports = {"M0"},
                           .unknown = {"sdiv x3, x4, x5"},
                           .without_ports = {"b #4"},
                           .assumed = {"loads"},
                           .claim = Claim{ClaimCode::kPredictedBranch, {{"next", 1.0}}},
                           .verdict = Sentence({ClaimCode::kPredictedBranch, {{"next", 1.0}}}),
                           .timeline = {{.iteration = 1,
                                         .text = "mul x0, x0, x2",
                                         .dispatched = 1,
                                         .ready = 4,
                                         .issued = 5,
                                         .done = 8,
                                         .retired = 9,
                                         .cause = WaitCause::kOperand,
                                         .producer = "add x0, x0, x1"}}},
       .mca = McaPrediction{.cpu = "neoverse-v1",
                            .cycles = 3,
                            .throughput_bound = 1,
                            .latency_bound = 3,
                            .bottleneck = "dependences",
                            .timeline = "[0,0] DeeER"},
       .bounds = BlockBounds{.chain = 3,
                             .chain_text = "x0 to x0: add 1 + mul 2",
                             .accumulates = true,
                             .issue = 0.25,
                             .width = 8,
                             .resource = 1,
                             .resource_text = "mul x0, x0, x2",
                             .binds = "chain",
                             .next = 1,
                             .claim = Claim{ClaimCode::kBoundByIssue, {{"width", 8.0}}},
                             .verdict = Sentence({ClaimCode::kBoundByIssue, {{"width", 8.0}}})},
       .ports = BlockPorts{.cycles = 3,
                           .ports = 1,
                           .dispatch = 0.25,
                           .chain = 3,
                           .other = 0.5,
                           .other_text = "mul x0, x0, x2",
                           .binds = "chain",
                           .binding_ports = {"M0"},
                           .pressure = {{"M0", 1}, {"M1", 0.5}},
                           .not_counted = {{.text = "b #4", .reason = "it is a branch"}}},
       .classic = {SimulatedClassicRow()},
       .claims = {{ClaimCode::kFastQuarter, {}}},
       .notes = {Sentence({ClaimCode::kFastQuarter, {}})},
       .code = "add x0, x0, x1\nmul x0, x0, x2"}};
  document.cores = {SimulatedCores()};
  document.memory = {SimulatedMemoryRow()};
  document.anatomy = FullAnatomy();
  document.gpu = {SimulatedGpuRow()};
  document.fleet = SmallFleet();
  document.hosts = SimulatedHosts(4);
  document.hosts->partial = true;
  return document;
}

}  // namespace cyclescope::testing
