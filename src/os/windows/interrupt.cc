#include "os/interrupt.h"

#include <windows.h>

#include <atomic>

namespace cyclescope::os {
namespace {

// Set by the console's own thread and read by any.
std::atomic<bool> interrupted = false;

BOOL WINAPI OnControl(DWORD /*event*/) {
  constexpr UINT kEndedByControlC = 130;  // as shells of other systems have it
  if (interrupted.exchange(true)) ExitProcess(kEndedByControlC);
  return TRUE;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted = false;
  SetConsoleCtrlHandler(OnControl, TRUE);
}

InterruptGuard::~InterruptGuard() { SetConsoleCtrlHandler(OnControl, FALSE); }

bool Interrupted() { return interrupted; }

}  // namespace cyclescope::os
