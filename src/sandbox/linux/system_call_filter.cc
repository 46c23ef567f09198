#include "sandbox/linux/system_call_filter.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "sandbox/control_block.h"
#include "sandbox/linux/kernel_interface.h"

namespace cyclescope::sandbox {
namespace {

// What an argument of an allowed call has to be.
struct ArgumentRule {
  std::uint32_t index = 0;
  std::uint32_t at_least = 0;
  std::uint32_t at_most = 0;
};

constexpr std::uint32_t Low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t High(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

// A filter sees 32 bits at a time. Both of our architectures are little-endian.
static_assert(std::endian::native == std::endian::little);
constexpr std::uint32_t kHighWord = sizeof(std::uint32_t);

class FilterBuilder {
 public:
  void Load(std::uint32_t offset) { Add(BPF_LD | BPF_W | BPF_ABS, offset); }
  void KeepBits(std::uint32_t mask) { Add(BPF_ALU | BPF_AND | BPF_K, mask); }
  void Return(std::uint32_t action) { Add(BPF_RET | BPF_K, action); }
  // `test` is BPF_JEQ, BPF_JGE or BPF_JGT; a jump goes over that many instructions.
  void Jump(int test, std::uint32_t value, std::size_t if_true, std::size_t if_false) {
    program_.push_back({static_cast<std::uint16_t>(BPF_JMP | test | BPF_K),
                        static_cast<std::uint8_t>(if_true), static_cast<std::uint8_t>(if_false),
                        value});
  }

  // Allows system call `number`, which has to be loaded, if its arguments follow the rules.
  void Allow(long number, std::initializer_list<ArgumentRule> rules = {}) {
    constexpr std::size_t kRuleLength = 6;
    Jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, rules.size() * kRuleLength + 1);
    for (const ArgumentRule& rule : rules) {
      const auto argument = static_cast<std::uint32_t>(offsetof(seccomp_data, args) +
                                                       rule.index * sizeof(std::uint64_t));
      Load(argument + kHighWord);
      Jump(BPF_JEQ, 0, 0, 3);
      Load(argument);
      Jump(BPF_JGE, rule.at_least, 0, 1);
      Jump(BPF_JGT, rule.at_most, 0, 1);
      Return(SECCOMP_RET_TRAP);
    }
    Return(SECCOMP_RET_ALLOW);
  }

  std::vector<sock_filter> Take() { return std::move(program_); }

 private:
  void Add(int code, std::uint32_t value) {
    program_.push_back({static_cast<std::uint16_t>(code), 0, 0, value});
  }

  std::vector<sock_filter> program_;
};

}  // namespace

std::vector<sock_filter> BuildSystemCallFilter(std::uint64_t code_address,
                                               std::uint64_t code_size) {
  assert(std::has_single_bit(code_size) && High(code_size) == 0);
  assert(code_address % code_size == 0);
  constexpr std::uint32_t kAddress = offsetof(seccomp_data, instruction_pointer);
  FilterBuilder filter;

  filter.Load(offsetof(seccomp_data, arch));
  filter.Jump(BPF_JEQ, SystemCallArchitecture(), 1, 0);
  filter.Return(SECCOMP_RET_KILL_PROCESS);

  filter.Load(kAddress + kHighWord);
  filter.Jump(BPF_JEQ, High(code_address), 0, 4);
  filter.Load(kAddress);
  filter.KeepBits(~(Low(code_size) - 1));
  filter.Jump(BPF_JEQ, Low(code_address), 0, 1);
  filter.Return(SECCOMP_RET_TRAP);

  // x86-64 has a second set of numbers under the same architecture (x32, bit 30 set): they equal
  // none of these and are refused with the rest.
  filter.Load(offsetof(seccomp_data, nr));
  filter.Allow(SYS_read, {{0, 0, kMostWorkerDescriptors - 1}});
  filter.Allow(SYS_write, {{0, kWorkerSocket, kWorkerSocket}, {2, 0, sizeof(RunNumber)}});
  filter.Allow(SYS_getrusage, {{0, RUSAGE_THREAD, RUSAGE_THREAD}});
  filter.Allow(SYS_getcpu);
  filter.Allow(SYS_exit_group);
  filter.Return(SECCOMP_RET_TRAP);
  return filter.Take();
}

int InstallSystemCallFilter(std::span<sock_filter> filter) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  // SPEC_ALLOW: before Linux 5.16 a filter without it turns speculative store bypass off for the
  // process, and every store-to-load latency would be another.
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) !=
      0) {
    return errno;
  }
  return 0;
}

}  // namespace cyclescope::sandbox
