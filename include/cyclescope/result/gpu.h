// `cyclescope gpu`: latency and throughput of instructions on a GPU, its memory, and how far its
// parts are from each other and from the CPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/cores.h"
#include "cyclescope/result/describe.h"
#include "cyclescope/result/estimate.h"
#include "cyclescope/result/memory.h"
#include "cyclescope/result/names.h"
#include "cyclescope/result/status.h"

namespace cyclescope {

// What a latency on a GPU is made of.
enum class GpuLatencyKind {
  kExact,      // the result is the next copy's source
  kConnected,  // another instruction stands between; its latency was taken off
  kRoundTrip,  // another instruction stands between; it is in the figure
};

constexpr auto NamesOf(GpuLatencyKind) { return Names("exact", "connected", "round-trip"); }

struct GpuLatency {
  std::string from;
  std::string to;
  Estimate cycles;
  GpuLatencyKind kind = GpuLatencyKind::kExact;
  std::string connector;
  std::optional<double> machine_instructions;
};

void Describe(auto& visit, Of<GpuLatency> auto& latency) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("GpuLatency", "From one source to one result of an instruction.");
  visit.Required("from", latency.from, "The source, as in the text.", kNew);
  visit.Required("to", latency.to, "The result, as in the text.", kNew);
  visit.Beside("cycles", latency.cycles, "Of the multiprocessor's clock.");
  visit.Required("kind", latency.kind, "What the figure is made of.", kNew);
  visit.Optional("connector", latency.connector,
                 "The instruction between copies, where there is one.", kNew);
  visit.Optional("machine_instructions", latency.machine_instructions,
                 "Of one copy of this chain, by the size of the code, without the connector.",
                 kNew);
}

struct GpuThroughput {
  Estimate per_sm;
  std::optional<Estimate> per_gpu;
  bool at_least = false;
  std::optional<double> operations_per_sm;
};

void Describe(auto& visit, Of<GpuThroughput> auto& throughput) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("GpuThroughput",
               "How often an instruction is executed in a cycle. A warp of 32 threads counts 32.");
  visit.Required("per_sm", throughput.per_sm, "On one multiprocessor.", kNew);
  visit.Optional("per_gpu", throughput.per_gpu, "On all of them at once.", kNew);
  visit.Optional("at_least", throughput.at_least,
                 "Other instructions took part of the time: it may be more.", kNew);
  visit.Optional("operations_per_sm", throughput.operations_per_sm,
                 "Of an instruction on matrices: multiplications and additions of one "
                 "multiprocessor in a cycle.",
                 kNew);
}

// How a chain was kept from being folded by the driver's compiler.
enum class GpuChain {
  kPlain,      // other values in every copy were enough
  kGuarded,    // with a predicate on every copy
  kAlternate,  // with a multiply-add between copies, which is taken off
  kKernel,     // a kernel of its own
};

constexpr auto NamesOf(GpuChain) { return Names("plain", "guarded", "alternate", "kernel"); }

struct GpuInstruction {
  std::string text;
  std::string group;
  Status status = Status::kMeasured;
  std::string reason;
  bool folded = false;
  std::optional<double> machine_instructions;
  GpuChain chain = GpuChain::kPlain;
  std::vector<GpuLatency> latency;
  std::optional<Estimate> repeat;
  std::optional<GpuThroughput> throughput;
  std::vector<std::string> ptx;
  std::vector<std::string> assembly;
};

void Describe(auto& visit, Of<GpuInstruction> auto& row) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("GpuInstruction", "One form of a PTX instruction, or a few in a row.");
  visit.Required("text", row.text, "PTX.", kNew);
  visit.Optional("group", row.group, "Of the table of forms that people look for first.", kNew);
  visit.Required("status", row.status, "How measuring ended.", kNew);
  visit.Optional("reason", row.reason, "Of a status that is not `measured`.", kNew);
  visit.Optional("folded", row.folded,
                 "The driver's compiler made less of the copies than there were: nothing is known.",
                 kNew);
  visit.Optional("machine_instructions", row.machine_instructions,
                 "That the driver's compiler makes of one copy, by the size of the code.", kNew);
  visit.Always("chain", row.chain, "How the compiler was kept from folding.", kNew);
  visit.Always("latency", row.latency, "One entry per source and result.", kNew);
  visit.Optional("repeat", row.repeat,
                 "Of what has no chain: cycles from one to the next, in one warp.", kNew);
  visit.Optional("throughput", row.throughput, "With all warps of a multiprocessor.", kNew);
  visit.Optional("ptx", row.ptx, "What was repeated: one copy of the chain.", kNew);
  visit.Optional("assembly", row.assembly,
                 "What the GPU executes for a few copies, by nvdisasm, where it is installed.",
                 kNew);
}

struct GpuL2 {
  Estimate near;
  std::optional<Estimate> far;
  CoreSpectrum spectrum;
};

void Describe(auto& visit, Of<GpuL2> auto& l2) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("GpuL2", "Lines in L2 as multiprocessors see them.");
  visit.Required(
      "near", l2.near,
      "Cycles of a load from lines that are near; of all lines, where no groups are seen.", kNew);
  visit.Optional("far", l2.far, "From lines that are nearer to the other group.", kNew);
  visit.Optional("spectrum", l2.spectrum, "Of all multiprocessors and lines; in cycles.", kNew);
}

struct GpuGroup {
  std::string name;
  std::vector<int> sms;
};

