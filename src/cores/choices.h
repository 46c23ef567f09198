// What a request asks for: which tests, with which instruction, on which CPUs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/ping_pong.h"
#include "cyclescope/base/error.h"
#include "cyclescope/result/host.h"
#include "os/cpus.h"

namespace cyclescope::cores {

// `tests` is a list with commas ("cas,store"), or "all". `instruction` is empty for each test's
// default; else it must be one that the CPU has and that every test named can do. The order is the
// user's.
Result<std::vector<arch::PingPong>> ChooseTests(std::string_view tests,
                                                std::string_view instruction,
                                                std::span<const std::string> features);

// The first CPU of each core that the topology lists, among `cpus`; a CPU of which it says nothing
// counts as a core of its own.
os::CpuList OnePerCore(const os::CpuList& cpus, std::span<const CpuPlace> topology);

}  // namespace cyclescope::cores
