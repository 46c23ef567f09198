#include "os/shared_library.h"

#include <fmt/core.h>
#include <windows.h>

#include "os/windows/wide_text.h"

namespace cyclescope::os {

std::optional<Error> WhyNoDrivers() {
  return Error{ErrorKind::kFailed, "GPUs are measured on Linux, not on Windows",
               "use the Linux program"};
}

Result<SharedLibrary> SharedLibrary::Open(const std::string& name) {
  // Its own name only: a file of the working folder must not stand in for a library.
  HMODULE module = LoadLibraryExW(ToWide(name).c_str(), nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
  if (module != nullptr) return SharedLibrary(module);
  return Failed(fmt::format("cannot open {}: {}", name, WindowsMessage(GetLastError())));
}

void* SharedLibrary::Find(const char* function) const {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), function));
}

}  // namespace cyclescope::os
