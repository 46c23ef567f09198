#include "sandbox/linux/system_call_filter.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cassert>
#include <cerrno>
#include <cstddef>

#include "sandbox/control_block.h"
#include "sandbox/linux/filter_builder.h"
#include "sandbox/linux/kernel_interface.h"

namespace cyclescope::sandbox {
namespace {

constexpr std::uint32_t Low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t High(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

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
