// A model of a core: what its instructions ask of it, and how many it takes at once. Made of a
// result document and nothing else, so that what is written is what predicts.
//
//   auto model = CoreModel::From(document, assembler);
//   const FormModel* add = model->FormOf(instruction);  // null: the document does not know it
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "assembler/assembler.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "predict/operand_roles.h"
#include "predict/port_sets.h"

namespace cyclescope::predict {

// What is held by instructions in flight.
enum class Window {
  kReorderBuffer,
  kIntegerRegisters,
  kVectorRegisters,
  kMaskRegisters,
  kLoads,
  kStores,
  kScheduler,  // until it is issued; all else until it retires
};
inline constexpr std::size_t kWindows = 7;
// As `cyclescope anatomy` names them.
std::string_view NameOf(Window window);

// How it is decided which port a µop goes to.
enum class PortChoice {
  // At dispatch, to the one with the fewest µops that wait for it.
  kLeastWaiting,
  // At dispatch, by what waits when the cycle begins: from one slot to the other in turn to the
  // port with the fewest and to the next, unless that has three more. So do Intel's cores (A. Abel
  // and J. Reineke, "uiCA", ICS 2022).
  kInTurn,
};

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
  };

  std::string text;  // of the form that was measured
  std::vector<Pair> pairs;
  double slots = 1;
  std::vector<UopUse> uops;
  bool knows_ports = false;
  // Cycles for which it keeps something busy that is no port, such as a divider; 0: nothing.
  double own_cycles = 0;
  std::string own_kind;         // which: forms with the same ports share it
  bool zero_idiom = false;      // it waits for none of its sources
  bool same_registers = false;  // two of its operands were one register when it was measured

  // From one operand to another; unset where nothing waits, or it is not known. An index that was
  // not measured takes as long as a base.
  std::optional<double> CyclesBetween(const OperandRole& from, const OperandRole& to) const;
};

class CoreModel {
 public:
  // Fails where the document says nothing of a core. `assembler` reads the texts of its forms; it
  // must be of the document's architecture, read the manual's syntax and outlive the model.
  static Result<CoreModel> From(Document document, assembler::Assembler& assembler);

  // Null where the document has no row for it that was measured.
  const FormModel* FormOf(const assembler::Instruction& instruction);

  // The document's row that FormOf takes; null where it has none.
  const InstructionRow* RowOf(const assembler::Instruction& instruction);

  // What the core itself adds to the stack pointer with, where pushes and pops moved it and its
  // value is asked for; null where the document does not have it.
  const assembler::Instruction* StackSync();

  // What LLVM's model of the CPU says of it, where the document says nothing; a cycle where LLVM
  // does not either.
  double GuessLatency(const assembler::Instruction& instruction);

  double dispatch() const { return dispatch_; }  // slots in a cycle
  const std::vector<std::string>& ports() const { return ports_; }
  // Entries; 0: not limited.
  int SizeOf(Window window) const { return sizes_[static_cast<std::size_t>(window)]; }
  // Of these the document says nothing, and usual values are taken.
  const std::vector<std::string>& assumed() const { return assumed_; }
  double branch_cycles() const { return branch_cycles_; }  // of a taken branch
  PortChoice port_choice() const { return port_choice_; }
  PortSet load_ports() const { return load_ports_; }
  PortSet store_ports() const { return store_ports_; }
  // From an address to what is loaded, where a form does not say.
  double LoadCycles(bool to_vector) const { return load_cycles_[to_vector ? 1 : 0]; }
  // By so much a load takes longer than in a chain of loads, where each address is loaded by the
  // one before. Intel's cores until Skylake save a cycle then.
  double saved_by_loaded_address() const { return saved_by_loaded_address_; }
  // Loads of one bank of the first cache that start in a cycle; 0: as many as there are ports.
  int loads_of_a_bank() const { return loads_of_a_bank_; }
  // Of stores that go to other lines than those before them, and to the same; 0: it is not known.
  double other_line_store_cycles() const { return other_line_store_cycles_; }
  double same_line_store_cycles() const { return same_line_store_cycles_; }
  // Cycles of a load, or of a store, that is so wide and crosses the end of a line. Unset where
  // that costs nothing, or was not measured.
  std::optional<double> SplitCycles(bool stores, int bytes) const;
  // From what is stored to what is loaded, through the load.
  double forwarding_cycles(bool of_vector) const { return forwarding_cycles_[of_vector ? 1 : 0]; }
  // Whether what was stored came to a load in so few cycles that it cannot have gone through it:
  // then the load was renamed to the register that was stored.
  bool IsRenamed(double forwarding_cycles) const;
  // Whether it was seen of something that is loaded, changed by a number and stored again. One run
  // stays in the state that it is in: of forms that differ in a number or in their width, some are
  // measured in it, and others not.
  bool RenamesChanged(int bits) const;

