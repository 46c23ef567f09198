#include <array>

#include "arch/kernel_entry.h"
#include "arch/testing/kernel_entry_code.h"

namespace cyclescope::arch {
namespace {

// mov [rsi], rdi; mov [rsi + 8], rsi; mov [rsi + 16], rsp
constexpr std::array<std::uint8_t, 11> kStoreArguments = {0x48, 0x89, 0x3e, 0x48, 0x89, 0x76,
                                                          0x08, 0x48, 0x89, 0x66, 0x10};

// or rbx, each of rcx, rdx, rbp and r8 to r15; mov [rsi], rbx
constexpr std::array<std::uint8_t, 36> kStoreOtherRegisters = {
    0x48, 0x09, 0xcb, 0x48, 0x09, 0xd3, 0x48, 0x09, 0xeb, 0x4c, 0x09, 0xc3,
    0x4c, 0x09, 0xcb, 0x4c, 0x09, 0xd3, 0x4c, 0x09, 0xdb, 0x4c, 0x09, 0xe3,
    0x4c, 0x09, 0xeb, 0x4c, 0x09, 0xf3, 0x4c, 0x09, 0xfb, 0x48, 0x89, 0x1e};

// mov R, -1 for rbx, rbp and r12 to r15
constexpr std::array<std::uint8_t, 42> kOverwriteCalleeSaved = {
    0x48, 0xc7, 0xc3, 0xff, 0xff, 0xff, 0xff, 0x48, 0xc7, 0xc5, 0xff, 0xff, 0xff, 0xff,
    0x49, 0xc7, 0xc4, 0xff, 0xff, 0xff, 0xff, 0x49, 0xc7, 0xc5, 0xff, 0xff, 0xff, 0xff,
    0x49, 0xc7, 0xc6, 0xff, 0xff, 0xff, 0xff, 0x49, 0xc7, 0xc7, 0xff, 0xff, 0xff, 0xff};

}  // namespace

std::span<const std::uint8_t> StoreArguments() { return kStoreArguments; }
std::span<const std::uint8_t> StoreOtherRegisters() { return kStoreOtherRegisters; }
std::span<const std::uint8_t> OverwriteCalleeSaved() { return kOverwriteCalleeSaved; }

bool CalleeSavedSurvive(std::uintptr_t entry, std::uintptr_t scratch, std::uintptr_t stack) {
  auto wrong = reinterpret_cast<std::uint64_t>(&EnterKernel);
  std::uint64_t loops = 1;
  // Each register gets a number of its own. rax comes back as 0 if all have it still. The first
  // line steps over the red zone, which the compiler may be using.
  asm volatile(R"(
      sub $128, %%rsp
      push %%rbp
      mov $1, %%rbx
      mov $2, %%rbp
      mov $3, %%r12
      mov $4, %%r13
      mov $5, %%r14
      mov $6, %%r15
      call *%%rax
      xor %%eax, %%eax
      sub $1, %%rbx
      or %%rbx, %%rax
      sub $2, %%rbp
      or %%rbp, %%rax
      sub $3, %%r12
      or %%r12, %%rax
      sub $4, %%r13
      or %%r13, %%rax
      sub $5, %%r14
      or %%r14, %%rax
      sub $6, %%r15
      or %%r15, %%rax
      pop %%rbp
      add $128, %%rsp
  )"
               : "+a"(wrong), "+D"(entry), "+S"(loops), "+d"(scratch), "+c"(stack)
               :
               : "rbx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
                 "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                 "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
  return wrong == 0;
}

}  // namespace cyclescope::arch
