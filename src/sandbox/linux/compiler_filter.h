// The system-call filter of a confined program: what compilers need to read, compute, write and
// start their own parts. What is refused fails with ENOSYS, as on a kernel that does not have it.
#pragma once

#include <linux/filter.h>

#include <vector>

namespace cyclescope::sandbox {

std::vector<sock_filter> BuildCompilerFilter();

}  // namespace cyclescope::sandbox
