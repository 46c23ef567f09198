// Ctrl-C as a question that long work asks now and then, so that it can end with what it has.
//
//   os::InterruptGuard guard;
//   while (!os::Interrupted()) MeasureMore();
#pragma once

namespace cyclescope::os {

// While one lives, SIGINT and SIGTERM only set a flag. Another one, a second later or more, ends
// the program at once; sooner it is the same wish: `timeout` sends its signal to the program and to
// its group, and an impatient hand hits Ctrl-C twice. Signals that were ignored before stay so.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

// True if the flag is set.
bool Interrupted();

}  // namespace cyclescope::os
