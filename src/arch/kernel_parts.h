// What an architecture supplies to generated code: the registers that a kernel keeps for itself,
// assembly text that sets registers up, the end of its loop, and the instructions that connect one
// register file with another. Text is in the architecture's own syntax (Intel's on x86-64). Like
// architecture.h, every folder implements all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/register_file.h"
#include "arch/value_patterns.h"

namespace cyclescope::arch {

// Numbers of general registers, as the encoding has them. None is fixed in any instruction's
// operands.
struct KernelRegisters {
  int loops_argument;  // where a kernel finds its loop count when it is entered
  int counter;         // counts the loops down
  int address;         // holds the address of the memory that loads and stores use
  int zero;            // holds zero
  int temporary;       // free between two parts of a kernel
  int stack;           // keeps the stack pointer as it was when the kernel began
};
const KernelRegisters& ReservedRegisters();

// ---- Setting registers up

std::string SetGeneralText(int index, std::uint64_t value);
std::string CopyGeneralText(int to, int from);
// Copies a vector register of that width. `vex` as in InstructionFlags.
std::string CopyVectorText(int to, int from, int bits, bool vex);
// Every 64 bits of a vector register of that width get the value of the general register.
std::string SetVectorText(int index, int bits, int general);
std::string SetMaskText(int index);
// Sets all bits of a vector register, whatever it held.
std::string SetAllBitsText(int index, int bits);
// `places` of the x87 stack hold a number.
std::string SetX87Text(int places);
std::string SetMmxText(int index, int general);
// All tiles at their full size; and given up again, as the system saves what is in use.
std::string SetTilesText();
std::string ReleaseTilesText();
// Flags that depend on nothing but the two reserved registers.
std::string SetFlagsText();
// The same, and then some of the flags by another instruction, so that a reader of all of them
// reads what two have written; empty where every instruction that writes flags writes them all.
std::string SetMixedFlagsText();
std::string SaveStackText();
std::string RestoreStackText();
// The address register's value plus `offset` again in `general`, but only when its old value is
// known: what comes after still depends on what came before.
std::string RestoreAddressText(int general, int offset);

// The stack pointer gets the value; `temporary` may change.
std::string SetStackText(int temporary, std::uint64_t value);
// A jump over an instruction that ends the program, to what stands behind it.
std::string TrapText();
std::string JumpOverTrapText();
// A jump over that many of kFillerText, to what stands behind them.
std::string JumpOverFillersText(std::size_t fillers);
// A barrier: nothing behind it starts before everything before it is done.
std::string BarrierText();
// Denormal numbers count as zero, as operands and as results; `temporary` may change.
std::string FlushDenormalsText(int temporary);
// A count that is kept at an address, for code that leaves no register to count in: stored from
// register `count`; or loaded into it, while one less is stored.
std::string StoreCountText(int count, int temporary, std::uint64_t address);
std::string TakeCountText(int count, int temporary, std::uint64_t address);
// The register gets the eight bytes at an address; no other register changes.
std::string LoadGeneralText(int index, std::uint64_t address);

// A jump over this number of bytes behind it; always of the same size.
std::vector<std::uint8_t> Jump(std::int64_t distance);

// Ends a loop that began `distance` bytes before it and that register `counter` counts down. With
// `keep_flags` no flag changes, so that a chain through the flags goes on from one loop to the
// next.
std::vector<std::uint8_t> LoopEnd(int counter, std::size_t distance, bool keep_flags);

// Bytes of code in a loop that the core fetches at the same speed each time: few enough that twice
// as many do, too, and enough of them that the end of the loop counts for little.
std::size_t SteadyLoopBytes();

// The displacement, as the encoder wants it, with which a branch goes over that many bytes behind
// it: with 0, to the next instruction.
std::int64_t BranchOver(std::size_t bytes);
// By how much the displacement of an access of `bytes` bytes grows, as the encoder wants it, for
// the next place that does not overlap.
std::int64_t DisplacementStep(int bytes);
// Lets the branch or call in these bytes go over this number of bytes behind it. False where it
// cannot go so far.
bool SetBranchDistance(std::span<std::uint8_t> branch, std::int64_t distance);
// The distance that an instruction gives to data, and the same for data elsewhere: of x86-64 the
// four bytes of a distance from the instruction's end, of AArch64 an adrp, which counts in pages.
std::int64_t DataDistance(std::span<const std::uint8_t> from_distance);
void SetDataDistance(std::span<std::uint8_t> from_distance, std::uint64_t instruction_end,
                     std::uint64_t target);
// How far the stack pointer is off a multiple of 16 where a function begins.
std::uint64_t StackOffsetOfFunctions();
// An instruction that does nothing but fill space.
std::string_view PaddingText();
// An instruction that takes a slot of the front end and no pipe; short. All of them call it so.
inline constexpr std::string_view kFillerText = "nop\n";
// Code of nothing but `nop` tells neither how wide a core is nor how much it holds: some cores fuse
// pairs of them, or drop them before they take a slot (Neoverse V1).
inline bool IsNopAlone(std::span<const std::string_view> code) {
  return code.size() == 1 && code.front().starts_with("nop");
}

// True if vector registers that were not written lately may be read at less than full speed.
bool SourcesGrowCold();
// True if a short loop runs at one of several speeds, by how it was decoded first.
bool LoopsHaveSeveralSpeeds();
// How many µops without memory access an instruction may have in one slot of dispatch.
int UopsInSlot();
// Beside vectors of this number of bits, narrower ones may have fewer ports than otherwise.
int BitsThatClosePorts();

// The general registers that a snippet may use: bit n for register n, without the stack pointer.
std::uint32_t GeneralRegisters();
// How many general registers there are, the stack pointer among them: bytes may name more (r16 to
// r31 of APX), which kernels neither set nor keep.
int GeneralRegisterCount();
// How many vector registers every program may use without asking for features.
int VectorRegisters();

// ---- Connectors

// An instruction that carries a dependence from one register file to another, and nothing else. In
// its text register 0 of the file is the destination and register 1 the source; others hold
// constants.
struct Connector {
  RegisterFile from;
  RegisterFile to;
  std::string_view text;
  // Of two that do the same, the one for forms in this encoding (see InstructionFlags::vex).
  std::optional<bool> vex = std::nullopt;
};
std::span<const Connector> Connectors();

// Makes an address from a loaded zero: register 0 is register 1 (the loaded value) plus register 2,
// which is to be `address`.
std::string_view AddressConnector(int address);

// Gives register 0 the value of register 2 and still waits for its own: the first text clears it
// with a register 1 that holds zero, the second fills it from register 2. For instructions whose
// time depends on values. Narrow ones come first.
struct Pin {
  RegisterFile file;
  int bits;  // of the widest register that it serves
  std::string_view clear;
  std::string_view fill;
};
std::span<const Pin> Pins();

}  // namespace cyclescope::arch
