// What a core does with instructions of one form, as its row in a document says.
//
//   const FormModel form = FormOfRow(row, instruction);
//   form.CyclesBetween(from, to);  // unset: nothing waits, or it is not known
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assembler/instruction.h"
#include "cyclescope/result/instruction.h"
#include "predict/operand_roles.h"
#include "predict/port_sets.h"

namespace cyclescope::predict {

// µops that can go to any of these ports.
struct UopUse {
  PortSet ports = 0;
  int uops = 0;
  bool is_store_address = false;  // it tells where to store, and no more
};

// What a core does with instructions of one form.
struct FormModel {
  struct Pair {
    OperandRole from;
    OperandRole to;
    double cycles = 0;
    bool is_bound = false;   // it may be less
    bool is_direct = false;  // measured in a chain of this form alone
    double in_chain = 0;     // of what is done at rename: of each in such a chain
  };

  std::string text;  // of the form that was measured
  std::vector<Pair> pairs;
  double slots = 1;
  std::vector<UopUse> uops;
  bool knows_ports = false;
  // Cycles for which it keeps something busy that is no port, such as a divider; 0: nothing.
  double own_cycles = 0;
  std::string own_kind;  // which: forms with the same ports share it
  // A move that is done at rename as far as the core can: where it goes else.
  PortSet move_ports = 0;
  bool zero_idiom = false;      // it waits for none of its sources
  bool merges = false;          // with what it keeps of a register: alone, it is a chain
  bool same_registers = false;  // two of its operands were one register when it was measured

  // From one operand to another; unset where nothing waits, or it is not known. An index that was
  // not measured takes as long as a base.
  std::optional<double> CyclesBetween(const OperandRole& from, const OperandRole& to) const;
};

// Its latencies and slots; which µops it has, ports tell (core_ports.h). `instruction` is the row's
// text.
FormModel FormOfRow(const InstructionRow& row, const assembler::Instruction& instruction);

}  // namespace cyclescope::predict
