#include <csignal>
#include <cstdlib>

#include "os/terminal.h"

namespace cyclescope::os {

void PrepareProgram() {
  std::signal(SIGPIPE, SIG_IGN);
  // hwloc has no call for this but a variable of the environment; 2 stands for all of its messages.
  setenv("HWLOC_HIDE_ERRORS", "2", 1);
}

char ShellQuote() { return '\''; }

}  // namespace cyclescope::os
