// The system-call filters (seccomp, man 2 seccomp): the worker's, and that of compilers. Code in
// the generated code's region makes no system call at all; code elsewhere only the few that the
// worker's own loop needs, as generated code can jump there. What is refused raises SIGSYS, except
// calls of another architecture's interface (`int 0x80`), which end the process at once.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <span>
#include <vector>

namespace cyclescope::sandbox {

// The worker's file descriptors: the socket to the tool, then what the counters need.
inline constexpr int kWorkerSocket = 0;
inline constexpr int kMostWorkerDescriptors = 16;

// `code_address` is a multiple of `code_size`, a power of two.
std::vector<sock_filter> BuildSystemCallFilter(std::uint64_t code_address, std::uint64_t code_size);

// For a confined program: what compilers need to read, compute, write and start their own parts.
// What is refused fails with ENOSYS, as on a kernel that does not have it.
std::vector<sock_filter> BuildCompilerFilter();

// Puts the calling thread under the filter for good. Returns 0 or an errno.
int InstallSystemCallFilter(std::span<sock_filter> filter);

}  // namespace cyclescope::sandbox
