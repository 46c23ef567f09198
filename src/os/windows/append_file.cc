#include "os/append_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <io.h>
#include <windows.h>

#include "base/try.h"
#include "os/windows/wide_text.h"

namespace cyclescope::os {
namespace {

constexpr std::chrono::seconds kBetweenSyncs{1};

std::unexpected<Error> CannotWrite(const std::string& path, DWORD error) {
  return Failed(fmt::format("cannot write '{}': {}", path, WindowsMessage(error)));
}

HANDLE HandleOf(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

}  // namespace

Result<AppendFile> AppendFile::Open(const std::string& path, bool may_be_new) {
  // Others may read it meanwhile. Two programs that append to one file would both measure what the
  // other does, so they may not write.
  HANDLE handle = CreateFileW(
      ToWide(path).c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE,
      nullptr, may_be_new ? OPEN_ALWAYS : OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    const DWORD error = GetLastError();
    if (error == ERROR_SHARING_VIOLATION) {
      return BadInput(fmt::format("'{}' is in use", path),
                      "another program writes to it: wait for its end");
    }
    auto refused = CannotWrite(path, error);
    refused.error().kind = ErrorKind::kBadInput;
    return refused;
  }
  const int descriptor =
      _open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_RDWR | _O_BINARY | _O_APPEND);
  if (descriptor < 0) {
    CloseHandle(handle);
    return CannotWrite(path, ERROR_TOO_MANY_OPEN_FILES);
  }
  return AppendFile(path, descriptor);
}

Result<AppendFile> AppendFile::Create(const std::string& path) {
  auto file = TRY(Open(path, /*may_be_new=*/true));
  // A device such as NUL has no size, and takes everything.
  if (_filelengthi64(file.descriptor_) > 0)
    return BadInput(fmt::format("'{}' exists already", path));
  return file;
}

Result<AppendFile> AppendFile::Continue(const std::string& path) {
  return Open(path, /*may_be_new=*/false);
}

AppendFile::~AppendFile() {
  if (descriptor_ < 0) return;
  FlushFileBuffers(HandleOf(descriptor_));
  _close(descriptor_);
}

Result<void> AppendFile::KeepFirst(std::uint64_t size) {
  LARGE_INTEGER end{};
  end.QuadPart = static_cast<LONGLONG>(size);
  HANDLE handle = HandleOf(descriptor_);
  if (SetFilePointerEx(handle, end, nullptr, FILE_BEGIN) == 0 || SetEndOfFile(handle) == 0)
    return CannotWrite(path_, GetLastError());
  return {};
}

Result<void> AppendFile::Append(std::string_view text) {
  HANDLE handle = HandleOf(descriptor_);
  while (!text.empty()) {
    // Wherever the position stands, this is the end of the file.
    OVERLAPPED at_end{};
    at_end.Offset = at_end.OffsetHigh = 0xffffffff;
    DWORD written = 0;
    if (WriteFile(handle, text.data(), static_cast<DWORD>(text.size()), &written, &at_end) == 0)
      return CannotWrite(path_, GetLastError());
    text.remove_prefix(written);
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ < kBetweenSyncs) return {};
  synced_ = now;
  FlushFileBuffers(handle);
  return {};
}

}  // namespace cyclescope::os
