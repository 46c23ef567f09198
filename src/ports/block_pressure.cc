#include "ports/block_pressure.h"

#include <algorithm>
#include <map>
#include <string>

namespace cyclescope::ports {
namespace {

PortSet SetOf(const PortMap& map, const std::vector<std::string>& ports) {
  PortSet set = 0;
  for (const std::string& port : ports) {
    const auto place = std::ranges::find(map.ports, port);
    if (place != map.ports.end()) set |= PortSet{1} << (place - map.ports.begin());
  }
  return set;
}

}  // namespace

BlockPorts PredictBlock(const PortMap& map, std::span<const InstructionRow> parts, int fused,
                        double chain) {
  BlockPorts block;
  block.chain = chain;
  std::map<PortSet, double> uops;
  std::map<std::string, double> own;  // by opcode: what is busy is known of no other
  double slots = -fused;
  for (const InstructionRow& part : parts) {
    if (!part.port_finding || !part.port_finding->reason.empty()) {
      slots += 1;
      const bool listed = std::ranges::find(block.not_counted, part.text, &LeftOutForm::text) !=
                          block.not_counted.end();
      if (!listed)
        block.not_counted.push_back(
            {part.text, part.port_finding ? part.port_finding->reason : part.reason});
      continue;
    }
    slots += part.slots.value_or(1);
    for (const PortUse& use : part.ports) {
      if (const PortSet set = SetOf(map, use.ports)) uops[set] += use.uops;
    }
    if (!part.port_finding->own_cycles) continue;
    double& busy = own[part.opcode];
    busy += *part.port_finding->own_cycles;
    if (busy <= block.other) continue;
    block.other = busy;
    block.other_text = part.text;
  }
  const Narrowest narrowest = NarrowestOf(uops);
  const std::map<int, double> cycles_by_port = predict::LeastPressure(uops);
  for (std::size_t i = 0; i < map.ports.size(); ++i) {
    const auto load = cycles_by_port.find(static_cast<int>(i));
    block.pressure.push_back({map.ports[i], load == cycles_by_port.end() ? 0 : load->second});
    if ((narrowest.ports >> i & 1) != 0) block.binding_ports.push_back(map.ports[i]);
  }
  block.ports = narrowest.cycles;
  block.dispatch = std::max(slots, 0.0) / map.dispatch;
  block.cycles = std::max({block.ports, block.dispatch, block.chain, block.other});
  block.binds = block.cycles <= block.ports      ? "ports"
                : block.cycles <= block.chain    ? "chain"
                : block.cycles <= block.dispatch ? "dispatch"
                                                 : "other";
  return block;
}

}  // namespace cyclescope::ports
