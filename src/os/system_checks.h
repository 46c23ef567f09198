// What only one system has: its settings that bear on measuring, judged.
#pragma once

#include <filesystem>
#include <vector>

#include "cyclescope/result/check.h"

namespace cyclescope::os {

// Each has a claim and no words: those are made above this layer.
std::vector<Check> CheckSystem(const std::filesystem::path& root = "/");

}  // namespace cyclescope::os
