// Whether somebody looks at what is drawn on a terminal.
#pragma once

#include "os/engine.h"
#include "os/terminal.h"

namespace cyclescope::cli {

// An engine's task is one of many, whose outputs it brings together. OpenMPI gives its ranks a
// terminal all the same.
inline bool IsWatched(os::Stream stream) { return os::IsTerminal(stream) && !os::FindEngine(); }

}  // namespace cyclescope::cli
