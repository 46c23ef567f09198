#include <fcntl.h>

#include <csignal>
#include <cstdlib>

#include "os/terminal.h"

namespace cyclescope::os {

namespace {

// Where a stream is closed, the next file that is opened would take its place, and errors would be
// written into results. So it gets one that refuses, as a closed one does.
void FillStandardStreams() {
  for (const int stream : {0, 1, 2}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // The lowest number that is free is this one.
    if (open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) == -1) return;
  }
}

}  // namespace

void PrepareProgram() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write (ulimit -f)
  FillStandardStreams();
  // hwloc has no call for this but a variable of the environment; 2 stands for all of its messages.
  setenv("HWLOC_HIDE_ERRORS", "2", 1);
}

char ShellQuote() { return '\''; }

}  // namespace cyclescope::os
