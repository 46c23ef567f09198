// What a trip through a loop, or a run of a snippet, does to its registers, as far as that can be
// seen from the code: sums of what they held when it began. From that follows which register walks
// how far, and where each access to memory lies.
//
//   const TripValues values(code, loop);
//   values.StepOf(7);       // 8: the register has 8 more after a trip
//   values.accesses();      // address = register 7 + 4 × (what instruction 2 loaded)
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "blocks/block_code.h"
#include "blocks/loop_shape.h"

namespace cyclescope::blocks {

// A general register by number, the stack pointer too; from kFirstSymbol on, a symbol's address.
using GeneralNumber = int;

struct SymbolicValue {
  std::map<GeneralNumber, std::int64_t> registers;  // what they held at first, times this
  std::int64_t constant = 0;
  std::int64_t spread = 0;      // and up to this much more, by which way the code went
  std::set<std::size_t> loads;  // instructions whose loaded value is a part of it
  bool bounded = false;         // all that these add is from 0 to `spread`
  bool vague = false;           // and something that is not known
  bool multiplied = false;      // a loaded value is in it several times
  // It is not known only since upper bits were cleared, which made no difference to the values that
  // the code is made for: `constant` and `loads` are all of it.
  bool narrowed = false;

  bool is_exact() const { return !vague && spread == 0; }
  // It has a part of which nothing says how large it is.
  bool is_open() const { return vague || (!loads.empty() && !bounded); }

  bool operator==(const SymbolicValue&) const = default;
};

struct MemoryUse {
  std::size_t instruction = 0;
  SymbolicValue address;
  std::int64_t bytes = 0;  // 0 where that is not known
  bool loads = false;
  bool stores = false;
  bool to_vector = false;  // what it loads goes into a vector register, or is a floating number
  bool extended = false;   // x87's 80 bits
  // What the loaded value, or one of those that it is multiplied with, is multiplied by in the
  // address.
  std::int64_t multiplier = 1;
  // At a distance from the instruction: where that is, from where the code begins. Its address has
  // no registers then.
  std::optional<std::int64_t> target;
};

class TripValues {
 public:
  TripValues(const BlockCode& code, const std::optional<LoopShape>& loop);

  // What the register has more after each trip; unset where it does not change by the same each
  // time.
  std::optional<std::int64_t> StepOf(GeneralNumber index) const;
  // The most that it may be, where that depends on the way: `if (x > 0) out[k++] = x`. Unset where
  // no such limit is known.
  std::optional<std::int64_t> FarthestStepOf(GeneralNumber index) const;
  // Of a register that goes on by little and comes back by much, `if ((k += 3) >= 1000) k -= 1000`:
  // how far it gets. Unset of others.
  std::optional<std::int64_t> WrapOf(GeneralNumber index) const;
  // The same of a register that another, which stays the same, is added to: that other one.
  std::optional<GeneralNumber> StepRegisterOf(GeneralNumber index) const;

  // What the register holds after a trip, where that is a loaded value alone: the instructions that
  // load it. Empty otherwise.
  std::set<std::size_t> LoadsAtEnd(GeneralNumber index) const;

  // What an instruction that sets flags, or decides by a register, finds in the general registers
  // that it reads, in the order of its operands.
  struct Decision {
    std::vector<assembler::Operand> operands;
    std::vector<SymbolicValue> values;  // of each
  };
  const Decision* DecisionAt(std::size_t instruction) const {
    const auto found = decisions_.find(instruction);
    return found == decisions_.end() ? nullptr : &found->second;
  }
  // What such a value has more in the next trip; unset where that differs.
  std::optional<std::int64_t> StepOf(const SymbolicValue& value) const;

  // In the order of execution; of code with circles of its own there are none.
  const std::vector<MemoryUse>& accesses() const { return accesses_; }

 private:
  using RegisterKey = std::pair<int, int>;  // register file and number
  using State = std::map<RegisterKey, SymbolicValue>;

  // What an instruction reads.
  struct Inputs {
    SymbolicValue address;
    SymbolicValue sum;                      // of what it reads beside the address
    SymbolicValue blurred;                  // what is left of those when they are not followed
    std::optional<SymbolicValue> any;       // one of them
    std::int64_t multiplier = 1;            // of the part of the address that is not followed
    std::optional<std::int64_t> increment;  // of the base, after the access
    const assembler::Operand* base = nullptr;
    bool is_relative = false;  // the address is, to the instruction
  };

  // The register's value after a trip, where that is its own and a number; null otherwise.
  const SymbolicValue* MovedBy(GeneralNumber index) const;
  static SymbolicValue ValueOf(const State& state, const RegisterKey& key);
  static Inputs InputsOf(const assembler::Instruction& instruction, const State& state);
  // What the registers hold then that it writes and does not move.
  static SymbolicValue ResultOf(std::size_t number, const assembler::Instruction& instruction,
                                const Inputs& inputs);
  // `symbol` is the one whose address it has; null where it has none.
  void Execute(std::size_t number, const assembler::Decoded& decoded, const SymbolUse* symbol,
               State& state);
  void NoteDecision(std::size_t number, const assembler::Instruction& instruction,
                    const SymbolUse* symbol, const State& state);
  // Nothing else of it is known yet.
  MemoryUse& NoteAccess(std::size_t number, const assembler::Instruction& instruction,
                        const SymbolicValue& address, std::int64_t multiplier);

  std::vector<MemoryUse> accesses_;
  std::map<std::size_t, Decision> decisions_;
  std::optional<State> end_;
};

}  // namespace cyclescope::blocks
