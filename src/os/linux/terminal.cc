#include "os/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cyclescope::os {

bool IsOpen(Stream stream) {
  const int flags = fcntl(static_cast<int>(stream), F_GETFL);
  return flags != -1 && (flags & O_ACCMODE) != (stream == Stream::kInput ? O_WRONLY : O_RDONLY);
}

bool IsTerminal(Stream stream) { return isatty(static_cast<int>(stream)) == 1; }

std::optional<int> TerminalWidth(Stream stream) {
  winsize size = {};
  if (ioctl(static_cast<int>(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return std::nullopt;
  return size.ws_col;
}

std::optional<int> TerminalHeight(Stream stream) {
  winsize size = {};
  if (ioctl(static_cast<int>(stream), TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
    return std::nullopt;
  return size.ws_row;
}

}  // namespace cyclescope::os