void Describe(auto& visit, Of<GpuGroup> auto& group) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("GpuGroup", "Multiprocessors that lie together.");
  visit.Required(
      "name", group.name,
      "partition A, ...: one part of L2 is near to all of them. GPC 0, ...: in the order "
      "of their first; apart: of no GPC.",
      kNew);
  visit.Required("sms", group.sms, "As the GPU counts.", kNew);
}

struct GpuMatrix {
  std::vector<int> sms;
  PairMatrix cycles;
  PairMatrix least;
  PairMatrix most;
  CoreSpectrum spectrum;
  std::vector<GpuGroup> groups;
  std::vector<GpuGroup> gpcs;
};

void Describe(auto& visit, Of<GpuMatrix> auto& matrix) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("GpuMatrix",
               "Between every pair of multiprocessors: a flag in L2, one way, in cycles.");
  visit.Required("sms", matrix.sms, "Of rows and columns, in their order.", kNew);
  visit.Required("cycles", matrix.cycles,
                 "The median over several lines. A row is the one that starts.", kNew);
  visit.Optional("least", matrix.least, "By the best of the lines.", kNew);
  visit.Optional("most", matrix.most, "By the worst of them.", kNew);
  visit.Optional("spectrum", matrix.spectrum, "Levels among all lines; in cycles.", kNew);
  visit.Always("groups", matrix.groups, "By how far the lines are from each of them.", kNew);
  visit.Optional("gpcs", matrix.gpcs,
                 "By where the blocks of a cluster run; absent where a GPU has no clusters.", kNew);
}

struct GpuCpuTrip {
  int cpu = 0;
  Estimate nanoseconds;
};

void Describe(auto& visit, Of<GpuCpuTrip> auto& trip) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("GpuCpuTrip", "A word from a CPU to the GPU and back, through the host's memory.");
  visit.Required("cpu", trip.cpu, "As the system counts.", kNew);
  visit.Beside("ns", trip.nanoseconds, "Both ways.");
}

struct GpuPeerTrip {
  int device = 0;
  Estimate cycles;
  Estimate nanoseconds;
};

void Describe(auto& visit, Of<GpuPeerTrip> auto& trip) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("GpuPeerTrip", "A word to another GPU and back, through this one's memory.");
  visit.Required("device", trip.device, "The other one, as the driver counts.", kNew);
  visit.Required("cycles", trip.cycles, "Of this GPU's clock, both ways.", kNew);
  visit.Required("ns", trip.nanoseconds, "The same in nanoseconds.", kNew);
}

struct GpuRow {
  int device = 0;
  std::string name;
  std::string pci;
  std::string capability;
  std::string driver;
  int sms = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t l1_bytes = 0;
  std::int64_t shared_bytes = 0;
  double claimed_ghz = 0;
  std::optional<Estimate> ghz;
  std::vector<GpuInstruction> instructions;
  std::vector<MemoryCurve> curves;
  std::vector<MemoryLevel> levels;
  std::vector<TranslationLevel> translation;
  std::optional<GpuL2> l2;
  std::optional<GpuMatrix> matrix;
  std::vector<GpuCpuTrip> cpus;
  std::vector<GpuPeerTrip> peers;
  bool partial = false;
};

void Describe(auto& visit, Of<GpuRow> auto& row) {
  constexpr FieldFacts kNew = {.since = "0.2"};
  visit.Struct("GpuRow", "A GPU.");
  visit.Required("device", row.device, "As the driver counts.", kNew);
  visit.Required("name", row.name, "As the driver says.", kNew);
  visit.Always("pci", row.pci, "Its place on the bus.", kNew);
  visit.Always("capability", row.capability, "Compute capability: 9.0.", kNew);
  visit.Always("driver", row.driver, "The version of CUDA that the driver knows.", kNew);
  visit.Always("sms", row.sms, "Multiprocessors.", kNew);
  visit.Always("memory_bytes", row.memory_bytes, "In all.", {.exact = true, .since = "0.2"});
  visit.Always("l2_bytes", row.l2_bytes, "As the driver says.", {.exact = true, .since = "0.2"});
  visit.Always("l1_bytes", row.l1_bytes,
               "With shared memory, of one multiprocessor, as NVIDIA documents it; 0: not known.",
               {.exact = true, .since = "0.2"});
  visit.Always("shared_bytes", row.shared_bytes, "The most of it that can be shared memory.",
               {.exact = true, .since = "0.2"});
  visit.Always("claimed_ghz", row.claimed_ghz, "The highest clock, as the driver says.", kNew);
  visit.Optional("ghz", row.ghz, "The clock while measuring, against the GPU's own timer.", kNew);
  visit.Optional("instructions", row.instructions, "One entry per form.", kNew);
  visit.Optional("curves", row.curves, "Latency over footprints, from one multiprocessor.", kNew);
  visit.Optional("levels", row.levels, "What the curves tell, the nearest first.", kNew);
  visit.Optional("translation", row.translation, "Stores of address translations.", kNew);
  visit.Optional("l2", row.l2, "Its near and its far part.", kNew);
  visit.Optional("matrix", row.matrix, "Between multiprocessors.", kNew);
  visit.Optional("cpus", row.cpus, "One entry per CPU.", kNew);
  visit.Optional("peers", row.peers, "One entry per other GPU that it can reach.", kNew);
  visit.Optional("partial", row.partial, "Interrupted: what was measured until then.", kNew);
}

}  // namespace cyclescope