 private:
  struct Row {
    const InstructionRow* row = nullptr;
    std::optional<assembler::Instruction> instruction;  // when it was parsed
    std::unique_ptr<FormModel> form;                    // when it was asked for
  };

  // A load or a store across the end of a line.
  struct Split {
    bool stores = false;
    int bytes = 0;
    double cycles = 0;  // 0: no more than behind it
  };

  // Ports of instructions with one µop that touch no memory.
  struct PortClass {
    PortSet ports = 0;
    bool of_vectors = false;
    std::set<std::string> mnemonics;  // of its forms
  };

  CoreModel(Document document, assembler::Assembler& assembler)
      : document_(std::make_unique<Document>(std::move(document))), assembler_(&assembler) {}

  Result<void> ReadDispatch();
  void ReadWindows();
  void AddRow(const InstructionRow& row);
  void ReadPorts();
  void ReadHiddenPorts();
  void AddHiddenUops(const Row& row, FormModel& form) const;
  bool MayBePlainAccess(const InstructionRow& row) const;
  void ReadMemory();
  void ReadSplits();
  void ReadConflicts();
  const assembler::Instruction* Parsed(Row& row);
  Row* FindRow(const assembler::Instruction& instruction);
  FormModel MakeForm(const Row& row) const;
  void GuessUops(const Row& row, FormModel& form) const;
  bool TakeLlvmPorts(const Row& row, FormModel& form) const;
  PortSet SetOf(const std::vector<std::string>& ports) const;

  std::unique_ptr<Document> document_;
  std::vector<InstructionRow> class_rows_;  // forms of the port map that have no row
  assembler::Assembler* assembler_;
  std::map<std::string, std::vector<Row>, std::less<>> by_opcode_;
  std::map<std::string, std::vector<std::string>, std::less<>> opcodes_by_mnemonic_;
  std::unordered_map<std::string, const FormModel*> by_text_;  // those that were asked for
  double dispatch_ = 0;
  std::vector<std::string> ports_;
  std::vector<PortClass> classes_;
  std::array<int, kWindows> sizes_{};
  std::vector<std::string> assumed_;
  double branch_cycles_ = 1;
  PortChoice port_choice_ = PortChoice::kLeastWaiting;
  PortSet load_ports_ = 0;
  PortSet store_ports_ = 0;
  // Ports that no mix shows: as many as slots are dispatched. The set that most instructions use.
  PortSet hidden_ports_ = 0;
  std::optional<assembler::Instruction> stack_sync_;
  double saved_by_loaded_address_ = 0;
  std::array<double, 2> load_cycles_{};
  std::array<double, 2> forwarding_cycles_{};
  bool renames_changed_ = false;
  std::set<int> renamed_bits_;  // widths of integers whose stores reached a load so
  int loads_of_a_bank_ = 0;
  double other_line_store_cycles_ = 0;
  double same_line_store_cycles_ = 0;
  std::vector<Split> splits_;  // the narrowest first
};

}  // namespace cyclescope::predict
