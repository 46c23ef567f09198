#include "os/windows/wide_text.h"

#include <fmt/core.h>
#include <windows.h>

#include <array>

#include "base/text.h"

namespace cyclescope::os {

std::wstring ToWide(std::string_view text) {
  const int size = static_cast<int>(text.size());
  std::wstring wide(
      static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0)),
      L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), size, wide.data(), static_cast<int>(wide.size()));
  return wide;
}

std::string ToUtf8(std::wstring_view text) {
  const int size = static_cast<int>(text.size());
  std::string narrow(static_cast<std::size_t>(WideCharToMultiByte(CP_UTF8, 0, text.data(), size,
                                                                  nullptr, 0, nullptr, nullptr)),
                     '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), size, narrow.data(), static_cast<int>(narrow.size()),
                      nullptr, nullptr);
  return narrow;
}

std::string WindowsMessage(unsigned long error) {
  std::array<wchar_t, 512> buffer{};
  const DWORD length = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS,
                                      nullptr, error, 0, buffer.data(), buffer.size(), nullptr);
  const std::string text = ToUtf8({buffer.data(), length});
  std::string_view message = Trimmed(text);
  if (message.ends_with('.')) message.remove_suffix(1);
  return message.empty() ? fmt::format("error {}", error) : std::string(message);
}

}  // namespace cyclescope::os
