// The ports of a core, and which µops go where: as its map of ports says, and LLVM's model where no
// mix of instructions can tell.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "cyclescope/result/document.h"
#include "predict/form_rows.h"
#include "predict/port_sets.h"

namespace cyclescope::predict {

class CorePorts {
 public:
  // Forms of the map that have no row of their own are added to `rows`. Slots dispatched in a
  // cycle: ports that are as many, no mix shows.
  void Read(Document& document, double dispatch, assembler::Assembler& assembler, FormRows& rows);

  const std::vector<std::string>& names() const { return names_; }
  PortSet loads() const { return loads_; }
  PortSet stores() const { return stores_; }
  // Those that vectors use, and none of 512 bits: beside these, Intel's cores have no vector unit
  // on port 1.
  PortSet closed() const { return wide_ == 0 ? 0 : narrow_ & ~wide_; }
  PortSet SetOf(const std::vector<std::string>& ports) const;
  bool MayBePlainAccess(const InstructionRow& row) const;
  // The µops of a form whose latencies are there.
  void AddUops(const FormRow& row, FormModel& form) const;

 private:
  // Ports of instructions with one µop that touch no memory.
  struct PortClass {
    PortSet ports = 0;
    bool of_vectors = false;
    bool of_integers = false;
    std::set<std::string> mnemonics;  // of its forms
  };

  void ReadMap(Document& document, assembler::Assembler& assembler, FormRows& rows);
  void ReadHidden(FormRows& rows);
  void AddHiddenUops(const FormRow& row, FormModel& form) const;
  void GuessUops(const FormRow& row, FormModel& form) const;
  void ReadMove(const FormRow& row, FormModel& form) const;
  bool TakeLlvmPorts(const FormRow& row, FormModel& form) const;

  double dispatch_ = 0;
  bool is_intel_ = false;
  std::vector<std::string> names_;
  std::vector<InstructionRow> class_rows_;  // forms of the port map that have no row
  std::vector<PortClass> classes_;
  PortSet loads_ = 0;
  PortSet stores_ = 0;
  // Ports that no mix shows: as many as slots are dispatched. The set that most instructions use.
  PortSet hidden_ = 0;
  PortSet narrow_ = 0;  // of the map's forms with vectors of less than 512 bits
  PortSet wide_ = 0;    // of those with such vectors
};

}  // namespace cyclescope::predict
