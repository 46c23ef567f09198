// PTX text, read just far enough to repeat it: which registers it has, which of them it writes,
// which are addresses. Whether it is an instruction at all, the driver's compiler says.
//
//   auto form = ParsePtx("fma.rn.f32 %f0, %f1, %f2, %f3");
//   form->operands[0].is_written;    // %f0
//
// Registers are named as NVIDIA's own compiler names them: %p predicates, %rs 16 bits, %r 32 bits,
// %rd 64 bits, %f and %fd floating point; anything else after a % is a special register (%laneid).
// Several instructions stand in one text with semicolons between them; they are one unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/base/error.h"

namespace cyclescope::gpu {

enum class RegisterKind { kPredicate, kBits16, kBits32, kFloat32, kBits64, kFloat64 };

struct PtxRegister {
  std::string name;  // "%f0"
  RegisterKind kind = RegisterKind::kBits32;
};

enum class AddressSpace { kGlobal, kShared };

// A piece of the text: words as they are, or a register.
struct PtxPiece {
  std::string words;
  std::size_t reg = kNone;  // its index among the form's registers
  bool is_result = false;   // the value that the text itself made, not the one from before it

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

struct PtxOperand {
  std::string text;                    // "{%r0, %r1}", "[%rd0+4]"
  std::vector<std::size_t> registers;  // at least one
  bool is_written = false;
  bool is_address = false;
  AddressSpace space = AddressSpace::kGlobal;
};

struct PtxForm {
  std::string text;
  std::string opcode;  // of the first instruction: "fma.rn.f32"
  bool has_guard = false;
  std::vector<PtxRegister> registers;  // each once
  std::vector<PtxPiece> pieces;        // the whole text
  // Those with registers: what comes from outside, and what is there afterwards.
  std::vector<PtxOperand> sources;
  std::vector<PtxOperand> results;
  // Bytes that an access to memory moves for one thread; 0 where it has none.
  int access_bytes = 0;
};

Result<PtxForm> ParsePtx(std::string_view text);

// "mma" of "mma.sync.aligned..."; whether a part stands among the parts of an opcode.
std::string_view FirstPart(std::string_view opcode);
bool HasPart(std::string_view opcode, std::string_view part);

// ".b32" for the declaration of a register.
std::string_view PtxType(RegisterKind kind);
int BitsOf(RegisterKind kind);

// Multiply-adds of a matrix instruction, counted as two operations each, by the shape in its name
// (m16n8k16); 0 for all others.
std::int64_t MatrixOperations(std::string_view opcode);

}  // namespace cyclescope::gpu
