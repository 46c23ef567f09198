// Which tests to run, and with which instruction, by what the user named and the CPU has.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/ping_pong.h"
#include "cyclescope/base/error.h"

namespace cyclescope::cores {

// `tests` is a list with commas ("cas,store"), or "all". `instruction` is empty for each test's
// default; else it must be one that the CPU has and that every test named can do. The order is the
// user's.
Result<std::vector<arch::PingPong>> ChooseTests(std::string_view tests,
                                                std::string_view instruction,
                                                std::span<const std::string> features);

}  // namespace cyclescope::cores
