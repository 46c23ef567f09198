#include "predict/bounds.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace cyclescope::predict {
namespace {

// In the order in which equal ones are named: what a programmer can do most about comes first.
std::array<std::pair<std::string_view, double>, 5> Named(const ProgramBounds& bounds) {
  return {{{"chain", bounds.chain},
           {"ports", bounds.ports},
           {"unit", bounds.unit},
           {"dispatch", bounds.dispatch},
           {"branches", bounds.branches}}};
}

}  // namespace

double ProgramBounds::Largest() const { return std::max({dispatch, branches, ports, chain, unit}); }

std::string_view ProgramBounds::Binding() const {
  const auto all = Named(*this);
  return std::ranges::max_element(all, {}, &std::pair<std::string_view, double>::second)->first;
}

double ProgramBounds::Next(double next_chain) const {
  double next = 0;
  for (const auto& [name, cycles] : Named(*this)) {
    if (name != Binding()) next = std::max(next, cycles);
  }
  return Binding() == "chain" ? std::max(next, next_chain) : next;
}

std::map<PortSet, double> UopsByPorts(const BlockProgram& program) {
  std::map<PortSet, double> uops;
  for (const Uop& uop : program.uops) {
    if (uop.ports != 0) uops[uop.ports] += 1;
  }
  return uops;
}

double SlotsOf(const BlockProgram& program) {
  double slots = 0;
  for (const ProgramInstruction& each : program.instructions) slots += each.slots;
  return slots;
}

double JumpsOf(const BlockProgram& program) {
  return static_cast<double>(
      std::ranges::count(program.instructions, true, &ProgramInstruction::jumps));
}

ProgramBounds BoundsOf(const CoreModel& model, const BlockProgram& program) {
  ProgramBounds bounds;
  bounds.dispatch = SlotsOf(program) / model.dispatch();
  bounds.branches = JumpsOf(program) * program.branch_cycles;
  bounds.chain = program.chain.cycles;
  const Narrowest narrowest = NarrowestOf(UopsByPorts(program));
  bounds.ports = narrowest.cycles;
  bounds.binding_ports = narrowest.ports;
  std::vector<double> busy(program.units.size());
  for (const Uop& uop : program.uops) {
    if (uop.unit < 0) continue;
    double& cycles = busy[static_cast<std::size_t>(uop.unit)];
    cycles += uop.unit_cycles;
    if (cycles <= bounds.unit) continue;
    bounds.unit = cycles;
    bounds.unit_number = uop.unit;
  }
  return bounds;
}

}  // namespace cyclescope::predict
