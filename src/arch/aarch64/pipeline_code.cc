#include "arch/pipeline_code.h"

#include <array>

namespace cyclescope::arch {
namespace {

// x4 is zero and stays so, as memory holds zeros; x6 is, too, and known four multiplications later.
constexpr auto kPatterns = std::to_array<PipelinePattern>({
    {.name = "loads of one address",
     .unit = "cycles/load",
     .pattern = "ldr x, [m] of one address",
     .code = "ldr x8, [x1]\nldr x9, [x1]\nldr x10, [x1]\nldr x11, [x1]\nldr x12, [x1]\n"
             "ldr x13, [x1]",
     .per = 6},
    {.name = "loads 8 bytes apart",
     .unit = "cycles/load",
     .pattern = "ldr x, [m] of one line, 8 bytes apart",
     .code = "ldr x8, [x1]\nldr x9, [x1, #8]\nldr x10, [x1, #16]\nldr x11, [x1, #24]\n"
             "ldr x12, [x1, #32]\nldr x13, [x1, #40]",
     .per = 6},
    {.name = "loads 64 bytes apart",
     .unit = "cycles/load",
     .pattern = "ldr x, [m] of six lines, in one place of each",
     .code = "ldr x8, [x1]\nldr x9, [x1, #64]\nldr x10, [x1, #128]\nldr x11, [x1, #192]\n"
             "ldr x12, [x1, #256]\nldr x13, [x1, #320]",
     .per = 6},
    {.name = "stores 8 bytes apart",
     .unit = "cycles/store",
     .pattern = "str x, [m] of one line, 8 bytes apart",
     .code = "str x7, [x1]\nstr x7, [x1, #8]\nstr x7, [x1, #16]\nstr x7, [x1, #24]\n"
             "str x7, [x1, #32]\nstr x7, [x1, #40]",
     .per = 6},
    {.name = "stores 64 bytes apart",
     .unit = "cycles/store",
     .pattern = "str x, [m] of six lines, one after the other",
     .code = "str x7, [x1]\nstr x7, [x1, #64]\nstr x7, [x1, #128]\nstr x7, [x1, #192]\n"
             "str x7, [x1, #256]\nstr x7, [x1, #320]",
     .per = 6},
    {.name = "4 KB aliasing",
     .unit = "cycles",
     .pattern = "a load 4096 bytes behind a store, over one 4160 bytes behind",
     .code = "str x7, [x1, x4]\nldr x4, [x14, x4]",
     .without = "str x7, [x1, x4]\nldr x4, [x15, x4]"},
    {.name = "late store address",
     .unit = "cycles",
     .pattern = "a load of another address behind it, over the same without the store",
     .code = "mul x6, x4, x5\nmul x6, x6, x5\nmul x6, x6, x5\nmul x6, x6, x5\n"
             "str x7, [x1, x6]\nldr x4, [x2, x4]",
     .without = "mul x6, x4, x5\nmul x6, x6, x5\nmul x6, x6, x5\nmul x6, x6, x5\n"
                "ldr x4, [x2, x4]"},
    {.name = "late store address, hit",
     .unit = "cycles",
     .pattern = "a load of its address behind it, over the same without the store",
     .code = "mul x6, x4, x5\nmul x6, x6, x5\nmul x6, x6, x5\nmul x6, x6, x5\n"
             "str x7, [x1, x6]\nldr x4, [x1, x4]",
     .without = "mul x6, x4, x5\nmul x6, x6, x5\nmul x6, x6, x5\nmul x6, x6, x5\n"
                "ldr x4, [x1, x4]"},
});

}  // namespace

std::span<const PipelinePattern> PipelinePatterns() { return kPatterns; }

std::span<const PatternAddress> PatternAddresses() {
  static constexpr auto kAddresses =
      std::to_array<PatternAddress>({{"x1", 0}, {"x2", 2048 + 512}, {"x14", 4096}, {"x15", 4160}});
  return kAddresses;
}

std::string_view PatternNumbers() { return "x4=0,x5=1,x7=0"; }

}  // namespace cyclescope::arch
