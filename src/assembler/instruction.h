// An instruction as a value: what it is called, what its operands are and what they do. Made by
// Assembler::Parse and the catalogue, changed by Assembler::Rename; copying it needs no assembler.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/register_file.h"
#include "arch/value_patterns.h"
#include "cyclescope/result/claim.h"

namespace cyclescope::assembler {

using arch::RegisterFile;

// A physical register. Registers that overlap have the same file and index, whatever their names
// and widths: w0 and x0; d0, v0 and z0; al, eax and rax; xmm0, ymm0 and zmm0.
struct Register {
  RegisterFile file = RegisterFile::kNone;
  std::uint8_t index = 0;  // the number the encoding has: rax 0, rcx 1, rdx 2, rbx 3; sp is 31
  std::uint16_t bits = 0;  // scalable registers count as 128
  bool high_byte = false;  // ah, bh, ch, dh

  bool Overlaps(const Register& other) const { return file == other.file && index == other.index; }
  bool operator==(const Register&) const = default;
};

enum class OperandKind {
  kRegister,
  kImmediate,
  kCondition,  // eq, ne
  kModifier,   // how another operand is shifted, extended, scaled or rounded
  kLabel,      // a branch target, or a literal's address
  // What a load reads and a store writes: one operand for each place, however many bytes. Where the
  // places differ (`push [rax]`, `movsb`), there are two operands.
  kMemory,
};

// An operand's part in an address; such a register is read, whatever happens to memory.
enum class AddressPart {
  kNone,
  kBase,
  kIndex,
  kScale,
  kDisplacement,
  kSegment,
  kIncrement,  // what is added to the base after the access; no part of this access's address
};

inline constexpr std::int8_t kNoSlot = -1;

struct Operand {
  OperandKind kind = OperandKind::kRegister;
  // As a person says it: "x1", "v0", "ymm2", "flags", "memory", "v0-v3"; "[rax]" for a register of
  // an address that the instruction also reads as data (`add rax, [rax]`).
  std::string name;
  bool read = false;
  bool written = false;
  bool implicit = false;  // not in the text: flags, rax and rdx of `mul`, rsp of `push`, memory
  AddressPart address = AddressPart::kNone;

  // Registers only.
  Register reg{};           // the first one of a list
  std::uint8_t count = 1;   // registers in a list or pair: {v0.16b, v1.16b} has 2
  std::uint8_t stride = 1;  // between the registers of a list
  // The write leaves a part of the register as it was, so that the old value may be waited for
  // though the instruction does not read it: al, ax; `sqrtss xmm0, xmm1`.
  bool partial = false;
  // The manual leaves open what is written: the flags of `div`. Nothing waits for it.
  bool undefined = false;
  // The instruction clears it as it goes, so that it can be repeated after a fault: a gather's
  // mask.
  bool spent = false;
  bool stack_pointer = false;  // and no other register may stand here
  // Bit n: register n of the file may stand here (first of a list). Never the stack pointer nor the
  // zero register; no bits where the register is fixed.
  std::uint32_t allowed = 0;
  // Bit n: must not overlap operands[n], or the instruction is unpredictable or undefined
  // (`ldp x0, x0`; the registers of a gather).
  std::uint32_t differs_from = 0;

  // Memory only.
  std::uint16_t memory_bits = 0;  // of the whole access; 0 where it is not known
  std::uint8_t times = 1;         // of one element that is read for several places: how many
  arch::ElementKind element = arch::ElementKind::kInteger;
  // What every eight bytes should hold, where an ordinary number of that kind would not do: copies
  // that multiply or divide by it again and again must stay within the range of numbers.
  std::optional<std::uint64_t> factor;

  std::int64_t value = 0;  // of an immediate, as the encoder wants it
  // Of a displacement or an increment: how many bytes it is.
  std::int64_t bytes = 0;
  // Of a register in an address or in a sum: what it is multiplied by there.
  std::int64_t multiplier = 1;

