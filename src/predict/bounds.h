// What a loop cannot be faster than on a core: the largest of these is the first answer, and says
// what binds.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "predict/block_program.h"
#include "predict/core_model.h"
#include "predict/port_sets.h"

namespace cyclescope::predict {

// All in cycles per iteration.
struct ProgramBounds {
  double dispatch = 0;
  double branches = 0;
  double ports = 0;
  PortSet binding_ports = 0;
  double chain = 0;
  double unit = 0;
  int unit_number = -1;

  double Largest() const;
  // Its name, as in a document: dispatch, branches, ports, chain, unit.
  std::string_view Binding() const;
  // The largest of the others.
  double Next(double next_chain) const;
};

// How many µops an iteration has, by the ports that they can go to.
std::map<PortSet, double> UopsByPorts(const BlockProgram& program);
double SlotsOf(const BlockProgram& program);
// How many taken branches an iteration has.
double JumpsOf(const BlockProgram& program);

ProgramBounds BoundsOf(const CoreModel& model, const BlockProgram& program);

}  // namespace cyclescope::predict
