
#include <utility>

#include "analysis/claims.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope::testing {
namespace {

using Ports = std::vector<std::string>;

const Ports kAdd = {"p0", "p1", "p5", "p6", "p10"};
const Ports kShift = {"p0", "p6"};
const Ports kLoad = {"p2", "p3", "p11"};
const Ports kVectorMultiply = {"p0", "p1"};

struct SimulatedPorts {
  std::optional<double> slots = {};
  std::vector<PortUse> uops = {};
  PortFinding finding = {};
};

InstructionRow SimulatedRow(std::string text, std::string opcode, double latency, double throughput,
                            SimulatedPorts ports) {
  InstructionRow row;
  row.mnemonic = text.substr(0, text.find(' '));
  row.text = std::move(text);
  row.opcode = std::move(opcode);
  row.latency = {{.from = "rbx", .to = "rax", .cycles = SimulatedEstimate(latency, 0.01)}};
  row.throughput = Throughput{.cycles = SimulatedEstimate(throughput, 0.01)};
  row.slots = ports.slots;
  row.ports = std::move(ports.uops);
  row.port_finding = std::move(ports.finding);
  return row;
}

PortMap SimulatedMap() {
  PortMap map;
  map.dispatch = 5.98;
  map.ports = {"p0", "p1", "p2", "p3", "p5", "p6", "p10", "p11"};
  map.classes = {
      {.ports = {"p1"}, .per_cycle = 1, .forms = {"imul rax, rbx", "popcnt rax, rbx"}},
      {.ports = kShift, .per_cycle = 2, .forms = {"shl rax, 3"}},
      {.ports = kVectorMultiply, .per_cycle = 2, .forms = {"vmulpd xmm0, xmm1, xmm2"}},
      {.ports = kLoad, .per_cycle = 3, .ambiguous = true, .forms = {"mov rax, qword ptr [rbx]"}},
      {.ports = kAdd, .per_cycle = 5, .forms = {"add rax, rbx"}}};
  const Claim two_slots{ClaimCode::kSeveralSlots, {{"slots", 2.0}}};
  map.left_out = {
      {.text = "vpmulld xmm0, xmm1, xmm2", .reason = Sentence(two_slots), .claim = two_slots}};
  map.mixes = 507;
  map.seconds = 0.9;
  return map;
}

BlockRow SimulatedBlock() {
  BlockRow row;
  row.text = "imul rax, rbx\nimul rcx, rbx\nadd rdx, rbx";
  row.cycles = SimulatedEstimate(2.03, 0.01);
  row.instructions = 3;
  row.unroll = 40;
  row.mca = McaPrediction{
      .cpu = "sapphirerapids", .cycles = 2, .throughput_bound = 2, .latency_bound = 3};
  row.bounds =
      BlockBounds{.chain = 1,
                  .chain_text = "rdx → rdx: add 1",
                  .issue = 0.5,
                  .width = 6,
                  .resource = 2,
                  .resource_text = "2 imul",
                  .claim = Claim{ClaimCode::kBoundByResource, {{"what", "2 imul"}}},
                  .verdict = Sentence({ClaimCode::kBoundByResource, {{"what", "2 imul"}}})};
  row.ports = BlockPorts{.cycles = 2,
                         .ports = 2,
                         .dispatch = 0.5,
                         .chain = 1,
                         .binds = "ports",
                         .binding_ports = {"p1"},
                         .pressure = {{"p0", 0.25},
                                      {"p1", 2},
                                      {"p2", 0},
                                      {"p3", 0},
                                      {"p5", 0.25},
                                      {"p6", 0.25},
                                      {"p10", 0.25},
                                      {"p11", 0}},
                         .not_counted = {{.text = "jne 5", .reason = "it is a branch"}}};
  return row;
}

}  // namespace

Document PortsDocument() {
  Document document = BareDocument();
  document.config.command = "ports";
  document.host.architecture = "x86_64";
  document.host.cpu_model = "Made Xeon";
  document.host.microarchitecture = "Made Cove";
  document.host.llvm_cpu = "sapphirerapids";
  document.port_map = SimulatedMap();
  document.instructions = {
      SimulatedRow("add rax, rbx", "ADD64rr", 1, 0.2,
                   {1, {{1, kAdd}}, {.binds = "ports", .model = {{1, kAdd}}}}),
      SimulatedRow("bswap rax", "BSWAP64r", 2, 1,
                   {2, {{1, {"p1"}}, {1, kShift}}, {.binds = "ports", .model = {{2, kShift}}}}),
      SimulatedRow(
          "add rax, qword ptr [rbx]", "ADD64rm", 1, 0.33,
          {1, {{1, kAdd}, {1, kLoad, true}}, {.binds = "ports", .model = {{1, kAdd}, {1, kLoad}}}}),
      SimulatedRow("vdivpd xmm0, xmm1, xmm2", "VDIVPDrr", 14, 4,
                   {1, {{1, {"p0"}}}, {.own_cycles = 4, .binds = "other", .model = {{4, {"p0"}}}}}),
      SimulatedRow(
          "cpuid", "CPUID", 100, 100,
          {.finding = {.claim = Claim{ClaimCode::kTooLongForPorts, {{"cycles", 100.0}}},
                       .reason = "it takes too long to see its µops among others: 100 cycles"}})};
  document.blocks = {SimulatedBlock()};
  return document;
}

}  // namespace cyclescope::testing
