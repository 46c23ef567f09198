#include "arch/pipeline_code.h"

#include <array>

namespace cyclescope::arch {
namespace {

// rbx is zero and stays so, as memory holds zeros; rax is, too, and known four multiplications
// later.
constexpr auto kPatterns = std::to_array<PipelinePattern>({
    {.name = "loads of one address",
     .unit = "cycles/load",
     .pattern = "mov r, [m] of one address",
     .code = "mov rcx, [rsi]\nmov rdx, [rsi]\nmov r8, [rsi]\nmov r10, [rsi]\nmov r11, [rsi]\n"
             "mov rbp, [rsi]",
     .per = 6},
    {.name = "loads 8 bytes apart",
     .unit = "cycles/load",
     .pattern = "mov r, [m] of one line, 8 bytes apart",
     .code = "mov rcx, [rsi]\nmov rdx, [rsi + 8]\nmov r8, [rsi + 16]\nmov r10, [rsi + 24]\n"
             "mov r11, [rsi + 32]\nmov rbp, [rsi + 40]",
     .per = 6},
    {.name = "loads 64 bytes apart",
     .unit = "cycles/load",
     .pattern = "mov r, [m] of six lines, in one place of each",
     .code = "mov rcx, [rsi]\nmov rdx, [rsi + 64]\nmov r8, [rsi + 128]\nmov r10, [rsi + 192]\n"
             "mov r11, [rsi + 256]\nmov rbp, [rsi + 320]",
     .per = 6},
    {.name = "stores 8 bytes apart",
     .unit = "cycles/store",
     .pattern = "mov [m], r of one line, 8 bytes apart",
     .code = "mov [rsi], rdx\nmov [rsi + 8], rdx\nmov [rsi + 16], rdx\nmov [rsi + 24], rdx\n"
             "mov [rsi + 32], rdx\nmov [rsi + 40], rdx",
     .per = 6},
    {.name = "stores 64 bytes apart",
     .unit = "cycles/store",
     .pattern = "mov [m], r of six lines, one after the other",
     .code = "mov [rsi], rdx\nmov [rsi + 64], rdx\nmov [rsi + 128], rdx\nmov [rsi + 192], rdx\n"
             "mov [rsi + 256], rdx\nmov [rsi + 320], rdx",
     .per = 6},
    {.name = "4 KB aliasing",
     .unit = "cycles",
     .pattern = "a load 4096 bytes behind a store, over one 4160 bytes behind",
     .code = "mov [rsi + rbx], rdx\nmov rbx, [rsi + rbx + 4096]",
     .without = "mov [rsi + rbx], rdx\nmov rbx, [rsi + rbx + 4160]"},
    {.name = "late store address",
     .unit = "cycles",
     .pattern = "a load of another address behind it, over the same without the store",
     .code = "imul rax, rbx, 1\nimul rax, rax, 1\nimul rax, rax, 1\nimul rax, rax, 1\n"
             "mov [rsi + rax], rdx\nmov rbx, [rdi + rbx]",
     .without = "imul rax, rbx, 1\nimul rax, rax, 1\nimul rax, rax, 1\nimul rax, rax, 1\n"
                "mov rbx, [rdi + rbx]"},
    {.name = "late store address, hit",
     .unit = "cycles",
     .pattern = "a load of its address behind it, over the same without the store",
     .code = "imul rax, rbx, 1\nimul rax, rax, 1\nimul rax, rax, 1\nimul rax, rax, 1\n"
             "mov [rsi + rax], rdx\nmov rbx, [rsi + rbx]",
     .without = "imul rax, rbx, 1\nimul rax, rax, 1\nimul rax, rax, 1\nimul rax, rax, 1\n"
                "mov rbx, [rsi + rbx]"},
});

}  // namespace

std::span<const PipelinePattern> PipelinePatterns() { return kPatterns; }

std::span<const PatternAddress> PatternAddresses() {
  static constexpr auto kAddresses =
      std::to_array<PatternAddress>({{"rsi", 0}, {"rdi", 2048 + 512}});
  return kAddresses;
}

std::string_view PatternNumbers() { return "rax=0,rbx=0,rdx=0"; }

}  // namespace cyclescope::arch
