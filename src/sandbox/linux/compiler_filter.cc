#include <sched.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

#include "sandbox/linux/filter_builder.h"
#include "sandbox/linux/kernel_interface.h"
#include "sandbox/linux/system_call_filter.h"

namespace cyclescope::sandbox {
namespace {

// AArch64 has none of the older calls.
constexpr long kAllowed[] = {
#ifdef SYS_open
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_pipe, SYS_dup2, SYS_fork, SYS_vfork, SYS_poll,
    SYS_getdents, SYS_rename, SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_readlink, SYS_chmod,
    SYS_arch_prctl, SYS_getrlimit, SYS_time, SYS_getpgrp,
#endif
    // Files
    SYS_read, SYS_readv, SYS_pread64, SYS_write, SYS_writev, SYS_pwrite64, SYS_lseek, SYS_openat,
    SYS_close, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_faccessat,
    SYS_faccessat2, SYS_getdents64, SYS_renameat, SYS_renameat2, SYS_mkdirat, SYS_unlinkat,
    SYS_readlinkat, SYS_fchmod, SYS_fchmodat, SYS_ftruncate, SYS_fallocate, SYS_fadvise64,
    SYS_getcwd, SYS_chdir, SYS_umask, SYS_pipe2, SYS_dup, SYS_dup3, SYS_fcntl, SYS_flock, SYS_ppoll,
    // Memory
    SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
    // Processes and threads of its own
    SYS_execve, SYS_exit, SYS_exit_group, SYS_wait4, SYS_waitid, SYS_getpid, SYS_getppid,
    SYS_gettid, SYS_getpgid, SYS_kill, SYS_tgkill, SYS_futex, SYS_set_tid_address,
    SYS_set_robust_list, SYS_rseq, SYS_sched_getaffinity, SYS_sched_yield, SYS_prlimit64,
    SYS_getrusage, SYS_times, SYS_sysinfo, SYS_uname, SYS_getuid, SYS_geteuid, SYS_getgid,
    SYS_getegid, SYS_membarrier,
    // Signals and time
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
    SYS_getrandom};

// Every namespace that a process could make for itself (man 2 clone).
constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

}  // namespace

std::vector<sock_filter> BuildCompilerFilter() {
  FilterBuilder filter;
  filter.Load(offsetof(seccomp_data, arch));
  filter.Jump(BPF_JEQ, SystemCallArchitecture(), 1, 0);
  filter.Return(SECCOMP_RET_KILL_PROCESS);
  filter.Load(offsetof(seccomp_data, nr));
  for (const long number : kAllowed) filter.Allow(number);
  // Threads and processes. clone3 hides its flags behind a pointer: without it, libraries use this.
  filter.AllowWithout(SYS_clone, kNamespaces);
  filter.Return(SECCOMP_RET_ERRNO | ENOSYS);
  return filter.Take();
}

}  // namespace cyclescope::sandbox