  // Which of the instruction's slots hold it; a read-written (tied) operand has two.
  std::int8_t slot = kNoSlot;
  std::int8_t tied_slot = kNoSlot;
};

struct InstructionFlags {
  bool branch = false;
  bool indirect = false;
  bool call = false;
  bool returns = false;
  bool never_falls_through = false;  // what stands behind it is reached from elsewhere
  bool may_load = false;
  bool may_store = false;
  bool plain_load = false;              // gives what memory holds, and nothing made of it
  bool prefetch = false;                // touches memory, but gives no value
  bool privileged = false;              // faults outside the kernel
  bool traps = false;                   // enters the kernel or a debugger: svc, int3, ud2
  bool leaves_virtual_machine = false;  // a hypervisor answers it in the core's place
  bool moves_x87_stack = false;         // pushes or pops
  bool writes_x87_top_only = false;     // so that copies cannot be independent
  // x86: the decoder finds the length of the instruction only after its prefix (Intel's
  // optimization manual, "length-changing prefixes").
  bool length_changing_prefix = false;
  // It takes no slot of its own behind an instruction that sets the flags it decides by.
  bool fuses = false;
  // It gives zero whatever its sources hold, since they are one register: `xor eax, eax`. Cores do
  // that at rename and wait for nothing (Intel's optimization manual, "Clearing Registers and
  // Dependency Breaking Idioms").
  bool zeroes = false;
  // x86: where the source is zero, the destination stays as it was: bsf, bsr (Intel's manual calls
  // it undefined; cores of both makers do so).
  bool keeps_where_source_is_zero = false;
  // x86: a VEX or EVEX prefix. Vector code without one keeps the upper halves of registers, and is
  // slow beside code with one that has filled them.
  bool vex = false;

  bool ChangesFlow() const { return branch || call || returns; }
};

// What an instruction does with a register and a number, to see what counts a loop.
enum class Arithmetic {
  kOther,
  kAdds,       // it gives the register and the number
  kSums,       // it gives the sum of what it reads, each times its multiplier, and of the number
  kCompares,   // flags say how the register lies to the number
  kTestsBits,  // some bits of the register decide
  kExtends,    // it gives the lower bits of the register
  kSelects,    // it gives one of the registers that it reads, by flags, the last of them with the
               // number added
};

// One machine operand in the encoder's order; what Operand::slot counts.
struct Slot {
  enum class Kind : std::uint8_t { kRegister, kImmediate, kSingle, kDouble, kLabel };
  Kind kind = Kind::kImmediate;
  std::int64_t value = 0;  // the assembler's own register number, or the immediate's bits

  bool operator==(const Slot&) const = default;
};

struct Instruction {
  std::string opcode;       // LLVM's name: "MADDXrrr"
  std::string mnemonic;     // as printed: "madd"; "divq" in AT&T syntax
  std::string name;         // the manual's word for it, the same in every syntax: "madd", "div"
  std::string text;         // printed: "madd x0, x1, x2, x3"
  std::uint8_t length = 0;  // bytes; 0 when it refers to a label and only its place decides
  InstructionFlags flags;
  Arithmetic arithmetic = Arithmetic::kOther;
  std::int64_t number = 0;  // of the arithmetic
  // And up to this much more, as flags decide: `adc eax, 0`, `cinc x0, x0, lt`.
  std::int64_t number_spread = 0;
  // What it gives is a number from 0 to this, whatever it reads: a shift to the right, a mask.
  std::optional<std::int64_t> result_limit;
  // Of a branch that asks whether two numbers are equal: whether it jumps if they are.
  std::optional<bool> jumps_if_equal;
  int element_bits = 0;  // of vectors that it computes with; 0 where bits are only moved
  // Of vectors, where the name does not say how many elements of which width they have: in LLVM's
  // words, "v4f32".
  std::string elements;
  std::vector<Operand> operands;  // in the order of the text as far as known; implicit ones last
  // Where its time depends on values, or only some are allowed: those to measure it with.
  std::vector<arch::ValueSet> value_sets;
  std::vector<Claim> remarks;  // what a reader of its figures has to know
  std::string refusal;         // why it cannot be measured by itself; mostly empty
  std::string fault_reason;    // why it faults in a program, if it does; mostly empty

  // For the assembler alone.
  std::uint32_t opcode_number = 0;
  std::uint32_t encoding_flags = 0;  // prefixes and encodings asked for: lock, {evex}
  std::vector<Slot> slots;

  bool RefersToLabel() const;
};

}  // namespace cyclescope::assembler
