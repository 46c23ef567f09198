// `cyclescope ports`: the ports of a core, and which of them an instruction uses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
#include "cyclescope/result/describe.h"

namespace cyclescope {

// µops that can go to any of some ports: "1*p01".
struct PortUse {
  int uops = 0;
  std::vector<std::string> ports;
  bool ambiguous = false;

  bool operator==(const PortUse&) const = default;
};

void Describe(auto& visit, Of<PortUse> auto& use) {
  visit.Struct("PortUse", "µops that can go to any of these ports.");
  visit.Required("uops", use.uops, "How many.");
  visit.Required("ports", use.ports, "Their names, as in the port map.");
  visit.Optional("ambiguous", use.ambiguous,
                 "They are those of a class whose ports are ambiguous in the port map.");
}

// A mix of instructions that was measured to find them.
struct PortMix {
  std::string mix;
  std::optional<double> cycles;
  std::optional<double> predicted;
};

void Describe(auto& visit, Of<PortMix> auto& mix) {
  visit.Struct("PortMix", "A mix of instructions, repeated for ever.");
  visit.Required("mix", mix.mix, "How many of which: `15 * add rax, rbx + 1 * bswap rax`.");
  visit.Optional("cycles", mix.cycles,
                 "Measured; absent where it could not be, as on a core that was never quiet.");
  visit.Optional("predicted", mix.predicted, "From the ports found.");
}

// How the ports of an instruction were found, and what they mean for it.
struct PortFinding {
  std::optional<double> own_cycles;
  std::optional<Claim> claim;
  std::string reason;
  std::string binds;
  std::vector<PortUse> model;
  std::vector<PortMix> mixes;
};

void Describe(auto& visit, Of<PortFinding> auto& finding) {
  visit.Struct("PortFinding", "What the times of mixes say about the ports of an instruction.");
  visit.Optional("own_cycles", finding.own_cycles,
                 "Cycles for which it keeps something busy that is no port, such as a divider.");
  visit.Optional("claim", finding.claim, "Why the times were not explained.", {.since = "0.3"});
  visit.Optional("reason", finding.reason, "The sentence of that claim.");
  visit.Optional("binds", finding.binds,
                 "What limits its throughput: ports, dispatch, chain (it waits for its own result) "
                 "or other. Absent where it takes longer than they need.");
  visit.Optional("model", finding.model, "LLVM's ports of it, by names as in the port map.");
  visit.Optional("mixes", finding.mixes, "The mixes behind it, when asked for.");
}

struct PortClassRow {
  std::vector<std::string> ports;
  int per_cycle = 0;
  bool ambiguous = false;
  std::vector<std::string> forms;
};

void Describe(auto& visit, Of<PortClassRow> auto& row) {
  visit.Struct("PortClassRow", "Instructions of one µop that use the same ports.");
  visit.Required("ports", row.ports, "Their names.");
  visit.Required("per_cycle", row.per_cycle,
                 "How many the core takes in a cycle. Fewer than ports where something else limits "
                 "them.");
  visit.Optional("ambiguous", row.ambiguous, "Other ports explain the times as well.");
  visit.Required("forms", row.forms, "The instructions; the first stands for all.");
}

struct LeftOutForm {
  std::string text;
  std::string reason;
  std::optional<Claim> claim = {};
};

void Describe(auto& visit, Of<LeftOutForm> auto& form) {
  visit.Struct("LeftOutForm", "A form that is in no class.");
  visit.Required("text", form.text, "Assembly.");
  visit.Required("reason", form.reason, "Why: the sentence of its claim, where there is one.");
  visit.Optional("claim", form.claim, "What was found instead.", {.since = "0.3"});
}

struct PortMap {
  double dispatch = 0;
  std::vector<std::string> ports;
  std::vector<PortClassRow> classes;
  std::vector<LeftOutForm> left_out;
  int other_maps = 0;
  int mixes = 0;
  double seconds = 0;
};

void Describe(auto& visit, Of<PortMap> auto& map) {
  visit.Struct("PortMap", "The ports of a core.");
  visit.Required("dispatch", map.dispatch, "Slots that the core dispatches in a cycle.");
  visit.Required("ports", map.ports, "Names: LLVM's where our sets match its, else letters.");
  visit.Required("classes", map.classes, "One entry per set of ports.");
  visit.Optional("left_out", map.left_out, "Forms that were tried and are in no class.");
  visit.Optional("other_maps", map.other_maps, "How many other maps explain the times as well.");
  visit.Always("mixes", map.mixes, "Mixes measured.");
  visit.Always("seconds", map.seconds, "Time that it took.");
}

// How busy a snippet keeps a port.
struct PortLoad {
  std::string port;
  double cycles = 0;
};

void Describe(auto& visit, Of<PortLoad> auto& load) {
  visit.Struct("PortLoad", "How busy a snippet keeps a port.");
  visit.Required("port", load.port, "Its name.");
  visit.Required("cycles", load.cycles,
                 "µops in an iteration, when they are spread as well as possible.");
}

// What the ports of its instructions say of a snippet.
struct BlockPorts {
  double cycles = 0;
  double ports = 0;
  double dispatch = 0;
  double chain = 0;
  double other = 0;
  std::string other_text;
  std::string binds;
  std::vector<std::string> binding_ports;
  std::vector<PortLoad> pressure;
  std::vector<LeftOutForm> not_counted;
};

void Describe(auto& visit, Of<BlockPorts> auto& ports) {
  visit.Struct("BlockPorts",
               "What a snippet takes by the measured ports of its instructions, in cycles per "
               "iteration.");
  visit.Required("cycles", ports.cycles, "Predicted: the largest of the four below.");
  visit.Required("ports", ports.ports, "What its µops need.");
  visit.Required("dispatch", ports.dispatch, "What its slots need.");
  visit.Always("chain", ports.chain, "The longest chain of dependences, as in `bounds`.");
  visit.Always("other", ports.other, "What else is busy, such as a divider.");
  visit.Optional("other_text", ports.other_text, "The instruction that keeps it busy.");
  visit.Required("binds", ports.binds, "ports, dispatch, chain or other.");
  visit.Optional("binding_ports", ports.binding_ports, "The ports that its µops need for longest.");
  visit.Required("pressure", ports.pressure, "One entry per port.");
  visit.Optional("not_counted", ports.not_counted,
                 "Instructions whose ports are not known: only a slot is counted for each.");
}

}  // namespace cyclescope
