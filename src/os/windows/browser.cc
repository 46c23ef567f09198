#include "os/browser.h"

#include <windows.h>
// Behind <windows.h>, which it needs.
#include <shellapi.h>

#include <cstdlib>
#include <utility>

#include "os/windows/wide_text.h"

namespace cyclescope::os {

// A console has one, but for that of an SSH server.
bool HasDesktop() { return std::getenv("SSH_CONNECTION") == nullptr; }

// Other users cannot read the command line of a process here: no file is needed.
Result<ShownAddress> ShownAddress::Show(const std::string& address) {
  const std::wstring wide = ToWide(address);
  const HINSTANCE opened =
      ShellExecuteW(nullptr, L"open", wide.c_str(), nullptr, nullptr, SW_SHOWNORMAL);
  // Larger than 32 when it succeeded, as its documentation has it.
  constexpr INT_PTR kLastError = 32;
  if (reinterpret_cast<INT_PTR>(opened) <= kLastError)
    return Failed("the browser is not opened: Windows has no program for the address");
  return ShownAddress({});
}

ShownAddress::ShownAddress(ShownAddress&& other) noexcept : file_(std::move(other.file_)) {}

ShownAddress::~ShownAddress() = default;

}  // namespace cyclescope::os
