// Ctrl-C as a question that long work asks now and then, so that it can end with what it has.
//
//   os::InterruptGuard guard;
//   while (!os::Interrupted()) MeasureMore();
#pragma once

namespace cyclescope::os {

// While one lives, SIGINT and SIGTERM only set a flag; a second one ends the program at once.
// Signals that were ignored before stay so.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

// Whether the flag is set.
bool Interrupted();

}  // namespace cyclescope::os
