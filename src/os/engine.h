// The engine that started this process as one of many, by what it leaves in the environment.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cyclescope/result/engine.h"

namespace cyclescope::os {

// The value of a variable; unset where there is none.
using Environment = std::function<std::optional<std::string>(const char* name)>;

Environment ProcessEnvironment();

// Unset where nothing started us as one of many: a shell inside of a job is no task. `node` is
// empty where the engine has no name for it.
std::optional<Engine> FindEngine(const Environment& environment = ProcessEnvironment());

}  // namespace cyclescope::os
