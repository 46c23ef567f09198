// The kinds of register that instructions work on.
#pragma once

#include <utility>

namespace cyclescope::arch {

enum class RegisterFile {
  kNone,
  kGeneral,  // x0, w0, sp; rax, eax, al
  kVector,   // v0, q0, d0, s0, z0; xmm0, ymm0, zmm0
  kMask,     // p0; k0
  kFlags,    // NZCV; EFLAGS
  kX87,      // st(0)
  kMmx,      // mm0
  kTile,     // za; tmm0
  kZero,     // xzr, wzr: reads as zero, so nothing depends on it
  kControl,  // rounding modes, exception flags, the direction flag: FPCR, FFR, MXCSR, DF
  kSystem,   // segment, control and debug registers, the instruction pointer
};

// True if instructions can depend on each other through registers of the file.
constexpr bool CarriesValues(RegisterFile file) {
  switch (file) {
    case RegisterFile::kGeneral:
    case RegisterFile::kVector:
    case RegisterFile::kMask:
    case RegisterFile::kFlags:
    case RegisterFile::kX87:
    case RegisterFile::kMmx:
    case RegisterFile::kTile:
      return true;
    case RegisterFile::kNone:
    case RegisterFile::kZero:
    case RegisterFile::kControl:
    case RegisterFile::kSystem:
      return false;
  }
  std::unreachable();
}

}  // namespace cyclescope::arch
