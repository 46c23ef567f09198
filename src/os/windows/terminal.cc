#include "os/terminal.h"

#include <windows.h>

namespace cyclescope::os {
namespace {

HANDLE HandleOf(Stream stream) {
  switch (stream) {
    case Stream::kInput:
      return GetStdHandle(STD_INPUT_HANDLE);
    case Stream::kOutput:
      return GetStdHandle(STD_OUTPUT_HANDLE);
    case Stream::kError:
      return GetStdHandle(STD_ERROR_HANDLE);
  }
  return nullptr;
}

std::optional<SMALL_RECT> WindowOf(Stream stream) {
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (GetConsoleScreenBufferInfo(HandleOf(stream), &info) == 0) return std::nullopt;
  return info.srWindow;
}

}  // namespace

bool IsOpen(Stream stream) {
  HANDLE handle = HandleOf(stream);
  DWORD flags = 0;
  return handle != nullptr && handle != INVALID_HANDLE_VALUE &&
         (GetHandleInformation(handle, &flags) != 0 || IsTerminal(stream));
}

bool IsTerminal(Stream stream) {
  DWORD mode = 0;
  return GetConsoleMode(HandleOf(stream), &mode) != 0;
}

std::optional<int> TerminalWidth(Stream stream) {
  const auto window = WindowOf(stream);
  if (!window || window->Right < window->Left) return std::nullopt;
  return window->Right - window->Left + 1;
}

std::optional<int> TerminalHeight(Stream stream) {
  const auto window = WindowOf(stream);
  if (!window || window->Bottom < window->Top) return std::nullopt;
  return window->Bottom - window->Top + 1;
}

}  // namespace cyclescope::os
