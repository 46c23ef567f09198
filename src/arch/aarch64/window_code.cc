#include "arch/window_code.h"

#include <fmt/core.h>

#include "arch/kernel_parts.h"

namespace cyclescope::arch {
namespace {

// x27: address of hot memory; x26: zero; x1, x2: heads; x3: the zero that waits. v16: sources of
// vector fillers, v17: the one that waits. None of the fillers writes one of these.
const std::vector<WindowFiller>& Fillers() {
  using enum Window;
  static const std::vector<WindowFiller> fillers = {
      // A Neoverse V1 holds two `nop` in an entry: what people ask for first is not theirs.
      {kReorderBuffer,
       "add x, x, x; fadd d, d, d; b.eq; str x",
       {"add x4, x26, x26", "fadd d0, d16, d16", "b.eq 1f\n1:", "add x5, x26, x26",
        "fadd d1, d16, d16", "cmp x26, x27", "add x6, x26, x26", "fadd d2, d16, d16",
        "b.eq 1f\n1:", "add x7, x26, x26", "fadd d3, d16, d16", "str x26, [x27, #64]"},
       {{kIntegerRegisters, 4.0 / 12},
        {kVectorRegisters, 4.0 / 12},
        {kFlags, 1.0 / 12},
        {kBranches, 2.0 / 12},
        {kStores, 1.0 / 12}}},
      {kReorderBuffer, "nop", {"nop"}},
      {kIntegerRegisters,
       "add x, x, x",
       {"add x4, x26, x26", "add x5, x26, x26", "add x6, x26, x26", "add x7, x26, x26",
        "add x8, x26, x26", "add x9, x26, x26", "add x10, x26, x26", "add x11, x26, x26"}},
      {kIntegerRegisters,
       "eor x, x, x",
       {"eor x4, x26, x27", "eor x5, x26, x27", "eor x6, x26, x27", "eor x7, x26, x27",
        "eor x8, x26, x27", "eor x9, x26, x27", "eor x10, x26, x27", "eor x11, x26, x27"}},
      {kVectorRegisters,
       "fadd v.2d, v.2d, v.2d",
       {"fadd v0.2d, v16.2d, v16.2d", "fadd v1.2d, v16.2d, v16.2d", "fadd v2.2d, v16.2d, v16.2d",
        "fadd v3.2d, v16.2d, v16.2d", "fadd v4.2d, v16.2d, v16.2d", "fadd v5.2d, v16.2d, v16.2d"}},
      {kVectorRegisters,
       "fadd d, d, d",
       {"fadd d0, d16, d16", "fadd d1, d16, d16", "fadd d2, d16, d16", "fadd d3, d16, d16",
        "fadd d4, d16, d16", "fadd d5, d16, d16"}},
      {kFlags, "cmp x, x", {"cmp x26, x27"}},
      {kFlags, "tst x, x", {"tst x26, x27"}},
      {kMaskRegisters,
       "and p.b, p/z, p.b, p.b",
       {"and p1.b, p0/z, p2.b, p2.b", "and p3.b, p0/z, p2.b, p2.b", "and p4.b, p0/z, p2.b, p2.b"},
       {},
       "sve"},
      {kLoads,
       "ldr x, [m]",
       {"ldr x4, [x27]", "ldr x5, [x27, #64]", "ldr x6, [x27, #128]", "ldr x7, [x27, #192]"},
       {{kIntegerRegisters}}},
      {kLoads,
       "ldr d, [m]",
       {"ldr d0, [x27]", "ldr d1, [x27, #64]", "ldr d2, [x27, #128]", "ldr d3, [x27, #192]"},
       {{kVectorRegisters}}},
      {kStores, "str x, [m]", {"str x26, [x27, #64]"}},
      {kStores, "str d, [m]", {"str d16, [x27, #64]"}},
      {kBranches, "b.eq, not taken", {"b.eq 1f\n1:"}},
      {kBranches, "cbnz, not taken", {"cbnz x26, 1f\n1:"}},
      {kScheduler,
       "add x, x, x",
       {"add x4, x3, x26", "add x5, x3, x26", "add x6, x3, x26", "add x7, x3, x26"},
       {{kIntegerRegisters}}},
      {kScheduler,
       "fadd d, d, d",
       {"fadd d0, d17, d16", "fadd d1, d17, d16", "fadd d2, d17, d16", "fadd d3, d17, d16"},
       {{kVectorRegisters}}},
      {kScheduler,
       "ldr x, [m, x]",
       {"ldr x4, [x27, x3]", "ldr x5, [x27, x3]", "ldr x6, [x27, x3]", "ldr x7, [x27, x3]"},
       {{kLoads}, {kIntegerRegisters}}},
      {kScheduler, "str x, [m, x]", {"str x26, [x27, x3]"}, {{kStores}}},
  };
  return fillers;
}

}  // namespace

std::span<const WindowFiller> WindowFillers() { return Fillers(); }

std::string WindowSetUpText(std::uint64_t cursors) {
  return SetGeneralText(ReservedRegisters().temporary, cursors) +
         "ldp x1, x2, [x25]\nmov x3, #0\nmovi v16.2d, #0\nmovi v17.2d, #0\ncmp x26, x27\n";
}

std::string_view HeadText(int head) { return head == 0 ? "ldr x1, [x1]" : "ldr x2, [x2]"; }

std::string_view WaitForHeadText(int head) {
  return head == 0 ? "and x3, x1, x26\nfmov d17, x3" : "and x3, x2, x26\nfmov d17, x3";
}

std::string WindowEndText(std::uint64_t cursors) {
  return SetGeneralText(ReservedRegisters().temporary, cursors) + "stp x1, x2, [x25]\n";
}

std::string ChaseSetUpText(std::uint64_t cursors) {
  return SetGeneralText(ReservedRegisters().temporary, cursors);
}

std::string ChaseStepText(int cursor) {
  return fmt::format("ldr x4, [x25, #{0}]\nldr x4, [x4]\nstr x4, [x25, #{0}]\n", 8 * cursor);
}

}  // namespace cyclescope::arch
