#include "os/pages.h"

#include <fmt/core.h>
#include <windows.h>

#include "os/windows/wide_text.h"

namespace cyclescope::os {

// Windows makes huge pages of none that was not asked for as such.
Result<Pages> Pages::Map(std::size_t count) {
  void* begin =
      VirtualAlloc(nullptr, count * BytesPerPage(), MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (begin == nullptr) {
    return Failed(
        fmt::format("cannot map {} pages of memory: {}", count, WindowsMessage(GetLastError())));
  }
  return Pages(static_cast<std::byte*>(begin), count);
}

Pages::~Pages() {
  if (begin_ != nullptr) VirtualFree(begin_, 0, MEM_RELEASE);
}

std::size_t Pages::BytesPerPage() {
  static const std::size_t bytes = [] {
    SYSTEM_INFO info{};
    GetSystemInfo(&info);
    return std::size_t{info.dwPageSize};
  }();
  return bytes;
}

}  // namespace cyclescope::os
