// `cyclescope instruction`, `block` and `sweep`: what one form or snippet takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
#include "cyclescope/result/estimate.h"
#include "cyclescope/result/ports.h"
#include "cyclescope/result/prediction.h"
#include "cyclescope/result/status.h"

namespace cyclescope {

enum class LatencyKind {
  kExact,       // nothing but the form is on the chain
  kConnected,   // a connector of known latency closed the loop, and was taken off
  kUpperBound,  // only the sum of the form and its connector is known
};

constexpr auto NamesOf(LatencyKind) { return Names("exact", "connected", "upper-bound"); }

struct Latency {
  std::string from;
  std::string to;
  Estimate cycles;
  LatencyKind kind = LatencyKind::kExact;
  std::string connector;
  std::optional<Estimate> connector_cycles;
  std::optional<Estimate> to_others;
  std::string beside;
  std::optional<double> model;
  std::string values;
  std::string code;
  std::vector<std::string> alternatives;
};

void Describe(auto& visit, Of<Latency> auto& latency) {
  visit.Struct("Latency", "The latency of one operand pair.");
  visit.Required("from", latency.from,
                 "The operand read, named as in the form's text; `flags` and `memory` are operands "
                 "too.");
  visit.Required("to", latency.to, "The operand written.");
  visit.Beside("cycles", latency.cycles, "Cycles from one to the other.");
  visit.Required("kind", latency.kind,
                 "exact: nothing but the form is on the chain. connected: a connector of known "
                 "latency closed the loop, and was taken off. upper-bound: only the sum of both is "
                 "known, or copies start no sooner.");
  visit.Optional("connector", latency.connector, "The connecting instructions.");
  visit.Optional("connector_cycles", latency.connector_cycles,
                 "The connector's own latency, which was taken off.", {.since = "0.2"});
  visit.Optional("to_others", latency.to_others,
                 "To any other unit, where the unit hands its result on to itself sooner: "
                 "`cycles` is that.",
                 {.since = "0.3"});
  visit.Optional("beside", latency.beside,
                 "Instructions that run between the links and are not on the chain: they give "
                 "other operands fresh values.",
                 {.since = "0.2"});
  visit.Optional("model", latency.model, "LLVM's latency of this very pair, in cycles.",
                 {.since = "0.2"});
  visit.Optional("values", latency.values,
                 "The class of operand values, where values matter: fast or slow; whole flag or "
                 "mixed flag, where it matters whether one instruction wrote all flags or two "
                 "wrote some each.");
  visit.Optional("code", latency.code, "The measured chain, one instruction a line.");
  visit.Optional("alternatives", latency.alternatives,
                 "In a dry run: other chains that would be measured; the best of all counts.",
                 {.since = "0.2"});
}

struct Throughput {
  Estimate cycles;
  bool upper_bound = false;
  std::string limit;
  std::optional<double> back_to_back;
  std::string values;
  std::string code;
  std::vector<std::string> alternatives;
};

void Describe(auto& visit, Of<Throughput> auto& throughput) {
  visit.Struct("Throughput", "Cycles per instruction, where each is independent of the others.");
  visit.Beside("cycles", throughput.cycles, "Cycles per instruction.");
  visit.Optional("upper_bound", throughput.upper_bound, "It may be faster, but is not slower.",
                 {.since = "0.2"});
  visit.Optional("limit", throughput.limit,
                 "What limits copies that stand back to back, where fillers between them (`nop`) "
                 "told. pipes: fillers make no difference. decoder: it is faster with fillers, and "
                 "`cycles` is that.",
                 {.since = "0.2"});
  visit.Optional("back_to_back", throughput.back_to_back,
                 "Cycles per instruction without fillers, where the decoder is the limit.",
                 {.since = "0.2"});
  visit.Optional("values", throughput.values, "The class of operand values, where values matter.");
  visit.Optional("code", throughput.code, "The repeated instructions, one a line.");
  visit.Optional("alternatives", throughput.alternatives,
                 "In a dry run: other arrangements that would be measured; the fastest counts.",
                 {.since = "0.2"});
}

struct ClassicRow {
  std::string test;
  double cycles_per_instruction = 0;
  bool upper_bound = false;
  double instructions_per_cycle = 0;
  double instructions = 0;
  double core_cycles = 0;
  double ticks = 0;
  double seconds = 0;
  double boost = 0;
  double base_ghz = 0;
  double core_ghz = 0;
  std::optional<double> reference_cycles;
};

void Describe(auto& visit, Of<ClassicRow> auto& row) {
  visit.Struct("ClassicRow", "A row of the classic table.");
  visit.Required("test", row.test, "THR or LAT.");
  visit.Required("cycles_per_instruction", row.cycles_per_instruction,
                 "Core cycles, of the instruction alone: a connector of known latency is taken "
                 "off. Of an upper bound, the upper end of its interval.");
  visit.Optional("upper_bound", row.upper_bound, "It may take less, but not more.",
                 {.since = "0.2"});
  visit.Required("instructions_per_cycle", row.instructions_per_cycle,
                 "Of the run that stands for the value: instructions by core cycles.");
  visit.Required("instructions", row.instructions,
                 "That ran, with connectors and whatever else was between them.", {.exact = true});
  visit.Required("core_cycles", row.core_cycles, "In which they ran.", {.exact = true});
  visit.Required("ticks", row.ticks, "Of the time-stamp counter.", {.exact = true});
  visit.Required("seconds", row.seconds, "The same as time.");
  visit.Required("boost", row.boost,
                 "Core cycles per tick. 0 where most runs had different rates: how fast the core "
                 "ran is not known then.");
  visit.Required("base_ghz", row.base_ghz, "The time-stamp counter's rate.");
  visit.Required("core_ghz", row.core_ghz, "How fast the core ran; 0 where boost is.");
  visit.Optional("reference_cycles", row.reference_cycles,
                 "Only with performance counters that have them.", {.exact = true});
}

struct ModelFigures {
  std::string cpu;
  std::optional<double> latency;
  std::optional<double> throughput;
};

void Describe(auto& visit, Of<ModelFigures> auto& model) {
  visit.Struct("ModelFigures", "What LLVM's scheduling model says.");
  visit.Required("cpu", model.cpu, "LLVM's name.");
  visit.Optional("latency", model.latency, "In cycles, of the slowest pair.");
  visit.Optional("throughput", model.throughput, "In cycles per instruction.");
}

struct InstructionRow {
  std::string text;
  std::string opcode;
  std::string mnemonic;
  std::string isa;
  std::string origin;
  std::string heading;
  std::string known_as;
  Status status = Status::kMeasured;
  std::string reason;
  std::optional<Throughput> throughput;
  std::vector<Throughput> throughput_by_values;
  std::vector<Latency> latency;
  std::vector<ClassicRow> classic;
  std::optional<ModelFigures> model;
  std::optional<double> slots;
  std::vector<PortUse> ports;
  std::optional<PortFinding> port_finding;  // unset where ports were not looked for
  bool zero_idiom = false;
  std::vector<Claim> claims;
  std::vector<std::string> notes;
};

void Describe(auto& visit, Of<InstructionRow> auto& row) {
  visit.Struct("InstructionRow", "One instruction form.");
  visit.Required("text", row.text, "Assembly.");
  visit.Required("opcode", row.opcode, "LLVM's name.");
  visit.Optional("mnemonic", row.mnemonic, "Its first word.");
  visit.Optional("isa", row.isa, "The extension it belongs to.");
  visit.Optional(
      "origin", row.origin,
      "headline: of the forms that a survey chooses. sweep: of a sweep. Absent: asked for "
      "by its text.",
      {.since = "0.2"});
  visit.Optional("heading", row.heading,
                 "Under which `survey` lists it (divide, crypto, ...); rows of a sweep have none.");
  visit.Optional("known_as", row.known_as,
                 "What people call it, of the few that stand for a machine: add, FP add, fma, ...",
                 {.since = "0.2"});
  visit.Required("status", row.status, "How the measuring ended.");
  visit.Optional("reason", row.reason, "When not measured.");
  visit.Optional("throughput", row.throughput, "With the operand values that take least time.");
  visit.Optional("throughput_by_values", row.throughput_by_values,
                 "Of every class of operand values, where values matter.");
  visit.Optional("latency", row.latency, "One entry per operand pair.");
  visit.Optional("classic", row.classic, "The rows of the classic table.");
  visit.Optional("model", row.model, "What LLVM says of it.");
  visit.Optional("slots", row.slots, "Slots of dispatch that it takes.", {.since = "0.2"});
  visit.Optional("ports", row.ports,
                 "The ports that it uses, from the times of mixes; absent where those were not "
                 "explained.",
                 {.since = "0.2"});
  visit.Optional("port_finding", row.port_finding, "How they were found.", {.since = "0.2"});
  visit.Optional("zero_idiom", row.zero_idiom, "It waits for none of its sources.",
                 {.since = "0.3"});
  visit.Optional("claims", row.claims,
                 "eliminated move, zero idiom, false dependence on the output, ...",
                 {.since = "0.3"});
  visit.Optional("notes", row.notes, "The sentences of its claims.");
}

struct RegisterValue {
  std::string name;
  std::string value;
};

void Describe(auto& visit, Of<RegisterValue> auto& reg) {
  visit.Struct("RegisterValue", "What a register held before a snippet ran.");
  visit.Required("name", reg.name, "Of the register.");
  visit.Required("value", reg.value, "Hexadecimal: a number of 64 bits.");
}

// What llvm-mca says of a snippet.
struct McaPrediction {
  std::string cpu;
  double cycles = 0;
  double throughput_bound = 0;
  double latency_bound = 0;
  std::string bottleneck;
  std::string timeline;
};

void Describe(auto& visit, Of<McaPrediction> auto& prediction) {
  visit.Struct("McaPrediction", "What llvm-mca says of a snippet, in cycles per iteration.");
  visit.Required("cpu", prediction.cpu, "LLVM's name of the model.");
  visit.Required("cycles", prediction.cycles, "Of its simulation, when it has settled.");
  visit.Required("throughput_bound", prediction.throughput_bound,
                 "What the model's resources and width allow.");
  visit.Required("latency_bound", prediction.latency_bound,
                 "The longest chain of dependences with the model's latencies.");
  visit.Optional("bottleneck", prediction.bottleneck, "What delayed instructions most often.");
  visit.Optional("timeline", prediction.timeline, "As llvm-mca draws it.");
}

// What a snippet cannot be faster than, from measured figures of its parts.
struct BlockBounds {
  double chain = 0;
  std::string chain_text;
  bool accumulates = false;
  double issue = 0;
  double width = 0;
  double resource = 0;
  std::string resource_text;
  std::string binds;
  double next = 0;
  bool knows_all = true;  // the width and every throughput; not in the document
  std::optional<Claim> claim;
  std::string verdict;
};

void Describe(auto& visit, Of<BlockBounds> auto& bounds) {
  visit.Struct("BlockBounds",
               "What a snippet cannot be faster than, in cycles per iteration, from measured "
               "latencies and throughputs of its instructions.");
  visit.Always("chain", bounds.chain, "The longest chain of dependences.");
  visit.Optional("chain_text", bounds.chain_text, "Its links: rax → rax: imul 3 + add 1.");
  visit.Always("issue", bounds.issue, "All instructions, as many at once as the core can start.");
  visit.Always("width", bounds.width, "How many those are.");
  visit.Always("resource", bounds.resource,
               "Copies of one instruction, at the rate at which it executes.");
  visit.Optional("resource_text", bounds.resource_text, "Which instruction.");
  visit.Optional("accumulates", bounds.accumulates,
                 "The chain is one instruction that adds to what it gave before.",
                 {.since = "0.3"});
  visit.Optional(
      "binds", bounds.binds,
      "The bound that explains the time: chain, resource, issue; absent where none does.",
      {.since = "0.3"});
  visit.Optional("next", bounds.next,
                 "The second largest of the bounds; absent where one of them is not known.",
                 {.since = "0.3"});
  visit.Optional("claim", bounds.claim, "What binds the snippet.", {.since = "0.3"});
  visit.Optional("verdict", bounds.verdict, "The sentence of that claim.");
}

struct BlockSourcePlace {
  std::string file;
  int line = 0;
};

void Describe(auto& visit, Of<BlockSourcePlace> auto& place) {
  visit.Struct("BlockSourcePlace", "Where a loop begins in the program's source.");
  visit.Required("file", place.file, "Its name, without folders.");
  visit.Required("line", place.line, "From 1.");
}

struct BlockData {
  std::string data;
  Estimate cycles;
};

void Describe(auto& visit, Of<BlockData> auto& data) {
  visit.Struct("BlockData", "What a loop takes with one kind of data.");
  visit.Required("data", data.data, "What memory held: random, constant, few-valued.");
  visit.Beside("cycles", data.cycles, "Cycles per iteration.");
}

struct BlockPlace {
  int offset = 0;
  Estimate cycles;
};

void Describe(auto& visit, Of<BlockPlace> auto& place) {
  visit.Struct("BlockPlace", "What a loop takes where its code begins at one place of a line.");
  visit.Always("offset", place.offset, "Bytes behind a multiple of 64.", {.since = "0.3"});
  visit.Beside("cycles", place.cycles, "Cycles per iteration.");
}

struct BlockRow {
  std::string name;
  std::string side;
  std::string function;
  int line = 0;
  std::optional<BlockSourcePlace> source;
  std::string text;
  std::string init;
  Status status = Status::kMeasured;
  std::string reason;
  std::optional<Estimate> cycles;
  std::vector<BlockData> by_data;
  std::string data_cause;
  std::vector<BlockPlace> by_place;
  std::vector<std::string> left_out;
  int instructions = 0;
  int unroll = 1;
  int trips = 0;
  std::int64_t bytes_per_trip = 0;
  bool loop = true;
  int pages = 0;
  std::int64_t footprint = 0;
  std::string memory;
  bool passes = false;
  std::vector<RegisterValue> registers;
  std::optional<BlockPrediction> predicted;
  std::optional<McaPrediction> mca;
  std::optional<BlockBounds> bounds;
  std::optional<BlockPorts> ports;
  std::vector<ClassicRow> classic;
  std::vector<Claim> claims;
  std::vector<std::string> notes;
  std::string code;
};

void Describe(auto& visit, Of<BlockRow> auto& row) {
  visit.Struct("BlockRow", "One snippet.");
  visit.Optional("name", row.name,
                 "Of the region or loop in a file; in a survey what people call it.",
                 {.since = "0.2"});
  visit.Optional("side", row.side,
                 "Where two files or functions are compared: the one that it comes from.",
                 {.since = "0.3"});
  visit.Optional("function", row.function, "That the loop belongs to.", {.since = "0.3"});
  visit.Optional("line", row.line, "Of the assembly file, where the loop begins.",
                 {.since = "0.3"});
  visit.Optional("source", row.source, "What the compiler's line numbers say.", {.since = "0.3"});
  visit.Required("text", row.text, "The snippet, as given.");
  visit.Optional("init", row.init, "What ran before it.");
  visit.Required("status", row.status, "How the measuring ended.");
  visit.Optional("reason", row.reason, "When not measured.");
  visit.Beside("cycles", row.cycles, "Cycles per iteration; absent when not measured.");
  visit.Optional("by_data", row.by_data,
                 "Where the time depends on the data: what each kind of data takes.",
                 {.since = "0.3"});
  visit.Optional("data_cause", row.data_cause,
                 "Why it may: branch (data decide which way it goes), jump (data decide where it "
                 "leads, through a table), forwarding (a store is read "
                 "again at once), division (it takes longer for some values).",
                 {.since = "0.3"});
  visit.Optional("by_place", row.by_place,
                 "Where the time of a loop depends on where a linker puts its code: what it takes "
                 "at each place. Its cycles are those of most places, or of the faster half.",
                 {.since = "0.3"});
  visit.Optional("left_out", row.left_out,
                 "Calls and jumps that lead out of the snippet, and are not measured.",
                 {.since = "0.3"});
  visit.Always("instructions", row.instructions, "In one iteration, as written.");
  visit.Always("unroll", row.unroll, "How often the snippet stands in the measured loop.");
  visit.Optional(
      "trips", row.trips,
      "It is a loop with a branch of its own, and cycles are those of a trip. It was run "
      "with this number of trips, and with twice as many.",
      {.since = "0.2"});
  visit.Optional("bytes_per_trip", row.bytes_per_trip,
                 "How far a trip goes on in memory, summed over all arrays; absent where that is "
                 "not known.",
                 {.since = "0.3"});
  visit.Always("loop", row.loop, "It ran in a loop.");
  visit.Optional(
      "pages", row.pages,
      "Pages of memory that appeared where it touched them; of more than 32, all are one "
      "and the same.",
      {.since = "0.2"});
  visit.Optional("footprint", row.footprint,
                 "Bytes of memory laid out for it, each stream with memory of its own.",
                 {.since = "0.3"});
  visit.Optional(
      "memory", row.memory,
      "What memory held at first: random, constant, few-valued, rising, falling, pointers, "
      "floats, zero, ones, file.",
      {.since = "0.2"});
  visit.Optional("passes", row.passes, "Each pass of the loop began with the initial values again.",
                 {.since = "0.2"});
  visit.Optional("registers", row.registers,
                 "What the general registers that it names held at first.", {.since = "0.2"});
  visit.Optional("predicted", row.predicted, "What a model of a core says of it.",
                 {.since = "0.3"});
  visit.Optional("mca", row.mca, "llvm-mca's prediction for this CPU.", {.since = "0.2"});
  visit.Optional("bounds", row.bounds, "What it cannot be faster than.", {.since = "0.2"});
  visit.Optional("ports", row.ports, "What the ports of its instructions say, when asked for.",
                 {.since = "0.2"});
  visit.Optional("classic", row.classic, "The rows of the classic table.");
  visit.Optional("claims", row.claims, "What a reader of the figures has to know.",
                 {.since = "0.3"});
  visit.Optional("notes", row.notes, "The sentences of its claims.", {.since = "0.2"});
  visit.Optional("code", row.code, "The measured instructions, one a line.");
}

}  // namespace cyclescope
