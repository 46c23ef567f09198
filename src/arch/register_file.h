// The kinds of register that instructions work on.
#pragma once

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

}  // namespace cyclescope::arch
