// A model of a core: what its instructions ask of it, and how many it takes at once. Made of a
// result document and nothing else, so that what is written is what predicts.
//
//   auto model = CoreModel::From(document, assembler);
//   const FormModel* add = model->FormOf(instruction);  // null: the document does not know it
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "assembler/assembler.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "predict/core_ports.h"
#include "predict/form_model.h"
#include "predict/form_rows.h"
#include "predict/memory_times.h"

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
  // At dispatch, by what waits when the cycle begins, as far as it is known: the µops of a cycle
  // that may go to the same ports go to these in turn, those with the fewest first, without those
  // that have three more. So nearly do Intel's cores that dispatch five and more ("uiCA").
  kTurnsOfSets,
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
  const std::vector<std::string>& ports() const { return ports_.names(); }
  // Entries; 0: not limited.
  int SizeOf(Window window) const { return sizes_[static_cast<std::size_t>(window)]; }
  // Of these the document says nothing, and usual values are taken.
  const std::vector<std::string>& assumed() const { return assumed_; }
  double branch_cycles() const { return branch_cycles_; }  // of a taken branch
  // Of jumps that follow each other so closely in the code.
  double JumpCycles(std::int64_t bytes_apart) const;
  PortChoice port_choice() const { return port_choice_; }
  PortSet load_ports() const { return ports_.loads(); }
  PortSet store_ports() const { return ports_.stores(); }
  // To vectors, beside others of 512 bits.
  PortSet closed_ports() const { return ports_.closed(); }
  const MemoryTimes& memory() const { return memory_; }

 private:
  CoreModel(Document document, assembler::Assembler& assembler)
      : document_(std::make_unique<Document>(std::move(document))),
        assembler_(&assembler),
        rows_(assembler) {}

  Result<void> ReadDispatch();
  void ReadWindows();
  void ReadJumps();

  std::unique_ptr<Document> document_;
  assembler::Assembler* assembler_;
  FormRows rows_;
  std::unordered_map<std::string, const FormModel*> by_text_;  // those that were asked for
  double dispatch_ = 0;
  CorePorts ports_;
  MemoryTimes memory_;
  std::array<int, kWindows> sizes_{};
  std::vector<std::string> assumed_;
  double branch_cycles_ = 1;
  std::map<std::int64_t, double> jump_cycles_;  // by how many bytes they are apart
  PortChoice port_choice_ = PortChoice::kLeastWaiting;
  std::optional<assembler::Instruction> stack_sync_;
};

}  // namespace cyclescope::predict
