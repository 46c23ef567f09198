#include "sandbox/linux/system_call_filter.h"

#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cstring>

#include "sandbox/linux/kernel_interface.h"

namespace cyclescope::sandbox {
namespace {

// Executes a filter as the kernel does; only the instructions that ours contain.
std::uint32_t Decide(const std::vector<sock_filter>& filter, const seccomp_data& call) {
  std::uint32_t value = 0;
  for (std::size_t at = 0; at < filter.size(); ++at) {
    const sock_filter& instruction = filter[at];
    const auto jump = [&](bool holds) { at += holds ? instruction.jt : instruction.jf; };
    switch (instruction.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        EXPECT_LE(instruction.k + sizeof(value), sizeof(call));
        std::memcpy(&value, reinterpret_cast<const char*>(&call) + instruction.k, sizeof(value));
        break;
      case BPF_ALU | BPF_AND | BPF_K:
        value &= instruction.k;
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        jump(value == instruction.k);
        break;
      case BPF_JMP | BPF_JGE | BPF_K:
        jump(value >= instruction.k);
        break;
      case BPF_JMP | BPF_JGT | BPF_K:
        jump(value > instruction.k);
        break;
      case BPF_RET | BPF_K:
        return instruction.k;
      default:
        ADD_FAILURE() << "instruction " << at << " is unknown";
        return 0;
    }
  }
  ADD_FAILURE() << "the filter has no end";
  return 0;
}

constexpr std::uint64_t kCode = 0x7f12'ffc0'0000;
constexpr std::uint64_t kSize = 0x40'0000;
constexpr std::uint64_t kElsewhere = 0x5555'0000'1000;

std::uint32_t DecideAt(std::uint64_t address, long number,
                       std::initializer_list<std::uint64_t> arguments = {}) {
  seccomp_data call{};
  call.nr = static_cast<int>(number);
  call.arch = SystemCallArchitecture();
  call.instruction_pointer = address;
  std::size_t i = 0;
  for (const std::uint64_t argument : arguments) call.args[i++] = argument;
  return Decide(BuildSystemCallFilter(kCode, kSize), call);
}

TEST(SystemCallFilter, AllowsWhatTheWorkerNeeds) {
  EXPECT_EQ(DecideAt(kElsewhere, SYS_read, {0, 0x1000, 4}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(DecideAt(kElsewhere, SYS_read, {3, 0x1000, 64}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(DecideAt(kElsewhere, SYS_write, {0, 0x1000, 4}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(DecideAt(kElsewhere, SYS_getrusage, {RUSAGE_THREAD, 0x1000}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(DecideAt(kElsewhere, SYS_getcpu, {0x1000, 0, 0}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(DecideAt(kElsewhere, SYS_exit_group, {1}), SECCOMP_RET_ALLOW);
}

TEST(SystemCallFilter, LooksAtArguments) {
  EXPECT_EQ(DecideAt(kElsewhere, SYS_read, {kMostWorkerDescriptors, 0, 4}), SECCOMP_RET_TRAP);
  EXPECT_EQ(DecideAt(kElsewhere, SYS_read, {std::uint64_t{1} << 32, 0, 4}), SECCOMP_RET_TRAP);
  EXPECT_EQ(DecideAt(kElsewhere, SYS_write, {1, 0, 4}), SECCOMP_RET_TRAP);
  EXPECT_EQ(DecideAt(kElsewhere, SYS_write, {0, 0, 5}), SECCOMP_RET_TRAP);
  EXPECT_EQ(DecideAt(kElsewhere, SYS_write, {0, 0, (std::uint64_t{1} << 32) + 4}),
            SECCOMP_RET_TRAP);
  EXPECT_EQ(DecideAt(kElsewhere, SYS_getrusage, {0, 0x1000}), SECCOMP_RET_TRAP);
}

TEST(SystemCallFilter, RefusesAllElse) {
  for (long number = 0; number < 600; ++number) {
    if (number == SYS_read || number == SYS_write || number == SYS_getrusage ||
        number == SYS_getcpu || number == SYS_exit_group) {
      continue;
    }
    EXPECT_EQ(DecideAt(kElsewhere, number), SECCOMP_RET_TRAP) << number;
  }
  // The x32 interface's read, on x86-64.
  EXPECT_EQ(DecideAt(kElsewhere, 0x4000'0000 + SYS_read), SECCOMP_RET_TRAP);
}

TEST(SystemCallFilter, RefusesEverythingFromGeneratedCode) {
  for (const std::uint64_t address : {kCode, kCode + 2, kCode + kSize / 2, kCode + kSize - 1}) {
    EXPECT_EQ(DecideAt(address, SYS_exit_group, {0}), SECCOMP_RET_TRAP) << std::hex << address;
  }
  EXPECT_EQ(DecideAt(kCode - 1, SYS_exit_group, {0}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(DecideAt(kCode + kSize, SYS_exit_group, {0}), SECCOMP_RET_ALLOW);
  EXPECT_EQ(DecideAt(kCode + (std::uint64_t{1} << 32), SYS_exit_group, {0}), SECCOMP_RET_ALLOW);
}

TEST(SystemCallFilter, KillsCallsOfOtherInterfaces) {
  seccomp_data call{};
  call.nr = SYS_exit_group;
  call.arch = SystemCallArchitecture() ^ 1;
  call.instruction_pointer = kElsewhere;
  EXPECT_EQ(Decide(BuildSystemCallFilter(kCode, kSize), call), SECCOMP_RET_KILL_PROCESS);
}

}  // namespace
}  // namespace cyclescope::sandbox
