// Register state that a process must ask the operating system for.
#pragma once

namespace cyclescope::os {

// Asks for AMX's tiles, which Linux gives only to processes that want them; processes forked later
// have them too. Where there are none, or they are refused, code that uses them faults.
void RequestTileState();

}  // namespace cyclescope::os
