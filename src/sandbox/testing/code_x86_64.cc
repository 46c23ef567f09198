#include <vector>

#include "os/host.h"
#include "sandbox/testing/code.h"

namespace cyclescope::sandbox::testing {
namespace {

// pushfq; or dword ptr [rsp], 0x40000; popfq
Kernel SetAlignmentCheck() { return {0x9c, 0x81, 0x0c, 0x24, 0x00, 0x00, 0x04, 0x00, 0x9d}; }

}  // namespace

std::span<const DeadlyCode> DeadlyCodes() {
  static const std::vector<DeadlyCode> kTable = {
      // mov eax, 39; syscall
      {"system call", {0xb8, 0x27, 0x00, 0x00, 0x00, 0x0f, 0x05}, DeathKind::kForbiddenSystemCall},
      // mov eax, 20; int 0x80
      {"32-bit system call",
       {0xb8, 0x14, 0x00, 0x00, 0x00, 0xcd, 0x80},
       DeathKind::kForbiddenSystemCall},
      // int3
      {"breakpoint", {0xcc}, DeathKind::kTrap},
      // ud2
      {"undefined instruction", {0x0f, 0x0b}, DeathKind::kIllegalInstruction},
      // hlt
      {"privileged instruction", {0xf4}, DeathKind::kBadAddress},
      // xor eax, eax; mov rax, [rax]
      {"load from address 0", {0x31, 0xc0, 0x48, 0x8b, 0x00}, DeathKind::kBadAddress},
      // lea rax, [rip]; mov [rax], rax
      {"store into its own code",
       {0x48, 0x8d, 0x05, 0x00, 0x00, 0x00, 0x00, 0x48, 0x89, 0x00},
       DeathKind::kBadAddress},
      // xor eax, eax; jmp rax
      {"jump to address 0", {0x31, 0xc0, 0xff, 0xe0}, DeathKind::kBadAddress},
      // ret
      {"return to nowhere", {0xc3}, DeathKind::kBadAddress},
      // xor esp, esp; push rax
      {.name = "push without a stack",
       .code = {0x31, 0xe4, 0x50},
       .kind = DeathKind::kBadAddress,
       .has_no_stack = true},
      // 0: push rax; jmp 0b
      {.name = "stack overflow",
       .code = {0x50, 0xeb, 0xfd},
       .kind = DeathKind::kBadAddress,
       .has_no_stack = true},
      // xor ecx, ecx; div ecx
      {"division by zero", {0x31, 0xc9, 0xf7, 0xf1}, DeathKind::kArithmetic},
      // mov rax, 0x8000000000000000; mov rax, [rax]
      {"address that is not canonical",
       {0x48, 0xb8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x48, 0x8b, 0x00},
       DeathKind::kBadAddress},
      // push 0; ldmxcsr [rsp]; xorps xmm0, xmm0; divss xmm0, xmm0
      {"unmasked floating-point exception",
       {0x6a, 0x00, 0x0f, 0xae, 0x14, 0x24, 0x0f, 0x57, 0xc0, 0xf3, 0x0f, 0x5e, 0xc0},
       DeathKind::kArithmetic,
       true},
      // SetAlignmentCheck(); ud2
      {"undefined instruction with the alignment-check flag set",
       {0x9c, 0x81, 0x0c, 0x24, 0x00, 0x00, 0x04, 0x00, 0x9d, 0x0f, 0x0b},
       DeathKind::kIllegalInstruction},
      // SetAlignmentCheck(); mov rax, [rsp - 15]
      {"misaligned load with the alignment-check flag set",
       {0x9c, 0x81, 0x0c, 0x24, 0x00, 0x00, 0x04, 0x00, 0x9d, 0x48, 0x8b, 0x44, 0x24, 0xf1},
       DeathKind::kBusError,
       true},
      // pushfq; or dword ptr [rsp], 0x100; popfq; nop
      {"trap flag set",
       {0x9c, 0x81, 0x0c, 0x24, 0x00, 0x01, 0x00, 0x00, 0x9d, 0x90},
       DeathKind::kTrap,
       true},
      // 0: jmp 0b
      {"endless loop", {0xeb, 0xfe}, DeathKind::kTimeout},
  };
  return kTable;
}

namespace {

// Where the kernel does not let user space write the fs base (AT_HWCAP2, bit 1), a worker cannot
// put it right again, and dies of what overwrites it.
std::vector<HarmlessCode> FsCodes() {
  if ((os::ReadCapabilityWords().second & 2) == 0) return {};
  return {
      // xor eax, eax; wrfsbase rax
      {"fs base overwritten", {0x31, 0xc0, 0xf3, 0x48, 0x0f, 0xae, 0xd0}},
      // xor eax, eax; mov fs, eax
      {"fs selector overwritten", {0x31, 0xc0, 0x8e, 0xe0}},
  };
}

std::vector<HarmlessCode> AllHarmlessCodes() {
  std::vector<HarmlessCode> codes = {
      // xor esp, esp
      {"stack pointer destroyed", {0x31, 0xe4}},
      // mov rbx, -1; mov rbp, -1; mov r12, -1; mov r13, -1; mov r14, -1; mov r15, -1
      {"callee-saved registers overwritten",
       {0x48, 0xc7, 0xc3, 0xff, 0xff, 0xff, 0xff, 0x48, 0xc7, 0xc5, 0xff, 0xff, 0xff, 0xff,
        0x49, 0xc7, 0xc4, 0xff, 0xff, 0xff, 0xff, 0x49, 0xc7, 0xc5, 0xff, 0xff, 0xff, 0xff,
        0x49, 0xc7, 0xc6, 0xff, 0xff, 0xff, 0xff, 0x49, 0xc7, 0xc7, 0xff, 0xff, 0xff, 0xff}},
      // std
      {"direction flag set", {0xfd}},
      // pushfq; or dword ptr [rsp], 0x204000; popfq
      {"nested-task and identification flags set",
       {0x9c, 0x81, 0x0c, 0x24, 0x00, 0x40, 0x20, 0x00, 0x9d}},
      // push 0; ldmxcsr [rsp]
      {"all vector floating-point exceptions unmasked", {0x6a, 0x00, 0x0f, 0xae, 0x14, 0x24}},
      // fld1, eight times; push 0; fldcw [rsp]
      {"x87 stack full, exceptions unmasked",
       {0xd9, 0xe8, 0xd9, 0xe8, 0xd9, 0xe8, 0xd9, 0xe8, 0xd9, 0xe8, 0xd9,
        0xe8, 0xd9, 0xe8, 0xd9, 0xe8, 0x6a, 0x00, 0xd9, 0x2c, 0x24}},
      // pxor mm0, mm0
      {"MMX state left", {0x0f, 0xef, 0xc0}},
      // vcmpps ymm0, ymm0, ymm0, 15
      {"upper halves of vector registers left", {0xc5, 0xfc, 0xc2, 0xc0, 0x0f}},
      // pop rax; pop rcx; push rcx; push rax; push rax; call 0f; 0: pop rax
      {"stack popped and pushed",
       {0x58, 0x59, 0x51, 0x50, 0x50, 0xe8, 0x00, 0x00, 0x00, 0x00, 0x58}},
  };
  std::ranges::copy(FsCodes(), std::back_inserter(codes));
  // Of all lengths, since what comes behind the code must be aligned then.
  for (std::size_t i = 0; i < 8; ++i) {
    Kernel code = SetAlignmentCheck();
    code.insert(code.end(), i, 0x90);  // nop
    codes.push_back({"alignment-check flag set", code});
  }
  return codes;
}

}  // namespace

std::span<const HarmlessCode> HarmlessCodes() {
  static const std::vector<HarmlessCode> kTable = AllHarmlessCodes();
  return kTable;
}

Kernel ControlStateProbe() {
  // pushfq; pop rax; test eax, 0x244500; jnz 1f; stmxcsr [rsp - 8]; mov eax, [rsp - 8]; and
  // eax, 0xffc0; cmp eax, 0x1f80; jne 1f; fnstenv [rsp - 64]; cmp word ptr [rsp - 64], 0x37f;
  // jne 1f; cmp word ptr [rsp - 56], 0xffff; jne 1f; mov rax, fs:[0]; jmp 2f; 1: ud2; 2:
  return {0x9c, 0x58, 0xa9, 0x00, 0x45, 0x24, 0x00, 0x75, 0x35, 0x0f, 0xae, 0x5c, 0x24,
          0xf8, 0x8b, 0x44, 0x24, 0xf8, 0x25, 0xc0, 0xff, 0x00, 0x00, 0x3d, 0x80, 0x1f,
          0x00, 0x00, 0x75, 0x20, 0xd9, 0x74, 0x24, 0xc0, 0x66, 0x81, 0x7c, 0x24, 0xc0,
          0x7f, 0x03, 0x75, 0x13, 0x66, 0x83, 0x7c, 0x24, 0xc8, 0xff, 0x75, 0x0b, 0x64,
          0x48, 0x8b, 0x04, 0x25, 0x00, 0x00, 0x00, 0x00, 0xeb, 0x02, 0x0f, 0x0b};
}

Kernel AddChain(std::size_t links) {
  constexpr std::array<std::uint8_t, 3> kAdd = {0x48, 0x01, 0xc0};       // add rax, rax
  constexpr std::array<std::uint8_t, 5> kCountDown = {0x48, 0xff, 0xcf,  // dec rdi
                                                      0x0f, 0x85};       // jnz, 32 bits
  Kernel kernel;
  for (std::size_t i = 0; i < links; ++i) Append(kAdd, kernel);
  Append(kCountDown, kernel);
  const auto back = static_cast<std::uint32_t>(-(kernel.size() + sizeof(std::uint32_t)));
  for (int shift = 0; shift < 32; shift += 8) {
    kernel.push_back(static_cast<std::uint8_t>(back >> shift));
  }
  return kernel;
}

Kernel StoreLoopCount() {
  return {0x48, 0x89, 0x3e};  // mov [rsi], rdi
}

Kernel ExpectScratch42() {
  // cmp qword ptr [rsi], 42; je past; ud2
  return {0x48, 0x83, 0x3e, 0x2a, 0x74, 0x02, 0x0f, 0x0b};
}

Kernel StoreTo(std::uintptr_t address) {
  Kernel kernel = {0x48, 0xb8};  // mov rax, address
  AppendValue(address, kernel);
  Append(std::array<std::uint8_t, 3>{0x48, 0x89, 0x00}, kernel);  // mov [rax], rax
  return kernel;
}

Kernel CallFunction(std::uintptr_t function, std::array<std::uint64_t, 3> arguments) {
  Kernel kernel;
  const auto move = [&kernel](std::uint8_t opcode, std::uint64_t value) {
    Append(std::array<std::uint8_t, 2>{0x48, opcode}, kernel);
    AppendValue(value, kernel);
  };
  move(0xbf, arguments[0]);                                 // mov rdi, ...
  move(0xbe, arguments[1]);                                 // mov rsi, ...
  move(0xba, arguments[2]);                                 // mov rdx, ...
  move(0xb8, function);                                     // mov rax, ...
  Append(std::array<std::uint8_t, 2>{0xff, 0xd0}, kernel);  // call rax
  return kernel;
}

bool ContainsSystemCall(std::span<const std::uint8_t> code) {
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    const int pair = code[i] << 8 | code[i + 1];
    // syscall, sysenter, int 0x80, Windows' int 0x2e; at any byte, since a jump can lead there.
    if (pair == 0x0f05 || pair == 0x0f34 || pair == 0xcd80 || pair == 0xcd2e) return true;
  }
  return false;
}

}  // namespace cyclescope::sandbox::testing
