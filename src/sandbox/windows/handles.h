// Windows' handles as the numbers that shared headers keep, and its errors.
#pragma once

#include <fmt/core.h>
#include <windows.h>

#include <cstdint>

#include "cyclescope/base/error.h"
#include "os/windows/wide_text.h"

namespace cyclescope::sandbox {

inline HANDLE HandleOf(std::intptr_t number) { return reinterpret_cast<HANDLE>(number); }
inline std::intptr_t NumberOf(HANDLE handle) { return reinterpret_cast<std::intptr_t>(handle); }

// "cannot {what}", and what the system says.
inline std::unexpected<Error> FailedTo(const char* what) {
  return Failed(fmt::format("cannot {}: {}", what, os::WindowsMessage(GetLastError())));
}

}  // namespace cyclescope::sandbox
