
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/claims.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope::testing {
namespace {

constexpr double kBytesInKb = 1024;

AnatomyValue Exactly(double value) { return {value, value, value}; }
AnatomyValue Within(double value, double half_width) {
  return {value, value - half_width, value + half_width};
}

// Overlap of two misses: it declines before the window ends, as on real cores.
double OverlapAt(double fillers, double entries) {
  constexpr double kDeclines = 0.9;
  if (fillers >= entries) return 0.01;
  return fillers < kDeclines * entries ? 0.98 : 0.98 - 0.7 * (fillers / entries - kDeclines) / 0.1;
}

AnatomyCurve OverlapCurve(double entries, double shared_entries) {
  AnatomyCurve curve{.at_unit = "fillers", .value_unit = "overlap", .points = {}};
  for (int i = 1; i <= 28; ++i) {
    const double at = std::round(entries * i / 20);
    curve.points.push_back({at, OverlapAt(at, entries), false});
    if (shared_entries > 0) curve.points.push_back({at, OverlapAt(at, shared_entries), true});
  }
  return curve;
}

AnatomyRow Window(std::string name, std::string filler, double entries, double shared = 0) {
  AnatomyRow row = {.part = AnatomyPart::kWindows,
                    .name = std::move(name),
                    .filler = std::move(filler),
                    .unit = "entries"};
  row.value = Within(entries, 2);
  if (shared > 0) row.shared = Within(shared, 2);
  row.curve = OverlapCurve(entries, shared);
  return row;
}

AnatomyRow Noted(AnatomyRow row, Claim claim) {
  row.note = Sentence(claim);
  row.claim = std::move(claim);
  return row;
}

AnatomyRow Bound(AnatomyRow row, std::string by_window) {
  row.value = Exactly(row.value->value);
  row.at_least = true;
  return Noted(std::move(row), {ClaimCode::kEndsWithWindow, {{"window", std::move(by_window)}}});
}

AnatomyRow Unclear(AnatomyRow row, Status status, std::string reason) {
  row.value.reset();
  row.shared.reset();
  row.curve.reset();
  row.status = status;
  row.reason = std::move(reason);
  return row;
}

AnatomyRow FrontEndRow(std::string name, std::string filler, std::string unit, AnatomyValue value,
                       std::optional<Claim> claim = {}) {
  AnatomyRow row = {.part = AnatomyPart::kFrontEnd,
                    .name = std::move(name),
                    .filler = std::move(filler),
                    .unit = std::move(unit)};
  row.value = value;
  return claim ? Noted(std::move(row), std::move(*claim)) : row;
}

// Stairs from 1 to eight times `end`: `within` up to it, `beyond` behind it.
AnatomyCurve Stairs(std::string at_unit, std::string value_unit, double end, double within,
                    double beyond) {
  AnatomyCurve curve{std::move(at_unit), std::move(value_unit), {}};
  for (double at = end / 64; at <= 8 * end; at *= std::sqrt(2.0))
    curve.points.push_back({std::round(at), at <= 1.001 * end ? within : beyond, false});
  return curve;
}

AnatomyRow OtherRow(AnatomyPart part, std::string name, std::string filler, std::string unit,
                    double value) {
  AnatomyRow row = {
      .part = part, .name = std::move(name), .filler = std::move(filler), .unit = std::move(unit)};
  row.value = Within(value, 0.02 * value);
  return row;
}

std::vector<AnatomyRow> SimulatedWindows() {
  return {
      Window("reorder buffer", "nop", 512, 256),
      Window("reorder buffer", "lea r, [r + 1]", 512, 256),
      Bound(Window("reorder buffer", "nop, lea r, [r + r], paddd x, x, jz, mov [m], r", 488),
            "scheduler"),
      Window("integer registers", "lea r, [r + r]", 247, 121),
      Bound(Window("integer registers", "add r, r", 240), "flags"),
      Window("vector registers", "paddd x, x", 295, 139),
      Window("vector registers", "vaddpd y, y, y", 295, 139),
      Window("vector registers", "vpaddd z, z, z", 210, 98),
      Window("flags", "cmp r, r", 247, 121),
      Window("mask registers", "korw k, k, k", 144, 64),
      Window("loads", "mov r, [m]", 192, 96),
      Window("loads", "movaps x, [m]", 192, 96),
      Window("stores", "mov [m], r", 114, 57),
      Window("branches", "jz, not taken", 128),
      Window("scheduler", "lea r, [r + r]", 97, 48),
      Window("scheduler", "paddd x, x", 97, 48),
      Window("scheduler", "mov r, [m + r]", 70, 35),
      Window("scheduler", "mov [m + r], r", 38),
  };
}

std::vector<AnatomyRow> SimulatedFrontEnd() {
  std::vector<AnatomyRow> rows = {
      FrontEndRow("decoded code", "4-byte nop, add, lea, paddd", "instructions", {4096, 3980, 4130},
                  Claim{ClaimCode::kCodeSpeedWithin, {{"per_cycle", 5.97}, {"bytes", 4.0}}}),
      FrontEndRow("branch targets", "taken jumps 64 bytes apart", "entries", Exactly(128),
                  Claim{ClaimCode::kJumpTime, {{"cycles", 0.5}}}),
      FrontEndRow("branch targets", "taken jumps 16 bytes apart", "entries", {6144, 5900, 6400},
                  Claim{ClaimCode::kJumpTime, {{"cycles", 1.01}}}),
      FrontEndRow("branch targets", "taken jumps 32 bytes apart", "entries", {12288, 11600, 12500},
                  Claim{ClaimCode::kJumpTime, {{"cycles", 2.02}}}),
      FrontEndRow("first code cache", "taken jumps in lines of their own", "bytes",
                  Exactly(32 * kBytesInKb), Claim{ClaimCode::kLineTimeBeyond, {{"cycles", 6.1}}}),
      FrontEndRow("mispredicted branch", "random bits against every other taken", "cycles",
                  {17.2, 16.8, 17.6},
                  Claim{ClaimCode::kBranchTimes, {{"random", 9.71}, {"fixed", 1.11}}}),
      FrontEndRow("return stack", "calls from one of two places by random bits", "entries",
                  Exactly(20),
                  Claim{ClaimCode::kCallTimeBeyond, {{"cycles", 2.1}, {"beyond", 11.4}}}),
      FrontEndRow("branch history", "taken jumps between two branches by one bit", "branches",
                  {194, 192, 196}),
      FrontEndRow("indirect targets", "one jump, its targets in a random cycle", "entries",
                  Exactly(512), Claim{ClaimCode::kJumpTimeWithin, {{"cycles", 3.2}}}),
  };
  rows[0].curve = Stairs("instructions", "cycles", 4096, 0.167, 0.21);
  rows[1].curve = Stairs("jumps", "cycles", 128, 0.5, 1.01);
  rows[2].curve = Stairs("jumps", "cycles", 6144, 1.01, 2.02);
  rows[3].curve = Stairs("jumps", "cycles", 12288, 2.02, 5.6);
  rows[3].at_least = true;
  rows[4].curve = Stairs("bytes", "cycles", 32 * kBytesInKb, 1.01, 7.1);
  rows[6].curve = Stairs("calls", "cycles", 20, 2.1, 11.4);
  rows[7].curve = Stairs("branches", "1 predicted, 2 mispredicted", 194, 1.02, 1.97);
  rows[8].curve = Stairs("targets", "cycles", 512, 3.2, 16.4);
  return rows;
}

std::vector<AnatomyWidth> SimulatedWidths() {
  const std::string mix = "4-byte nop, add, lea, paddd";
  return {{.name = "fetch (bytes)", .pattern = mix, .per_cycle = {31.8, 31.5, 32.1}},
          {.name = "decode", .pattern = mix, .per_cycle = {5.96, 5.9, 6.02}},
          {.name = "dispatch", .pattern = mix, .per_cycle = {5.98, 5.95, 6.01}},
          {.name = "taken branches",
           .pattern = "taken jumps 64 bytes apart",
           .per_cycle = {2, 1.97, 2.02}}};
}

PortMap SimulatedCorePorts() {
  const std::vector<std::string> integer = {"p0", "p1", "p5", "p6", "p10"};
  const std::vector<std::string> loads = {"p2", "p3", "p11"};
  PortMap map;
  map.dispatch = 5.98;
  map.ports = {"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11"};
  map.classes = {
      {.ports = {"p1"}, .per_cycle = 1, .forms = {"imul rax, rbx", "popcnt rax, rbx"}},
      {.ports = {"p0"}, .per_cycle = 1, .forms = {"vdivpd xmm0, xmm1, xmm2"}},
      {.ports = {"p5"}, .per_cycle = 1, .forms = {"vpermd ymm0, ymm1, ymm2"}},
      {.ports = {"p0", "p6"}, .per_cycle = 2, .forms = {"shl rax, 3", "jz 1"}},
      {.ports = {"p0", "p1"}, .per_cycle = 2, .forms = {"vfmadd231pd ymm0, ymm1, ymm2"}},
      {.ports = {"p1", "p5"}, .per_cycle = 2, .forms = {"vaddpd ymm0, ymm1, ymm2"}},
      {.ports = {"p0", "p1", "p5"}, .per_cycle = 3, .forms = {"vpaddd ymm0, ymm1, ymm2"}},
      {.ports = loads, .per_cycle = 3, .forms = {"mov rax, qword ptr [rbx]"}},
      {.ports = {"p7", "p8"},
       .per_cycle = 2,
       .ambiguous = true,
       .forms = {"mov qword ptr [rbx], rax"}},
      {.ports = {"p4", "p9"},
       .per_cycle = 2,
       .ambiguous = true,
       .forms = {"movnti qword ptr [rbx], rax"}},
      {.ports = integer, .per_cycle = 5, .forms = {"add rax, rbx", "lea rax, [rbx + rcx]"}}};
  const Claim no_port{ClaimCode::kAsWideAsDispatch, {}};
  map.left_out = {{.text = "nop", .reason = Sentence(no_port), .claim = no_port}};
  map.mixes = 507;
  map.seconds = 0.9;
  return map;
}

MemoryRow SimulatedCaches() {
  constexpr double kGhz = 3.5;
  const auto value = [](double at) { return MemoryValue{at, 0.99 * at, 1.01 * at}; };
  const auto level = [&value](const char* name, double cycles, double bytes) {
    MemoryLevel made;
    made.name = name;
    made.cycles = value(cycles);
    made.nanoseconds = value(cycles / kGhz);
    if (bytes > 0) made.capacity = value(bytes);
    return made;
  };
  MemoryRow row;
  row.cpu = 3;
  row.line_bytes = 64;
  row.levels = {level("L1", 5, 48 * kBytesInKb), level("L2", 15.1, 2 * kBytesInKb * kBytesInKb),
                level("L3", 74, 28 * kBytesInKb * kBytesInKb), level("memory", 322, 0)};
  row.levels[2].capacity_at_least = true;
  row.translation = {
      {.pages = PageKind::kSmall, .page_bytes = 4096, .reach = value(96), .cycles = value(7)},
      {.pages = PageKind::kSmall, .page_bytes = 4096, .reach = value(2048), .cycles = value(24)}};
  MemoryCurve curve;
  curve.pages = PageKind::kHuge;
  curve.page_bytes = 2 << 20;
  curve.huge_share = 1;
  for (double bytes = kBytesInKb; bytes <= 256 * kBytesInKb * kBytesInKb; bytes *= 2) {
    double cycles = 322;
    for (const MemoryLevel& each : row.levels) {
      if (!each.capacity || bytes > each.capacity->value) continue;
      cycles = each.cycles.value;
      break;
    }
    curve.points.push_back({.bytes = static_cast<std::int64_t>(bytes),
                            .cycles = value(cycles),
                            .nanoseconds = value(cycles / kGhz),
                            .visits = 8});
  }
  row.curves = {std::move(curve)};
  return row;
}

CoreMatrix SimulatedNeighbours() {
  constexpr std::size_t kCpus = 4;
  CoreMatrix cores;
  cores.test = "cas";
  cores.instruction = "lock cmpxchg";
  cores.nanoseconds = PairMatrix(kCpus);
  for (std::size_t row = 0; row < kCpus; ++row) {
    cores.cpus.push_back(static_cast<int>(row));
    for (std::size_t column = 0; column < kCpus; ++column) {
      if (row != column) cores.nanoseconds.At(row, column) = row / 2 == column / 2 ? 8.4 : 58.6;
    }
  }
  return cores;
}

Document CoreDocument(std::string cpu, std::string microarchitecture) {
  Document document = BareDocument();
  document.tool.version = "0.3.0";
  document.config.command = "anatomy";
  document.config.started = "2026-11-18T08:00:00Z";
  document.host.architecture = "x86_64";
  document.host.cpu_model = std::move(cpu);
  document.host.microarchitecture = std::move(microarchitecture);
  document.host.name = "bench-1";
  return document;
}

}  // namespace

Anatomy FullAnatomy() {
  AnatomyRow whole = Window("reorder buffer", "nop", 512, 256);
  whole.status = Status::kDisturbed;
  whole.contended = true;
  whole.at_least = true;
  whole = Noted(std::move(whole), {ClaimCode::kKeptFree, {{"fit", 496.0}, {"free", 16.0}}});
  whole.states = {{.value = 512, .share = 0.7}, {.value = 256, .share = 0.3}};
  whole.code = {"mov rax, [rax]", "nop"};
  return {.cpu = 1,
          .rows = {whole, Unclear(Window("mask registers", "korw k, k, k", 8), Status::kUnsupported,
                                  "this CPU has no avx512f")},
          .widths = {{.name = "dispatch",
                      .pattern = "nop",
                      .per_cycle = {5.98, 5.95, 6.01},
                      .at_least = true,
                      .contended = true}},
          .seconds = 12.5};
}

Document AnatomyDocument() {
  Document document = CoreDocument("Made Xeon 8592", "Made Cove");
  Anatomy anatomy = {
      .cpu = 3, .rows = SimulatedWindows(), .widths = SimulatedWidths(), .seconds = 17.4};
  for (AnatomyRow& row : SimulatedFrontEnd()) anatomy.rows.push_back(std::move(row));
  anatomy.rows.push_back(
      OtherRow(AnatomyPart::kElimination, "share eliminated", "mov r, r", "of 1", 1));
  anatomy.rows.push_back(OtherRow(AnatomyPart::kFusion, "slots of a pair", "cmp; jz", "slots", 1));
  anatomy.rows.push_back(
      OtherRow(AnatomyPart::kMemoryPipeline, "loads of one address", "mov r, [m]", "cycles", 0.5));
  document.anatomy = std::move(anatomy);
  document.port_map = SimulatedCorePorts();
  document.memory = {SimulatedCaches()};
  document.cores = {SimulatedNeighbours()};
  return document;
}

Document WindowsDocument() {
  Document document = CoreDocument("Arm Neoverse-V1", "Neoverse-V1");
  document.host.architecture = "aarch64";
  Anatomy anatomy = {.cpu = 1, .seconds = 12};
  anatomy.rows = {
      Window("reorder buffer", "add x, x, x; add v, v, v", 249),
      Noted(Window("reorder buffer", "nop", 512),
            {ClaimCode::kNopsShareEntries, {{"others", 249.0}}}),
      Window("integer registers", "add x, x, x", 147),
      Window("vector registers", "add v.4s, v.4s, v.4s", 125),
      Window("vector registers", "fadd d, d, d", 160),
      Window("flags", "cmp x, x", 59),
      Unclear(Window("mask registers", "and p.b, p/z, p.b, p.b", 8), Status::kUnsupported,
              "this CPU has no sve"),
      Bound(Window("loads", "ldr x, [x]", 143), "integer registers"),
      Unclear(Window("stores", "str x, [x]", 64), Status::kUnmeasurable,
              "no clear step: the misses overlap too little, or the times vary too much"),
  };
  anatomy.rows[2].contended = true;
  anatomy.rows[2].states = {{.value = 147, .share = 0.8}, {.value = 151, .share = 0.2}};
  document.anatomy = std::move(anatomy);
  return document;
}

}  // namespace cyclescope::testing
